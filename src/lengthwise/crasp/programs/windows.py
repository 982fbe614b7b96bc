"""Languages that need a look at the last few symbols: C-RASP[local]."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from ...languages.catalog import LANGUAGES
from ...languages.regex import compile_regex
from .entry import HUANG, OURS, Acceptor, Family, Regular, Rule, integer_argument, regular, word_argument
from .samplers import uniform, until
from .templates import back, ends_here, lines, quoted

LETTERS = "abcdefgh"


def _changes_mostly(word: str) -> bool:
    return sum(one != two for one, two in pairwise(word)) > sum(one == two for one, two in pairwise(word))


def _changing(random: Random, length: int) -> str:
    return until(_changes_mostly, lambda: "a" + "".join(random.choices("ab", k=max(1, length - 1))))


def _has_more_ab_than_ba(word: str) -> bool:
    return word.count("ab") > word.count("ba")


_WITHOUT_AB = "([bc]|a+c)*a*"

WINDOWS = (
    Acceptor(
        name="tomita_4",
        definition="no 000",
        source=HUANG,
        code="""
            alphabet '0' '1'
            read at end
            bad    := '0' and #{1..2}['0'] = 2
            accept := #[bad] = 0
        """,
        language=Regular(build=lambda: LANGUAGES["TOMITA_4"].language),
    ),
    Acceptor(
        name="no_repeats",
        definition="no symbol stands beside itself",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            bad    := 'a' and #{1}['a'] = 1 or 'b' and #{1}['b'] = 1 or 'c' and #{1}['c'] = 1
            accept := #[bad] = 0
        """,
        language=Regular(build=lambda: ~compile_regex(".*(aa|bb|cc).*", alphabet="abc")),
    ),
    Acceptor(
        name="a_then_b",
        definition="every a is directly followed by a b",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            bad    := #{1}['a'] = 1 and not 'b'  // the end marker is no b
            accept := #[bad] = 0
        """,
        language=regular("([bc]|ab)*", "abc"),
    ),
    Acceptor(
        name="no_lone_one",
        definition="every run of 1s has at least two",
        source=OURS,
        code="""
            alphabet '0' '1'
            read at end
            lone   := #{1}['1'] = 1 and #{2}['1'] = 0 and not '1'
            accept := #[lone] = 0
        """,
        language=regular("(0|11+0)*(11+)?", "01"),
    ),
    Acceptor(
        name="ab_without_ba",
        definition="the factor ab occurs and the factor ba does not",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            ab     := 'b' and #{1}['a'] = 1
            ba     := 'a' and #{1}['b'] = 1
            accept := #[ab] > 0 and #[ba] = 0
        """,
        language=Regular(
            build=lambda: compile_regex(".*ab.*", alphabet="abc") - compile_regex(".*ba.*", alphabet="abc")
        ),
    ),
    Acceptor(
        name="ab_twice",
        definition="the factor ab occurs exactly twice",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            ab     := 'b' and #{1}['a'] = 1
            accept := #[ab] = 2
        """,
        language=regular(f"{_WITHOUT_AB}ab{_WITHOUT_AB}ab{_WITHOUT_AB}", "abc"),
    ),
    Acceptor(
        name="more_ab_than_ba",
        definition="the factor ab occurs more often than the factor ba",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            ab     := 'b' and #{1}['a'] = 1
            ba     := 'a' and #{1}['b'] = 1
            accept := #[ab] > #[ba]
        """,
        language=Rule(
            contains=_has_more_ab_than_ba,
            member=lambda random, length: until(
                _has_more_ab_than_ba, lambda: "ab" + uniform(random, "abc", max(0, length - 2))
            ),
        ),
    ),
    Acceptor(
        name="mostly_changing",
        definition="the symbol changes more often than it stays",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            change := 'a' and #{1}['b'] = 1 or 'b' and #{1}['a'] = 1
            stay   := 'a' and #{1}['a'] = 1 or 'b' and #{1}['b'] = 1
            accept := #[change] > #[stay]
        """,
        language=Rule(contains=_changes_mostly, member=_changing),
    ),
    Acceptor(
        name="rate_limit",
        definition="at most two 1s among any four symbols in a row",
        source=OURS,
        code="""
            alphabet '0' '1'
            read at end
            accept := #[#{0..3}['1'] > 2] = 0
        """,
        language=Regular(build=lambda: ~compile_regex(".*(111|1101|1011).*", alphabet="01")),
    ),
    Acceptor(
        name="ab_or_aabb",
        definition="ab and aabb again and again, in any order",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            open   := #['a'] - #['b']
            again  := 'a' and #{1}['b'] = 1 and open = 2  // an a after aab
            accept := #[open < 0 or open > 2 or again] = 0 and open = 0
        """,
        language=regular("(ab|aabb)*", "ab"),
    ),
)


def _letters_for(word: str) -> str:
    return "".join(sorted({*"abc", *word}))


def contains(text: str) -> Acceptor:
    """Return the program that finds a factor; with a third letter about, this needs a window."""
    word = word_argument("contains", text, letters=LETTERS, most=8)
    letters = _letters_for(word)
    return Acceptor(
        name="contains",
        argument=word,
        definition=f"the factor {word} occurs",
        source=HUANG,
        code=lines(
            f"alphabet {quoted(letters)}", "read at end", f"found := {ends_here(word)}", "accept := #[found] > 0"
        ),
        language=regular(f".*{word}.*", letters),
    )


def avoids(text: str) -> Acceptor:
    """Return the program that forbids a factor."""
    word = word_argument("avoids", text, letters=LETTERS, most=8)
    letters = _letters_for(word)
    return Acceptor(
        name="avoids",
        argument=word,
        definition=f"the factor {word} does not occur",
        source=OURS,
        code=lines(f"alphabet {quoted(letters)}", "read at end", f"bad := {ends_here(word)}", "accept := #[bad] = 0"),
        language=Regular(build=lambda: ~compile_regex(f".*{word}.*", alphabet=letters)),
    )


def ends_with(text: str) -> Acceptor:
    """Return the program that compares the last letters with a word."""
    word = word_argument("ends_with", text, letters=LETTERS, most=8)
    letters = _letters_for(word)
    return Acceptor(
        name="ends_with",
        argument=word,
        definition=f"the word ends in {word}",
        source=OURS,
        code=lines(f"alphabet {quoted(letters)}", "read at last", f"accept := {ends_here(word)}"),
        language=regular(f".*{word}", letters),
    )


def from_the_end(text: str) -> Acceptor:
    """Return the program that looks at one position from the right."""
    place = integer_argument("from_the_end", text, low=2, high=8)
    return Acceptor(
        name="from_the_end",
        argument=str(place),
        definition=f"symbol number {place} from the end is a",
        source=OURS,
        code=lines("alphabet 'a' 'b'", "read at last", f"accept := {back(place - 1, 'a')}"),
        language=regular(f".*a.{{{place - 1}}}", "ab"),
    )


def at_distance(text: str) -> Acceptor:
    """Return the program that compares symbols at a distance."""
    distance = integer_argument("at_distance", text, low=2, high=8)
    return Acceptor(
        name="at_distance",
        argument=str(distance),
        definition=f"some b stands {distance} places after an a",
        source=OURS,
        code=lines(
            "alphabet 'a' 'b' 'c'", "read at end", f"found := 'b' and {back(distance, 'a')}", "accept := #[found] > 0"
        ),
        language=regular(f".*a.{{{distance - 1}}}b.*", "abc"),
    )


FAMILIES = (
    Family(name="contains", default="ab", build=contains),
    Family(name="avoids", default="bb", build=avoids),
    Family(name="ends_with", default="aba", build=ends_with),
    Family(name="from_the_end", default="2", build=from_the_end),
    Family(name="at_distance", default="3", build=at_distance),
)
