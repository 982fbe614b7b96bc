"""One-way communication: how much of the first half of an input must be known to answer for the whole.

By arXiv 2410.02140, Theorem 12, what a limit transformer with periodic and local positions knows of the first half fits into
O(log n) bits. The matrix of a problem has a row for every first half of length n and a column for every second half; what must
be known is which of the different rows it is. Counting rows for small n shows the growth. It is evidence: the proof for
all n is the family of first halves that :class:`Problem` names, any two of which are told apart by a second half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import log2

from ..errors import lookup

Half = tuple[str, ...]
MAX_CELLS = 3_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
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


def count_rows(problem: Problem, length: int) -> int:
    """Return the number of different rows of the matrix for halves of a length."""
    columns = list(problem.second(length))
    return len({tuple(problem.answer(first, second) for second in columns) for first in problem.first(length)})


def measure_growth(name: str, *, max_cells: int = MAX_CELLS) -> Growth:
    """Count rows for lengths 1, 2, … as long as the matrix has no more cells than that."""
    problem = lookup("communication problem", name, PROBLEMS)
    rows: list[int] = []
    for length in range(1, 13):
        cells = sum(1 for _ in problem.first(length)) * sum(1 for _ in problem.second(length))
        if cells > max_cells:
            break
        rows.append(count_rows(problem, length))
    return Growth(problem=name, rows=tuple(rows))


def _words(symbols: str) -> Callable[[int], Iterator[Half]]:
    return lambda length: product(symbols, repeat=length)


def _balanced(pairs: dict[str, str]) -> Callable[[Half, Half], bool]:
    """Return whether brackets of several types match; ``pairs`` maps closing to opening ones."""

    def matches(first: Half, second: Half) -> bool:
        stack: list[str] = []
        for symbol in (*first, *second):
            if symbol not in pairs:
                stack.append(symbol)
            elif not stack or stack.pop() != pairs[symbol]:
                return False
        return not stack

    return matches


def _summands(length: int) -> Iterator[Half]:
    """Yield two numbers of a length in binary, as a first half."""
    return product("01", repeat=2 * length)


def _sums(length: int) -> Iterator[Half]:
    return product("01", repeat=length + 1)


def _adds_up(first: Half, second: Half) -> bool:
    length = len(first) // 2
    one, two = int("".join(first[:length]), 2), int("".join(first[length:]), 2)
    return one + two == int("".join(second), 2)


PROBLEMS: dict[str, Problem] = {
    "majority": Problem(
        name="majority",
        definition="more 1s than 0s",
        first=_words("01"),
        second=_words("01"),
        answer=lambda first, second: (first + second).count("1") > (first + second).count("0"),
        argument="only the number of 1s in the first half matters: n + 1 rows.",
    ),
    "parity": Problem(
        name="parity",
        definition="an even number of 1s",
        first=_words("01"),
        second=_words("01"),
        answer=lambda first, second: (first + second).count("1") % 2 == 0,
        argument="one bit is enough: communication does not exclude parity, other theorems do.",
    ),
    "dyck_1": Problem(
        name="dyck_1",
        definition="balanced brackets of one type",
        first=_words("()"),
        second=_words("()"),
        answer=_balanced({")": "("}),
        argument="only the depth, or that it was negative, matters: about n / 2 rows.",
    ),
    "dyck_2": Problem(
        name="dyck_2",
        definition="matching brackets of two types",
        first=_words("()[]"),
        second=_words("()[]"),
        answer=_balanced({")": "(", "]": "["}),
        argument="first halves of opening brackets only are closed by different second halves: at least 2^n rows.",
    ),
    "copy": Problem(
        name="copy",
        definition="the second half repeats the first, over {a, b}",
        first=_words("ab"),
        second=_words("ab"),
        answer=lambda first, second: first == second,
        argument="every first half is repeated by itself only: 2^n rows.",
    ),
    "addition": Problem(
        name="addition",
        definition="the second half is the sum of two binary numbers in the first",
        first=_summands,
        second=_sums,
        answer=_adds_up,
        argument="first halves with different sums differ: 2^(n+1) − 1 rows.",
    ),
}
