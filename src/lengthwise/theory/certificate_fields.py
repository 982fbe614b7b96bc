"""What the certificates of all theories have in common: the fields of a claim, words as JSON, and where a question is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..crasp.fragments import Readout
from .claims import Asked

if TYPE_CHECKING:
    from .certificates import LanguageCertificate
    from .precision.certificates import LogicCertificate

Word = tuple[str, ...]
Json = dict[str, object]


def readout_of(asked: Asked) -> Readout:
    """Return where the answer to a question is read, unless it is asked otherwise."""
    return Readout.END_MARKER if asked is Asked.MEMBERSHIP else Readout.LAST_SYMBOL


def certificate_head(certificate: LanguageCertificate | LogicCertificate, kind: str) -> Json:
    """Return the fields that every certificate about a language has."""
    language = certificate.language
    return {
        "lengthwise": "certificate",
        "version": 1,
        "kind": kind,
        "answer": str(certificate.answer),
        "fragment": str(certificate.fragment),
        "asked": str(certificate.asked),
        "readout": str(certificate.readout),
        "automaton": {
            "alphabet": list(language.alphabet),
            "transitions": [list(row) for row in language.transitions],
            "accepting": sorted(language.accepting),
        },
    }


def word_data(alphabet: Sequence[str], word: Word) -> str | list[str]:
    """Return a word as JSON data: a string where symbols are single characters, else as a list."""
    return "".join(word) if all(len(symbol) == 1 for symbol in alphabet) else list(word)
