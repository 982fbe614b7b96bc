"""Our own small table of array functions, so that seeds and samplers are written once for every array library.

There is a table for NumPy and one for torch on each device. Whatever arrays share anyway is not in the table:
``+ * ^ & >>`` and comparisons, indexing, ``shape``, ``dtype``, ``reshape``, ``any()`` and ``sum(axis)``. All numbers are
int64 and wrap around, so that every library computes the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_COUNTED = 512  # up to so many entries, counting smaller ones beats sorting in a compiled program

Array = Any
"""An int64 or bool array of the library at hand; the libraries have no common type to name here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrays:
    """The functions that array libraries spell differently."""

    int64: Any
    """The dtype of every number."""
    may_look: bool
    """Whether looking at a value is cheap; on a GPU it waits for all work under way, and cannot be recorded."""
    asarray: Callable[[Any], Array]
    """Return these numbers as an int64 array; one number becomes an array without axes."""
    arange: Callable[[int], Array]
    """Return 0, 1, …, n - 1 in int64."""
    stable_argsort: Callable[[Array], Array]
    """Return the order that sorts the last axis; equal entries keep their order."""
    stable_ranks: Callable[[Array], Array]
    """Return the place of each entry in that order: the inverse of ``stable_argsort``."""
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

    def order(values: Array) -> Array:
        return np.argsort(values, axis=-1, kind="stable")

    def ranks(order: Array) -> Array:
        inverse = np.empty_like(order)
        np.put_along_axis(inverse, order, np.broadcast_to(np.arange(order.shape[-1]), order.shape), axis=-1)
        return inverse

    return Arrays(
        int64=np.dtype(np.int64),
        may_look=True,
        asarray=lambda values: np.asarray(values, dtype=np.int64),
        arange=lambda n: np.arange(n, dtype=np.int64),
        stable_argsort=order,
        stable_ranks=lambda values: ranks(order(values)),
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

    on_cpu = torch.device(device).type == "cpu"
    numbers = _on(device) if on_cpu else _kept(_on(device))

    def tensor(value: Any) -> Array:
        return value if isinstance(value, torch.Tensor) else numbers(value)

    return Arrays(
        int64=torch.int64,
        may_look=on_cpu,
        asarray=numbers,
        arange=lambda n: torch.arange(n, dtype=torch.int64, device=device),
        stable_argsort=_torch_argsort,
        stable_ranks=_torch_ranks,
        where=lambda condition, yes, no: torch.where(condition, tensor(yes), tensor(no)),
        stack_last=lambda parts: torch.stack(parts, dim=-1),
        broadcast=lambda values, shape: values.expand(shape),
        gather_last=lambda values, places: torch.take_along_dim(values, places, dim=-1),
        concat_last=lambda parts: torch.cat(parts, dim=-1),
        running_sum=lambda values, axis: torch.cumsum(values, dim=axis, dtype=torch.int64),
        running_max_last=lambda values: torch.cummax(values, dim=-1).values,
    )


def _on(device: str) -> Callable[[Any], Array]:
    import torch

    return lambda values: torch.as_tensor(values, dtype=torch.int64, device=device)


def _kept(make: Callable[[Any], Array]) -> Callable[[Any], Array]:
    """Return ``make`` with a memory: a copy to a GPU cannot be part of a recorded step, so each constant goes once."""
    import torch

    known: dict[Any, Array] = {}

    def make_once(values: Any) -> Array:
        if isinstance(values, torch.Tensor) or hasattr(values, "__array__"):
            return make(values)
        key = _frozen(values)
        if key not in known:
            known[key] = make(values)
        return known[key]

    return make_once


def _frozen(values: Any) -> Any:
    return tuple(map(_frozen, values)) if isinstance(values, list | tuple | range) else values


def _torch_argsort(values: Array) -> Array:
    import torch

    if not _counts(values):
        return torch.argsort(values, dim=-1, stable=True)
    return _torch_inverse(_torch_ranks(values))


def _torch_ranks(values: Array) -> Array:
    """Return ranks by sorting or, in a compiled program, by counting: that is one kernel and stores nothing."""
    import torch

    if not _counts(values):
        return _torch_inverse(_torch_argsort(values))
    place = torch.arange(values.shape[-1], device=values.device)
    one, other = values[..., :, None], values[..., None, :]
    return ((other < one) | ((other == one) & (place[None, :] < place[:, None]))).sum(-1)


def _torch_inverse(order: Array) -> Array:
    import torch

    places = torch.arange(order.shape[-1], device=order.device).expand(order.shape)
    return torch.empty_like(order).scatter_(-1, order, places)


def _counts(values: Array) -> bool:
    import torch

    return torch.compiler.is_compiling() and values.shape[-1] <= _COUNTED
