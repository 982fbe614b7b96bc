"""Deterministic graphs whose edges carry symbols: the ground on which potentials live.

``edges[v][k]`` is where symbol k leads from vertex v; every vertex is reachable from vertex 0. ``visible[v]`` is
what a program sees of v without counting: nothing for plain C-RASP, the last letters and the position modulo a
period for the richer classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import CapExceededError
from ..languages.dfa import DFA

MAX_VERTICES = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The automaton of a language, unrolled by the last ``window`` letters and the position modulo ``period``."""

    window: int
    period: int
    edges: Sequence[Sequence[int]]
    vertices: Sequence[tuple[int, tuple[int, ...], int]]  # (state, last letters, residue) of every vertex
    visible: Sequence[int]  # equal numbers: equal last letters and equal residue


def unrolled_graph(language: DFA, *, window: int = 0, period: int = 1, max_vertices: int = MAX_VERTICES) -> Graph:
    """Return the reachable part of the automaton times the last ``window`` letters and the position modulo ``period``."""
    start: tuple[int, tuple[int, ...], int] = (0, (), 0)
    numbers = {start: 0}
    vertices = [start]
    edges = []
    visible_numbers: dict[tuple[tuple[int, ...], int], int] = {}
    visible = []
    for state, letters, residue in vertices:
        visible.append(visible_numbers.setdefault((letters, residue), len(visible_numbers)))
        row = []
        for symbol, target_state in enumerate(language.transitions[state]):
            after = (*letters, symbol)[-window:] if window else ()
            target = (target_state, after, (residue + 1) % period)
            number = numbers.get(target)
            if number is None:
                if len(vertices) >= max_vertices:
                    raise CapExceededError(
                        f"unrolled with window {window} and period {period} there are more than {max_vertices:,} vertices, the cap.",
                        hint="raise max_vertices.",
                    )
                number = numbers[target] = len(vertices)
                vertices.append(target)
            row.append(number)
        edges.append(row)
    return Graph(window=window, period=period, edges=edges, vertices=vertices, visible=visible)


def strong_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components, sorted, in an order in which no edge leads back (Tarjan 1972)."""
    num_vertices = len(edges)
    index = [-1] * num_vertices  # order of discovery
    low = [0] * num_vertices
    pending = [False] * num_vertices
    stack: list[int] = []
    components: list[list[int]] = []
    discovered = 0
    for root in range(num_vertices):
        if index[root] >= 0:
            continue
        index[root] = low[root] = discovered
        discovered += 1
        stack.append(root)
        pending[root] = True
        walk = [(root, iter(edges[root]))]
        while walk:
            vertex, targets = walk[-1]
            for target in targets:
                if index[target] < 0:
                    index[target] = low[target] = discovered
                    discovered += 1
                    stack.append(target)
                    pending[target] = True
                    walk.append((target, iter(edges[target])))
                    break
                if pending[target] and index[target] < low[vertex]:
                    low[vertex] = index[target]
            else:
                walk.pop()
                if walk and low[vertex] < low[walk[-1][0]]:
                    low[walk[-1][0]] = low[vertex]
                if low[vertex] == index[vertex]:
                    component = []
                    while True:
                        member = stack.pop()
                        pending[member] = False
                        component.append(member)
                        if member == vertex:
                            break
                    component.sort()
                    components.append(component)
    components.reverse()
    return components
