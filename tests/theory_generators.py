"""Seeded languages for the tests of the theory: random ones, all small ones, and a few telling ones."""

from __future__ import annotations

from itertools import product
from random import Random

from strategies import random_dfa, random_regex

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex

#: Small languages that between them need every kind of certificate: levels 0 to 2, windows, periods, paths and loops.
TELLING = [
    "(ab)*",
    "(ab|bbaa)*",
    "(abc|b)*",
    "(bac|a)*",
    "(ab|bba)*",
    "(ab|aabb)*",
    "(aa)*",
    "(aaa)*",
    "[ab]*b",
    "[ab]*ab[ab]*",
    "[abc]*ab[abc]*",
    "[abc]*be*",
    "(a|bb)*",
    "(ba|b)*",
    "a*b*",
    "(aab)*",
    "b(a|bb)*",
    "((bb)*bab|a)*",
]


def random_languages(seed: int, num_languages: int, *, depth: int = 3, max_states: int = 6) -> list[DFA]:
    """Return distinct random languages over two or three letters with at least two states, half of them starred."""
    rng = Random(seed)
    found: dict[DFA, None] = {}
    while len(found) < num_languages:
        alphabet = rng.choice(("ab", "ab", "abc"))
        if rng.random() < 0.6:
            text = random_regex(rng, depth, alphabet)
            language = compile_regex(f"({text})*" if rng.random() < 0.5 else text, alphabet=alphabet)
        else:
            language = random_dfa(rng, rng.randint(2, max_states), alphabet)
        if 2 <= language.num_states <= 2 * max_states:
            found[language] = None
    return list(found)


def random_word(rng: Random, alphabet: tuple[str, ...], length: int) -> tuple[str, ...]:
    """Return a uniform random word."""
    return tuple(rng.choice(alphabet) for _ in range(length))


def small_automata() -> list[DFA]:
    """Return all languages of complete automata with up to three states over one and two letters."""
    found: dict[DFA, None] = {}
    for num_states, alphabet in product((1, 2, 3), ("a", "ab")):
        width = len(alphabet)
        for targets in product(range(num_states), repeat=num_states * width):
            rows = [targets[start : start + width] for start in range(0, num_states * width, width)]
            for flags in product((False, True), repeat=num_states):
                accepting = [state for state, flag in enumerate(flags) if flag]
                found[DFA(alphabet=alphabet, transitions=rows, accepting=accepting)] = None
    return list(found)
