"""How long answers get: bounds that grow with the length of the prompt, for one length or an array of them."""

from __future__ import annotations

from collections.abc import Mapping

from ...arrays import Array


def running_maximum(values: Mapping[int, int], length: Array) -> Array:
    """Return the largest value at the lengths up to this one, 0 where there is none; for one length or an array.

    >>> running_maximum({2: 5, 3: 4, 7: 9}, 6)
    5
    """
    total, reached = length * 0, 0
    for each in sorted(values):
        if values[each] > reached:
            total = total + (length >= each) * (values[each] - reached)
            reached = values[each]
    return total


def largest_of(length: Array) -> int:
    """Return the largest of some lengths, or the one that is given."""
    return int(length.max()) if hasattr(length, "max") else int(length)
