"""How deeply counts must be nested: the bounds from below and from above together."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...budget import time_budget
from ...errors import OutOfTimeError
from ...languages.dfa import DFA
from ..claims import Asked
from ..potentials import refine
from ..tracking import find_stuck, plain_graph
from .certificates import AtLeast, AtMost
from .copies import larger_graphs
from .problem import (
    DepthQuestion,
    Pair,
    StateGraph,
    ordered,
    pairs_reached_from,
    pairs_that_lead_to,
    pairs_to_separate,
    question_graph,
)
from .regions import Region, RegionLimits, confused_pairs, first_region, next_regions
from .separation import Separation

BOUNDING = "bounding the depth"
MAX_COPIES = 60
MAX_STATES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthLimits:
    """How much work the search may do; more can only bring the bounds closer."""

    seconds: float = 10.0
    regions: RegionLimits = field(default_factory=RegionLimits)
    max_copies: int = MAX_COPIES
    max_states: int = MAX_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthBounds:
    """Every program for the question nests counts at least ``at_least`` deep, and one needs no more than ``at_most``.

    ``at_most`` is None where no bound was found, and both are None where no program of plain C-RASP exists. ``stopped`` names
    the cap that ended the search early.
    """

    question: DepthQuestion
    exists: bool
    lower: AtLeast | None
    upper: AtMost | None
    stopped: str = ""

    @property
    def at_least(self) -> int | None:
        """The depth that every program has."""
        if not self.exists:
            return None
        return 0 if self.lower is None else self.lower.bound

    @property
    def at_most(self) -> int | None:
        """A depth that suffices."""
        return None if self.upper is None else self.upper.bound

    @property
    def is_exact(self) -> bool:
        """Whether the two bounds meet."""
        return self.exists and self.at_least == self.at_most

    def summary(self) -> str:
        """Return the bounds in a few words, in layers."""
        if not self.exists:
            return "no number of layers suffices"
        least, most = self.at_least, self.at_most
        if self.is_exact:
            return f"needs exactly {_layers(least)}"
        if most is not None:
            return f"needs at least {least} and at most {_layers(most)}"
        stopped = f": {self.stopped.removesuffix('.')}" if self.stopped else ""
        return f"needs at least {_layers(least)}; no upper bound was found{stopped}"

    def answer_for(self, layers: int) -> str:
        """Return YES, NO or OPEN: whether a program with at most this depth exists."""
        if not self.exists or (self.at_least is not None and layers < self.at_least):
            return "NO"
        return "YES" if self.at_most is not None and layers >= self.at_most else "OPEN"


def _layers(number: int | None) -> str:
    return f"{number} layer{'s' * (number != 1)}"


def bound_depth(language: DFA, question: DepthQuestion, limits: DepthLimits | None = None) -> DepthBounds:
    """Return bounds on the depth of a question about a language, with their certificates.

    >>> from lengthwise.languages.regex import compile_regex
    >>> found = bound_depth(compile_regex("(ab|bbaa)*"), DepthQuestion.END_MARKER)
    >>> found.at_least, found.at_most
    (3, 3)
    """
    limits = limits or DepthLimits()
    question = DepthQuestion(question)
    if not has_program(language, question):
        return DepthBounds(question=question, exists=False, lower=None, upper=None)
    if language.num_states > limits.max_states:
        stopped = (
            f"the automaton has {language.num_states:,} states; bounds are searched for up to {limits.max_states:,}."
        )
        return DepthBounds(question=question, exists=True, lower=None, upper=None, stopped=stopped)
    search = _Search(language, question, limits)
    stopped = ""
    try:
        with time_budget(limits.seconds, BOUNDING):
            search.run()
    except OutOfTimeError as error:
        stopped = error.message
    return DepthBounds(question=question, exists=True, lower=search.lower, upper=search.upper, stopped=stopped)


def has_program(language: DFA, question: DepthQuestion) -> bool:
    """Return whether plain C-RASP answers the question at all, at whatever depth."""
    graph = plain_graph(language)
    refinements = refine(graph)
    if question is DepthQuestion.NEXT_SYMBOLS:
        return find_stuck(language, graph, refinements, Asked.NEXT_SYMBOLS) is None
    if question is not DepthQuestion.LAST_SYMBOL:
        return all(each.passed for each in refinements)
    for refinement in refinements:
        following: dict[tuple[int, int], int] = {}
        for member, block in zip(refinement.members, refinement.blocks, strict=True):
            for symbol, target in enumerate(language.transitions[member]):
                if following.setdefault((block, symbol), target) != target:
                    return False
    return True


class _Search:
    """Both searches, one after the other; what is found so far survives a spent budget."""

    def __init__(self, language: DFA, question: DepthQuestion, limits: DepthLimits) -> None:
        self.language = language
        self.question = question
        self.limits = limits
        self.lower: AtLeast | None = None
        self.upper: AtMost | None = None

    def run(self) -> None:
        graph = question_graph(self.language, self.question)
        needed = pairs_to_separate(self.language, self.question)
        hopeless = self._raise_lower(graph, needed)
        self._lower_upper(graph, needed, hopeless)
        for larger in larger_graphs(graph, self.limits.max_copies):
            if self.upper is not None and self.upper.bound == self._at_least:
                return
            self._lower_upper(larger, needed, [])

    @property
    def _at_least(self) -> int:
        return 0 if self.lower is None else self.lower.bound

    def _raise_lower(self, graph: StateGraph, needed: frozenset[Pair]) -> list[frozenset[Pair]]:
        """Search for the lower bound; return, for each depth from 0, pairs of nodes that need more."""
        bad = pairs_that_lead_to(graph, graph.images(needed))
        beam = [first_region(graph)]
        confused: list[frozenset[Pair]] = [pairs_reached_from(graph, confused_pairs(beam))]
        for _ in range(self.limits.regions.max_rounds):
            found = [
                (region, pairs) for region in beam if (pairs := [pair for pair in region.confusions() if pair in bad])
            ]
            if not found:
                break
            self.lower = self._certificate(graph, *found[0])
            grown = [after for region in beam for after in next_regions(region, self.limits.regions)]
            confused.append(pairs_reached_from(graph, confused_pairs(grown)))
            beam = _best(grown, bad, self.limits.regions.beam)
        return confused

    def _certificate(self, graph: StateGraph, region: Region, pairs: list[Pair]) -> AtLeast:
        """Return the certificate for a pair that a region confuses, with a shortest word to different answers."""
        suffix, pair = min((self._suffix(graph, pair), pair) for pair in pairs)
        first, second = (region.words[place] for place in region.confusions()[pair])
        decode = self.language.decode
        return AtLeast(
            language=self.language,
            question=self.question,
            rounds=region.certificate_rounds(self.language.alphabet),
            first=decode(first),
            second=decode(second),
            suffix=decode(suffix),
        )

    def _suffix(self, graph: StateGraph, pair: Pair) -> tuple[int, ...]:
        needed = graph.images(pairs_to_separate(self.language, self.question))
        words: dict[Pair, tuple[int, ...]] = {pair: ()}
        queue = [pair]
        rows = [dict(row) for row in graph.edges]
        for one, two in queue:
            word = words[one, two]
            if (one, two) in needed:
                return word + self._last(graph.states[one], graph.states[two])
            for symbol, left in rows[one].items():
                right = rows[two].get(symbol)
                if right is not None and left != right and ordered(left, right) not in words:
                    words[ordered(left, right)] = (*word, symbol)
                    queue.append(ordered(left, right))
        raise AssertionError("a bad pair leads to no different answers")

    def _last(self, one: int, two: int) -> tuple[int, ...]:
        """Return the symbol at which two states give different answers, where one more symbol is read."""
        if self.question in (DepthQuestion.END_MARKER, DepthQuestion.STATES):
            return ()
        after = DepthQuestion.END_MARKER
        goals = pairs_to_separate(self.language, after)
        if self.question is DepthQuestion.NEXT_SYMBOLS:
            from ...languages.next_symbols import live_states, next_symbol_set

            live = live_states(self.language)
            sets = {state: next_symbol_set(self.language, live, state) for state in live}
            goals = frozenset((i, j) for i in live for j in live if i < j and sets[i] != sets[j])
        rows = self.language.transitions
        return next(
            (symbol,)
            for symbol, (left, right) in enumerate(zip(rows[one], rows[two], strict=True))
            if ordered(left, right) in goals
        )

    def _lower_upper(self, graph: StateGraph, needed: frozenset[Pair], hopeless: list[frozenset[Pair]]) -> None:
        """Search for an upper bound on a graph, as long as it can beat the one that is known."""
        goals = graph.images(needed)
        separation = Separation(graph)
        while not goals <= separation.separated:
            depth = len(separation.steps) + 1
            if self.upper is not None and depth >= self.upper.bound:
                return
            last = self.upper is not None and depth == self.upper.bound - 1
            if not separation.deepen(goals, hopeless[depth] if depth < len(hopeless) else (), last=last):
                return
        self.upper = AtMost(language=self.language, question=self.question, graph=graph, steps=tuple(separation.steps))


def _best(regions: list[Region], bad: frozenset[Pair], beam: int) -> list[Region]:
    """Return the regions that confuse most of what must be told apart; of those that confuse the same, two.

    These are the one with fewest labels, because coarse labels confuse for many rounds, and the one with most nodes.
    """
    groups: dict[frozenset[Pair], list[Region]] = {}
    for region in regions:
        pairs = frozenset(region.confusions()) & bad
        if pairs:
            groups.setdefault(pairs, []).append(region)
    chosen: list[Region] = []
    for pairs in sorted(groups, key=lambda pairs: (-len(pairs), sorted(pairs))):
        alike = groups[pairs]
        coarse = min(alike, key=lambda region: (max(region.labels), -len(region.nodes)))
        large = max(alike, key=lambda region: len(region.nodes))
        chosen += [coarse] if coarse is large else [coarse, large]
    return chosen[:beam]
