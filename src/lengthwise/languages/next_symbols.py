"""Which symbols can follow a prefix of a word, and where two prefixes part in that respect."""

from __future__ import annotations

from .dfa import DFA
from .dfa_algebra import Word


def live_states(language: DFA) -> frozenset[int]:
    """Return the states from which some word is accepted."""
    sources: list[list[int]] = [[] for _ in range(language.num_states)]
    for state, row in enumerate(language.transitions):
        for target in row:
            sources[target].append(state)
    live = set(language.accepting)
    queue = sorted(live)
    for state in queue:
        for source in sources[state]:
            if source not in live:
                live.add(source)
                queue.append(source)
    return frozenset(live)


def next_symbol_set(language: DFA, live: frozenset[int], state: int) -> frozenset[int]:
    """Return the numbers of the symbols that can follow at a state; the number past the last stands for the end."""
    legal = {symbol for symbol, target in enumerate(language.transitions[state]) if target in live}
    return frozenset(legal | ({len(language.alphabet)} if state in language.accepting else set()))


def separating_next_symbols(language: DFA, live: frozenset[int], one: int, two: int) -> Word | None:
    """Return a shortest non-empty word after which two states still live but differ in their next symbols, or None."""
    words: dict[tuple[int, int], tuple[int, ...]] = {}  # without the two at first: a word may lead back to them
    queue = [(one, two)]
    for left, right in queue:
        word = words.get((left, right), ())
        if word and next_symbol_set(language, live, left) != next_symbol_set(language, live, right):
            return language.decode(word)
        for symbol, after in enumerate(zip(language.transitions[left], language.transitions[right], strict=True)):
            if after[0] in live and after[1] in live and after[0] != after[1] and after not in words:
                words[after] = (*word, symbol)
                queue.append(after)
    return None
