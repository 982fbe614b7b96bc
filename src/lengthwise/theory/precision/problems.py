"""Whether a logic of the past expresses a problem, whatever is known of it: a language, a program or published answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...crasp.fragments import Fragment, Readout
from ...errors import OutOfTimeError
from ...languages.dfa import DFA
from ...languages.dfa_algebra import right_quotient
from ..certificate_fields import readout_of
from ..claims import Answer, Asked
from ..facts import Facts
from ..verdict import LogicVerdict, Verdict
from ..windows import Caps
from .deciders import decide_logic, not_decided
from .logics import Logic
from .reasons import in_words

CARRIED_OVER = ("communication", "known_non_member")
"""The theorems whose NO holds wherever a bound is proved for regular languages: a language inside the task, or too many bits."""

_Decide = Callable[[Fragment], Verdict]


def decide_problem(
    facts: Facts, logic: Logic, readout: Readout | None, counting: _Decide, *, regular: bool, caps: Caps | None = None
) -> LogicVerdict:
    """Return the verdict for a problem.

    ``counting`` decides it for fragments of C-RASP. Where no language is known, a NO for the fragment around the logic is one
    for the logic. With ``regular``, the bound that asks is proved for regular languages alone; then only a NO that a language
    inside the problem, or the number of bits, is the reason for counts.
    """
    if facts.language is None:
        return _by_inclusion(facts, logic, counting, regular)
    if readout in (None, readout_of(facts.asked)):
        return decide_logic(facts.language, logic, facts.asked, caps=caps)
    return _at_the_last_symbol(facts.language, logic, caps)


def _by_inclusion(facts: Facts, logic: Logic, counting: _Decide, regular: bool) -> LogicVerdict:
    around = logic.fragment_around
    unknown = f"Whether {in_words(logic)} solves it is not known."
    verdict = counting(Fragment.PERIODIC_LOCAL if around is None or regular else around)
    is_out = verdict.answer is Answer.NO
    if regular and verdict.theorem not in CARRIED_OVER:
        is_out = False
    if (
        around is None and verdict.theorem != "communication"
    ):  # a formula passes on finitely many bits, but may see the last write
        is_out = False
    return LogicVerdict(
        answer=Answer.NO if is_out else Answer.UNKNOWN,
        fragment=logic,
        readout=verdict.readout,
        alphabet=verdict.alphabet,
        theorem="logics_inside_counting" if is_out else "open",
        certificate=None,
        reason=verdict.reason if is_out else unknown,
        asked=Asked.NEXT_SYMBOLS if facts.program is not None and facts.program.is_generator else Asked.MEMBERSHIP,
    )


def _at_the_last_symbol(language: DFA, logic: Logic, caps: Caps | None) -> LogicVerdict:
    """Return the verdict for membership read at the last symbol: what stands before each last symbol decides."""
    found: list[LogicVerdict] = []
    for symbol in language.alphabet:
        try:
            verdict = decide_logic(right_quotient(language, (symbol,)), logic, caps=caps)
        except OutOfTimeError as error:
            verdict = not_decided(language, logic, Asked.MEMBERSHIP, error)
        told = replace(
            verdict,
            readout=Readout.LAST_SYMBOL,
            alphabet=language.alphabet,
            certificate=None,
            reason=f"If the last symbol is {symbol}, what comes before it decides. {verdict.reason}",
        )
        if verdict.answer is Answer.NO:
            return told
        found.append(told)
    return next((verdict for verdict in found if verdict.answer is Answer.UNKNOWN), found[-1])
