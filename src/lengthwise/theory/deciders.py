"""Which regular languages a fragment of C-RASP contains: answers with theorem, certificate and reason.

PLAIN is decided exactly. For the other fragments there is the sound half: YES by unrolling with small windows and
periods, NO by a cited theorem, UNKNOWN otherwise. The class is closed downwards: what is in PLAIN is in all of them,
and what is not in PERIODIC_LOCAL is in none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import CapExceededError
from ..languages.alphabet import show_word
from ..languages.dfa import DFA
from ..languages.dfa_algebra import right_quotient
from .certificates import (
    Certificate,
    ObstructionCertificate,
    PotentialsCertificate,
    QuotientsCertificate,
    ReductionCertificate,
)
from .claims import Answer, Fragment, Readout
from .counting import build_certificate, describe_counts
from .facts import Facts
from .graph import Graph, unrolled_graph
from .obstructions import find_obstruction
from .potentials import Refinement, refine
from .reductions import find_reduction
from .verdict import Verdict

MAX_WINDOW = 2
MAX_PERIOD = 4
_SHOWN_COUNTS = 3
_SHOWN_LETTERS = 40


def decide(facts: Facts, fragment: Fragment, readout: Readout = Readout.END_MARKER) -> Verdict:
    """Return whether the fragment contains the problem, read out there.

    >>> from lengthwise.languages.regex import compile_regex
    >>> verdict = decide(Facts(language=compile_regex("(ab)*")), Fragment.PLAIN)
    >>> print(verdict.answer, verdict.reason)
    YES counting alone names the state at every length: t1 = #[a] − #[b].
    """
    if readout is Readout.LAST_SYMBOL:
        return decide_last_symbol(facts.language, fragment)
    if fragment is Fragment.PLAIN:
        return decide_plain(facts.language)
    return decide_unrolled(facts.language, fragment)


def decide_plain(language: DFA) -> Verdict:
    """Decide plain C-RASP, read at the end marker, exactly."""
    graph = plain_graph(language)
    refinements = refine(graph)
    stuck = [refinement for refinement in refinements if not refinement.passed]
    if not stuck:
        certificate = build_certificate(language, Fragment.PLAIN, graph, refinements)
        return _verdict(
            Answer.YES, Fragment.PLAIN, language, "balanced_refinement", certificate, _yes_reason(certificate)
        )
    try:
        obstruction = find_obstruction(language, min(stuck, key=_size))
    except CapExceededError as error:
        reason = f"counting cannot tell all states of a component apart; no certificate: {error.message}"
        return _verdict(Answer.NO, Fragment.PLAIN, language, "balanced_refinement", None, reason)
    return _verdict(
        Answer.NO, Fragment.PLAIN, language, "balanced_refinement", obstruction, _obstruction_reason(obstruction)
    )


def decide_unrolled(language: DFA, fragment: Fragment) -> Verdict:
    """Answer for a fragment with windows or periods: YES by a small unrolling, NO by a cited theorem, else UNKNOWN."""
    skipped = ""
    for window, period in _unrollings(fragment):
        try:
            graph = unrolled_graph(language, window=window, period=period)
        except CapExceededError as error:
            skipped = f" ({error.message})"
            continue
        refinements = refine(graph)
        if all(refinement.passed for refinement in refinements):
            certificate = build_certificate(language, fragment, graph, refinements)
            return _verdict(
                Answer.YES, fragment, language, "unrolled_refinement", certificate, _yes_reason(certificate)
            )
    reduction = find_reduction(language, fragment)
    if reduction is not None:
        return _verdict(Answer.NO, fragment, language, "known_non_member", reduction, _reduction_reason(reduction))
    tried = [f"window up to {MAX_WINDOW}"] * fragment.has_windows + [
        f"period up to {MAX_PERIOD}"
    ] * fragment.has_periods
    found = "was found" if skipped else "exists"
    reason = (
        f"no program with {' and '.join(tried)} {found}, and no cited theorem excludes larger ones; "
        f"the exact decision for {fragment.notation} is not part of this version{skipped}."
    )
    return _verdict(Answer.UNKNOWN, fragment, language, "open", None, reason)


def decide_last_symbol(language: DFA, fragment: Fragment) -> Verdict:
    """Answer for acceptance read at the last symbol: every language {w : wa accepted} must be in at the end marker."""
    verdicts = []
    for symbol in language.alphabet:
        quotient = right_quotient(language, (symbol,))
        verdict = decide(Facts(language=quotient), fragment)
        verdicts.append((symbol, verdict))
        if verdict.answer is Answer.NO:
            part = ((symbol, verdict.certificate),) if verdict.certificate else ()
            return _last_symbol_verdict(language, verdict, part, f"before a last {symbol}: {verdict.reason}")
    for symbol, verdict in verdicts:
        if verdict.answer is Answer.UNKNOWN:
            return _last_symbol_verdict(language, verdict, (), f"before a last {symbol}: {verdict.reason}")
    parts = tuple((symbol, verdict.certificate) for symbol, verdict in verdicts if verdict.certificate)
    hardest = max(verdicts, key=lambda item: item[1].level or 0)
    reason = f"the last symbol is seen, and what comes before it can be tracked; before a last {hardest[0]}: {hardest[1].reason}"
    return _last_symbol_verdict(language, hardest[1], parts, reason)


def plain_graph(language: DFA) -> Graph:
    """Return the automaton itself as a graph of which a program sees nothing without counting."""
    num_states = language.num_states
    vertices = [(state, (), 0) for state in range(num_states)]
    return Graph(window=0, period=1, edges=language.transitions, vertices=vertices, visible=[0] * num_states)


def _unrollings(fragment: Fragment) -> Iterator[tuple[int, int]]:
    """Yield windows and periods to try, smaller windows first."""
    for window in range(MAX_WINDOW + 1 if fragment.has_windows else 1):
        for period in range(1, MAX_PERIOD + 1 if fragment.has_periods else 2):
            yield window, period


def _size(refinement: Refinement) -> int:
    return len(refinement.members)


def _verdict(
    answer: Answer,
    fragment: Fragment,
    language: DFA,
    theorem: str,
    certificate: Certificate | None,
    reason: str,
    readout: Readout = Readout.END_MARKER,
) -> Verdict:
    return Verdict(
        answer=answer,
        fragment=fragment,
        readout=readout,
        alphabet=language.alphabet,
        theorem=theorem,
        certificate=certificate,
        reason=reason,
    )


def _last_symbol_verdict(
    language: DFA, part: Verdict, parts: tuple[tuple[str, Certificate], ...], reason: str
) -> Verdict:
    certificate = (
        QuotientsCertificate(language=language, fragment=part.fragment, answer=part.answer, parts=parts)
        if parts
        else None
    )
    return _verdict(part.answer, part.fragment, language, part.theorem, certificate, reason, Readout.LAST_SYMBOL)


def _yes_reason(certificate: PotentialsCertificate) -> str:
    counts = describe_counts(certificate)
    seen = []
    if certificate.window:
        letters = "letter" if certificate.window == 1 else f"{certificate.window} letters"
        seen.append(f"the last {letters}")
    if certificate.period > 1:
        seen.append(f"the position modulo {certificate.period}")
    if not counts and not seen:
        return "the automaton never returns to a state it has left, so seeing which states were passed is enough."
    subjects = [*seen, "counting"] if seen and counts else seen or ["counting alone"]
    subject = " and ".join(subjects)
    verb = "names" if len(subjects) == 1 and certificate.window < 2 else "name"
    if not counts:
        return f"{subject} {verb} the state at every length."
    shown = "; ".join(counts[:_SHOWN_COUNTS]) + ("; …" if len(counts) > _SHOWN_COUNTS else "")
    return f"{subject} {verb} the state at every length: {shown}."


def _obstruction_reason(certificate: ObstructionCertificate) -> str:
    first, second = certificate.witnesses
    inside, outside = (first, second) if first in certificate.language else (second, first)
    return (
        f"no program keeps {_shortened(inside)} (in the language) and {_shortened(outside)} (not in it) apart "
        "once a long enough loop is read before they part."
    )


def _reduction_reason(certificate: ReductionCertificate) -> str:
    renamed = [f"{image} for {symbol}" for symbol, image in certificate.images if symbol != image]
    if certificate.prefix:
        renamed.append(f"after {_shortened(certificate.prefix)}")
    if certificate.suffix:
        renamed.append(f"ending in {_shortened(certificate.suffix)}")
    how = f" ({', '.join(renamed)})" if renamed else ""
    whole = (
        not certificate.prefix
        and not certificate.suffix
        and len(certificate.images) == len(certificate.language.alphabet)
    )
    subject = "this is" if whole else "a part of it is"
    return f"{subject} {certificate.target}{how}, which is proved not to be in C-RASP[periodic, local]."


def _shortened(word: tuple[str, ...]) -> str:
    shown = show_word(word)
    return shown if len(shown) <= _SHOWN_LETTERS else f"{shown[: _SHOWN_LETTERS - 1]}… ({len(word)} letters)"
