"""Encodings that choose a base for each layer, or hide keys from the base; those that only choose ids need no reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Options = Mapping[str, Any]


def interleaved(layer: int, options: Options) -> int:
    """Layers 1, 2, … use the second base if their number is a multiple of ``every``, otherwise the first."""
    return 1 if (layer + 1) % options["every"] == 0 else 0


def window(ids: Sequence[float], first: Sequence[int], options: Options) -> list[int]:
    """The first place j of the same instance with id_i − id_j < window, for every place i."""
    return [
        next(j for j in range(start, i + 1) if ids[i] - ids[j] < options["window"]) for i, start in enumerate(first)
    ]


BASE_OF_LAYER: dict[str, Callable[[int, Options], int]] = {"interleaved": interleaved}
"""The number of the base that a layer uses, of the layer's number, from 0."""

FIRST_SEEN: dict[str, Callable[[Sequence[float], Sequence[int], Options], list[int]]] = {"window": window}
"""The first place that each place sees, of the ids and of the first places of instances."""
