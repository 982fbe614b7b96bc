"""A few plain sentences for each certificate of the fixed-precision logics."""

from __future__ import annotations

from ..events import quoted_word
from ..reasons import few_events_reason, tracking_reason
from .certificates import AperiodicCertificate, LogicCertificate, PumpingCertificate, RanksCertificate
from .logics import Logic

_ATTENTION = "With numbers of fixed precision, attention with this encoding"
_ONLY_NOTICES = f"{_ATTENTION} only notices whether something has occurred before, not what came last"


_IN_WORDS = {
    Logic.P: "noticing what has occurred before",
    Logic.P_Y: "noticing what has occurred before, and the last few symbols",
    Logic.P_MOD: "noticing what has occurred before, and the position modulo a number",
    Logic.P_Y_MOD: "noticing what has occurred before, the last few symbols and the position modulo a number",
    Logic.Y: "seeing the last few symbols",
    Logic.S: "finding the most recent token of some kind",
}


def in_words(logic: Logic) -> str:
    """Return what attention does in a class, with the name of the class."""
    return f"{_IN_WORDS[logic]} ({logic.notation})"


def logic_reason(certificate: LogicCertificate) -> str:
    """Say why a logic does or does not express the language."""
    if isinstance(certificate, PumpingCertificate):
        return _why_not(certificate)
    if isinstance(certificate, AperiodicCertificate):
        times = (
            f"{certificate.exponent + 1} times in a row has the same effect as reading it {certificate.exponent} times"
        )
        if certificate.exponent == 1:
            times = "twice in a row has the same effect as reading it once"
        return (
            "It is enough to find the most recent token of some kind, or of several kinds in turn. Attention of this kind finds it "
            f"at any distance, with one layer for each search. A theorem says when such searches are enough: nothing has "
            f"to be counted modulo a number. That is so here, because reading any piece of input {times}."
        )
    return _why(certificate)


def _why(certificate: RanksCertificate) -> str:
    moduli = sorted({modulus for _, modulus in certificate.moduli})
    if certificate.condition is not Logic.Y and not certificate.window and not moduli:
        return few_events_reason(certificate.language)
    return tracking_reason(certificate.language, window=certificate.window, moduli=moduli)


def _why_not(certificate: PumpingCertificate) -> str:
    match certificate.fragment:
        case Logic.Y:
            return _why_not_by_last_symbols(certificate)
        case Logic.S:
            return _why_not_by_last_match(certificate)
        case Logic.P_MOD:
            return _why_not_by_positions(certificate)
    return _why_not_by_occurrence(certificate)


def _why_not_by_occurrence(certificate: PumpingCertificate) -> str:
    """LTL[P], LTL[P,Y] and LTL[P,Y,MOD]: two words by turns, with a third one in between where last symbols are seen."""
    there, back = (quoted_word(word or ()) for word in (certificate.there, certificate.back))
    begins = f"begins with {quoted_word(certificate.prefix)} and then " if certificate.prefix else ""
    stay = f", with long runs of {quoted_word(certificate.stay)} in between" if certificate.stay else ""
    hidden = " Its last symbols are such a run, so they do not show it." if certificate.stay else ""
    if certificate.stay and set(certificate.stay) == set(certificate.there or ()) and len(set(certificate.stay)) == 1:
        stay, hidden = "", " Its last symbols are all alike, so they do not show it."
    accepted = f"Whether it is accepted{_followed(certificate)} depends on"
    if there == back:
        return (
            f"Take an input that {begins}repeats {there}{stay}. {accepted} whether {there} occurred an even or an odd number of "
            f"times.{hidden} {_ATTENTION} only notices that something has occurred before, not how often."
        )
    return (
        f"Take a long input that {begins}alternates between {there} and {back}{stay}. {accepted} which of {there} and {back} came "
        f"last.{hidden} {_ONLY_NOTICES}."
    )


def _why_not_by_positions(certificate: PumpingCertificate) -> str:
    there, stay = (quoted_word(word or ()) for word in (certificate.there, certificate.stay))
    begin = f" that begins with {quoted_word(certificate.prefix)}" if certificate.prefix else ""
    return (
        f"Whether a long input{begin} is accepted{_followed(certificate)} can depend on whether the last piece read is {there} or "
        f"{stay}. Both have the same length, so positions do not help. {_ONLY_NOTICES}."
    )


def _why_not_by_last_symbols(certificate: PumpingCertificate) -> str:
    repeated = quoted_word(certificate.stay or ())
    starts = [
        f"after {quoted_word(word)}" if word else "from the start"
        for word in (certificate.prefix, certificate.other_prefix)
    ]
    follows = f" when {quoted_word(certificate.suffix)} follows" if certificate.suffix else ""
    return (
        "This model gives weight to nearby tokens only, so it sees a fixed number of last symbols. Compare a long repetition of "
        f"{repeated} {starts[0]} with one {starts[1]}. The last symbols are the same, but the right answers differ{follows}."
    )


def _why_not_by_last_match(certificate: PumpingCertificate) -> str:
    after = f" after {quoted_word(certificate.prefix)}" if certificate.prefix else ""
    odd = " (even or odd)" if certificate.power == 2 else ""
    return (
        f"Whether an input is accepted{_followed(certificate)} can depend on how often {quoted_word(certificate.there or ())} is "
        f"read{after}, modulo {certificate.power}{odd}. {_ATTENTION} finds the most recent token "
        "of some kind, but does not count modulo a number."
    )


def _followed(certificate: PumpingCertificate) -> str:
    return f" when {quoted_word(certificate.suffix)} follows" if certificate.suffix else ""
