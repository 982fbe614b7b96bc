"""The oracle of balanced refinement: its definition, spelled out over all simple cycles.

A function of refined letters (symbol, block of the source) is balanced exactly if it sums to zero on every simple
cycle of the component, because every closed walk is made of those. There can be exponentially many: this is for
small inputs, and for tests of :mod:`lengthwise.theory.potentials`, with which it shares no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from .graph import Graph

Letter = tuple[int, int]  # symbol, block of the source
Step = tuple[int, int, int]  # source, symbol, target
Function = dict[Letter, Fraction]


def refine_by_cycles(graph: Graph, component: Sequence[int]) -> tuple[int, ...]:
    """Return the block of every member when no balanced function tells more members apart.

    Blocks are numbered by first appearance, as in ``Refinement.blocks``.
    """
    steps = [
        (source, symbol, target)
        for source in component
        for symbol, target in enumerate(graph.edges[source])
        if target in component
    ]
    cycles = list(simple_cycles(steps))
    blocks = _numbered([graph.visible[vertex] for vertex in component])
    while True:
        block_of = dict(zip(component, blocks, strict=True))
        functions = balanced_functions(steps, cycles, block_of)
        potentials = [potential(steps, block_of, function, component[0]) for function in functions]
        finer = _numbered([(block_of[vertex], *(values[vertex] for values in potentials)) for vertex in component])
        if finer == blocks:
            return tuple(blocks)
        blocks = finer


def simple_cycles(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield every cycle that meets no vertex twice, once, from its smallest vertex."""

    def extend(path: list[Step], start: int, met: set[int]) -> Iterator[list[Step]]:
        here = path[-1][2] if path else start
        for step in steps:
            source, _, target = step
            if source != here:
                continue
            if target == start:
                yield [*path, step]
            elif target > start and target not in met:
                yield from extend([*path, step], start, met | {target})

    for start in sorted({source for source, _, _ in steps}):
        yield from extend([], start, {start})


def balanced_functions(
    steps: Sequence[Step], cycles: Sequence[Sequence[Step]], block_of: dict[int, int]
) -> list[Function]:
    """Return a basis of the functions of refined letters that sum to zero on every cycle."""
    letters = sorted({(symbol, block_of[source]) for source, symbol, _ in steps})
    place = {letter: column for column, letter in enumerate(letters)}
    counts = set()
    for cycle in cycles:
        row = [0] * len(letters)
        for source, symbol, _ in cycle:
            row[place[symbol, block_of[source]]] += 1
        counts.add(tuple(row))
    basis = null_space([[Fraction(count) for count in row] for row in sorted(counts)], len(letters))
    return [dict(zip(letters, vector, strict=True)) for vector in basis]


def null_space(rows: list[list[Fraction]], num_columns: int) -> list[list[Fraction]]:
    """Return a basis of the vectors that every row sends to zero, by Gauss and Jordan."""
    pivots: list[int] = []
    for column in range(num_columns):
        top = len(pivots)
        found = next((number for number in range(top, len(rows)) if rows[number][column]), None)
        if found is None:
            continue
        rows[top], rows[found] = rows[found], rows[top]
        scale = rows[top][column]
        rows[top] = [value / scale for value in rows[top]]
        for number, row in enumerate(rows):
            if number != top and row[column]:
                rows[number] = [value - row[column] * pivot for value, pivot in zip(row, rows[top], strict=True)]
        pivots.append(column)
    basis = []
    for free in range(num_columns):
        if free not in pivots:
            vector = [Fraction(column == free) for column in range(num_columns)]
            for number, column in enumerate(pivots):
                vector[column] = -rows[number][free]
            basis.append(vector)
    return basis


def potential(steps: Sequence[Step], block_of: dict[int, int], function: Function, start: int) -> dict[int, Fraction]:
    """Return the sums of a balanced function along paths from ``start``: any path will do."""
    values = {start: Fraction(0)}
    while len(values) < len(block_of):
        for source, symbol, target in steps:
            if source in values and target not in values:
                values[target] = values[source] + function[symbol, block_of[source]]
    return values


def _numbered(keys: Sequence[object]) -> list[int]:
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
