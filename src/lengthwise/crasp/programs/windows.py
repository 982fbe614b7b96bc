"""Languages that need a look at the last few symbols: C-RASP[local]."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from ...languages.regex import compile_regex
from .entry import (
    HUANG,
    OURS,
    Acceptor,
    Family,
    Regular,
    Rule,
    acceptors,
    integer_argument,
    letters_for,
    named_language,
    regular,
    word_argument,
)
from .samplers import uniform, until
from .templates import back, ends_here, lines, quoted


def _changes_mostly(word: str) -> bool:
    return sum(one != two for one, two in pairwise(word)) > sum(one == two for one, two in pairwise(word))


def _changing(random: Random, length: int) -> str:
    return until(_changes_mostly, lambda: "a" + "".join(random.choices("ab", k=max(1, length - 1))))


def _has_more_ab_than_ba(word: str) -> bool:
    return word.count("ab") > word.count("ba")


_WITHOUT_AB = "([bc]|a+c)*a*"

WINDOWS = acceptors(
    "windows",
    {
        "tomita_4": named_language("TOMITA_4"),
        "no_repeats": Regular(build=lambda: ~compile_regex(".*(aa|bb|cc).*", alphabet="abc")),
        "a_then_b": regular("([bc]|ab)*", "abc"),
        "no_lone_one": regular("(0|11+0)*(11+)?", "01"),
        "ab_without_ba": Regular(
            build=lambda: compile_regex(".*ab.*", alphabet="abc") - compile_regex(".*ba.*", alphabet="abc")
        ),
        "ab_twice": regular(f"{_WITHOUT_AB}ab{_WITHOUT_AB}ab{_WITHOUT_AB}", "abc"),
        "more_ab_than_ba": Rule(
            contains=_has_more_ab_than_ba,
            member=lambda random, length: until(
                _has_more_ab_than_ba, lambda: "ab" + uniform(random, "abc", max(0, length - 2))
            ),
        ),
        "mostly_changing": Rule(contains=_changes_mostly, member=_changing),
        "rate_limit": Regular(build=lambda: ~compile_regex(".*(111|1101|1011).*", alphabet="01")),
        "ab_or_aabb": regular("(ab|aabb)*", "ab"),
    },
)


def contains(text: str) -> Acceptor:
    """Return the program that finds a factor; with a third letter about, this needs a window."""
    word = word_argument("contains", text)
    letters = letters_for(word)
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
    word = word_argument("avoids", text)
    letters = letters_for(word)
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
    word = word_argument("ends_with", text)
    letters = letters_for(word)
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
