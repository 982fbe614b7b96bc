"""Deterministic graphs whose edges carry symbols: the ground on which potentials live.

``edges[v][k]`` is where symbol k leads from vertex v; every vertex is reachable from vertex 0. ``visible[v]`` is
what a program sees of v without counting: nothing for plain C-RASP, the last letters and the position modulo a
period for the richer classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..budget import checkpoint
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
        checkpoint()
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
