"""One sentence for each certificate."""

from __future__ import annotations

from ..languages.alphabet import show_word
from .certificates import ObstructionCertificate, PotentialsCertificate, ReductionCertificate
from .claims import Asked
from .counting import describe_counts

_SHOWN_COUNTS = 3
_SHOWN_LETTERS = 40


def program_reason(certificate: PotentialsCertificate) -> str:
    """Say what the program of a YES looks at."""
    counts = describe_counts(certificate)
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
    renamed = [f"{image} for {symbol}" for symbol, image in certificate.images if symbol != image]
    if certificate.prefix:
        renamed.append(f"after {_shortened(certificate.prefix)}")
    if certificate.suffix:
        renamed.append(f"ending in {_shortened(certificate.suffix)}")
    how = f" ({', '.join(renamed)})" if renamed else ""
    around = certificate.prefix or certificate.suffix
    whole = not around and len(certificate.images) == len(certificate.language.alphabet)
    if certificate.asked is Asked.NEXT_SYMBOLS:
        read = "whether the word may end" if certificate.reads is None else f"whether {certificate.reads} may follow"
        subject = f"{read} is"
    else:
        subject = "this is" if whole else "a part of it is"
    return f"{subject} {certificate.target}{how}, which is known not to be in C-RASP[periodic, local]."


def _shortened(word: tuple[str, ...]) -> str:
    shown = show_word(word)
    return shown if len(shown) <= _SHOWN_LETTERS else f"{shown[: _SHOWN_LETTERS - 1]}… ({len(word)} letters)"
