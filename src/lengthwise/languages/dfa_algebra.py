"""What one asks of automata beyond set operations: shortest words, quotients, reversal, other alphabets, exact counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, permutations

from ..budget import checkpoint
from ..errors import AlphabetMismatchError, CapExceededError, InvalidOptionError
from .alphabet import make_alphabet, show_alphabet
from .dfa import DFA, require_same_alphabet

Word = tuple[str, ...]
Pair = tuple[int, int]

MAX_STATES = 10_000
MAX_STEPS = 5_000_000  # states looked at in all subsets together
MAX_PAIRS = 1_000_000
MAX_SUMMANDS = 5_000_000  # of a table of word counts
MAX_COUNT_BITS = 2**32  # of all its numbers
MOST_RENAMED = 4  # letters of a language, all of whose orders are tried


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
        checkpoint()
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


def left_quotient_by(language: DFA, beginnings: DFA, *, max_states: int = MAX_STATES) -> DFA:
    """Return {v : uv in the language for some u in ``beginnings``}."""
    what = "a left quotient"
    pairs = _pairs(language, beginnings, [(0, 0)], what)
    starts = frozenset(one for one, two in pairs if two in beginnings.accepting)
    moves = [[(target,) for target in targets] for targets in zip(*language.transitions, strict=True)]
    return _from_subsets(language, starts, moves, language.accepting, what, max_states)


def right_quotient_by(language: DFA, ends: DFA) -> DFA:
    """Return {u : uv in the language for some v in ``ends``}."""
    sources = _pairs(language, ends, [(state, 0) for state in range(language.num_states)], "a right quotient")
    queue = [(one, two) for one, two in sources if one in language.accepting and two in ends.accepting]
    met = set(queue)
    for pair in queue:
        checkpoint()
        for source in sources[pair]:
            if source not in met:
                met.add(source)
                queue.append(source)
    accepting = {one for one, two in met if two == 0}
    return DFA(alphabet=language.alphabet, transitions=language.transitions, accepting=accepting)


def reverse(language: DFA, *, max_states: int = MAX_STATES) -> DFA:
    """Return the language of the words read backwards.

    >>> starts_with_a = DFA(alphabet="ab", transitions=[[1, 2], [1, 1], [2, 2]], accepting=[1])
    >>> "ba" in reverse(starts_with_a), "ab" in reverse(starts_with_a)
    (True, False)
    """
    moves: list[list[list[int]]] = [[[] for _ in language.transitions] for _ in language.alphabet]
    for state, row in enumerate(language.transitions):
        for symbol, target in enumerate(row):
            moves[symbol][target].append(state)
    return _from_subsets(language, language.accepting, moves, frozenset([0]), "a reversal", max_states)


def _pairs(left: DFA, right: DFA, starts: list[Pair], what: str) -> dict[Pair, list[Pair]]:
    """Return the pairs of states that words lead to from these pairs, each with the pairs one symbol before."""
    require_same_alphabet(left, right)
    sources: dict[Pair, list[Pair]] = {pair: [] for pair in starts}
    queue = list(starts)
    for pair in queue:
        checkpoint()
        for after in zip(left.transitions[pair[0]], right.transitions[pair[1]], strict=True):
            if after not in sources:
                if len(queue) >= MAX_PAIRS:
                    raise CapExceededError(
                        f"{what} of languages with {left.num_states:,} and {right.num_states:,} states looks at more "
                        f"than {MAX_PAIRS:,} pairs of states, which is the cap.",
                        hint="use smaller languages.",
                    )
                sources[after] = []
                queue.append(after)
            sources[after].append(pair)
    return sources


def _from_subsets(
    language: DFA,
    start: frozenset[int],
    moves: Sequence[Sequence[Collection[int]]],
    accepting: frozenset[int],
    what: str,
    max_states: int,
) -> DFA:
    """Return the language that starts in several states of an automaton, ``moves[symbol][state]`` being where it goes."""
    numbers = {start: 0}
    queue = [start]
    rows = []
    num_steps = 0
    for subset in queue:
        checkpoint()
        num_steps += len(subset)
        row = []
        for targets in moves:
            after = frozenset(chain.from_iterable([targets[state] for state in subset]))
            if after not in numbers:
                if len(queue) >= max_states or num_steps > MAX_STEPS:
                    cap = f"{max_states:,} states" if len(queue) >= max_states else f"{MAX_STEPS:,} steps"
                    raise CapExceededError(
                        f"{what} of a language with {language.num_states:,} states needs more than {cap}, which is the cap.",
                        hint="use a smaller language, or raise max_states.",
                    )
                numbers[after] = len(queue)
                queue.append(after)
            row.append(numbers[after])
        rows.append(row)
    ends = [number for number, subset in enumerate(queue) if subset & accepting]
    return DFA(alphabet=language.alphabet, transitions=rows, accepting=ends)


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
    require_countable(language, length)
    counts = [[int(state in language.accepting) for state in range(language.num_states)]]
    for _ in range(length):
        count_of = counts[-1].__getitem__
        counts.append([sum(map(count_of, row)) for row in language.transitions])
    return counts


def require_countable(language: DFA, length: int) -> None:
    """Raise unless the words up to this length can be counted from all states in reasonable time and memory."""
    if length < 0:
        raise InvalidOptionError(
            f"length {length} is not allowed; a length is at least 0.", hint="choose a length such as 8."
        )
    num_symbols = len(language.alphabet)
    num_counts = (length + 1) * language.num_states
    num_bits = num_counts * length * (num_symbols - 1).bit_length() // 2  # words of n symbols are at most so many
    if num_counts * num_symbols > MAX_SUMMANDS or num_bits > MAX_COUNT_BITS:
        raise CapExceededError(
            f"counting the words up to length {length:,} of a language with {language.num_states:,} states and "
            f"{num_symbols:,} symbols adds {num_counts * num_symbols:,} numbers of {num_bits // 8:,} bytes in all; the caps "
            f"are {MAX_SUMMANDS:,} numbers and {MAX_COUNT_BITS // 8:,} bytes.",
            hint="use a shorter length or a smaller language.",
        )


def without_letter_names(language: DFA) -> DFA | None:
    """Return the language that stands for all renamings of this one; None if it has too many letters.

    >>> from .regex import compile_regex
    >>> without_letter_names(compile_regex("(xy)*")) == without_letter_names(compile_regex("(ba)*"))
    True
    """
    letters = [chr(ord("a") + number) for number in range(len(language.alphabet))]
    if len(letters) > MOST_RENAMED:
        return None
    renamed = [
        DFA(
            alphabet=letters,
            transitions=[[row[column] for column in order] for row in language.transitions],
            accepting=language.accepting,
        )
        for order in permutations(range(len(letters)))
    ]
    return min(renamed, key=lambda candidate: (candidate.transitions, sorted(candidate.accepting)))
