"""The exact dual simplex method against exhaustive search in a box."""

from __future__ import annotations

from itertools import product
from random import Random

from lengthwise.theory.depth.simplex import SmallestSolution

SIDE = range(-3, 4)


def test_solutions_meet_all_demands_and_are_as_small_as_any_in_a_box() -> None:
    rng = Random(17)
    possible = impossible = 0
    for _ in range(250):
        num_unknowns = rng.randint(1, 3)
        solution = SmallestSolution()
        demands: list[tuple[dict[int, int], int]] = []
        for _ in range(rng.randint(1, 6)):
            row = {unknown: factor for unknown in range(num_unknowns) if (factor := rng.randint(-2, 2))}
            demands.append((row, rng.choice((0, 1))))
            solution.demand(*demands[-1])
            box = [
                point
                for point in product(SIDE, repeat=num_unknowns)
                if all(
                    sum(factor * point[unknown] for unknown, factor in row.items()) >= least for row, least in demands
                )
            ]
            if not solution.is_possible:
                assert not box
                impossible += 1
                break
            values = solution.values()
            for row, least in demands:
                assert sum(factor * values.get(unknown, 0) for unknown, factor in row.items()) >= least
            if box:
                smallest = min(sum(map(abs, point)) for point in box)
                assert solution.size() <= smallest
            possible += 1
    assert min(possible, impossible) > 50


def test_demands_that_contradict_each_other_stay_impossible() -> None:
    solution = SmallestSolution()
    assert solution.demand({0: 1}, 1)
    assert not solution.demand({0: -1}, 0)
    assert not solution.demand({1: 1}, 1)


def test_a_demand_on_nothing_is_met_only_by_zero() -> None:
    assert SmallestSolution().demand({}, 0)
    assert not SmallestSolution().demand({}, 1)
