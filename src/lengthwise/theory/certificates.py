"""Certificates: what a verdict can be checked by, as data and as JSON.

Every certificate carries what it speaks of: the automaton of a language, or a program. :mod:`lengthwise.theory.checker` decides
whether to believe one; docs/reference/certificates.md describes the JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..crasp.fragments import Fragment, Readout
from ..languages.alphabet import show_word
from ..languages.dfa import DFA
from .certificate_fields import Json, Word, certificate_head, readout_of, word_data
from .claims import Answer, Asked

if TYPE_CHECKING:  # a verdict about an expression needs no program
    from ..crasp.syntax import Program
    from .promises import PromiseCertificate, PromiseReductionCertificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A count with its potential: ``gains`` lists (symbol, block, gain); ``values`` the potential of each member."""

    gains: tuple[tuple[int, int, int], ...]
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The blocks known before a round, and the tests over them."""

    blocks: tuple[tuple[int, ...], ...]
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One strongly connected component with the levels that name its members."""

    members: tuple[int, ...]
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PotentialsCertificate:
    """YES: counts that name the state, component by component."""

    language: DFA
    fragment: Fragment
    window: int
    period: int
    vertices: tuple[tuple[int, tuple[int, ...], int], ...]
    components: tuple[Component, ...]
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.YES

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    @property
    def level(self) -> int:
        """How many rounds of counting the program needs, one inside the other."""
        return max(len(component.levels) for component in self.components)

    @property
    def largest_coefficient(self) -> int:
        """The largest coefficient of any count."""
        return max((abs(gain) for test in self.tests for _, _, gain in test.gains), default=0)

    @property
    def tests(self) -> list[Test]:
        """All tests of all components."""
        return [test for component in self.components for level in component.levels for test in level.tests]

    def summary(self) -> str:
        """Return the certificate in a few words."""
        seen = []
        if self.window:
            seen.append(f"window {self.window}")
        if self.period > 1:
            seen.append(f"period {self.period}")
        if not self.tests:
            return ", ".join([*seen, "level 0, no count inside a component"])
        counts = f"{len(self.tests)} count{'s' * (len(self.tests) > 1)}"
        return ", ".join([*seen, f"level {self.level}", counts, f"largest coefficient {self.largest_coefficient}"])

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return certificate_head(self, "potentials") | {
            "window": self.window,
            "period": self.period,
            "vertices": [
                [state, word_data(alphabet, self.language.decode(letters)), residue]
                for state, letters, residue in self.vertices
            ],
            "components": [
                {
                    "members": list(component.members),
                    "levels": [
                        {
                            "blocks": [list(block) for block in level.blocks],
                            "tests": [
                                {
                                    "gains": [[alphabet[symbol], block, gain] for symbol, block, gain in test.gains],
                                    "values": list(test.values),
                                }
                                for test in level.tests
                            ],
                        }
                        for level in component.levels
                    ],
                }
                for component in self.components
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PathsPair:
    """Two walks from one state with equal counts of refined letters, to different states."""

    start: int
    first: Word
    second: Word

    @property
    def walks(self) -> tuple[Word, Word]:
        """The two walks to the states that look alike."""
        return self.first, self.second

    def to_json(self, alphabet: Sequence[str]) -> Json:
        """Return the pair as JSON data."""
        words = {"first": word_data(alphabet, self.first), "second": word_data(alphabet, self.second)}
        return {"kind": "paths", "start": self.start} | words


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopsPair:
    """A walk that counts cannot see: the long loop counts what the short one does, plus ``times`` times the walk."""

    start: int
    path: Word
    short_loop: Word
    long_loop: Word
    times: int

    @property
    def walks(self) -> tuple[Word, Word]:
        """The two walks to the states that look alike."""
        return (), self.path

    def to_json(self, alphabet: Sequence[str]) -> Json:
        """Return the pair as JSON data."""
        loops = {"short_loop": word_data(alphabet, self.short_loop), "long_loop": word_data(alphabet, self.long_loop)}
        return (
            {"kind": "loops", "start": self.start, "path": word_data(alphabet, self.path)}
            | loops
            | {"times": self.times}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ObstructionCertificate:
    """NO for plain C-RASP: states that no count tells apart.

    ``enter`` leads from the start to the start of the first pair; after it, ``first`` and ``second`` of that pair
    (for loops: nothing, and the path) followed by ``suffix`` differ in membership, or in their next symbols if those are
    asked for.
    """

    language: DFA
    members: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...]
    pairs: tuple[PathsPair | LoopsPair, ...]
    enter: Word
    suffix: Word
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.NO
    fragment: Fragment = Fragment.PLAIN

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    @property
    def witnesses(self) -> tuple[Word, Word]:
        """Two words that differ in membership, or in their next symbols, but look alike to every program."""
        first, second = self.pairs[0].walks
        return (*self.enter, *first, *self.suffix), (*self.enter, *second, *self.suffix)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        letters = sum(len(word) for word in self.witnesses)
        noun = "letter" if letters == 1 else "letters"
        plural = "s" * (len(self.pairs) > 1)
        return f"{len(self.pairs)} pair{plural} of walks in a component of {len(self.members)} states, witnesses of {letters} {noun}"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return certificate_head(self, "obstruction") | {
            "members": list(self.members),
            "blocks": [list(block) for block in self.blocks],
            "pairs": [pair.to_json(alphabet) for pair in self.pairs],
            "enter": word_data(alphabet, self.enter),
            "suffix": word_data(alphabet, self.suffix),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReductionCertificate:
    """NO: {w : prefix·images(w)·suffix in the language} is a known non-member, which ``target`` names.

    Where next symbols are asked for, it is {w : ``reads`` can follow prefix·images(w)·suffix}; None reads the end.
    """

    language: DFA
    fragment: Fragment
    target: str
    images: tuple[tuple[str, Word], ...]  # words of one length
    prefix: Word
    suffix: Word
    asked: Asked = Asked.MEMBERSHIP
    reads: str | None = None
    answer: Answer = Answer.NO

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        shown = ", ".join(f"{symbol} as {show_word(image)}" for symbol, image in self.images)
        return f"reduction to {self.target}: {shown}"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return certificate_head(self, "reduction") | {
            "target": self.target,
            "images": {symbol: word_data(alphabet, image) for symbol, image in self.images},
            "prefix": word_data(alphabet, self.prefix),
            "suffix": word_data(alphabet, self.suffix),
            "reads": self.reads,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A word that leads from the vertices with one look to those with another; a look is (idempotent, residue)."""

    source: tuple[int, int]
    word: Word
    target: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCertificate:
    """NO: vertices of the Karoubi graph that no count tells apart, whatever the window and the period.

    ``idempotents`` lists for each some words of its value; a vertex is (state, idempotent, residue modulo the greatest
    common divisor of the lengths of these words); ``blocks`` are vertices that stay together, and ``pair`` two of them.
    """

    language: DFA
    fragment: Fragment
    idempotents: tuple[tuple[Word, ...], ...]
    vertices: tuple[tuple[int, int, int], ...]
    arrows: tuple[Arrow, ...]
    blocks: tuple[tuple[int, ...], ...]
    pair: tuple[int, int]
    prefix: Word  # to the first vertex of the pair
    suffix: Word
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.NO

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        return f"{len(self.vertices)} vertices and {len(self.arrows)} arrows of the Karoubi graph"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return certificate_head(self, "graph") | {
            "idempotents": [[word_data(alphabet, word) for word in words] for words in self.idempotents],
            "vertices": [list(vertex) for vertex in self.vertices],
            "arrows": [
                {"source": list(each.source), "word": word_data(alphabet, each.word), "target": list(each.target)}
                for each in self.arrows
            ],
            "blocks": [list(block) for block in self.blocks],
            "pair": list(self.pair),
            "prefix": word_data(alphabet, self.prefix),
            "suffix": word_data(alphabet, self.suffix),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodsCertificate:
    """NO for C-RASP[periodic]: blocks of a component that counting never splits, whatever the period.

    ``prefix`` leads to the first state of ``pair``; the two are in one block, and ``suffix`` is accepted from one only.
    """

    language: DFA
    members: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...]
    pair: tuple[int, int]
    prefix: Word
    suffix: Word
    fragment: Fragment = Fragment.PERIODIC
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.NO

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker."""
        return readout_of(self.asked)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        return f"{len(self.blocks)} blocks of {len(self.members)} states that no root of unity splits"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return certificate_head(self, "periods") | {
            "members": list(self.members),
            "blocks": [list(block) for block in self.blocks],
            "pair": list(self.pair),
            "prefix": word_data(alphabet, self.prefix),
            "suffix": word_data(alphabet, self.suffix),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotientsCertificate:
    """A claim read at the last symbol: certificates for the languages {w : wa in the language}.

    YES needs one for every symbol a; NO needs one.
    """

    language: DFA
    fragment: Fragment
    answer: Answer
    parts: tuple[tuple[str, Certificate], ...]
    readout: Readout = Readout.LAST_SYMBOL
    asked: Asked = Asked.MEMBERSHIP

    @property
    def level(self) -> int:
        """The largest level of its parts."""
        return max((level_of(part) or 0 for _, part in self.parts), default=0)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        grouped: dict[str, list[str]] = {}
        for symbol, part in self.parts:
            grouped.setdefault(part.summary(), []).append(symbol)
        return "; ".join(f"before {' '.join(symbols)}: {summary}" for summary, symbols in grouped.items())

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        return certificate_head(self, "quotients") | {
            "parts": [{"symbol": symbol, "certificate": part.to_json()} for symbol, part in self.parts]
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCertificate:
    """YES: a program of the fragment. What it computes is the problem that the verdict is about."""

    program: Program
    fragment: Fragment
    readout: Readout
    answer: Answer = Answer.YES

    @property
    def asked(self) -> Asked:
        """A program that accepts is about membership, one that goes on about next symbols."""
        return Asked.NEXT_SYMBOLS if self.program.is_generator else Asked.MEMBERSHIP

    @property
    def level(self) -> int:
        """How deeply its counts are nested."""
        from ..crasp.measures import depth_of

        return depth_of(self.program)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        from ..crasp.measures import size_of

        return f"a program of depth {self.level} and size {size_of(self.program)}"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        from ..crasp.printer import print_program

        return {
            "lengthwise": "certificate",
            "version": 1,
            "kind": "program",
            "answer": str(self.answer),
            "fragment": str(self.fragment),
            "asked": str(self.asked),
            "readout": str(self.readout),
            "alphabet": list(self.program.alphabet),
            "program": print_program(self.program),
        }


LanguageCertificate = (
    PotentialsCertificate
    | ObstructionCertificate
    | ReductionCertificate
    | GraphCertificate
    | PeriodsCertificate
    | QuotientsCertificate
)
Certificate: TypeAlias = "LanguageCertificate | ProgramCertificate | PromiseCertificate | PromiseReductionCertificate"


def level_of(certificate: Certificate | None) -> int | None:
    """Return the level of a YES certificate, and None of any other."""
    if (
        isinstance(certificate, PotentialsCertificate | QuotientsCertificate | ProgramCertificate)
        and certificate.answer is Answer.YES
    ):
        return certificate.level
    return None
