"""One sentence for each certificate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ..languages.alphabet import show_word
from ..languages.components import strong_components
from .certificate_fields import Word
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


def program_reason(certificate: PotentialsCertificate) -> str:
    """Say what a program has to know to be right at every length."""
    counts = list(islice(describe_counts(certificate), _SHOWN_COUNTS + 1))
    if all(len(component.members) == 1 for component in certificate.components) and certificate.period == 1:
        return FEW_EVENTS
    window = certificate.window + (certificate.asked is Asked.NEXT_SYMBOLS)  # one more symbol is seen where it is read
    known = known_parts(
        window,
        [certificate.period] if certificate.period > 1 else [],
        leaves=len(strong_components(certificate.language.transitions)) > 1,  # a window has components of its own
    )
    if not counts:
        return f"It is enough, at every length, to know {listed(known)}."
    shown = "; ".join(counts[:_SHOWN_COUNTS]) + ("; …" if len(counts) > _SHOWN_COUNTS else "")
    counted = f"the count{'s' * (len(counts) > 1)} {shown}"
    events = [part for part in known if part == EVENT]
    told = listed([*(part for part in known if part != EVENT), counted, *events])
    return f"It is enough, at every length, to know {told}. Here #[x] is how often x was read before."


FEW_EVENTS = (
    "A model only has to notice a few events in their order; once a part of the input is over, it never comes back."
)
EVENT = "whether something irreversible has happened, such as an error"


def known_parts(window: int, moduli: Sequence[int], *, leaves: bool) -> list[str]:
    """Return what has to be known beside counts; ``leaves`` says whether the automaton can leave states for good."""
    parts = []
    if window:
        parts.append("the last symbol" if window == 1 else f"the last {window} symbols")
    if moduli:
        parts.append(f"the position modulo {' and '.join(map(str, moduli))}")
    return [*parts, EVENT] if leaves else parts


def listed(parts: Sequence[str]) -> str:
    """Return several things as one phrase."""
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def given_program_reason(program: Program) -> str:
    """Say that a program computes the problem."""
    from ..crasp.measures import depth_of, fragment_of

    depth = depth_of(program)
    nested = "without counts" if depth == 0 else f"with counts nested {depth} deep"
    return f"A {fragment_of(program).notation} program {nested} solves it (--explain shows it)."


def obstruction_reason(certificate: ObstructionCertificate) -> str:
    """Say which two words no program tells apart."""
    first, second = certificate.witnesses
    cannot = "After a long enough common beginning, no comparison of symbol counts tells which of the two was read."
    if certificate.asked is Asked.NEXT_SYMBOLS:
        return f"After {quoted_word(first)} and {quoted_word(second)} different symbols may follow. {cannot}"
    inside, outside = (first, second) if first in certificate.language else (second, first)
    return f"{capitalized(quoted_word(inside))} is accepted and {quoted_word(outside)} is not. {cannot}"


def reduction_reason(certificate: ReductionCertificate) -> str:
    """Say which problem without a program the language contains as a special case."""
    target = describe_target(certificate.target)
    renamed = [f"{quoted_word(image)} for {symbol}" for symbol, image in certificate.images if image != (symbol,)]
    if certificate.prefix:
        renamed.append(f"after {quoted_word(certificate.prefix)}")
    if certificate.suffix:
        renamed.append(f"before {quoted_word(certificate.suffix)}")
    how = f" (with {', '.join(renamed)})" if renamed else ""
    around = certificate.prefix or certificate.suffix
    letters = {image for _, image in certificate.images}
    whole = not around and letters == {(symbol,) for symbol in certificate.language.alphabet}
    if certificate.asked is Asked.NEXT_SYMBOLS:
        read = "whether the word may end" if certificate.reads is None else f"whether {certificate.reads} may follow"
        subject = f"To know {read}, a model has to solve {target}{how}."
    else:
        subject = f"This is {target}{how}." if whole else f"It contains {target} as a special case{how}."
    return f"{subject} {_why_out(certificate.target)}"


def _why_out(target: str) -> str:
    """Say why no program solves a problem, for both kinds of problems."""
    if target == "PARITY" or target.startswith("MOD("):
        return (
            "Programs can compare counts, see the last symbols and take positions modulo a number, but they cannot take a count "
            "modulo a number."
        )
    return (
        "The last 0 or 1 may lie arbitrarily far back, beyond any fixed number of last symbols, and counts do not tell which of "
        "the two came last."
    )


def graph_reason(certificate: GraphCertificate) -> str:
    """Say which two states no program tells apart."""
    seen = "the last symbols" + (" and the position modulo any number" if certificate.fragment.has_periods else "")
    return _states_reason(certificate.vertices, certificate.pair, certificate.suffix, seen)


def periods_reason(certificate: PeriodsCertificate) -> str:
    """Say which two states no program tells apart."""
    vertices = [(state,) for state in range(certificate.language.num_states)]
    return _states_reason(vertices, certificate.pair, certificate.suffix, "the position modulo any number")


def _states_reason(vertices: Sequence[Sequence[object]], pair: tuple[int, int], suffix: Word, seen: str) -> str:
    one, two = (vertices[member][0] for member in pair)
    differ = f"{quoted_word(suffix)} is accepted" if suffix else "a word may end"
    return (
        f"States {one} and {two} of the automaton need different answers: {differ} after only one of them. No comparison of symbol "
        f"counts tells them apart at every length, even for a program that also sees {seen}."
    )


def describe_target(target: str) -> str:
    """Return a problem that no program solves, in words."""
    if target == "PARITY":
        return "parity (is the number of a's even?)"
    if not target.startswith("MOD("):
        return f"the flip-flop {target} (was the last symbol other than 2 a 0?)"
    prime, residues = target.removeprefix("MOD(").removesuffix(")").split("; ")
    return f"counting a's modulo {prime} (is the remainder {residues.replace(', ', ' or ')}?)"


def capitalized(sentence: str) -> str:
    """Return a sentence that begins with a word of ours, not with a symbol, with a capital."""
    return sentence[:1].upper() + sentence[1:]


def quoted_word(word: Word) -> str:
    """Return a word as it stands in a sentence, shortened if it is long."""
    if not word:
        return "the empty word"
    shown = show_word(word)
    return f"'{shown}'" if len(shown) <= _SHOWN_LETTERS else f"'{shown[: _SHOWN_LETTERS - 1]}…' ({len(word)} symbols)"
