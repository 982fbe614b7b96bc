"""Blocks of letters whose sizes are compared: counter languages in plain C-RASP."""

from __future__ import annotations

import re
from random import Random

from .entry import OURS, Acceptor, Rule
from .samplers import near, scrambled, split, uniform

YANG = "arXiv 2404.04393"
BHATTAMISHRA = "arXiv 2009.11264"


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


COUNTERS = (
    Acceptor(
        name="a_n_b_n",
        definition="n as, then n bs",
        source=BHATTAMISHRA,
        code="""
            alphabet 'a' 'b'
            read at end
            late   := 'a' and #['b'] > 0
            accept := #[late] = 0 and #['a'] = #['b']
        """,
        language=Rule(
            contains=lambda word: _has_equal_blocks(word, "ab"),
            member=lambda _, length: _blocks("ab", *[length // 2] * 2),
        ),
    ),
    Acceptor(
        name="a_n_b_n_c_n",
        definition="n as, n bs, n cs",
        source=YANG,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            late   := 'a' and #['b' or 'c'] > 0 or 'b' and #['c'] > 0
            accept := #[late] = 0 and #['a'] = #['b'] and #['b'] = #['c']
        """,
        language=Rule(
            contains=lambda word: _has_equal_blocks(word, "abc"),
            member=lambda _, length: _blocks("abc", *[length // 3] * 3),
        ),
    ),
    Acceptor(
        name="a_n_b_n_c_n_d_n",
        definition="n as, n bs, n cs, n ds",
        source=BHATTAMISHRA,
        code="""
            alphabet 'a' 'b' 'c' 'd'
            read at end
            late   := 'a' and #['b' or 'c' or 'd'] > 0 or 'b' and #['c' or 'd'] > 0 or 'c' and #['d'] > 0
            accept := #[late] = 0 and #['a'] = #['b'] and #['b'] = #['c'] and #['c'] = #['d']
        """,
        language=Rule(
            contains=lambda word: _has_equal_blocks(word, "abcd"),
            member=lambda _, length: _blocks("abcd", *[length // 4] * 4),
        ),
    ),
    Acceptor(
        name="a_n_b_2n",
        definition="n as, then 2n bs",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            late   := 'a' and #['b'] > 0
            accept := #[late] = 0 and #['b'] = 2*#['a']
        """,
        language=Rule(contains=_is_twice, member=lambda _, length: _blocks("ab", length // 3, 2 * (length // 3))),
    ),
    Acceptor(
        name="falling_blocks",
        definition="as, then fewer bs",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            late   := 'a' and #['b'] > 0
            accept := #[late] = 0 and #['a'] > #['b']
        """,
        language=Rule(contains=_is_falling, member=_falling),
    ),
    Acceptor(
        name="cross_serial",
        definition="m as, n bs, m cs, n ds",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c' 'd'
            read at end
            late   := 'a' and #['b' or 'c' or 'd'] > 0 or 'b' and #['c' or 'd'] > 0 or 'c' and #['d'] > 0
            accept := #[late] = 0 and #['a'] = #['c'] and #['b'] = #['d']
        """,
        language=Rule(contains=_is_crossed, member=_crossed),
    ),
    Acceptor(
        name="unary_addition",
        definition="m as, n bs, m + n cs",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            late   := 'a' and #['b' or 'c'] > 0 or 'b' and #['c'] > 0
            accept := #[late] = 0 and #['a'] + #['b'] = #['c']
        """,
        language=Rule(contains=_is_a_sum, member=_a_sum),
    ),
    Acceptor(
        name="leading_half",
        definition="the as before the first b are at least half of the word",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at last
            leading := #['a' and #['b'] = 0]
            accept  := 2*leading >= #[true]
        """,
        language=Rule(contains=lambda word: 2 * len(word.partition("b")[0]) >= len(word), member=_leading_half),
    ),
    Acceptor(
        name="equal_halves",
        definition="as many as and bs before a single c as after it",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at last
            before := #['c'] = 0
            accept := #['c'] = 1 and #[before] = #[not before] - 1
        """,
        language=Rule(
            contains=lambda word: len(_halves(word)) == 2 and len({len(half) for half in _halves(word)}) == 1,
            member=lambda random, length: uniform(random, "ab", length // 2) + "c" + uniform(random, "ab", length // 2),
        ),
    ),
    Acceptor(
        name="permuted_copy",
        definition="after a single c, the as and bs from before it in any order",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at last
            before := #['c'] = 0
            same_a := 2*#['a' and before] = #['a']
            same_b := 2*#['b' and before] = #['b']
            accept := #['c'] = 1 and same_a and same_b
        """,
        language=Rule(
            contains=lambda word: len(_halves(word)) == 2 and sorted(_halves(word)[0]) == sorted(_halves(word)[1]),
            member=_permuted,
        ),
    ),
)
