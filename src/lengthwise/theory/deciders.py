"""Which problems a fragment of C-RASP contains: answers with theorem, certificate and reason.

PLAIN is decided exactly. For the other fragments there is the sound half: YES by unrolling with small windows and
periods, NO by a cited theorem, UNKNOWN otherwise. The class is closed downwards: what is in PLAIN is in all of them,
and what is not in PERIODIC_LOCAL is in none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..crasp.fragments import Fragment, Readout, as_fragment, as_readout
from ..crasp.measures import fragment_of
from ..crasp.simplification import simplify
from ..errors import CapExceededError, InvalidOptionError
from ..languages.dfa import DFA
from ..languages.dfa_algebra import right_quotient
from ..languages.next_symbols import live_states
from .certificates import Certificate, ProgramCertificate, QuotientsCertificate, readout_of
from .claims import Answer, Asked
from .counting import build_certificate
from .facts import Citation, Facts
from .graph import Graph, unrolled_graph
from .obstructions import find_obstruction
from .potentials import Refinement, refine
from .reasons import obstruction_reason, program_reason, reduction_reason
from .reductions import find_reduction
from .verdict import Verdict

MAX_WINDOW = 2
MAX_PERIOD = 4


def decide(facts: Facts, fragment: Fragment, readout: Readout | None = None) -> Verdict:
    """Return whether the fragment contains the problem, read out there or, if not said, where it is usually read.

    >>> from lengthwise.languages.regex import compile_regex
    >>> verdict = decide(Facts(language=compile_regex("(ab)*")), Fragment.PLAIN)
    >>> print(verdict.answer, verdict.reason)
    YES counting alone names the state at every length: t1 = #[a] − #[b].
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
    if (readout or usual) is not usual:
        return decide_last_symbol(facts.language, fragment)
    if fragment is Fragment.PLAIN:
        return decide_plain(facts.language, facts.asked)
    return decide_unrolled(facts.language, fragment, facts.asked)


def decide_plain(language: DFA, asked: Asked = Asked.MEMBERSHIP) -> Verdict:
    """Decide plain C-RASP exactly: membership read at the end marker, or next symbols read at the last symbol."""
    theorem = "balanced_refinement" if asked is Asked.MEMBERSHIP else "next_symbol_refinement"
    graph = plain_graph(language)
    refinements = refine(graph)
    stuck = _find_stuck(language, graph, refinements, asked)
    if stuck is None:
        needed = _needed_rounds(language, graph, refinements, asked)
        certificate = build_certificate(language, Fragment.PLAIN, graph, needed, asked)
        return _verdict(Answer.YES, Fragment.PLAIN, language, theorem, certificate, program_reason(certificate), asked)
    refinement, confused = stuck
    try:
        obstruction = find_obstruction(language, refinement, asked, confused)
    except CapExceededError as error:
        reason = f"counting cannot tell all states of a component apart that it must; no certificate: {error.message}"
        return _verdict(Answer.NO, Fragment.PLAIN, language, theorem, None, reason, asked)
    return _verdict(Answer.NO, Fragment.PLAIN, language, theorem, obstruction, obstruction_reason(obstruction), asked)


def decide_unrolled(language: DFA, fragment: Fragment, asked: Asked = Asked.MEMBERSHIP) -> Verdict:
    """Answer for a fragment with windows or periods: YES by a small unrolling, NO by a cited theorem, else UNKNOWN."""
    skipped = ""
    for window, period in _unrollings(fragment):
        try:
            graph = unrolled_graph(language, window=window, period=period)
        except CapExceededError as error:
            skipped = f" ({error.message})"
            continue
        refinements = refine(graph)
        if _find_stuck(language, graph, refinements, asked) is None:
            needed = _needed_rounds(language, graph, refinements, asked)
            certificate = build_certificate(language, fragment, graph, needed, asked)
            reason = program_reason(certificate)
            return _verdict(Answer.YES, fragment, language, "unrolled_refinement", certificate, reason, asked)
    reduction = find_reduction(language, fragment, asked)
    if reduction is not None:
        reason = reduction_reason(reduction)
        return _verdict(Answer.NO, fragment, language, "known_non_member", reduction, reason, asked)
    windows = [f"window up to {MAX_WINDOW}"] * fragment.has_windows
    periods = [f"one period up to {MAX_PERIOD}"] * fragment.has_periods  # 3 and 4 together are a period of 12
    found = "was found" if skipped else "exists"
    reason = (
        f"no program with {' and '.join(windows + periods)} {found}, and no cited theorem was found to exclude larger ones; "
        f"the exact decision for {fragment.notation} is not part of this version{skipped}."
    )
    return _verdict(Answer.UNKNOWN, fragment, language, "open", None, reason, asked)


def decide_program(facts: Facts, fragment: Fragment, readout: Readout | None = None) -> Verdict:
    """Answer for the problem that a program computes: YES for every fragment that has it, otherwise what is published."""
    assert facts.program is not None
    given = facts.program
    where = readout or given.readout
    for program in (given, simplify(given)):
        if fragment.includes(fragment_of(program)):
            certificate = ProgramCertificate(program=program, fragment=fragment, readout=where)
            reason = f"here is a program: {certificate.summary().removeprefix('a program ')}."
            return Verdict(
                answer=Answer.YES,
                fragment=fragment,
                readout=where,
                alphabet=given.alphabet,
                theorem="program",
                certificate=certificate,
                reason=reason,
                asked=certificate.asked,
            )
    verdict = decide_cited(facts, fragment, where)
    if verdict.theorem == "open":
        has = fragment_of(program).notation
        reason = (
            f"the program that is known is in {has}; whether another is in {fragment.notation} is not settled here."
        )
        verdict = replace(verdict, reason=reason)
    asked = Asked.NEXT_SYMBOLS if given.is_generator else Asked.MEMBERSHIP
    return replace(verdict, alphabet=given.alphabet, asked=asked)


def decide_cited(facts: Facts, fragment: Fragment, readout: Readout) -> Verdict:
    """Answer by what is published: a YES for a smaller fragment, a NO for a larger one, or at least a prediction."""

    def speaks_of_fragment(citation: Citation) -> bool:
        if citation.answer is Answer.YES:
            return fragment.includes(citation.fragment)
        if citation.answer is Answer.NO:
            return citation.fragment.includes(fragment)
        return citation.fragment is fragment

    relevant = [citation for citation in facts.cited if speaks_of_fragment(citation)]
    relevant.sort(key=lambda citation: citation.answer is Answer.UNKNOWN)  # what is proved comes first
    nothing = Citation(
        fragment=fragment,
        answer=Answer.UNKNOWN,
        theorem="open",
        reason=f"nothing that this version knows settles {fragment.notation}.",
    )
    found = relevant[0] if relevant else nothing
    return Verdict(
        answer=found.answer,
        fragment=fragment,
        readout=readout,
        alphabet=(),
        theorem=found.theorem,
        certificate=None,
        reason=found.reason,
    )


def _find_stuck(
    language: DFA, graph: Graph, refinements: Sequence[Refinement], asked: Asked
) -> tuple[Refinement, tuple[int, int]] | None:
    """Return the smallest component that counting cannot track, with two of its members that stay confused, or None."""
    if asked is Asked.MEMBERSHIP:
        found = [(each, (0, 0)) for each in refinements if not each.passed]
    else:
        live = live_states(language)
        found = [
            (each, pair)
            for each in refinements
            if not each.passed and (pair := _confused_next(graph, each, live, each.blocks)) is not None
        ]
    return min(found, key=lambda item: len(item[0].members)) if found else None


def _needed_rounds(
    language: DFA, graph: Graph, refinements: Sequence[Refinement], asked: Asked
) -> Sequence[Refinement]:
    """Return the refinements with no more rounds than the question needs: next symbols may need fewer than there are."""
    if asked is Asked.MEMBERSHIP:
        return refinements
    live = live_states(language)
    needed = []
    for refinement in refinements:
        partitions = [*(each.blocks for each in refinement.rounds), refinement.blocks]
        number = next(n for n, each in enumerate(partitions) if _confused_next(graph, refinement, live, each) is None)
        needed.append(replace(refinement, rounds=refinement.rounds[:number], blocks=partitions[number]))
    return needed


def _confused_next(
    graph: Graph, refinement: Refinement, live: frozenset[int], blocks: Sequence[int]
) -> tuple[int, int] | None:
    """Return two members of one block that one symbol leads to different live states, or None."""
    following: dict[tuple[int, int], tuple[int, int]] = {}
    for member, (vertex, block) in enumerate(zip(refinement.members, blocks, strict=True)):
        for symbol, target in enumerate(graph.edges[vertex]):
            if graph.vertices[target][0] in live:
                other, named = following.setdefault((block, symbol), (member, target))
                if named != target:
                    return other, member
    return None


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


def _verdict(
    answer: Answer,
    fragment: Fragment,
    language: DFA,
    theorem: str,
    certificate: Certificate | None,
    reason: str,
    asked: Asked = Asked.MEMBERSHIP,
    readout: Readout | None = None,
) -> Verdict:
    return Verdict(
        answer=answer,
        fragment=fragment,
        readout=readout or readout_of(asked),
        alphabet=language.alphabet,
        theorem=theorem,
        certificate=certificate,
        reason=reason,
        asked=asked,
    )


def _last_symbol_verdict(
    language: DFA, part: Verdict, parts: tuple[tuple[str, Certificate], ...], reason: str
) -> Verdict:
    theorem = "open" if part.answer is Answer.UNKNOWN else "last_symbol_quotients"
    certificate = (
        QuotientsCertificate(language=language, fragment=part.fragment, answer=part.answer, parts=parts)
        if parts
        else None
    )
    return _verdict(part.answer, part.fragment, language, theorem, certificate, reason, readout=Readout.LAST_SYMBOL)
