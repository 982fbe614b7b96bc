"""The smallest integer combination that meets a growing list of demands, found exactly.

Unknowns x₀, x₁, … are rational numbers of either sign; a demand is a·x ≥ b with integers. :class:`SmallestSolution` keeps the
solution with the least |x₀| + |x₁| + …. A new demand is one new row, and the dual simplex method repairs the solution. All
arithmetic is on integers, and rows are sparse: each has its own positive scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm

from ...budget import checkpoint

MAX_PIVOTS = 400

Entries = dict[int, int]


class _Row:
    """``scale · variable = constant + Σ entry · other variable``, over variables that are zero now."""

    __slots__ = ("constant", "entries", "scale")

    def __init__(self, scale: int, constant: int, entries: Entries) -> None:
        divisor = gcd(scale, constant, *entries.values())
        if divisor > 1:
            scale, constant = scale // divisor, constant // divisor
            entries = {variable: entry // divisor for variable, entry in entries.items()}
        self.scale = scale
        self.constant = constant
        self.entries = entries

    def substitute(self, variable: int, solved: _Row) -> _Row:
        """Return the row with a variable replaced by what another row says about it."""
        factor, scale = self.entries[variable], solved.scale
        common = gcd(factor, scale)
        factor, scale = factor // common, scale // common
        entries = {other: entry * scale for other, entry in self.entries.items() if other != variable}
        for other, entry in solved.entries.items():
            total = entries.get(other, 0) + factor * entry
            if total:
                entries[other] = total
            else:
                entries.pop(other, None)
        return _Row(self.scale * scale, self.constant * scale + factor * solved.constant, entries)


class SmallestSolution:
    """The solution of least size of the demands so far; ``is_possible`` is False once they contradict each other.

    Unknown i is the difference of two variables that are not negative, 3i and 3i + 1; 3i + 2 is by how much demand i is exceeded.
    """

    def __init__(self) -> None:
        self._rows: dict[int, _Row] = {}  # the variables that are not zero
        self._cost = _Row(1, 0, {})  # its entries never become negative
        self._known: set[int] = set()
        self._num_demands = 0
        self._pivots = 0
        self.is_possible = True

    def demand(self, row: Mapping[int, int], at_least: int) -> bool:
        """Add a demand and return whether all demands can still be met."""
        if not self.is_possible:
            return False
        self._rows[3 * self._num_demands + 2] = self._excess(row, at_least)
        self._num_demands += 1
        self._repair()
        return self.is_possible

    def values(self) -> dict[int, int]:
        """Return the present solution without zeros, times the least factor that makes it integer."""
        found: dict[int, Fraction] = {}
        for variable, row in self._rows.items():
            if variable % 3 < 2 and row.constant:
                value = Fraction(row.constant, row.scale) * (-1 if variable % 3 else 1)
                found[variable // 3] = found.get(variable // 3, Fraction(0)) + value
        scale = lcm(*(value.denominator for value in found.values()))
        return {unknown: int(value * scale) for unknown, value in found.items() if value}

    def size(self) -> Fraction:
        """Return the sum of the absolute values of the present solution, before it is made integer."""
        return Fraction(self._cost.constant, self._cost.scale)

    def _excess(self, demand: Mapping[int, int], at_least: int) -> _Row:
        """Return by how much a demand is exceeded, in terms of variables that are zero now."""
        row = _Row(1, -at_least, {})
        for unknown, factor in demand.items():
            if unknown not in self._known:
                self._known.add(unknown)
                self._cost.entries |= dict.fromkeys((3 * unknown, 3 * unknown + 1), self._cost.scale)
            row.entries[3 * unknown] = factor
            row.entries[3 * unknown + 1] = -factor
        for variable in [variable for variable in row.entries if variable in self._rows]:
            row = row.substitute(variable, self._rows[variable])
        return row

    def _repair(self) -> None:
        while True:
            checkpoint()
            failing = [variable for variable, row in self._rows.items() if row.constant < 0]
            if not failing:
                return
            leaving = min(failing, key=lambda each: (Fraction(self._rows[each].constant, self._rows[each].scale), each))
            entering = self._entering(self._rows[leaving])
            if entering is None or self._pivots >= MAX_PIVOTS:
                self.is_possible = False  # or too much work, and to give up only weakens the bound
                return
            self._pivots += 1
            self._exchange(leaving, entering)

    def _entering(self, row: _Row) -> int | None:
        """Return the variable that can grow at the least cost; None if the row cannot be met."""
        cost = self._cost.entries
        best: int | None = None
        for variable, entry in row.entries.items():
            if entry > 0:
                if best is not None:
                    here, there = cost.get(variable, 0) * row.entries[best], cost.get(best, 0) * entry
                    if (here, variable) >= (there, best):
                        continue
                best = variable
        return best

    def _exchange(self, leaving: int, entering: int) -> None:
        """Let a variable that is zero take the place of one that is not."""
        old = self._rows.pop(leaving)
        entries = {variable: -entry for variable, entry in old.entries.items() if variable != entering}
        entries[leaving] = old.scale
        solved = _Row(old.entries[entering], -old.constant, entries)
        for variable, row in self._rows.items():
            if entering in row.entries:
                self._rows[variable] = row.substitute(entering, solved)
        self._rows[entering] = solved
        if entering in self._cost.entries:
            self._cost = self._cost.substitute(entering, solved)
