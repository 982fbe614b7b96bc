"""Larger automata that map onto a given one: their nodes also know how components were entered, so more may be told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...languages.components import strong_components
from .problem import StateGraph

Memory = tuple[object, ...]


def larger_graphs(graph: StateGraph, max_nodes: int) -> Iterator[StateGraph]:
    """Yield graphs with copies of components, those that helped most often in the least time first.

    A copy knows the edges by which the run entered each component (but not the end, a node that leads only to itself), or
    the last such edge, or all of them. Graphs that are no larger than the given one, or too large, are left out.
    """
    components = strong_components(graph.targets)
    component_of = {node: number for number, members in enumerate(components) for node in members}
    ends = {node for node, targets in enumerate(graph.targets) if all(target == node for target in targets)}

    def all_but_ends(node: int, memory: Memory, symbol: int, target: int) -> Memory:
        if component_of[target] == component_of[node]:
            return memory
        return () if target in ends else (memory, node, symbol)

    def last(node: int, memory: Memory, symbol: int, target: int) -> Memory:
        return memory if component_of[target] == component_of[node] else (node, symbol)

    def all_edges(node: int, memory: Memory, symbol: int, target: int) -> Memory:
        return memory if component_of[target] == component_of[node] else (memory, node, symbol)

    sizes = {graph.num_nodes}
    for follow in (all_but_ends, last, all_edges):
        larger = _unfold(graph, follow, max_nodes)
        if larger is not None and larger.num_nodes not in sizes:
            sizes.add(larger.num_nodes)
            yield larger


def _unfold(graph: StateGraph, follow: Callable[[int, Memory, int, int], Memory], max_nodes: int) -> StateGraph | None:
    """Return the graph of nodes with a memory, which ``follow`` gives for every edge; None if there are too many."""
    start: tuple[int, Memory] = (0, ())
    numbers = {start: 0}
    queue = [start]
    edges = []
    for node, memory in queue:
        row = []
        for symbol, target in graph.edges[node]:
            after = (target, follow(node, memory, symbol, target))
            if after not in numbers:
                if len(queue) >= max_nodes:
                    return None
                numbers[after] = len(queue)
                queue.append(after)
            row.append((symbol, numbers[after]))
        edges.append(tuple(row))
    return StateGraph(
        num_symbols=graph.num_symbols,
        edges=tuple(edges),
        states=tuple(graph.states[node] for node, _ in queue),
    )
