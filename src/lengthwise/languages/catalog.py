"""Languages with a name: those of arXiv 2410.02140, and one more that every discussion of readouts needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import CapExceededError, InvalidOptionError, unknown_name
from .dfa import DFA
from .regex import MAX_STATES, compile_regex

HUANG = "arXiv 2410.02140"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLanguage:
    """A language with its name, its definition in words, and what has been published about it.

    ``published`` maps an encoding to the prediction printed in the source: True for "length-generalizes".
    """

    name: str
    definition: str
    build: Callable[[], DFA]
    source: str
    published: tuple[tuple[str, bool], ...] = ()
    regex: str | None = None

    @property
    def language(self) -> DFA:
        """The language as an automaton."""
        return self.build()


def bounded_dyck(depth: int) -> DFA:
    """Return D_n: brackets a and b that balance, nested at most n deep."""
    if depth < 1:
        raise InvalidOptionError(f"the depth of D_n must be at least 1; found {depth}.", hint="for example D_3.")
    if depth + 2 > MAX_STATES:
        raise CapExceededError(
            f"D_{depth} has {depth + 2:,} states; the cap is {MAX_STATES:,}.",
            hint="use a smaller depth.",
        )
    sink = depth + 1
    rows = [[level + 1, level - 1 if level else sink] for level in range(depth + 1)]
    return DFA(alphabet="ab", transitions=[*rows, [sink, sink]], accepting=[0])


def _named(name: str, regex: str, definition: str, *, ape: bool, nope: bool) -> NamedLanguage:
    return NamedLanguage(
        name=name,
        definition=definition,
        build=lambda: compile_regex(regex),
        source=HUANG,
        published=(("ape", ape), ("nope", nope)),
        regex=regex,
    )


def _automaton(
    name: str, definition: str, transitions: list[list[int]], accepting: list[int], *, ape: bool, nope: bool
) -> NamedLanguage:
    return NamedLanguage(
        name=name,
        definition=definition,
        build=lambda: DFA(alphabet="01", transitions=transitions, accepting=accepting),
        source=HUANG,
        published=(("ape", ape), ("nope", nope)),
    )


def _dyck(depth: int) -> NamedLanguage:
    in_the_paper = depth in (2, 3, 4, 12)
    return NamedLanguage(
        name=f"D_{depth}",
        definition=f"a opens, b closes: balanced, nested at most {depth} deep",
        build=lambda: bounded_dyck(depth),
        source=HUANG,
        published=(("ape", True), ("nope", True)) if in_the_paper else (),
    )


def _catalogue(*languages: NamedLanguage) -> dict[str, NamedLanguage]:
    return {language.name: language for language in languages}


LANGUAGES: dict[str, NamedLanguage] = _catalogue(
    _automaton("TOMITA_1", "only 1s", [[1, 0], [1, 1]], [0], ape=True, nope=True),
    _named("TOMITA_2", "(10)*", "10 again and again", ape=True, nope=True),
    _automaton(
        "TOMITA_3",
        "no odd run of 1s directly followed by an odd run of 0s",
        [[0, 1], [2, 0], [3, 4], [2, 1], [4, 4]],
        [0, 1, 3],
        ape=False,
        nope=False,
    ),
    _automaton("TOMITA_4", "no 000", [[1, 0], [2, 0], [3, 0], [3, 3]], [0, 1, 2], ape=True, nope=False),
    _automaton(
        "TOMITA_5", "an even number of 0s and of 1s", [[1, 2], [0, 3], [3, 0], [2, 1]], [0], ape=False, nope=False
    ),
    _automaton("TOMITA_6", "as many 0s as 1s, modulo 3", [[1, 2], [2, 0], [0, 1]], [0], ape=False, nope=False),
    _named("TOMITA_7", "0*1*0*1*", "at most four runs, 0s first", ape=True, nope=True),
    _dyck(1),
    _dyck(2),
    _dyck(3),
    _dyck(4),
    _dyck(12),
    _named("(aa)*", "(aa)*", "an even number of letters", ape=True, nope=False),
    _named("(aaaa)*", "(aaaa)*", "a multiple of four letters", ape=True, nope=False),
    _named("(abab)*", "(abab)*", "abab again and again", ape=True, nope=False),
    _named(
        "aa*bb*cc*dd*ee*", "aa*bb*cc*dd*ee*", "runs of a, b, c, d, e in this order, none empty", ape=True, nope=True
    ),
    _named("{a,b}*d{b,c}*", "[ab]*d[bc]*", "as and bs, one d, then bs and cs", ape=True, nope=True),
    _named("{0,1,2}*02*", "[012]*02*", "the last symbol other than 2 is 0 (the flip-flop)", ape=False, nope=False),
    _named("PARITY", "b*(ab*ab*)*", "an even number of as", ape=False, nope=False),
    NamedLanguage(
        name="{a,b}*b",
        definition="ends in b: the verdict depends on whether the last symbol is seen",
        build=lambda: compile_regex("[ab]*b"),
        source="lengthwise",
        regex="[ab]*b",
    ),
)


def find_language(name: str) -> NamedLanguage:
    """Return the language of a name, whatever its case; D_n works for every n.

    >>> find_language("d_7").language
    <DFA: 9 states over {a, b}>
    """
    if name in LANGUAGES:
        return LANGUAGES[name]
    for known, language in LANGUAGES.items():
        if known.casefold() == name.casefold():
            return language
    family = re.fullmatch(r"[Dd](?:_([0-9]{1,6})|\(([0-9]{1,6})\))", name)
    if family:
        return _dyck(int(family[1] or family[2]))
    raise unknown_name("language", name, LANGUAGES)
