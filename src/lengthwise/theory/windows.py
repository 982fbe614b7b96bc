"""Windows and periods: decided by the Karoubi graph, and a program found by unrolling.

The Karoubi graph settles all windows and periods at once. A YES is then looked for as a program, with the least window and
for that the least period; a NO comes with a reduction if one is found, else with a part of the graph itself.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import lcm
from typing import TYPE_CHECKING

from ..crasp.fragments import Fragment
from ..errors import CapExceededError, OutOfTimeError
from ..languages.dfa import DFA
from ..languages.semigroup import MAX_CELLS, TransitionSemigroup, transition_semigroup
from .certificates import PotentialsCertificate, ReductionCertificate
from .claims import Answer, Asked
from .counting import build_certificate
from .graph import unrolled_graph
from .potentials import Refinement, refine
from .reasons import graph_reason, in_words, periods_reason, program_reason, reduction_reason
from .tracking import find_stuck, needed_rounds
from .verdict import Verdict, language_verdict

if TYPE_CHECKING:  # most languages are decided before the graph is built
    from .karoubi import KaroubiGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much is tried before the answer is UNKNOWN, or a YES comes without its program."""

    max_elements: int = 50_000  # of the transition semigroup
    max_arrows: int = 1_000_000  # of the Karoubi graph
    max_vertices: int = 5_000  # of an unrolled automaton
    max_window: int = 12
    max_period: int = 10_000
    max_cells: int = MAX_CELLS  # entries of the semigroup's maps
    max_seconds: float = 5.0  # of CPU time for all verdicts about one question
    max_advice_seconds: float = 4.0  # of CPU time for its grades, programs and repairs

    def times(self, factor: int) -> Caps:
        """Return caps that are so many times larger."""
        return Caps(**{each.name: getattr(self, each.name) * factor for each in fields(self)})


def decide_windows(language: DFA, fragment: Fragment, asked: Asked, caps: Caps) -> Verdict:
    """Decide a fragment with windows, periods or both."""
    counting = find_unrolling(
        language, fragment, asked, 1, replace(caps, max_window=0, max_vertices=language.num_states)
    )
    if counting is not None:
        return _yes(language, fragment, counting)
    from .reductions import find_reduction

    reduction = find_reduction(language, fragment, asked)
    if reduction is not None:  # most languages that are out are so for this reason, and the graph may be large
        return _reduced(language, fragment, reduction)
    if fragment is Fragment.PERIODIC:
        verdict = _decide_periods(language, asked, caps)
        if verdict is not None:
            return verdict
    try:
        semigroup = transition_semigroup(language, cap=caps.max_elements, max_cells=caps.max_cells)
        return _decide_by_graph(semigroup, fragment, asked, caps)
    except CapExceededError as error:
        return _decide_within_caps(language, fragment, asked, caps, error.message)


def _decide_periods(language: DFA, asked: Asked, caps: Caps) -> Verdict | None:
    """Decide membership for C-RASP[periodic]; for next symbols, say YES where membership has that answer, else None."""
    from .periods import build_periods_certificate, passes_exactly, refine_by_roots

    refinements = refine_by_roots(language)
    stuck = [each for each in refinements if not each.passed]
    fragment, theorem = Fragment.PERIODIC, "periodic_refinement"
    if stuck and asked is Asked.NEXT_SYMBOLS:
        return None
    if stuck and any(each.proved for each in stuck):
        smallest = min((each for each in stuck if each.proved), key=lambda each: len(each.members))
        certificate = build_periods_certificate(language, smallest)
        return language_verdict(Answer.NO, fragment, language, theorem, certificate, periods_reason(certificate), asked)
    period = lcm(*(each.modulus for each in refinements))
    if not stuck:
        found = find_unrolling(language, fragment, asked, period, caps)
        if found is not None:
            return _yes(language, fragment, found)
        if all(passes_exactly(each, max_vertices=caps.max_vertices) for each in refinements):
            cap = _untried(language, period, caps)
            reason = f"By our theorem {in_words(fragment)} solves it, but no program was looked for: {cap}"
            return language_verdict(Answer.YES, fragment, language, theorem, None, reason, asked)
    return None


def _decide_by_graph(semigroup: TransitionSemigroup, fragment: Fragment, asked: Asked, caps: Caps) -> Verdict:
    from .karoubi import karoubi_graph

    language = semigroup.language
    graph = karoubi_graph(semigroup, periods=fragment.has_periods, max_arrows=caps.max_arrows)
    stuck = graph.find_stuck()
    if stuck is not None:  # a NO with windows is one for next symbols too, and for the fragment without windows
        return _no(language, fragment, asked, graph, stuck)
    try:
        period = full_period(semigroup) if fragment.has_periods else 1
        found = find_unrolling(language, fragment, asked, period, caps)
        if found is not None:
            return _yes(language, fragment, found)
        cap = _untried(language, period, caps)
    except OutOfTimeError as error:
        if not fragment.has_windows:  # the graph says YES only where there are windows
            raise
        reason = f"By our theorem {in_words(fragment)} solves it, but no program was found in time: {error.message}"
        return language_verdict(Answer.YES, fragment, language, "karoubi", None, reason, asked)
    if not fragment.has_windows:
        reason = (
            f"No program with a period that divides {period} exists; which periods suffice for {fragment.notation} is not "
            "known, so larger ones are not excluded."
            if cap is None
            else f"Whether there is a program with a period that divides {period} was not tried: {cap}"
        )
        return language_verdict(Answer.UNKNOWN, fragment, language, "open", None, reason, asked)
    tried = f"no program was found with windows up to {caps.max_window} and at most {caps.max_vertices:,} vertices."
    reason = f"By our theorem {in_words(fragment)} solves it, but {tried if cap is None else f'no program was looked for: {cap}'}"
    return language_verdict(Answer.YES, fragment, language, "karoubi", None, reason, asked)


def _decide_within_caps(language: DFA, fragment: Fragment, asked: Asked, caps: Caps, cap: str) -> Verdict:
    """Answer where the Karoubi graph is too large and no reduction was found: YES by a small unrolling, else UNKNOWN."""
    for period in (1, 2, 3, 4) if fragment.has_periods else (1,):
        found = find_unrolling(language, fragment, asked, period, replace(caps, max_window=min(2, caps.max_window)))
        if found is not None:
            return _yes(language, fragment, found)
    reason = f"No small program and no reduction was found, and the exact decision stopped at a cap: {cap}"
    return language_verdict(Answer.UNKNOWN, fragment, language, "open", None, reason, asked)


def _yes(language: DFA, fragment: Fragment, certificate: PotentialsCertificate) -> Verdict:
    reason = program_reason(certificate)
    theorem = "unrolled_refinement"
    return language_verdict(Answer.YES, fragment, language, theorem, certificate, reason, certificate.asked)


def _reduced(language: DFA, fragment: Fragment, reduction: ReductionCertificate) -> Verdict:
    reason = reduction_reason(reduction)
    theorem = "known_non_member"
    return language_verdict(Answer.NO, fragment, language, theorem, reduction, reason, reduction.asked)


def _no(language: DFA, fragment: Fragment, asked: Asked, graph: KaroubiGraph, stuck: Refinement) -> Verdict:
    from .graph_obstructions import build_graph_certificate

    try:
        certificate = build_graph_certificate(graph, stuck, fragment, asked)
    except OutOfTimeError as error:
        reason = f"By our theorem {in_words(fragment)} does not solve it. There is no certificate: {error.message}"
        return language_verdict(Answer.NO, fragment, language, "karoubi", None, reason, asked)
    return language_verdict(Answer.NO, fragment, language, "karoubi", certificate, graph_reason(certificate), asked)


def find_unrolling(
    language: DFA, fragment: Fragment, asked: Asked, period: int, caps: Caps
) -> PotentialsCertificate | None:
    """Return the certificate with the least window and, for it, the least period that divides the given one, or None."""
    if period > caps.max_period:
        return None
    for window in range(caps.max_window + 1 if fragment.has_windows else 1):
        try:
            found = _unrolled(language, fragment, asked, window, period, caps)
        except CapExceededError:
            return None
        if found is not None:
            smaller = (
                _unrolled(language, fragment, asked, window, divisor, caps)
                for divisor in range(1, period)
                if period % divisor == 0
            )
            return next((each for each in smaller if each is not None), found)
    return None


def _untried(language: DFA, period: int, caps: Caps) -> str | None:
    """Return the cap that kept a period from being tried at all, or None."""
    if period > caps.max_period:
        return f"periods are tried up to {caps.max_period:,}, the cap."
    try:
        unrolled_graph(language, period=period, max_vertices=caps.max_vertices)
    except CapExceededError as error:
        return error.message
    return None


def _unrolled(
    language: DFA, fragment: Fragment, asked: Asked, window: int, period: int, caps: Caps
) -> PotentialsCertificate | None:
    graph = unrolled_graph(language, window=window, period=period, max_vertices=caps.max_vertices)
    refinements = refine(graph)
    if find_stuck(language, graph, refinements, asked) is not None:
        return None
    needed = needed_rounds(language, graph, refinements, asked)
    return build_certificate(language, fragment, graph, needed, asked)


def full_period(semigroup: TransitionSemigroup) -> int:
    """Return a period that suffices: the least common multiple of the moduli of all idempotents."""
    from .karoubi import component_period, regular_representatives, right_components

    components = right_components(semigroup)
    return lcm(*(component_period(semigroup, components[e]) for e in regular_representatives(semigroup)))
