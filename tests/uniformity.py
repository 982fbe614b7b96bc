"""Whether draws are uniform, by a chi-square test that hardly ever fails by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

Value = TypeVar("Value", bound=Hashable)


def chi_square_limit(freedom: int) -> float:
    """Return what a chi-square statistic passes with a probability of about 3 in 100 000 (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 4 * spread**0.5) ** 3


def assert_uniform(counts: Counter[Value], values: Iterable[Value]) -> None:
    expected_values = list(values)
    assert set(counts) <= set(expected_values)
    expected = sum(counts.values()) / len(expected_values)
    assert expected > 20, "too few draws for this test"
    statistic = sum((counts[value] - expected) ** 2 / expected for value in expected_values)
    assert statistic < chi_square_limit(len(expected_values) - 1)
