"""Intervals that state their coverage: Clopper–Pearson for success rates, order statistics for medians.

Both are exact: nothing is assumed about how scores are distributed, and coverage is at least 95 % for every number of runs. Where there
are too few runs for a 95 % interval of a median, the range of all runs is given and called a range. ``benchmarks/intervals.py``
prints the coverage for 1 to 30 runs; docs/concepts/scores.md has the definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from statistics import median

TAIL = Fraction(1, 40)
"""The most probability on each side outside of a 95 % interval."""

FEWEST_FOR_MEDIAN = 6
"""The number of runs from which the median has a 95 % interval; with fewer, even the range of all runs is no such interval."""

_GRID = 2**20
"""Ends of intervals of success rates are multiples of one part of this, rounded outwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The median of some runs; ``low`` and ``high`` are its 95 % interval or, below six runs, the range of all runs."""

    median: float
    low: float
    high: float
    num_runs: int


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


def median_interval(values: Sequence[float]) -> Interval:
    """Return the median and its interval by order statistics; all numbers are NaN where there is no value.

    >>> median_interval([0.2, 1.0, 0.9])
    Interval(median=0.9, low=0.2, high=1.0, num_runs=3)
    """
    if not values:
        return Interval(median=float("nan"), low=float("nan"), high=float("nan"), num_runs=0)
    ordered = sorted(values)
    cut = num_left_out(len(ordered))
    return Interval(median=median(ordered), low=ordered[cut], high=ordered[-1 - cut], num_runs=len(ordered))


def num_left_out(num_runs: int) -> int:
    """Return how many values a 95 % interval of the median leaves out at each end: as many as its coverage allows.

    >>> [num_left_out(number) for number in (5, 6, 9, 20)]
    [0, 0, 1, 5]
    """
    cut = 0
    while 2 * (cut + 1) < num_runs and median_coverage(num_runs, cut + 1) >= 1 - 2 * TAIL:
        cut += 1
    return cut


def median_coverage(num_runs: int, cut: int) -> Fraction:
    """Return the least probability that the median lies within the values left when ``cut`` are left out at each end.

    Each value lies below the median with probability 1/2. The interval misses the median if at most ``cut`` values lie below it, or
    at most ``cut`` above.
    """
    return 1 - Fraction(2 * sum(comb(num_runs, below) for below in range(cut + 1)), 2**num_runs)


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
