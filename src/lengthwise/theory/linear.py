"""Exact elimination for sparse integer rows.

A row is a dict from unknown to non-zero integer and means "this combination is zero". Rows are kept reduced: a
pivot occurs in its own row only, and the entries of a row have no common divisor.
"""

from __future__ import annotations

from math import gcd, lcm

from ..budget import checkpoint

Row = dict[int, int]


class Elimination:
    """A growing system of homogeneous equations with integer coefficients, always in reduced form."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}  # pivot → its row
        self._users: dict[int, set[int]] = {}  # unknown that is no pivot → pivots of the rows that use it

    @property
    def rank(self) -> int:
        """The number of independent equations."""
        return len(self.rows)

    def add(self, row: Row) -> bool:
        """Add an equation; return whether it was independent of those before. The row is used up."""
        checkpoint()
        rows = self.rows
        for pivot in [unknown for unknown in row if unknown in rows]:
            row = _cancel(row, rows[pivot], pivot)
        if not row:
            return False
        row = _without_divisor(row)
        pivot = min(row, key=lambda unknown: (abs(row[unknown]), unknown))
        users = self._users
        for other in users.pop(pivot, ()):
            checkpoint()
            reduced = _cancel(rows[other], row, pivot)
            if abs(reduced[other]) != 1:
                reduced = _without_divisor(reduced)
            for unknown in row:
                if unknown != pivot:
                    if unknown in reduced:
                        users.setdefault(unknown, set()).add(other)
                    elif unknown in users:
                        users[unknown].discard(other)
            rows[other] = reduced
        for unknown in row:
            if unknown != pivot:
                users.setdefault(unknown, set()).add(pivot)
        rows[pivot] = row
        return True

    def solutions(self, num_unknowns: int) -> list[Row]:
        """Return, for every unknown, its value as a combination of the free unknowns.

        All values share one positive integer scale, which makes them integers. Entry ``f`` of the results, taken
        over all unknowns, is one basis vector of the space of solutions, for each free unknown ``f``.
        """
        scale = lcm(*(abs(row[pivot]) for pivot, row in self.rows.items()))
        values = []
        for unknown in range(num_unknowns):
            checkpoint()
            row = self.rows.get(unknown)
            if row is None:
                values.append({unknown: scale})
            else:
                factor = -scale // row[unknown]
                values.append({free: value * factor for free, value in row.items() if free != unknown})
        return values


def _without_divisor(row: Row) -> Row:
    """Return the row divided by what all its entries share."""
    divisor = gcd(*row.values())
    return row if divisor == 1 else {unknown: value // divisor for unknown, value in row.items()}


def _cancel(row: Row, with_row: Row, pivot: int) -> Row:
    """Return the combination of two rows in which ``pivot`` is gone."""
    here, there = row[pivot], with_row[pivot]
    common = gcd(here, there)
    keep, times = there // common, here // common
    if keep < 0:
        keep, times = -keep, -times
    result = dict(row) if keep == 1 else {unknown: value * keep for unknown, value in row.items()}
    for unknown, value in with_row.items():
        total = result.get(unknown, 0) - value * times
        if total:
            result[unknown] = total
        else:
            result.pop(unknown, None)
    return result
