"""The smallest integer combination that meets a growing list of demands, found exactly.

Unknowns x₁, …, xₘ are rational numbers of either sign; a demand is a·x ≥ b with integers. :class:`SmallestSolution` keeps the
solution with the least |x₁| + … + |xₘ|. A new demand is one new row, and the dual simplex method repairs the solution. All
arithmetic is on integers: each row has its own positive scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm

from ...budget import checkpoint

MAX_PIVOTS = 400


class SmallestSolution:
    """The solution of least size of the demands so far; ``values`` is None once they contradict each other.

    Unknown i is the difference of two columns that are not negative, 2i and 2i + 1. Every row says
    ``scale · basic = constant + Σ entry · column`` over the columns that are zero now, and is stored as
    ``[scale, constant, entry, …]``. The last row is the cost, whose entries never become negative.
    """

    def __init__(self, num_unknowns: int) -> None:
        width = 2 * num_unknowns
        self._num_unknowns = num_unknowns
        self._columns = list(range(width))  # which variable each column stands for
        self._rows: list[list[int]] = []
        self._basic: list[int] = []  # which variable each row gives
        self._cost = [1, 0, *[1] * width]
        self._num_variables = width
        self._pivots = 0
        self.is_possible = True

    def demand(self, row: Mapping[int, int], at_least: int) -> bool:
        """Add a demand and return whether all demands can still be met."""
        if not self.is_possible:
            return False
        self._rows.append(self._slack(row, at_least))
        self._basic.append(self._num_variables)
        self._num_variables += 1
        self._repair()
        return self.is_possible

    def values(self) -> list[int]:
        """Return the present solution times the least factor that makes it integer."""
        found = [Fraction(0)] * self._num_unknowns
        for variable, row in zip(self._basic, self._rows, strict=True):
            if variable < 2 * self._num_unknowns:
                found[variable // 2] += Fraction(row[1], row[0]) * (-1 if variable % 2 else 1)
        scale = lcm(*(value.denominator for value in found))
        return [int(value * scale) for value in found]

    def _slack(self, demand: Mapping[int, int], at_least: int) -> list[int]:
        """Return by how much a demand is exceeded, in terms of the columns."""
        place = {variable: number for number, variable in enumerate(self._columns)}
        rows = {variable: row for variable, row in zip(self._basic, self._rows, strict=True)}
        parts = [
            (sign * factor, 2 * unknown + side)
            for unknown, factor in demand.items()
            for side, sign in ((0, 1), (1, -1))
        ]
        scale = lcm(*(rows[variable][0] for _, variable in parts if variable in rows))
        slack = [scale, -at_least * scale, *[0] * len(self._columns)]
        for factor, variable in parts:
            row = rows.get(variable)
            if row is None:
                slack[place[variable] + 2] += factor * scale
            else:
                times = factor * (scale // row[0])
                slack[1:] = [old + times * new for old, new in zip(slack[1:], row[1:], strict=True)]
        return _reduced(slack)

    def _repair(self) -> None:
        while True:
            checkpoint()
            worst = min(
                (number for number, row in enumerate(self._rows) if row[1] < 0),
                key=lambda number: (Fraction(self._rows[number][1], self._rows[number][0]), self._basic[number]),
                default=None,
            )
            if worst is None:
                return
            entering = self._entering(self._rows[worst])
            if entering is None or self._pivots >= MAX_PIVOTS:
                self.is_possible = False  # or too much work, and to give up only weakens the bound
                return
            self._pivots += 1
            self._pivot(worst, entering)

    def _entering(self, row: list[int]) -> int | None:
        """Return the column that can grow at the least cost; None if the row cannot be met."""
        best = None
        for place in range(2, len(row)):
            entry = row[place]
            if entry > 0 and (
                best is None
                or (self._cost[place] * row[best], self._columns[place - 2])
                < (self._cost[best] * entry, self._columns[best - 2])
            ):
                best = place
        return best

    def _pivot(self, number: int, place: int) -> None:
        """Let the column take the place of the basic variable of a row."""
        old = self._rows[number]
        entry = old[place]
        solved = [entry, *(-value for value in old[1:])]
        solved[place] = old[0]
        solved = _reduced(solved)
        self._rows[number] = solved
        self._basic[number], self._columns[place - 2] = self._columns[place - 2], self._basic[number]
        for other, row in enumerate(self._rows):
            if other != number and row[place]:
                self._rows[other] = _substitute(row, solved, place)
        if self._cost[place]:
            self._cost = _substitute(self._cost, solved, place)


def _substitute(row: list[int], solved: list[int], place: int) -> list[int]:
    """Return a row in which a column is replaced by what another row says about it."""
    factor, scale = row[place], solved[0]
    result = [scale * value for value in row]
    result[place] = 0
    result[1:] = [value + factor * new for value, new in zip(result[1:], solved[1:], strict=True)]
    return _reduced(result)


def _reduced(row: list[int]) -> list[int]:
    divisor = gcd(*row)
    return row if divisor <= 1 else [value // divisor for value in row]
