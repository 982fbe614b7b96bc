"""Sums over all rotary pairs at every distance up to a length: which distances a head can tell apart, and where similarity turns.

Distances are taken in blocks, so that a million of them need little memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK = 16_384  # distances at a time


def _cosine_sums(angles: Sequence[float], length: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the first distance of a block, and Σ cos θ_t n for each of its distances n."""
    for first in range(1, length + 1, _BLOCK):
        distances = np.arange(first, min(length, first + _BLOCK - 1) + 1)
        sums = np.zeros(len(distances))
        for angle in angles:
            sums += np.cos(distances * angle)
        yield first, sums


def closest_sum(angles: Sequence[float], length: int) -> float:
    """Return the least Σ (1 − cos θ_t n) for 1 ≤ n ≤ length: how near some other distance comes to the wanted one."""
    return len(angles) - max(float(sums.max()) for _, sums in _cosine_sums(angles, length))


def first_negative_sum(angles: Sequence[float], length: int) -> int | None:
    """Return the first distance up to a length at which Σ cos θ_t n is below 0, if there is one.

    From there on, a key like the query scores less on average than a random one (arXiv 2405.14591, theorem 1).
    """
    for first, sums in _cosine_sums(angles, length):
        below = np.flatnonzero(sums < 0)
        if len(below):
            return first + int(below[0])
    return None
