"""What one asks of automata beyond set operations: shortest words, quotients, other alphabets, exact counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import AlphabetMismatchError, InvalidOptionError
from .alphabet import make_alphabet, show_alphabet
from .dfa import DFA, require_same_alphabet

Word = tuple[str, ...]


def shortest_word(language: DFA, start: int = 0) -> Word | None:
    """Return the shortest word accepted from ``start``, the first in symbol order, or None."""
    return shortest_path(language, start, lambda state: state in language.accepting)


def shortest_path(language: DFA, start: int, is_goal: Callable[[int], bool]) -> Word | None:
    """Return the shortest word from ``start`` to a state that is a goal, the first in symbol order, or None."""
    words: dict[int, tuple[int, ...]] = {start: ()}
    queue = [start]
    for state in queue:
        if is_goal(state):
            return language.decode(words[state])
        for symbol, target in enumerate(language.transitions[state]):
            if target not in words:
                words[target] = (*words[state], symbol)
                queue.append(target)
    return None


def distinguishing_word(left: DFA, right: DFA) -> Word | None:
    """Return a shortest word that is in exactly one of the two languages, or None when they are equal."""
    require_same_alphabet(left, right)
    return shortest_word(left ^ right)


def separating_suffix(language: DFA, one: int, two: int) -> Word | None:
    """Return a shortest word accepted from exactly one of two states, or None when the states are the same."""
    words: dict[tuple[int, int], tuple[int, ...]] = {(one, two): ()}
    queue = [(one, two)]
    for pair in queue:
        if (pair[0] in language.accepting) != (pair[1] in language.accepting):
            return language.decode(words[pair])
        for symbol, after in enumerate(zip(language.transitions[pair[0]], language.transitions[pair[1]], strict=True)):
            if after not in words and after[0] != after[1]:
                words[after] = (*words[pair], symbol)
                queue.append(after)
    return None


def left_quotient(language: DFA, word: Iterable[str]) -> DFA:
    """Return {v : word·v in the language}."""
    return DFA(
        alphabet=language.alphabet,
        transitions=language.transitions,
        accepting=language.accepting,
        initial=language.run(word),
    )


def right_quotient(language: DFA, word: Iterable[str]) -> DFA:
    """Return {v : v·word in the language}."""
    symbols = tuple(word)
    ends = [state for state in range(language.num_states) if language.run(symbols, state) in language.accepting]
    return DFA(alphabet=language.alphabet, transitions=language.transitions, accepting=ends)


def over_alphabet(language: DFA, symbols: Iterable[str]) -> DFA:
    """Return the same set of words as a language over a larger alphabet."""
    alphabet = make_alphabet(symbols)
    missing = [symbol for symbol in language.alphabet if symbol not in alphabet]
    if missing:
        raise AlphabetMismatchError(
            f"symbol {missing[0]!r} of the language is not in the alphabet {show_alphabet(alphabet)}.",
            hint="an alphabet can only grow: name all symbols of the language.",
        )
    sink = language.num_states
    column = {symbol: number for number, symbol in enumerate(language.alphabet)}
    rows = [[row[column[symbol]] if symbol in column else sink for symbol in alphabet] for row in language.transitions]
    return DFA(alphabet=alphabet, transitions=[*rows, [sink] * len(alphabet)], accepting=language.accepting)


def count_words(language: DFA, length: int) -> int:
    """Return how many words of this length the language has, exactly."""
    return word_counts(language, length)[length][0]


def word_counts(language: DFA, length: int) -> list[list[int]]:
    """Return, for every n up to ``length`` and every state, how many words of length n are accepted from there."""
    if length < 0:
        raise InvalidOptionError(
            f"length {length} is not allowed; a length is at least 0.", hint="choose a length such as 8."
        )
    counts = [[int(state in language.accepting) for state in range(language.num_states)]]
    for _ in range(length):
        last = counts[-1]
        counts.append([sum(last[target] for target in row) for row in language.transitions])
    return counts
