"""One sentence for each certificate."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ..languages.alphabet import show_word
from .certificates import (
    GraphCertificate,
    ObstructionCertificate,
    PeriodsCertificate,
    PotentialsCertificate,
    ReductionCertificate,
)
from .claims import Asked
from .counting import describe_counts

if TYPE_CHECKING:
    from ..crasp.syntax import Program

_SHOWN_COUNTS = 3
_SHOWN_LETTERS = 40
_SHOWN_PROGRAM = 80


def program_reason(certificate: PotentialsCertificate) -> str:
    """Say what the program of a YES looks at."""
    counts = list(islice(describe_counts(certificate), _SHOWN_COUNTS + 1))
    if all(len(component.members) == 1 for component in certificate.components) and certificate.period == 1:
        return "the automaton never returns to a state it has left, so seeing which states were passed is enough."
    window = certificate.window + (certificate.asked is Asked.NEXT_SYMBOLS)  # one more letter is seen where it is read
    seen = []
    if window:
        seen.append("the last letter" if window == 1 else f"the last {window} letters")
    if certificate.period > 1:
        seen.append(f"the position modulo {certificate.period}")
    subjects = [*seen, "counting"] if seen and counts else seen or ["counting alone"]
    verb = "names" if len(subjects) == 1 and window < 2 else "name"
    claim = f"{' and '.join(subjects)} {verb} the state at every length"
    if not counts:
        return f"{claim}."
    shown = "; ".join(counts[:_SHOWN_COUNTS]) + ("; …" if len(counts) > _SHOWN_COUNTS else "")
    return f"{claim}: {shown}."


def given_program_reason(program: Program) -> str:
    """Say that a program computes the problem, and show its first output."""
    from ..crasp.measures import depth_of, fragment_of
    from ..crasp.printer import print_expression

    first = program.outputs[0]
    shown = f"{first.name} := {print_expression(first.body)}"
    if len(shown) > _SHOWN_PROGRAM:
        shown = f"{shown[: _SHOWN_PROGRAM - 1]}…"
    depth = depth_of(program)
    more = "; …" if len(program.outputs) > 1 else "."
    return f"a program in {fragment_of(program).notation} of depth {depth} computes it: {shown}{more}"


def obstruction_reason(certificate: ObstructionCertificate) -> str:
    """Say which two words no program keeps apart."""
    first, second = certificate.witnesses
    if certificate.asked is Asked.NEXT_SYMBOLS:
        pair = f"the next symbols after {_shortened(first)} and after {_shortened(second)}"
        return f"no program tells {pair} apart once a long enough loop is read before they part."
    inside, outside = (first, second) if first in certificate.language else (second, first)
    return (
        f"no program keeps {_shortened(inside)} (in the language) and {_shortened(outside)} (not in it) apart "
        "once a long enough loop is read before they part."
    )


def reduction_reason(certificate: ReductionCertificate) -> str:
    """Say which known non-member the language contains."""
    renamed = [f"{_shortened(image)} for {symbol}" for symbol, image in certificate.images if image != (symbol,)]
    if certificate.prefix:
        renamed.append(f"after {_shortened(certificate.prefix)}")
    if certificate.suffix:
        renamed.append(f"ending in {_shortened(certificate.suffix)}")
    how = f" ({', '.join(renamed)})" if renamed else ""
    around = certificate.prefix or certificate.suffix
    letters = {image for _, image in certificate.images}
    whole = not around and letters == {(symbol,) for symbol in certificate.language.alphabet}
    if certificate.asked is Asked.NEXT_SYMBOLS:
        read = "whether the word may end" if certificate.reads is None else f"whether {certificate.reads} may follow"
        subject = f"{read} is"
    else:
        subject = "this is" if whole else "a part of it is"
    return f"{subject} {describe_target(certificate.target)}{how}, which is known not to be in C-RASP[periodic, local]."


def graph_reason(certificate: GraphCertificate) -> str:
    """Say which two states no program keeps apart."""
    one, two = (certificate.vertices[member][0] for member in certificate.pair)
    ending = _shortened(certificate.suffix)
    what = "window, period or depth" if certificate.fragment.has_periods else "window or depth"
    return (
        f"no {what} lets counting keep apart the states that {_shortened(certificate.prefix)} and other "
        f"words lead to (states {one} and {two}), and {ending} is accepted after one of them only."
    )


def periods_reason(certificate: PeriodsCertificate) -> str:
    """Say which two states no program keeps apart."""
    one, two = certificate.pair
    return (
        f"no period lets counting keep apart the states that {_shortened(certificate.prefix)} and other words lead to "
        f"(states {one} and {two}), and {_shortened(certificate.suffix)} is accepted after one of them only."
    )


def describe_target(target: str) -> str:
    """Return a known non-member in words."""
    if not target.startswith("MOD("):
        return target
    prime, residues = target.removeprefix("MOD(").removesuffix(")").split("; ")
    return f"the number of a modulo {prime} being {residues.replace(', ', ' or ')}"


def _shortened(word: tuple[str, ...]) -> str:
    shown = show_word(word)
    return shown if len(shown) <= _SHOWN_LETTERS else f"{shown[: _SHOWN_LETTERS - 1]}… ({len(word)} letters)"
