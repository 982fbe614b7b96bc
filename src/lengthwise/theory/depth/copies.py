"""Copies of an automaton that also name the edge by which each component was entered."""

from __future__ import annotations

from ...languages.components import strong_components
from .problem import StateGraph


def copies_by_entering_edge(graph: StateGraph, max_nodes: int) -> StateGraph | None:
    """Return the tree of components, with a copy of a component for each way of edges that leads to it.

    A node that leads only to itself and accepts nothing new, a dead end, is not copied. None if there are too many nodes.
    """
    components = strong_components(graph.targets)
    component_of = {node: number for number, members in enumerate(components) for node in members}
    dead = {
        node for node in range(graph.num_nodes) if len(graph.edges[node]) == graph.num_symbols
        and all(target == node for _, target in graph.edges[node])
    }
    start: tuple[int, object] = (0, ())
    numbers = {start: 0}
    queue = [start]
    edges = []
    for node, history in queue:
        row = []
        for symbol, target in graph.edges[node]:
            if component_of[target] == component_of[node]:
                after = (target, history)
            elif target in dead:
                after = (target, None)
            else:
                after = (target, (history, node, symbol))
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
