"""Success rates with the 95 % interval of Clopper and Pearson, in whole numbers: exact, and at least 95 % for every number of runs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

TAIL = Fraction(1, 40)
"""The most probability on each side outside of a 95 % interval."""

_GRID = 2**20
"""Ends of intervals of success rates are multiples of one part of this, rounded outwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """So many successes in so many runs, with the 95 % interval of the probability of a success."""

    successes: int
    num_runs: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of successes, which needs a run."""
        return self.successes / self.num_runs


@lru_cache(maxsize=1024)  # thousands of cells have the same few counts
def success_rate(successes: int, num_runs: int) -> SuccessRate:
    """Return the 95 % interval of Clopper and Pearson (Biometrika 26, 1934) for a success rate.

    The lower end is the largest rate at which so many successes, or more, still have a probability of at most 2.5 %; the
    upper end is the same for failures. Whole numbers only are computed, so that no rounding shrinks the interval.

    >>> rate = success_rate(3, 3)
    >>> round(rate.low, 4), rate.high
    (0.2924, 1.0)
    """
    if not 0 <= successes <= num_runs or not num_runs:
        raise ValueError(f"successes must be from 0 to the number of runs, at least 1; found {successes} of {num_runs}")
    return SuccessRate(
        successes=successes,
        num_runs=num_runs,
        low=_lower_end(successes, num_runs) / _GRID,
        high=1 - _lower_end(num_runs - successes, num_runs) / _GRID,
    )


def _lower_end(successes: int, num_runs: int) -> int:
    """Return the lower end of a success rate, in parts of the grid, by bisection."""
    if not successes:
        return 0
    low, high = 0, _GRID
    while high - low > 1:
        middle = (low + high) // 2
        if _upper_tail(successes, num_runs, middle) * TAIL.denominator <= _GRID**num_runs * TAIL.numerator:
            low = middle
        else:
            high = middle
    return low


def _upper_tail(successes: int, num_runs: int, part: int) -> int:
    """Return the probability of at least so many successes at the rate part/_GRID, times _GRID**num_runs."""
    total, ways, power = 0, comb(num_runs, successes), part**successes
    for number in range(successes, num_runs + 1):  # Horner's scheme in the probability of a failure
        total = total * (_GRID - part) + ways * power
        ways, power = ways * (num_runs - number) // (number + 1), power * part
    return total
