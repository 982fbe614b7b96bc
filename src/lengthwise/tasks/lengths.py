"""Ranges of length, and the bins that an experiment reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRange:
    """Lengths from ``low`` to ``high``, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}–{self.high}"

    def __contains__(self, length: int) -> bool:
        return self.low <= length <= self.high


def length_bins(train_length: int, test_length: int) -> tuple[LengthRange, ...]:
    """Return the training lengths 0–T, then T+1–2T, and so on up to the test length.

    >>> [str(bounds) for bounds in length_bins(12, 36)]
    ['0–12', '13–24', '25–36']
    """
    edges = [*range(train_length, test_length, train_length), test_length]
    return tuple(
        LengthRange(low=low + 1 if low else 0, high=high) for low, high in zip([0, *edges[:-1]], edges, strict=True)
    )
