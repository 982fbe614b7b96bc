"""One sentence for each certificate of the fixed-precision logics."""

from __future__ import annotations

from ...languages.alphabet import show_word
from ..certificate_fields import Word
from .certificates import AperiodicCertificate, LogicCertificate, PumpingCertificate, RanksCertificate
from .logics import Logic

_SHOWN_LETTERS = 40


def logic_reason(certificate: LogicCertificate) -> str:
    """Say why a logic does or does not express the language."""
    if isinstance(certificate, PumpingCertificate):
        return _why_not(certificate)
    if isinstance(certificate, AperiodicCertificate):
        return (
            f"no word moves states around a cycle: after {certificate.exponent} repetitions of any word, one more changes "
            "nothing."
        )
    return _why(certificate)


def _why(certificate: RanksCertificate) -> str:
    seen = []
    if certificate.window:
        letters = "the last letter" if certificate.window == 1 else f"the last {certificate.window} letters"
        seen.append(letters)
    moduli = sorted({modulus for _, modulus in certificate.moduli})
    if moduli:
        seen.append(f"the position modulo {' and '.join(map(str, moduli))}")
    verb = "determines" if len(seen) == 1 and certificate.window < 2 else "determine"
    if certificate.condition is Logic.Y:
        return f"{seen[0]} {verb} the state." if seen else "there is only one state."
    if not seen:
        return "the automaton never returns to a state it has left, so it is enough to know what has occurred before."
    return (
        f"inside each strongly connected component, {' and '.join(seen)} {verb} the state; which component was entered "
        "follows from what has occurred before."
    )


def _why_not(certificate: PumpingCertificate) -> str:
    words = {name: _shortened(word) for name, word in certificate.words.items()}
    start = f"after {words['prefix']}, " if certificate.prefix else ""
    match certificate.fragment:
        case Logic.P:
            return (
                f"{start}{words['there']} and {words['back']} lead to another state and back, again and again; the logic "
                "can follow only a bounded number of changes."
            )
        case Logic.P_MOD:
            return (
                f"{start}{words['there']} leads to another state and {words['back']} back, while {words['stay']}, which "
                f"is as long as {words['there']}, does not; in the long run neither the position nor what has occurred "
                "before tells the two states apart."
            )
        case Logic.Y:
            return (
                f"{words['prefix']} and {words['other_prefix']} lead to different states, and {words['stay']} keeps both; so "
                "no number of last letters determines the state."
            )
        case Logic.S:
            return (
                f"{start}each {words['there']} leads one step around a cycle of {certificate.power} states; the logic "
                "cannot count modulo a number."
            )
        case _:
            return (
                f"{start}{words['there']} and {words['back']} lead to another state and back, and {words['stay']} keeps "
                f"both states; after many {words['stay']} the last letters no longer show which of the two it is."
            )


def _shortened(word: Word) -> str:
    shown = show_word(word)
    return shown if len(shown) <= _SHOWN_LETTERS else f"{shown[: _SHOWN_LETTERS - 1]}… ({len(word)} letters)"
