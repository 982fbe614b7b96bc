"""Balanced refinement: which states of a component can counting tell apart.

Fix a strongly connected component and a partition P of it. A function E of (symbol, block of the source) is
*balanced* when it is the change of a potential V along every edge inside the component:
V(target) − V(source) = E(symbol, block). Such an E is exactly what a count can keep track of for ever. Two
vertices that some potential tells apart go to different blocks, and the finer partition admits more functions.
The rounds end when nothing changes; the component *passes* when vertices that look alike are all told apart.

One round is a linear system over the integers, and there are two of them with the same answer:

* :func:`solve_letters`: one unknown E(symbol, block) per refined letter, one equation per edge off a spanning tree;
* :func:`solve_states`: one unknown V(vertex) per vertex, one equation per edge beside the first with its letter.

The smaller one is solved; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..budget import checkpoint
from ..languages.components import strong_components
from .graph import Graph
from .linear import Elimination, Row

Edges = list[list[tuple[int, int]]]  # for every member of a component: (symbol, member) for each edge inside it
Solver = Callable[[Edges, Sequence[int]], list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round: the partition it starts from, and a basis of the potentials it finds.

    ``blocks[i]`` is the block of member i; ``values[i][f]`` the value of basis potential f there (absent: zero).
    """

    blocks: tuple[int, ...]
    values: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """What the rounds make of one component; ``blocks`` is the partition at the end."""

    members: tuple[int, ...]
    edges: Edges
    rounds: tuple[Round, ...]
    blocks: tuple[int, ...]

    @property
    def passed(self) -> bool:
        """Whether every member has a block of its own."""
        return len(set(self.blocks)) == len(self.members)

    @property
    def level(self) -> int:
        """How many rounds of counting were needed."""
        return len(self.rounds)


def refine(graph: Graph, *, solver: Solver | None = None) -> list[Refinement]:
    """Return the refinement of every component, in an order in which no edge leads back."""
    return [refine_component(graph, component, solver=solver) for component in strong_components(graph.edges)]


def refine_component(graph: Graph, component: Sequence[int], *, solver: Solver | None = None) -> Refinement:
    """Return the refinement of one component."""
    if len(component) == 1:
        return Refinement(members=tuple(component), edges=[[]], rounds=(), blocks=(0,))
    seen = [graph.visible[vertex] for vertex in component]
    return refine_edges(component, inner_edges(graph.edges, component), seen, solver=solver)


def refine_edges(
    members: Sequence[int], edges: Edges, seen: Sequence[int], *, solver: Solver | None = None
) -> Refinement:
    """Return the refinement of a component, given by its inner edges and by what is seen of every member."""
    blocks = _numbered(seen)
    rounds: list[Round] = []
    num_blocks = max(blocks) + 1
    while num_blocks < len(members):
        values = (solver or _smaller_system(edges, blocks))(edges, blocks)
        finer = _numbered([(block, frozenset(value.items())) for block, value in zip(blocks, values, strict=True)])
        if max(finer) + 1 == num_blocks:
            break
        rounds.append(Round(blocks=tuple(blocks), values=tuple(values)))
        blocks, num_blocks = finer, max(finer) + 1
    return Refinement(members=tuple(members), edges=edges, rounds=tuple(rounds), blocks=tuple(blocks))


def inner_edges(edges: Sequence[Sequence[int]], component: Sequence[int]) -> Edges:
    """Return the edges that stay inside a component, with its members numbered 0, 1, …"""
    number = {vertex: member for member, vertex in enumerate(component)}
    return [
        [(symbol, number[target]) for symbol, target in enumerate(edges[vertex]) if target in number]
        for vertex in component
    ]


def solve_letters(edges: Edges, blocks: Sequence[int]) -> list[Row]:
    """Return a basis of the potentials, from one unknown per refined letter."""
    letters = number_letters(edges, blocks)
    counts: list[Row | None] = [None] * len(edges)  # refined letters on the tree path to each member
    counts[0] = {}
    tree = []
    queue = [0]
    elimination = Elimination()
    known: set[frozenset[tuple[int, int]]] = set()
    for source in queue:
        checkpoint()
        here = counts[source]
        assert here is not None
        block = blocks[source]
        for symbol, target in edges[source]:
            letter = letters[symbol, block]
            arrival = here.copy()
            arrival[letter] = arrival.get(letter, 0) + 1
            there = counts[target]
            if there is None:
                counts[target] = arrival
                tree.append((source, letter, target))
                queue.append(target)
            elif arrival != there:
                for other, count in there.items():
                    difference = arrival.get(other, 0) - count
                    if difference:
                        arrival[other] = difference
                    else:
                        del arrival[other]
                key = frozenset(arrival.items())
                if key not in known:
                    known.add(key)
                    elimination.add(arrival)
                    if elimination.rank == len(letters):
                        return [{} for _ in edges]
    gains = elimination.solutions(len(letters))
    values: list[Row] = [{} for _ in edges]
    for source, letter, target in tree:
        checkpoint()
        values[target] = _add(values[source], gains[letter])
    return values


def solve_states(edges: Edges, blocks: Sequence[int]) -> list[Row]:
    """Return a basis of the potentials, from one unknown per member; member 0 has potential zero."""
    first: dict[tuple[int, int], tuple[int, int]] = {}
    elimination = Elimination()
    for source, targets in enumerate(edges):
        for symbol, target in targets:
            other_source, other_target = first.setdefault((symbol, blocks[source]), (source, target))
            if other_source == source:
                continue
            row: Row = {}
            for member, sign in ((target, 1), (source, -1), (other_target, -1), (other_source, 1)):
                if member:
                    row[member] = row.get(member, 0) + sign
            row = {member: value for member, value in row.items() if value}
            if row:
                elimination.add(row)
                if elimination.rank == len(edges) - 1:
                    return [{} for _ in edges]
    values = elimination.solutions(len(edges))
    values[0] = {}
    return values


def number_letters(edges: Edges, blocks: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the refined letters (symbol, block of the source) that occur, numbered."""
    letters: dict[tuple[int, int], int] = {}
    for source, targets in enumerate(edges):
        for symbol, _ in targets:
            letters.setdefault((symbol, blocks[source]), len(letters))
    return letters


def _smaller_system(edges: Edges, blocks: Sequence[int]) -> Solver:
    return solve_letters if len(number_letters(edges, blocks)) < len(edges) else solve_states


def _add(left: Row, right: Row) -> Row:
    result = left.copy()
    for key, value in right.items():
        total = result.get(key, 0) + value
        if total:
            result[key] = total
        else:
            del result[key]
    return result


def _numbered(keys: Sequence[object]) -> list[int]:
    """Return the keys renumbered by first appearance."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
