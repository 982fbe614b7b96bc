"""Which regular languages a logic of the past expresses: decided exactly, with a certificate for each answer.

Everything is read off the minimal automaton, as docs/concepts/fixed-precision.md proves. Verdicts are about membership,
read at the end marker, the empty word included; the verdict for the state at every prefix is the same one.
"""

from __future__ import annotations

from ...budget import default_time_budget
from ...crasp.fragments import Readout, as_readout
from ...errors import CapExceededError, InvalidOptionError, OutOfTimeError
from ...languages.dfa import DFA
from ...languages.dfa_algebra import Word, separating_suffix
from ..certificate_fields import readout_of
from ..claims import Answer, Asked, as_asked
from ..verdict import LogicVerdict
from ..windows import Caps
from .certificates import AperiodicCertificate, LogicCertificate, PumpingCertificate, RanksCertificate
from .logics import Logic, as_logic
from .reasons import logic_reason
from .structure import (
    Components,
    find_components,
    rank_pairs,
    walk,
    walk_of_length_divisible_by,
    word_that_keeps,
)

THEOREM_OF = {
    Logic.P: "ltl_past",
    Logic.P_Y: "ltl_past_yesterday",
    Logic.P_MOD: "ltl_past_modulus",
    Logic.P_Y_MOD: "ltl_past_yesterday_modulus",
    Logic.Y: "ltl_yesterday",
    Logic.S: "ltl_since",
}
"""The theorem that decides each logic."""


def decide_logic(
    language: DFA,
    logic: Logic | str,
    asked: Asked | str = Asked.MEMBERSHIP,
    *,
    readout: Readout | str | None = None,
    caps: Caps | None = None,
) -> LogicVerdict:
    """Decide whether a logic expresses a language. ``asked`` and ``readout`` mean what they mean in ``decide``.

    >>> from lengthwise.languages.regex import compile_regex
    >>> for logic in Logic:
    ...     verdict = decide_logic(compile_regex("(ab)*"), logic)
    ...     print(f"{logic:14} {verdict.answer:3} {verdict.certificate.summary()}")
    LTL[P]         NO  prefix ε, there a, back b, suffix ε
    LTL[P,Y]       YES 2 levels, window 1
    LTL[P,MOD]     YES 2 levels, moduli 2
    LTL[P,Y,MOD]   YES 2 levels, moduli 2
    LTL[Y]         NO  prefix ε, other prefix b, stay ab, suffix ε
    LTL[S]         YES 2 levels, window 1
    """
    logic, asked = as_logic(logic), as_asked(asked)
    where = as_readout(readout) or readout_of(asked)
    caps = caps or Caps()
    if where is not readout_of(asked):
        raise InvalidOptionError(
            f"the logics are decided where {asked} is usually read; readout {where} was asked for.",
            hint="leave the readout out.",
        )
    if asked is Asked.NEXT_SYMBOLS and not logic.settles_next_symbols:
        reason = (
            f"Our theorems about {logic.notation} say whether an input is accepted, not which symbols may follow. That would take "
            "a logic with both P and Y."
        )
        return _unknown(language, logic, asked, reason)
    try:
        with default_time_budget(caps.max_seconds, "deciding this"):
            certificate = find_certificate(language, logic, asked, caps)
    except (CapExceededError, OutOfTimeError) as error:
        return not_decided(language, logic, asked, error)
    return LogicVerdict(
        answer=certificate.answer,
        fragment=logic,
        readout=where,
        alphabet=language.alphabet,
        theorem=THEOREM_OF[logic],
        certificate=certificate,
        reason=logic_reason(certificate),
        asked=asked,
    )


def decide_logics(language: DFA, *, caps: Caps | None = None) -> list[LogicVerdict]:
    """Decide membership for every logic, in the order of ``Logic``, within one budget of CPU time."""
    caps = caps or Caps()
    with default_time_budget(caps.max_seconds, "deciding the logics of this language"):
        return [decide_logic(language, logic, caps=caps) for logic in Logic]


def not_decided(language: DFA, logic: Logic, asked: Asked, error: CapExceededError | OutOfTimeError) -> LogicVerdict:
    """Return an UNKNOWN that names the cap that was reached."""
    return _unknown(language, logic, asked, f"Not decided: {error.message} More effort (--effort 10) may decide it.")


def _unknown(language: DFA, logic: Logic, asked: Asked, reason: str) -> LogicVerdict:
    return LogicVerdict(
        answer=Answer.UNKNOWN,
        fragment=logic,
        readout=readout_of(asked),
        alphabet=language.alphabet,
        theorem="open",
        certificate=None,
        reason=reason,
        asked=asked,
    )


def find_certificate(language: DFA, logic: Logic, asked: Asked, caps: Caps) -> LogicCertificate:
    """Return the certificate that settles whether a logic expresses a language."""
    if logic is Logic.S:
        return _decide_since(language, asked, caps)
    components = find_components(language)
    groups = _groups(components, logic)
    if logic.has_yesterday:
        ranked = rank_pairs(language, groups)
        if ranked.kept is not None:
            return _pumping(language, logic, asked, ranked.kept)
        ranks = ranked.ranks
    else:
        apart = next((group for group in groups if len(group) > 1), None)
        if apart is not None:
            return _pumping(language, logic, asked, (apart[0], apart[1]))
        ranks = ()
    with_levels, with_moduli = logic is not Logic.Y, logic.has_modulus
    periods = enumerate(components.periods)
    return RanksCertificate(
        language=language,
        fragment=logic,
        condition=logic,
        levels=components.of_state if with_levels else (0,) * language.num_states,
        moduli=tuple((number, period) for number, period in periods if period > 1) if with_moduli else (),
        residues=components.phases if with_moduli else (0,) * language.num_states,
        ranks=ranks,
        asked=asked,
    )


def _groups(components: Components, logic: Logic) -> list[list[int]]:
    """Return the states that the logic cannot tell apart without looking at letters: those of one key."""
    groups: dict[tuple[int, int], list[int]] = {}
    for state, (component, phase) in enumerate(zip(components.of_state, components.phases, strict=True)):
        key = (component if logic.has_past else 0, phase if logic.has_modulus else 0)
        groups.setdefault(key, []).append(state)
    return list(groups.values())


def _pumping(language: DFA, logic: Logic, asked: Asked, pair: tuple[int, int]) -> PumpingCertificate:
    """Return the words that show that a logic cannot tell two states apart."""
    one, two = pair
    other_prefix: Word | None = None
    stay: Word | None = None
    there: Word | None = None
    back: Word | None = None
    if logic.has_yesterday:
        stay = word_that_keeps(language, pair)
    elif logic.has_modulus:
        stay = walk(language, one, one, at_least=1)
    if logic is Logic.Y:
        other_prefix = walk(language, 0, two)
    else:
        there = walk(language, one, two)
        back = walk(language, two, one)
    if logic.has_modulus:
        assert stay is not None
        there = walk_of_length_divisible_by(language, one, two, len(stay))
        stay *= len(there) // len(stay)
    return PumpingCertificate(
        language=language,
        fragment=logic,
        prefix=walk(language, 0, one),
        other_prefix=other_prefix,
        stay=stay,
        there=there,
        back=back,
        suffix=_separating(language, one, two),
        asked=asked,
    )


def _decide_since(language: DFA, asked: Asked, caps: Caps) -> LogicCertificate:
    """Decide LTL[S]: YES by LTL[P,Y] where that is enough, else by the maps that words make."""
    smaller = find_certificate(language, Logic.P_Y, asked, caps)
    if isinstance(smaller, RanksCertificate):
        return RanksCertificate(
            language=language,
            fragment=Logic.S,
            condition=Logic.P_Y,
            levels=smaller.levels,
            moduli=(),
            residues=smaller.residues,
            ranks=smaller.ranks,
            asked=asked,
        )
    from .star_free import Counter, find_counter  # here: few encodings ask for it

    found = find_counter(language, max_elements=caps.max_elements, max_cells=caps.max_cells)
    if isinstance(found, Counter):
        other = language.run(found.word, found.state)
        return PumpingCertificate(
            language=language,
            fragment=Logic.S,
            prefix=walk(language, 0, found.state),
            there=found.word,
            power=found.length,
            suffix=_separating(language, found.state, other),
            asked=asked,
        )
    return AperiodicCertificate(language=language, size=found.size, exponent=found.exponent, asked=asked)


def _separating(language: DFA, one: int, two: int) -> Word:
    suffix = separating_suffix(language, one, two)
    assert suffix is not None, "two states of a minimal automaton differ"
    return suffix
