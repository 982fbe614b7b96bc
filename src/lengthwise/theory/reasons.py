"""One sentence for each certificate."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ..languages.alphabet import show_word
from ..languages.components import strong_components
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
    """Say what a program has to look at to be right at every length."""
    counts = list(islice(describe_counts(certificate), _SHOWN_COUNTS + 1))
    if all(len(component.members) == 1 for component in certificate.components) and certificate.period == 1:
        return "A model only has to notice a few events in their order: the automaton never returns to a state it has left."
    window = certificate.window + (certificate.asked is Asked.NEXT_SYMBOLS)  # one more symbol is seen where it is read
    seen = []
    if window:
        seen.append("the last symbol" if window == 1 else f"the last {window} symbols")
    if certificate.period > 1:
        seen.append(f"the position modulo {certificate.period}")
    if counts:
        seen.append("counts of symbols")
    if len(strong_components(certificate.language.transitions)) > 1:  # a window has components of its own, at the start
        seen.append("irreversible events")
    alone = len(seen) == 1 and not counts and window < 2
    claim = f"{capitalized(_listed(seen))} {'determines' if alone else 'determine'} the answer at every length"
    if not counts:
        return f"{claim}."
    shown = "; ".join(counts[:_SHOWN_COUNTS]) + ("; …" if len(counts) > _SHOWN_COUNTS else "")
    return f"{claim}: {shown}, where #[…] counts earlier positions."


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
    return f"A {fragment_of(program).notation} program with counts nested {depth} deep solves it: {shown}{more}"


def obstruction_reason(certificate: ObstructionCertificate) -> str:
    """Say which two words no program tells apart."""
    first, second = certificate.witnesses
    cannot = "counting symbols cannot tell them apart once enough identical input comes first."
    if certificate.asked is Asked.NEXT_SYMBOLS:
        return f"Different symbols may follow {_shortened(first)} and {_shortened(second)}, but {cannot}"
    inside, outside = (first, second) if first in certificate.language else (second, first)
    begins = f"The word {_shortened(inside)}" if inside else "The empty word"
    return f"{begins} is in the language and {_shortened(outside)} is not, but {cannot}"


def reduction_reason(certificate: ReductionCertificate) -> str:
    """Say which problem without a program the language contains as a special case."""
    target = describe_target(certificate.target)
    renamed = [f"{_shortened(image)} for {symbol}" for symbol, image in certificate.images if image != (symbol,)]
    if certificate.prefix:
        renamed.append(f"after {_shortened(certificate.prefix)}")
    if certificate.suffix:
        renamed.append(f"before {_shortened(certificate.suffix)}")
    how = f" (with {', '.join(renamed)})" if renamed else ""
    around = certificate.prefix or certificate.suffix
    letters = {image for _, image in certificate.images}
    whole = not around and letters == {(symbol,) for symbol in certificate.language.alphabet}
    if certificate.asked is Asked.NEXT_SYMBOLS:
        read = "whether the word may end" if certificate.reads is None else f"whether {certificate.reads} may follow"
        subject = f"To know {read}, a model has to solve {target}{how}"
    else:
        subject = f"This is {target}{how}" if whole else f"It contains {target} as a special case{how}"
    return f"{subject}; no program with counts, windows and periods solves that at every length."


def graph_reason(certificate: GraphCertificate) -> str:
    """Say which two states no program tells apart."""
    one, two = (certificate.vertices[member][0] for member in certificate.pair)
    ending = _shortened(certificate.suffix)
    seen = "window and period" if certificate.fragment.has_periods else "window"
    return (
        f"Counting cannot tell states {one} and {two} of the automaton apart, whatever {seen} a program uses, "
        f"although {ending} is accepted after only one of them."
    )


def periods_reason(certificate: PeriodsCertificate) -> str:
    """Say which two states no program keeps apart."""
    one, two = certificate.pair
    return (
        f"Counting cannot tell states {one} and {two} of the automaton apart, whatever period a program uses, although "
        f"{_shortened(certificate.suffix)} is accepted after only one of them."
    )


def describe_target(target: str) -> str:
    """Return a problem that no program solves, in words."""
    if target == "PARITY":
        return "parity (is the number of a's even?)"
    if not target.startswith("MOD("):
        return f"the flip-flop {target} (which symbol was written last?)"
    prime, residues = target.removeprefix("MOD(").removesuffix(")").split("; ")
    return f"counting a's modulo {prime} (is the remainder {residues.replace(', ', ' or ')}?)"


def capitalized(sentence: str) -> str:
    """Return a sentence that begins with a word of ours, not with a symbol, with a capital."""
    return sentence[:1].upper() + sentence[1:]


def _listed(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _shortened(word: tuple[str, ...]) -> str:
    shown = show_word(word)
    shown = "the empty word" if not word else shown
    return shown if len(shown) <= _SHOWN_LETTERS else f"{shown[: _SHOWN_LETTERS - 1]}… ({len(word)} symbols)"
