"""Which problems a fragment of C-RASP contains: answers with theorem, certificate and reason.

PLAIN, LOCAL and PERIODIC_LOCAL are decided exactly, for PERIODIC there is a sound half. What is in PLAIN is in all of
them, and what is not in PERIODIC_LOCAL is in none. Where a cap is reached the answer is UNKNOWN and names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..budget import default_time_budget
from ..crasp.fragments import Fragment, Readout, as_fragment, as_readout
from ..errors import CapExceededError, InvalidOptionError, OutOfTimeError
from ..languages.dfa import DFA
from ..languages.dfa_algebra import right_quotient
from .certificate_fields import readout_of
from .certificates import Certificate, ProgramCertificate, QuotientsCertificate
from .claims import Answer, Asked
from .counting import build_certificate
from .facts import Citation, Facts
from .potentials import refine
from .reasons import given_program_reason, obstruction_reason, program_reason
from .tracking import find_stuck, needed_rounds, plain_graph
from .verdict import Verdict, language_verdict
from .windows import Caps, decide_windows

if TYPE_CHECKING:
    from ..crasp.syntax import Program

DECIDING = "deciding this"
"""What the budget of a verdict is for, as its cap says."""


def decide(facts: Facts, fragment: Fragment, readout: Readout | None = None, *, caps: Caps | None = None) -> Verdict:
    """Decide whether a fragment of C-RASP contains a problem, read at its usual readout unless another is given.

    >>> from lengthwise.languages.regex import compile_regex
    >>> verdict = decide(Facts(language=compile_regex("a*b*")), Fragment.PLAIN)
    >>> print(verdict.answer, verdict.reason.partition(".")[0])
    YES The model only has to notice which of a few things have occurred, and in which order

    Where no budget of CPU time is open, ``caps.max_seconds`` is; a budget that runs out makes the answer UNKNOWN.
    """
    fragment, readout = as_fragment(fragment), as_readout(readout)
    if facts.program is not None:
        return decide_program(facts, fragment, readout)
    if facts.language is None:
        return decide_cited(facts, fragment, readout or Readout.END_MARKER)
    usual = readout_of(facts.asked)
    if facts.asked is Asked.NEXT_SYMBOLS and readout not in (None, usual):
        raise InvalidOptionError(
            f"next symbols are read where the last symbol is seen, not with readout {readout}.",
            hint="leave the readout out.",
        )
    caps = caps or Caps()
    try:
        with default_time_budget(caps.max_seconds, DECIDING):
            if (readout or usual) is not usual:
                return decide_last_symbol(facts.language, fragment, caps=caps)
            if fragment is Fragment.PLAIN:
                return decide_plain(facts.language, facts.asked)
            return decide_windows(facts.language, fragment, facts.asked, caps)
    except OutOfTimeError as error:
        reason = f"Not decided: {error.message} More effort (--effort 10) allows more time."
        return language_verdict(
            Answer.UNKNOWN, fragment, facts.language, "open", None, reason, facts.asked, readout or usual
        )


def decide_plain(language: DFA, asked: Asked = Asked.MEMBERSHIP) -> Verdict:
    """Decide plain C-RASP exactly: membership read at the end marker, or next symbols read at the last symbol."""
    theorem = "balanced_refinement" if asked is Asked.MEMBERSHIP else "next_symbol_refinement"
    graph = plain_graph(language)
    refinements = refine(graph)
    stuck = find_stuck(language, graph, refinements, asked)
    if stuck is None:
        needed = needed_rounds(language, graph, refinements, asked)
        certificate = build_certificate(language, Fragment.PLAIN, graph, needed, asked)
        return language_verdict(
            Answer.YES, Fragment.PLAIN, language, theorem, certificate, program_reason(certificate), asked
        )
    from .obstructions import find_obstruction  # here, because only a NO needs it

    refinement, confused = stuck
    try:
        obstruction = find_obstruction(language, refinement, asked, confused)
    except (CapExceededError, OutOfTimeError) as error:
        reason = (
            f"A model that only counts mixes up inputs with different answers. There is no certificate: {error.message}"
        )
        return language_verdict(Answer.NO, Fragment.PLAIN, language, theorem, None, reason, asked)
    return language_verdict(
        Answer.NO, Fragment.PLAIN, language, theorem, obstruction, obstruction_reason(obstruction), asked
    )


def decide_program(facts: Facts, fragment: Fragment, readout: Readout | None = None) -> Verdict:
    """Answer for the problem that a program computes: YES for every fragment that has it, otherwise what is published."""
    from ..crasp.measures import fragment_of  # here, because a verdict about an expression needs no program

    assert facts.program is not None
    given = facts.program
    where = readout or given.readout
    if not given.is_generator and where is not given.readout:
        raise InvalidOptionError(
            f"the program is {given.readout.notation}; another readout was asked for.", hint="leave the readout out."
        )
    known = decide_cited(facts, fragment, where)
    for program in _given_and_simplified(given):
        if fragment.includes(fragment_of(program)):
            return _program_verdict(program, fragment, where, given.alphabet, facts.how)
        if known.answer is not Answer.UNKNOWN:
            break  # no simpler program will be in the fragment, or it is known without one
    if known.theorem == "open":
        has = fragment_of(program).notation
        reason = f"The program that is known needs {has}. Whether another one makes do with {fragment.notation} is not settled here."
        known = replace(known, reason=reason)
    if known.certificate is not None:
        return known
    asked = Asked.NEXT_SYMBOLS if given.is_generator else Asked.MEMBERSHIP
    return replace(known, alphabet=given.alphabet, asked=asked)


def _program_verdict(
    program: Program, fragment: Fragment, where: Readout, alphabet: tuple[str, ...], how: str
) -> Verdict:
    certificate = ProgramCertificate(program=program, fragment=fragment, readout=where)
    return Verdict(
        answer=Answer.YES,
        fragment=fragment,
        readout=where,
        alphabet=alphabet,
        theorem="program",
        certificate=certificate,
        reason=given_program_reason(program, how),
        asked=certificate.asked,
    )


def _given_and_simplified(program: Program) -> Iterator[Program]:
    """Yield a program and then, if it is asked for, a simpler one that does the same."""
    from ..crasp.simplification import simplify

    yield program
    yield simplify(program)


def decide_cited(facts: Facts, fragment: Fragment, readout: Readout) -> Verdict:
    """Answer by what is published: a YES for a smaller fragment, a NO for a larger one, or at least a prediction."""

    def speaks_of_fragment(citation: Citation) -> bool:
        if citation.answer is Answer.YES:
            return fragment.includes(citation.fragment)
        return citation.fragment.includes(fragment)  # what is open for a larger one says why a smaller one is, too

    relevant = [citation for citation in facts.cited if speaks_of_fragment(citation)]
    relevant.sort(key=lambda citation: citation.answer is Answer.UNKNOWN)  # what is proved comes first
    nothing = Citation(
        fragment=fragment,
        answer=Answer.UNKNOWN,
        theorem="open",
        reason=f"Neither a program in {fragment.notation} nor a proof that there is none is known.",
    )
    found = relevant[0] if relevant else nothing
    proof = replace(found.proof(), fragment=fragment, readout=readout) if found.proof else None
    return Verdict(
        answer=found.answer,
        fragment=fragment,
        readout=readout,
        alphabet=proof.automaton.alphabet if proof else (),
        theorem=found.theorem,
        certificate=proof,
        reason=found.reason,
        asked=proof.asked if proof else Asked.MEMBERSHIP,
    )


def decide_last_symbol(language: DFA, fragment: Fragment, *, caps: Caps | None = None) -> Verdict:
    """Answer for acceptance read at the last symbol: every language {w : wa accepted} must be in at the end marker."""
    verdicts = []
    for symbol in language.alphabet:
        quotient = right_quotient(language, (symbol,))
        verdict = decide(Facts(language=quotient), fragment, caps=caps)
        verdicts.append((symbol, verdict))
        if verdict.answer is Answer.NO:
            part = ((symbol, verdict.certificate),) if verdict.certificate else ()
            return _last_symbol_verdict(
                language,
                verdict,
                part,
                f"If the last symbol is {symbol}, what comes before it decides. {verdict.reason}",
            )
    for symbol, verdict in verdicts:
        if verdict.answer is Answer.UNKNOWN:
            return _last_symbol_verdict(
                language, verdict, (), f"If the last symbol is {symbol}, what comes before it decides. {verdict.reason}"
            )
    parts = tuple((symbol, verdict.certificate) for symbol, verdict in verdicts if verdict.certificate)
    hardest = max(verdicts, key=lambda item: (item[1].certificate is None, item[1].level or 0))
    reason = f"The last symbol is seen where the answer is read. If it is {hardest[0]}, what comes before it decides. {hardest[1].reason}"
    complete = parts if len(parts) == len(verdicts) else ()  # without all of them there is no proof and no program
    return _last_symbol_verdict(language, hardest[1], complete, reason)


def _before_last(symbol: str, verdict: Verdict) -> str:
    return f"If the last symbol is {symbol}, what comes before it decides. {verdict.reason}"


def _last_symbol_verdict(
    language: DFA, part: Verdict, parts: tuple[tuple[str, Certificate], ...], reason: str
) -> Verdict:
    theorem = "open" if part.answer is Answer.UNKNOWN else "last_symbol_quotients"
    certificate = (
        QuotientsCertificate(language=language, fragment=part.fragment, answer=part.answer, parts=parts)
        if parts
        else None
    )
    return language_verdict(
        part.answer, part.fragment, language, theorem, certificate, reason, readout=Readout.LAST_SYMBOL
    )
