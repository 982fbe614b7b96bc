"""What a refinement leaves open, for the question at hand: whether a program can track a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..languages.dfa import DFA
from ..languages.next_symbols import live_states
from .claims import Asked
from .graph import Graph
from .potentials import Refinement


def plain_graph(language: DFA) -> Graph:
    """Return the automaton itself as a graph of which a program sees nothing without counting."""
    num_states = language.num_states
    vertices = [(state, (), 0) for state in range(num_states)]
    return Graph(window=0, period=1, edges=language.transitions, vertices=vertices, visible=[0] * num_states)


def find_stuck(
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


def needed_rounds(language: DFA, graph: Graph, refinements: Sequence[Refinement], asked: Asked) -> Sequence[Refinement]:
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
