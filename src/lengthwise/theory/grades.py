"""How strong a YES is: what its program asks of a model, and what the public record says about such programs.

A bare YES promises too much. The level is how many rounds of balanced refinement the hardest component needs, and in the
public training logs of arXiv 2608.13433 it tells best how well models that fit the training lengths keep up at longer ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..budget import default_time_budget
from ..crasp.measures import depth_of, largest_coefficient_of, size_of
from ..crasp.syntax import Program
from ..errors import OutOfTimeError
from .certificates import Certificate, PotentialsCertificate, ProgramCertificate, QuotientsCertificate
from .claims import Answer, Asked
from .extraction import extract_program, unrolled_edges
from .windows import Caps

if TYPE_CHECKING:
    from .precision.certificates import LogicCertificate

MAX_EXTRACTED_VERTICES = 400  # beyond that a program takes long to extract, and nobody would read it


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Whole-word accuracy of models that fit lengths up to 50, best and median configuration, published."""

    num_languages: int
    at_100: tuple[float, float]  # lengths 51–100
    at_150: tuple[float, float]  # 101–150
    at_500: tuple[float, float]  # 451–500


RECORD_SOURCE = "training logs of arXiv 2608.13433, main suite, trained to length 50"
RECORDS: dict[str, Record] = {
    "level 0": Record(num_languages=32, at_100=(1.00, 0.95), at_150=(1.00, 0.84), at_500=(1.00, 0.70)),
    "level 1": Record(num_languages=32, at_100=(1.00, 1.00), at_150=(1.00, 0.93), at_500=(0.97, 0.22)),
    "level 2": Record(num_languages=1, at_100=(1.00, 0.68), at_150=(0.93, 0.00), at_500=(0.00, 0.00)),
    "NO": Record(num_languages=60, at_100=(0.63, 0.31), at_150=(0.26, 0.01), at_500=(0.01, 0.00)),
}
"""Published figures, by the level of a language in plain C-RASP, or NO; windows and periods play no part in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What the program of a YES asks for.

    ``size`` and ``depth`` are None where no program was extracted: for next symbols, and for very large certificates. For
    a program that was given, ``level`` is its depth, and ``chain`` and ``counter_range``, which come from an automaton, are
    None.
    """

    level: int
    chain: int | None  # components that a run passes through, one after the other
    largest_coefficient: int
    counter_range: int | None  # how many values the counts take, at most
    size: int | None
    depth: int | None

    @property
    def is_weak(self) -> bool:
        """Whether the public record knows no models that keep up with such a program."""
        return self.level >= 2

    def summary(self) -> str:
        """Return the grade in a few words."""
        parts = [f"level {self.level}"]
        if self.chain is not None:
            parts.append(f"a chain of {self.chain} component{'s' * (self.chain != 1)}")
        if self.counter_range is not None and self.counter_range > 1:
            parts.append(f"counts with up to {self.counter_range} values")
        if self.largest_coefficient > 1:
            parts.append(f"largest coefficient {self.largest_coefficient}")
        if self.size is not None:
            parts.append(f"a program of size {self.size} and depth {self.depth}")
        return ", ".join(parts)

    def record(self) -> str:
        """Return what the public record says of such languages, as a sentence."""
        found = RECORDS.get(f"level {self.level}")
        if found is None:
            return f"The public record has no language of level {self.level} ({RECORD_SOURCE})."
        best, median = found.at_150
        few = " (one language)" if found.num_languages == 1 else ""
        return (
            f"Published for level {self.level}{few}: of models that fit, the median configuration is right on {100 * median:.0f} % "
            f"of words at three times the training length, the best on {100 * best:.0f} % ({RECORD_SOURCE})."
        )


def grade(certificate: Certificate | LogicCertificate | None) -> Grade | None:
    """Return the grade of the certificate of a YES by counting, and None for any other."""
    if not isinstance(certificate, PotentialsCertificate | ProgramCertificate | QuotientsCertificate):
        return None
    if certificate.answer is not Answer.YES:
        return None
    if isinstance(certificate, ProgramCertificate):
        given = certificate.program
        return Grade(
            level=certificate.level,
            chain=None,
            largest_coefficient=largest_coefficient_of(given),
            counter_range=None,
            size=size_of(given),
            depth=depth_of(given),
        )
    parts = _parts(certificate)
    if not parts:
        return None
    program = _program(certificate, parts) if certificate.asked is Asked.MEMBERSHIP else None
    return Grade(
        level=max(part.level for part in parts),
        chain=max(longest_chain(part) for part in parts),
        largest_coefficient=max(part.largest_coefficient for part in parts),
        counter_range=max(counter_range(part) for part in parts),
        size=None if program is None else size_of(program),
        depth=None if program is None else depth_of(program),
    )


def _program(certificate: Certificate, parts: list[PotentialsCertificate]) -> Program | None:
    """Return the program of a certificate, unless it is too large to be extracted in time."""
    if max(len(part.vertices) for part in parts) > MAX_EXTRACTED_VERTICES:
        return None
    try:
        with default_time_budget(Caps().max_advice_seconds, "extracting the program"):
            return extract_program(certificate)
    except OutOfTimeError:
        return None


def _parts(certificate: Certificate) -> list[PotentialsCertificate]:
    inner = [part for _, part in certificate.parts] if isinstance(certificate, QuotientsCertificate) else [certificate]
    return [part for part in inner if isinstance(part, PotentialsCertificate)]


def counter_range(certificate: PotentialsCertificate) -> int:
    """Return how many values the counts of a certificate take, at most."""
    return max((max(test.values) - min(test.values) + 1 for test in certificate.tests), default=1)


def longest_chain(certificate: PotentialsCertificate) -> int:
    """Return the number of components on a longest way through the automaton."""
    component_of = {vertex: number for number, part in enumerate(certificate.components) for vertex in part.members}
    edges = unrolled_edges(certificate)
    longest = [1] * len(certificate.components)
    for number in range(len(certificate.components) - 1, -1, -1):  # no edge leads back
        for member in certificate.components[number].members:
            for target in edges[member]:
                there = component_of[target]
                if there != number:
                    longest[number] = max(longest[number], longest[there] + 1)
    return longest[component_of[0]]
