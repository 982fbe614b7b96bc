"""At which lengths a language has words."""

from __future__ import annotations

from .dfa import DFA


def lengths_with_words(language: DFA, longest: int) -> list[bool]:
    """Return for each length from 0 to the longest whether the language has words of it.

    The sets of states that words of one length reach repeat from some length on. A set that comes again (met at a
    distance by Brent's method, which remembers one set) ends the search, since large automata at large lengths would
    take hours.

    >>> from .regex import compile_regex
    >>> lengths_with_words(compile_regex("(ab)*"), 4)
    [True, False, True, False, True]
    """
    reached = remembered = frozenset([0])
    since, limit = 0, 1
    has_words: list[bool] = []
    for _ in range(longest + 1):
        has_words.append(not reached.isdisjoint(language.accepting))
        reached = frozenset(target for state in reached for target in language.transitions[state])
        since += 1
        if reached == remembered:
            missing = longest + 1 - len(has_words)
            period = has_words[-since:]
            return has_words + (period * (missing // since + 1))[:missing]
        if since == limit:
            remembered, since, limit = reached, 0, 2 * limit
    return has_words
