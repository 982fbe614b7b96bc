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

from ..evidence.success_rates import TAIL, SuccessRate, success_rate

__all__ = [
    "FEWEST_FOR_MEDIAN",
    "Interval",
    "SuccessRate",
    "median_coverage",
    "median_interval",
    "num_left_out",
    "success_rate",
]

FEWEST_FOR_MEDIAN = 6
"""The number of runs from which the median has a 95 % interval; with fewer, even the range of all runs is no such interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The median of some runs; ``low`` and ``high`` are its 95 % interval or, below six runs, the range of all runs."""

    median: float
    low: float
    high: float
    num_runs: int


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
