"""One sentence for each certificate of the fixed-precision logics."""

from __future__ import annotations

from ..reasons import FEW_EVENTS, known_parts, listed, quoted_word
from .certificates import AperiodicCertificate, LogicCertificate, PumpingCertificate, RanksCertificate
from .logics import Logic


def logic_reason(certificate: LogicCertificate) -> str:
    """Say why a logic does or does not express the language."""
    if isinstance(certificate, PumpingCertificate):
        return _why_not(certificate)
    if isinstance(certificate, AperiodicCertificate):
        times = f"{certificate.exponent + 1} times in a row has the same effect as {certificate.exponent} times"
        if certificate.exponent == 1:
            times = "twice in a row has the same effect as once"
        enough = "Then attention that finds the last matching symbol, layer by layer, is enough."
        return f"Nothing has to be counted modulo a number: reading any piece of input {times}. {enough}"
    return _why(certificate)


def _why(certificate: RanksCertificate) -> str:
    moduli = sorted({modulus for _, modulus in certificate.moduli})
    if certificate.condition is not Logic.Y and not certificate.window and not moduli:
        return FEW_EVENTS
    known = known_parts(certificate.window, moduli, leaves=len(set(certificate.levels)) > 1)
    if not known:
        return "All words have the same answer."
    return f"It is enough, at every length, to know {listed(known)}."


def _why_not(certificate: PumpingCertificate) -> str:
    words = {name: quoted_word(word) for name, word in certificate.words.items()}
    reading = f"After {words['prefix']}, reading" if certificate.prefix else "Reading"
    turns = (
        f"{reading} {words.get('there')} and {words.get('back')} by turns changes the state back and forth without end"
    )
    match certificate.fragment:
        case Logic.P:
            return (
                f"{turns}. With numbers of fixed precision, a model that cannot single out the last symbols at every length only "
                "knows what has occurred before, not what came last, so it loses track."
            )
        case Logic.P_MOD:
            return (
                f"{reading} {words['there']} changes the state and {words['stay']}, which is as long, does not. With numbers of fixed "
                "precision, a model that knows positions modulo a number and what has occurred before, but cannot single out the "
                "last symbols, loses track of which was read."
            )
        case Logic.Y:
            return (
                f"Such a model sees only the last symbols. After {words['prefix']} and after {words['other_prefix']}, any number of "
                f"{words['stay']} keeps the answers different, although the last symbols are the same."
            )
        case Logic.S:
            return (
                f"{reading} {words['there']} moves one step around a cycle of {certificate.power} states, so a model would have to count "
                f"modulo {certificate.power}, which attention with numbers of fixed precision cannot do here."
            )
        case _:
            return (
                f"{turns}, and any number of {words['stay']} in between keeps it. With numbers of fixed precision, a model knows what has "
                f"occurred before and the last few symbols. These are then all {words['stay']}, so it loses track."
            )
