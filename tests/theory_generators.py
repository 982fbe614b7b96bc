"""Seeded languages for the tests of the theory: random ones, all small ones, and a few telling ones."""

from __future__ import annotations

from collections.abc import Iterator
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

#: Not in C-RASP[periodic, local], although neither a flip-flop nor a counter hides in them: only the graph says so.
GAPS = ["(aab*aa|ab)*", "(cca*b|bb|a)*", "((bb)*bab|a)*", "(b*aa|baba)*"]


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


def random_dfa_with_dead_ends(rng: Random, num_states: int, alphabet: str) -> DFA:
    """Return the language of a random automaton most of whose transitions lead to a sink: few symbols can follow."""
    sink = num_states - 1
    rows = [[sink if rng.random() < 0.55 else rng.randrange(sink) for _ in alphabet] for _ in range(sink)]
    accepting = [state for state in range(sink) if rng.random() < 0.5]
    return DFA(alphabet=alphabet, transitions=[*rows, [sink] * len(alphabet)], accepting=accepting)


#: Where the languages of :func:`many_languages` come from.
REGEX, SMALL_DFA, LARGE_DFA = SOURCES = ("expressions", "automata of 3 to 5 states", "automata of 6 to 8 states")


def many_languages(seed: int) -> Iterator[tuple[str, DFA]]:
    """Yield distinct languages without end, each with its source; automata are uniform, or have many dead ends.

    Of four languages two are expressions of depth up to 5 over two or three letters, and two are minimal automata.
    """
    rng = Random(seed)
    met: set[DFA] = set()
    number = 0
    while True:
        alphabet = rng.choice(("ab", "abc"))
        source = (REGEX, SMALL_DFA, REGEX, LARGE_DFA)[number % 4]
        if source == REGEX:
            text = random_regex(rng, rng.randint(2, 5), alphabet)
            language = compile_regex(f"({text})*" if rng.random() < 0.3 else text, alphabet=alphabet)
        else:
            num_states = rng.randint(3, 5) if source == SMALL_DFA else rng.randint(6, 8)
            language = rng.choice((random_dfa, random_dfa_with_dead_ends))(rng, num_states, alphabet)
            if language.num_states != num_states:
                continue
        if language not in met:
            met.add(language)
            number += 1
            yield source, language


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
