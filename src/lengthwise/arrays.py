"""Our own small table of array functions, so that seeds and samplers are written once for every array library.

There is a table for NumPy and one for torch on each device. Whatever arrays share anyway is not in the table:
``+ * ^ & >>`` and comparisons, indexing, ``shape``, ``dtype``, ``reshape``, ``any()`` and ``sum(axis)``. All numbers are
int64 and wrap around, so that every library computes the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Array = Any
"""An int64 or bool array of the library at hand; the libraries have no common type to name here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrays:
    """The functions that array libraries spell differently."""

    int64: Any
    """The dtype of every number."""
    asarray: Callable[[Any], Array]
    """Return these numbers as an int64 array; one number becomes an array without axes."""
    arange: Callable[[int], Array]
    """Return 0, 1, …, n - 1 in int64."""
    stable_argsort: Callable[[Array], Array]
    """Return the order that sorts the last axis; equal entries keep their order."""
    where: Callable[[Array, Any, Any], Array]
    """Return the second argument where the first holds, the third elsewhere."""
    stack_last: Callable[[list[Array]], Array]
    """Return arrays of one shape side by side along a new last axis."""
    broadcast: Callable[[Array, tuple[int, ...]], Array]
    """Return the array repeated to a shape."""
    gather_last: Callable[[Array, Array], Array]
    """Return the entries of the first array, along its last axis, at the places in the second of the same leading shape."""
    concat_last: Callable[[list[Array]], Array]
    """Return arrays one behind the other along their last axis."""
    running_sum: Callable[[Array, int], Array]
    """Return the sums in int64 of all entries up to each one, along an axis."""
    running_max_last: Callable[[Array], Array]
    """Return the largest of all entries up to each one, along the last axis."""


def numpy_arrays() -> Arrays:
    """Return the table for NumPy, which is imported only here."""
    import numpy as np

    return Arrays(
        int64=np.dtype(np.int64),
        asarray=lambda values: np.asarray(values, dtype=np.int64),
        arange=lambda n: np.arange(n, dtype=np.int64),
        stable_argsort=lambda values: np.argsort(values, axis=-1, kind="stable"),
        where=np.where,
        stack_last=lambda parts: np.stack(parts, axis=-1),
        broadcast=np.broadcast_to,
        gather_last=lambda values, places: np.take_along_axis(values, places, axis=-1),
        concat_last=lambda parts: np.concatenate(parts, axis=-1),
        running_sum=lambda values, axis: np.cumsum(values, axis=axis, dtype=np.int64),
        running_max_last=lambda values: np.maximum.accumulate(values, axis=-1),
    )


def torch_arrays(device: str = "cpu") -> Arrays:
    """Return the table for torch on a device; torch is imported only here."""
    import torch

    return Arrays(
        int64=torch.int64,
        asarray=lambda values: torch.as_tensor(values, dtype=torch.int64, device=device),
        arange=lambda n: torch.arange(n, dtype=torch.int64, device=device),
        stable_argsort=lambda values: torch.argsort(values, dim=-1, stable=True),
        where=lambda condition, yes, no: torch.where(condition, _tensor(yes, device), _tensor(no, device)),
        stack_last=lambda parts: torch.stack(parts, dim=-1),
        broadcast=lambda values, shape: values.expand(shape),
        gather_last=lambda values, places: torch.take_along_dim(values, places, dim=-1),
        concat_last=lambda parts: torch.cat(parts, dim=-1),
        running_sum=lambda values, axis: torch.cumsum(values, dim=axis, dtype=torch.int64),
        running_max_last=lambda values: torch.cummax(values, dim=-1).values,
    )


def _tensor(value: Any, device: str) -> Array:
    import torch

    return value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=torch.int64, device=device)
