"""Intervals against known truth: coverage computed exactly, ends against direct sums and published tables."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, isnan
from statistics import median

import pytest

from lengthwise.report.intervals import (
    FEWEST_FOR_MEDIAN,
    median_coverage,
    median_interval,
    num_left_out,
    success_rate,
)

TAIL = Fraction(1, 40)


def at_least(successes: int, num_runs: int, rate: Fraction) -> Fraction:
    """Return the probability of so many successes or more, term by term."""
    return sum(
        (comb(num_runs, k) * rate**k * (1 - rate) ** (num_runs - k) for k in range(successes, num_runs + 1)),
        Fraction(0),
    )


GRID = 2**20


def covered(first: int, last: int, num_runs: int, part: int) -> int:
    """Return the probability of ``first`` to ``last`` successes at the rate part/GRID, times GRID**num_runs."""
    return sum(comb(num_runs, k) * part**k * (GRID - part) ** (num_runs - k) for k in range(first, last + 1))


def intervals(num_runs: int) -> list:  # type: ignore[type-arg]
    return [success_rate(successes, num_runs) for successes in range(num_runs + 1)]


@pytest.mark.parametrize("num_runs", [1, 2, 3, 5, 6, 10, 17, 30])
def test_the_ends_of_a_success_rate_are_where_its_tails_have_two_and_a_half_percent(num_runs: int) -> None:
    step = Fraction(1, 2**20)
    for found in intervals(num_runs):
        low, high = Fraction(found.low), Fraction(found.high)
        if found.successes:
            assert at_least(found.successes, num_runs, low) <= TAIL < at_least(found.successes, num_runs, low + step)
        else:
            assert low == 0
        if found.successes < num_runs:
            failures = num_runs - found.successes
            assert at_least(failures, num_runs, 1 - high) <= TAIL < at_least(failures, num_runs, 1 - high + step)
        else:
            assert high == 1


@pytest.mark.parametrize(
    ("successes", "num_runs", "low", "high"),
    [
        (0, 10, 0.0, 0.3085),
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (20, 20, 0.8316, 1.0),
        (3, 30, 0.0211, 0.2653),
    ],
)
def test_success_rates_have_the_intervals_of_published_tables(
    successes: int, num_runs: int, low: float, high: float
) -> None:
    found = success_rate(successes, num_runs)
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


@pytest.mark.parametrize("num_runs", range(3, 31))
def test_the_interval_of_a_success_rate_covers_it_with_95_percent_at_least_whatever_it_is(num_runs: int) -> None:
    """Between two ends of intervals the set that covers is one run of counts, whose probability is least at one of the two.

    So the coverage just beside each end, on both sides, bounds that of every rate.
    """
    found = [(round(each.low * GRID), round(each.high * GRID)) for each in intervals(num_runs)]
    assert [(low / GRID, high / GRID) for low, high in found] == [(each.low, each.high) for each in intervals(num_runs)]
    for left, right in itertools.pairwise(sorted({end for ends in found for end in ends})):
        covering = [k for k, (low, high) in enumerate(found) if low <= left and right <= high]
        assert covering == list(range(covering[0], covering[-1] + 1))
        for rate in (left, (left + right) // 2, right):
            probability = covered(covering[0], covering[-1], num_runs, rate)
            assert 20 * probability >= 19 * GRID**num_runs, (num_runs, rate / GRID)


def test_intervals_of_success_rates_grow_with_successes_and_mirror_failures() -> None:
    found = intervals(12)
    assert [each.low for each in found] == sorted(each.low for each in found)
    assert [(1 - each.high, 1 - each.low) for each in reversed(found)] == [(each.low, each.high) for each in found]


@pytest.mark.parametrize(("successes", "num_runs"), [(0, 0), (-1, 3), (4, 3)])
def test_counts_that_cannot_be_have_no_interval(successes: int, num_runs: int) -> None:
    with pytest.raises(ValueError, match=f"found {successes} of {num_runs}"):
        success_rate(successes, num_runs)


# Medians


def missed(num_runs: int, cut: int) -> Fraction:
    """Return how often the median is missed, by all ways in which values can lie below or above it."""
    misses = sum(min(sum(sides), num_runs - sum(sides)) <= cut for sides in itertools.product((0, 1), repeat=num_runs))
    return Fraction(misses, 2**num_runs)


@pytest.mark.parametrize("num_runs", range(1, 13))
def test_the_coverage_of_a_median_is_what_all_ways_to_lie_about_it_say(num_runs: int) -> None:
    for cut in range((num_runs + 1) // 2):
        assert median_coverage(num_runs, cut) == 1 - missed(num_runs, cut)


@pytest.mark.parametrize("num_runs", range(3, 31))
def test_the_interval_of_a_median_has_95_percent_and_is_the_narrowest_that_has(num_runs: int) -> None:
    cut = num_left_out(num_runs)
    if num_runs < FEWEST_FOR_MEDIAN:
        assert (cut, median_coverage(num_runs, 0)) == (0, 1 - Fraction(2, 2**num_runs))
        assert median_coverage(num_runs, 0) < 1 - 2 * TAIL
    else:
        assert median_coverage(num_runs, cut) >= 1 - 2 * TAIL > median_coverage(num_runs, cut + 1)
    values = [(7 * place % 31) / 31 for place in range(num_runs)]
    found, ordered = median_interval(values), sorted(values)
    assert (found.median, found.low, found.high) == (median(values), ordered[cut], ordered[-1 - cut])


def test_known_intervals() -> None:
    """From tables: for 6 values the range, for 9 the 2nd to the 8th, for 20 the 6th to the 15th."""
    for number, first in ((5, 1), (6, 1), (9, 2), (12, 3), (20, 6), (100, 40)):
        found = median_interval([float(place) for place in range(1, number + 1)])
        assert (found.low, found.high) == (first, number + 1 - first)


def test_an_interval_of_nothing_is_nothing() -> None:
    found = median_interval([])
    assert all(isnan(value) for value in (found.median, found.low, found.high))
    assert found.num_runs == 0
