"""Exact tests against full enumeration, and corrections that keep their promise."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from math import comb

import pytest

from lengthwise.report.exact_tests import LEVEL, PValue, adjust, compare_rates, compare_values


def fisher_by_listing(successes_a: int, runs_a: int, successes_b: int, runs_b: int) -> tuple[Fraction, Fraction]:
    """Deal the successes to the runs in every possible way, and count those that are at most as likely as what was seen."""
    outcomes = [1] * (successes_a + successes_b) + [0] * (runs_a + runs_b - successes_a - successes_b)
    dealt = Counter(
        sum(outcomes[place] for place in chosen) for chosen in itertools.combinations(range(len(outcomes)), runs_a)
    )
    total = sum(dealt.values())
    p = {seen: Fraction(sum(count for count in dealt.values() if count <= dealt[seen]), total) for seen in dealt}
    return p[successes_a], min(p.values())


def wilcoxon_by_listing(values_a: list[float], values_b: list[float]) -> tuple[Fraction, Fraction]:
    """Choose the runs of the first group in every possible way; ranks are counted, not sorted."""
    pooled = values_a + values_b
    ranks = [
        sum(other < value for other in pooled) + Fraction(sum(other == value for other in pooled) + 1, 2)
        for value in pooled
    ]
    center = Fraction(len(values_a) * (len(pooled) + 1), 2)
    distances = [
        abs(sum(ranks[place] for place in chosen) - center)
        for chosen in itertools.combinations(range(len(pooled)), len(values_a))
    ]
    total = len(distances)

    def p_of(seen: Fraction) -> Fraction:
        return Fraction(sum(distance >= seen for distance in distances), total)

    return p_of(distances[0]), p_of(max(distances))  # the first choice is the first group itself


def test_rates_are_compared_as_by_listing_all_ways() -> None:
    cases = 0
    for runs_a, runs_b in itertools.product(range(6), repeat=2):
        for successes_a, successes_b in itertools.product(range(runs_a + 1), range(runs_b + 1)):
            found = compare_rates(successes_a, runs_a, successes_b, runs_b)
            assert (found.value, found.smallest) == fisher_by_listing(successes_a, runs_a, successes_b, runs_b)
            cases += 1
    assert cases == 441


def test_the_table_of_fishers_tea_lady_has_its_published_value() -> None:
    assert compare_rates(3, 4, 1, 4).value == Fraction(34, 70)  # 0.4857 in every textbook


@pytest.mark.parametrize("ties", [2, 4, 1000])
def test_values_are_compared_as_by_listing_all_ways_with_and_without_ties(ties: int) -> None:
    draw = random.Random(ties)
    for number_a, number_b in itertools.product(range(1, 6), repeat=2):
        for _ in range(5):
            values = [draw.randrange(ties) / ties for _ in range(number_a + number_b)]
            found = compare_values(values[:number_a], values[number_a:])
            assert (found.value, found.smallest) == wilcoxon_by_listing(values[:number_a], values[number_a:])


def test_a_group_without_runs_shows_nothing() -> None:
    assert compare_values([], [0.5]) == compare_values([0.5], []) == PValue(value=Fraction(1), smallest=Fraction(1))
    assert compare_rates(0, 0, 3, 3).value == 1


def test_many_runs_are_no_problem_and_the_p_values_add_up() -> None:
    low, high = [number / 100 for number in range(40)], [0.5 + number / 100 for number in range(40)]
    assert compare_values(low, high).value == Fraction(2, comb(80, 40))
    assert compare_values(low, low).value == 1


def holm(p_values: list[Fraction]) -> list[Fraction]:
    """Holm's correction by its definition: how small a level may be so that the test is still rejected."""
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    adjusted = {}
    for place, number in enumerate(order):
        steps = [p_values[order[step]] * (len(p_values) - step) for step in range(place + 1)]
        adjusted[number] = min(Fraction(1), max(steps))
    return [adjusted[number] for number in range(len(p_values))]


def test_where_every_test_counts_the_correction_is_holms() -> None:
    draw = random.Random(1)
    for number in range(1, 8):
        values = [Fraction(draw.randrange(1, 1000), 1000) for _ in range(number)]
        assert adjust([PValue(value=value, smallest=Fraction(1, 10**6)) for value in values]) == holm(values)


def test_tests_that_could_show_nothing_cost_nothing() -> None:
    useful = PValue(value=Fraction(1, 40), smallest=Fraction(1, 40))
    useless = PValue(value=Fraction(1), smallest=Fraction(1))
    assert adjust([useless] * 9 + [useful]) == [None] * 9 + [Fraction(1, 40)]
    assert adjust([useful] * 2) == [Fraction(1, 20)] * 2
    assert adjust([useful] * 3) == [None] * 3  # at 5 % not even the smallest of three could be shown
    assert adjust([]) == []


def chance_of_any_difference(runs: int, cells: int, rate: Fraction) -> Fraction:
    """Return the exact chance that some cell is said to differ, where all have one true rate in both stores."""
    share = [comb(runs, k) * rate**k * (1 - rate) ** (runs - k) for k in range(runs + 1)]
    outcomes = list(itertools.product(range(runs + 1), repeat=2))
    tests = {outcome: compare_rates(outcome[0], runs, outcome[1], runs) for outcome in outcomes}
    total = Fraction(0)
    for combination in itertools.combinations_with_replacement(outcomes, cells):
        adjusted = adjust([tests[outcome] for outcome in combination])
        if any(value is not None and value <= LEVEL for value in adjusted):
            ways = 1
            counts = Counter(combination)
            left = cells
            for count in counts.values():
                ways *= comb(left, count)
                left -= count
            chance = Fraction(ways)
            for first, second in combination:
                chance *= share[first] * share[second]
            total += chance
    return total


@pytest.mark.parametrize("cells", [1, 2, 3])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)])
def test_where_nothing_differs_five_per_cent_of_comparisons_at_most_say_so(rate: Fraction, cells: int) -> None:
    assert chance_of_any_difference(5, cells, rate) <= LEVEL


def test_five_runs_can_show_the_largest_difference_in_at_most_six_cells() -> None:
    largest = compare_rates(0, 5, 5, 5)
    assert all(value is not None and value <= LEVEL for value in adjust([largest] * 6))
    assert adjust([largest] * 7) == [None] * 7
    assert compare_rates(0, 3, 3, 3).smallest > LEVEL
