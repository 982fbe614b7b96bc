"""What must be told apart: the pairs of states behind each question, and the graph on which words are read.

A formula of depth d nests counts d deep. A pair of states has depth d if some formula of depth d, but none of a smaller depth,
holds after all words to one state and after none to the other. The depth of a question is the largest depth of a pair that
it must tell apart, because the present letter is seen for free and "and" and "or" do not nest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...budget import checkpoint
from ...languages.dfa import DFA
from ...languages.next_symbols import live_states, next_symbol_set

Pair = tuple[int, int]


class DepthQuestion(StrEnum):
    """What a program answers about a language, and where it is read."""

    END_MARKER = "END_MARKER"  # is the word in the language? Read after the last symbol
    LAST_SYMBOL = "LAST_SYMBOL"  # the same, read where the last symbol is seen
    NEXT_SYMBOLS = "NEXT_SYMBOLS"  # which symbols can follow a live prefix? Read where its last symbol is seen
    STATES = "STATES"  # which state does the automaton reach before each position of a live prefix?

    @property
    def is_about_live_prefixes(self) -> bool:
        """Whether only prefixes that can still become words count."""
        return self in (DepthQuestion.NEXT_SYMBOLS, DepthQuestion.STATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateGraph:
    """A deterministic graph of nodes that stand for states; node 0 is the start and every node can be reached from it."""

    num_symbols: int
    edges: tuple[tuple[tuple[int, int], ...], ...]  # (symbol, target) for each edge of a node
    states: tuple[int, ...]  # the state of the minimal automaton that each node stands for

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return len(self.edges)

    @property
    def targets(self) -> list[list[int]]:
        """The targets of each node, without symbols."""
        return [[target for _, target in row] for row in self.edges]

    def images(self, pairs: Iterable[Pair]) -> frozenset[Pair]:
        """Return the pairs of nodes that stand for some pair of states."""
        wanted = set(pairs)
        return frozenset(
            (one, two)
            for two in range(self.num_nodes)
            for one in range(two)
            if ordered(self.states[one], self.states[two]) in wanted
        )


def ordered(one: int, two: int) -> Pair:
    """Return two numbers, the smaller one first."""
    return (one, two) if one < two else (two, one)


def question_graph(language: DFA, question: DepthQuestion) -> StateGraph:
    """Return the automaton, or its live part where only live prefixes count."""
    inside = frozenset(range(language.num_states))
    if question.is_about_live_prefixes:
        inside = live_states(language)
    states = sorted(inside | {0})
    number = {state: place for place, state in enumerate(states)}
    return StateGraph(
        num_symbols=len(language.alphabet),
        edges=tuple(
            tuple(
                (symbol, number[target])
                for symbol, target in enumerate(language.transitions[state])
                if state in inside and target in inside
            )
            for state in states
        ),
        states=tuple(states),
    )


def pairs_to_separate(language: DFA, question: DepthQuestion) -> frozenset[Pair]:
    """Return the pairs of states, just before the position that is read, that get different answers there."""
    accepting, rows = language.accepting, language.transitions
    live = live_states(language)
    states = sorted(live) if question.is_about_live_prefixes else range(language.num_states)
    following: dict[int, frozenset[int]] = {}
    if question is DepthQuestion.NEXT_SYMBOLS:
        following = {state: next_symbol_set(language, live, state) for state in live}

    def differ(one: int, two: int) -> bool:
        checkpoint()
        if question is DepthQuestion.STATES:
            return True
        if question is DepthQuestion.END_MARKER:
            return (one in accepting) != (two in accepting)
        after = zip(rows[one], rows[two], strict=True)
        if question is DepthQuestion.LAST_SYMBOL:
            return any((left in accepting) != (right in accepting) for left, right in after)
        return any(
            left in following and right in following and following[left] != following[right] for left, right in after
        )

    return frozenset((one, two) for two in states for one in states if one < two and differ(one, two))


def pairs_that_lead_to(graph: StateGraph, pairs: Iterable[Pair]) -> frozenset[Pair]:
    """Return the pairs of nodes from which some common word, perhaps empty, leads to one of these pairs.

    To tell such a pair apart is no harder: what is asked after one more letter can be asked before it.
    """
    goals = set(pairs)
    sources: dict[Pair, list[Pair]] = {}
    rows = [dict(row) for row in graph.edges]
    for two in range(graph.num_nodes):
        for one in range(two):
            checkpoint()
            for symbol, left in graph.edges[one]:
                right = rows[two].get(symbol)
                if right is not None and left != right:
                    sources.setdefault(ordered(left, right), []).append((one, two))
    queue = list(goals)
    for pair in queue:
        for source in sources.get(pair, ()):
            if source not in goals:
                goals.add(source)
                queue.append(source)
    return frozenset(goals)


def pairs_reached_from(graph: StateGraph, pairs: Iterable[Pair]) -> frozenset[Pair]:
    """Return the pairs of different nodes to which some common word leads from one of these pairs."""
    found = set(pairs)
    queue = list(found)
    rows: Sequence[dict[int, int]] = [dict(row) for row in graph.edges]
    for one, two in queue:
        checkpoint()
        for symbol, left in rows[one].items():
            right = rows[two].get(symbol)
            if right is not None and left != right:
                after = ordered(left, right)
                if after not in found:
                    found.add(after)
                    queue.append(after)
    return frozenset(found)
