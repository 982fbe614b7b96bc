"""Exact tests of whether two sets of runs differ by more than chance, in whole numbers and fractions, for few runs.

Each test keeps what it conditions on fixed: the numbers of successes and runs, or the pooled values. So each knows the
smallest p-value it can reach, and :func:`adjust` spends nothing on tests that could never show a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

LEVEL = Fraction(1, 20)
"""The chance that a whole family of tests shows a difference where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """A two-sided p-value, and the smallest one that was possible with so many runs."""

    value: Fraction
    smallest: Fraction


def compare_rates(successes_a: int, runs_a: int, successes_b: int, runs_b: int) -> PValue:
    """Return Fisher's exact test: the tables with the same totals that are at most as likely as the one seen.

    >>> float(compare_rates(0, 5, 5, 5).value)
    0.007936507936507936
    """
    total, successes = runs_a + runs_b, successes_a + successes_b
    weights = {
        first: comb(runs_a, first) * comb(runs_b, successes - first)
        for first in range(max(0, successes - runs_b), min(runs_a, successes) + 1)
    }
    ways = comb(total, successes)

    def p_of(seen: int) -> Fraction:
        return Fraction(sum(weight for weight in weights.values() if weight <= weights[seen]), ways)

    return PValue(value=p_of(successes_a), smallest=min(map(p_of, weights)))


def compare_values(values_a: Sequence[float], values_b: Sequence[float]) -> PValue:
    """Return Wilcoxon's exact rank-sum test; equal values share their mean rank, and the test stays exact with them.

    >>> float(compare_values([0.1, 0.2, 0.3], [0.7, 0.8, 0.9]).value)
    0.1
    """
    number = len(values_a)
    if not number or not values_b:
        return PValue(value=Fraction(1), smallest=Fraction(1))
    ranks = _doubled_ranks([*values_a, *values_b])
    ways = _ways_by_sum(ranks, number)
    center = number * (len(ranks) + 1)  # the mean of the doubled sum
    total = comb(len(ranks), number)

    def p_of(distance: int) -> Fraction:
        return Fraction(sum(count for found, count in ways.items() if abs(found - center) >= distance), total)

    return PValue(
        value=p_of(abs(sum(ranks[:number]) - center)), smallest=p_of(max(abs(found - center) for found in ways))
    )


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each value, a whole number also where equal values share a mean rank."""
    ordered = sorted(values)
    places: dict[float, list[int]] = {}
    for place, value in enumerate(ordered, start=1):
        places.setdefault(value, []).append(place)
    return [places[value][0] + places[value][-1] for value in values]


def _ways_by_sum(ranks: Sequence[int], number: int) -> dict[int, int]:
    """Return in how many ways so many of the ranks have each sum.

    Counts of all sums stand in one large integer, each in a slot of bits wide enough for the largest count, so that one
    shift and one addition take a rank into all of them.
    """
    slot = comb(len(ranks), number).bit_length()
    packed = [1] + [0] * number  # by how many ranks were taken
    for rank in ranks:
        for taken in range(number, 0, -1):
            packed[taken] += packed[taken - 1] << (rank * slot)
    counts, mask = packed[number], (1 << slot) - 1
    found = ((total, counts >> (total * slot) & mask) for total in range(counts.bit_length() // slot + 1))
    return {total: count for total, count in found if count}


def adjust(tests: Sequence[PValue], level: Fraction = LEVEL) -> list[Fraction | None]:
    """Return p-values that hold for all tests together (Holm), None for tests that could not show a difference.

    Only the tests that count are corrected for (Tarone): those whose smallest p-value is at most ``level`` divided by k, for
    the smallest k that is at least their number. The choice looks at totals only, never at the outcome, so it costs nothing.
    """
    counted: list[int] = []
    for divisor in range(1, len(tests) + 1):
        counted = [number for number, test in enumerate(tests) if test.smallest * divisor <= level]
        if len(counted) <= divisor:
            break
    adjusted: list[Fraction | None] = [None] * len(tests)
    largest = Fraction(0)
    for place, number in enumerate(sorted(counted, key=lambda number: tests[number].value)):
        largest = max(largest, min(Fraction(1), tests[number].value * (len(counted) - place)))
        adjusted[number] = largest
    return adjusted
