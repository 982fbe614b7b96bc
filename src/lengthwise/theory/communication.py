"""One-way communication: how much of the first half of an input must be known to answer for the whole.

By arXiv 2410.02140, Theorem 12, what a limit transformer with periodic and local positions knows of the first half fits into
O(log n) bits. The matrix of a problem has a row for every first half of length n and a column for every second half; what must
be known is which of the different rows it is. Counting rows for small n shows the growth. It is evidence: the proof for
all n is the family of first halves that :class:`TwoHalves` names, any two of which are told apart by a second half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import log2

Half = tuple[str, ...]
MAX_CELLS = 3_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoHalves:
    """A question about an input in two halves."""

    name: str
    definition: str
    first: Callable[[int], Iterator[Half]]
    second: Callable[[int], Iterator[Half]]
    answer: Callable[[Half, Half], bool]
    argument: str  # why the number of rows grows as it does, for all n


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The number of different rows at n = 1, 2, …, and what they look like."""

    problem: str
    rows: tuple[int, ...]

    @property
    def bits(self) -> tuple[float, ...]:
        """How many bits name a row."""
        return tuple(log2(number) for number in self.rows)

    @property
    def verdict(self) -> str:
        """``bounded``, ``logarithmic`` or ``linear``: how the bits seem to grow."""
        if len(self.rows) >= 4 and len(set(self.rows[-3:])) == 1:
            return "bounded"
        last, half = self.rows[-1], self.rows[len(self.rows) // 2 - 1]
        return "linear" if last >= half**2 / 2 and last > 2 * len(self.rows) else "logarithmic"


def count_rows(problem: TwoHalves, length: int) -> int:
    """Return the number of different rows of the matrix for halves of a length."""
    columns = list(problem.second(length))
    return len({tuple(problem.answer(first, second) for second in columns) for first in problem.first(length)})


def measure_growth(problem: TwoHalves, *, max_cells: int = MAX_CELLS) -> Growth:
    """Count rows for lengths 1, 2, … as long as the matrix has no more cells than that."""
    rows: list[int] = []
    for length in range(1, 13):
        cells = sum(1 for _ in problem.first(length)) * sum(1 for _ in problem.second(length))
        if cells > max_cells:
            break
        rows.append(count_rows(problem, length))
    return Growth(problem=problem.name, rows=tuple(rows))


def words_over(symbols: str) -> Callable[[int], Iterator[Half]]:
    """Return what gives all halves of a length over some symbols."""
    return lambda length: product(symbols, repeat=length)
