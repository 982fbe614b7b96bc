"""Blocks of letters whose sizes are compared: counter languages in plain C-RASP."""

from __future__ import annotations

import re
from random import Random

from .entry import Rule, acceptors
from .samplers import near, scrambled, split, uniform


def _sizes(word: str, letters: str) -> list[int] | None:
    """Return the sizes of the blocks of these letters in this order, or None if the word is made in another way."""
    match = re.fullmatch("".join(f"({letter}*)" for letter in letters), word)
    return [len(block) for block in match.groups()] if match else None


def _blocks(letters: str, *sizes: int) -> str:
    return "".join(letter * size for letter, size in zip(letters, sizes, strict=True))


def _has_equal_blocks(word: str, letters: str) -> bool:
    sizes = _sizes(word, letters)
    return sizes is not None and len(set(sizes)) == 1


def _is_twice(word: str) -> bool:
    sizes = _sizes(word, "ab")
    return sizes is not None and sizes[1] == 2 * sizes[0]


def _is_falling(word: str) -> bool:
    sizes = _sizes(word, "ab")
    return sizes is not None and sizes[0] > sizes[1]


def _is_crossed(word: str) -> bool:
    sizes = _sizes(word, "abcd")
    return sizes is not None and sizes[0] == sizes[2] and sizes[1] == sizes[3]


def _is_a_sum(word: str) -> bool:
    sizes = _sizes(word, "abc")
    return sizes is not None and sizes[0] + sizes[1] == sizes[2]


def _crossed(random: Random, length: int) -> str:
    one, two = split(random, length // 2, 2)
    return _blocks("abcd", one, two, one, two)


def _a_sum(random: Random, length: int) -> str:
    one, two = split(random, length // 2, 2)
    return _blocks("abc", one, two, one + two)


def _falling(random: Random, length: int) -> str:
    few = near(random, (length - 1) // 2)
    return _blocks("ab", length - few, few)


def _leading_half(random: Random, length: int) -> str:
    leading = -(-length // 2) + near(random, length // 4)
    return "a" * leading + ("b" + uniform(random, "ab", length - leading - 1) if leading < length else "")


def _halves(word: str) -> list[str]:
    return word.split("c")


def _permuted(random: Random, length: int) -> str:
    half = uniform(random, "ab", length // 2)
    return half + "c" + scrambled(random, half)


COUNTERS = acceptors(
    "counters",
    {
        "a_n_b_n": Rule(
            contains=lambda word: _has_equal_blocks(word, "ab"),
            member=lambda _, length: _blocks("ab", *[length // 2] * 2),
        ),
        "a_n_b_n_c_n": Rule(
            contains=lambda word: _has_equal_blocks(word, "abc"),
            member=lambda _, length: _blocks("abc", *[length // 3] * 3),
        ),
        "a_n_b_n_c_n_d_n": Rule(
            contains=lambda word: _has_equal_blocks(word, "abcd"),
            member=lambda _, length: _blocks("abcd", *[length // 4] * 4),
        ),
        "a_n_b_2n": Rule(contains=_is_twice, member=lambda _, length: _blocks("ab", length // 3, 2 * (length // 3))),
        "falling_blocks": Rule(contains=_is_falling, member=_falling),
        "cross_serial": Rule(contains=_is_crossed, member=_crossed),
        "unary_addition": Rule(contains=_is_a_sum, member=_a_sum),
        "leading_half": Rule(contains=lambda word: 2 * len(word.partition("b")[0]) >= len(word), member=_leading_half),
        "equal_halves": Rule(
            contains=lambda word: len(_halves(word)) == 2 and len({len(half) for half in _halves(word)}) == 1,
            member=lambda random, length: uniform(random, "ab", length // 2) + "c" + uniform(random, "ab", length // 2),
        ),
        "permuted_copy": Rule(
            contains=lambda word: len(_halves(word)) == 2 and sorted(_halves(word)[0]) == sorted(_halves(word)[1]),
            member=_permuted,
        ),
    },
)
