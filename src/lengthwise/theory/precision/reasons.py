"""One sentence for each certificate of the fixed-precision logics."""

from __future__ import annotations

from ...languages.alphabet import show_word
from ..certificate_fields import Word
from ..reasons import capitalized
from .certificates import AperiodicCertificate, LogicCertificate, PumpingCertificate, RanksCertificate
from .logics import Logic

_SHOWN_LETTERS = 40


def logic_reason(certificate: LogicCertificate) -> str:
    """Say why a logic does or does not express the language."""
    if isinstance(certificate, PumpingCertificate):
        return _why_not(certificate)
    if isinstance(certificate, AperiodicCertificate):
        return (
            f"Nothing has to be counted modulo a number: after {certificate.exponent} repetitions of any word, one more changes "
            "nothing."
        )
    return _why(certificate)


def _why(certificate: RanksCertificate) -> str:
    seen = []
    if certificate.window:
        seen.append("the last symbol" if certificate.window == 1 else f"the last {certificate.window} symbols")
    moduli = sorted({modulus for _, modulus in certificate.moduli})
    if moduli:
        seen.append(f"the position modulo {' and '.join(map(str, moduli))}")
    if certificate.condition is not Logic.Y and not seen:
        return "A model only has to notice a few events in their order: the automaton never returns to a state it has left."
    if len(set(certificate.levels)) > 1:
        seen.append("irreversible events")
    if not seen:
        return "There is only one state, so all words have the same answer."
    alone = len(seen) == 1 and certificate.window < 2
    listed = " and ".join(seen) if len(seen) < 3 else f"{', '.join(seen[:-1])} and {seen[-1]}"
    return f"{capitalized(listed)} {'determines' if alone else 'determine'} the answer at every length."


def _why_not(certificate: PumpingCertificate) -> str:
    words = {name: _shortened(word) for name, word in certificate.words.items()}
    reading = f"After {words['prefix']}, reading" if certificate.prefix else "Reading"
    match certificate.fragment:
        case Logic.P:
            return (
                f"{reading} {words['there']} and {words['back']} by turns changes the state back and forth without end; with finite "
                "numbers a model can follow only a bounded number of such changes."
            )
        case Logic.P_MOD:
            return (
                f"{reading} {words['there']} changes the state and {words['stay']}, which is as long, does not; with finite numbers "
                "a model that sees past events and positions modulo a number loses track of which was read."
            )
        case Logic.Y:
            return (
                f"The last symbols do not determine the answer: {words['prefix']} and {words['other_prefix']} lead to different "
                f"states, and any number of {words['stay']} after them keeps the difference."
            )
        case Logic.S:
            return (
                f"{reading} {words['there']} moves one step around a cycle of {certificate.power} states, so the model would "
                f"have to count modulo {certificate.power}."
            )
        case _:
            return (
                f"{reading} {words['there']} and {words['back']} by turns changes the state back and forth, and any number of "
                f"{words['stay']} in between keeps it; then the last symbols no longer show which state it is."
            )


def _shortened(word: Word) -> str:
    shown = show_word(word) if word else "the empty word"
    return shown if len(shown) <= _SHOWN_LETTERS else f"{shown[: _SHOWN_LETTERS - 1]}… ({len(word)} symbols)"
