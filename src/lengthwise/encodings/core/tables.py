"""Looking rows up in tables that are learned: tokens, positions."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def look_up(table_MND: Tensor, ids_MBL: Tensor) -> Tensor:
    """Return the rows of each model's own table, [M, B, L, D]."""
    if ids_MBL.is_cuda:
        found: Tensor = _LookUp.apply(table_MND, ids_MBL)  # type: ignore[no-untyped-call]
        return found
    return _rows(table_MND, ids_MBL)


def _rows(table_MND: Tensor, ids_MBL: Tensor) -> Tensor:
    model = torch.arange(table_MND.shape[0], device=ids_MBL.device)[:, None, None]
    return table_MND[model, ids_MBL]


class _LookUp(torch.autograd.Function):
    """The same, with a gradient by a matrix product instead of by additions that threads must take turns for.

    The order of the sum is then always the same, and on a GPU it is faster too.
    """

    @staticmethod
    def forward(table_MND: Tensor, ids_MBL: Tensor) -> Tensor:
        """Return the rows."""
        return _rows(table_MND, ids_MBL)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:  # noqa: ARG004
        """Keep what the gradient needs."""
        table_MND, ids_MBL = inputs
        ctx.save_for_backward(ids_MBL)
        ctx.num_rows = table_MND.shape[1]
        ctx.dtype = torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else table_MND.dtype

    @staticmethod
    def backward(ctx: Any, gradient_MBLD: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the table: for each row the sum over the places that looked it up."""
        (ids_MBL,) = ctx.saved_tensors
        num_models, width = gradient_MBLD.shape[0], gradient_MBLD.shape[-1]
        padded = -(-ctx.num_rows // 8) * 8  # tensor cores want multiples of 8
        rows = torch.arange(padded, device=ids_MBL.device)
        is_row_MTN = (ids_MBL.reshape(num_models, -1, 1) == rows).to(ctx.dtype)
        flat_MTD = gradient_MBLD.reshape(num_models, -1, width).to(ctx.dtype)
        sums = torch.bmm(is_row_MTN.transpose(1, 2), flat_MTD)[:, : ctx.num_rows]
        return sums.to(gradient_MBLD.dtype), None


def spread(values_BMHQN: Tensor, rows: Tensor) -> Tensor:
    """Return the value of the row that each pair of query and key meets, [B, M, H, Q, L].

    ``rows`` are [1 or B, 1 or M, 1, Q, L].
    """
    if values_BMHQN.is_cuda:
        found: Tensor = _Spread.apply(values_BMHQN, rows)  # type: ignore[no-untyped-call]
        return found
    return _gather(values_BMHQN, rows)


def collect(values_BMHQL: Tensor, rows: Tensor, num_rows: int) -> Tensor:
    """Return, for every query and row, the sum of what it has for the keys that meet the row, [B, M, H, Q, N]."""
    if values_BMHQL.is_cuda:
        found: Tensor = _Collect.apply(values_BMHQL, rows, num_rows)  # type: ignore[no-untyped-call]
        return found
    empty = values_BMHQL.new_zeros(*values_BMHQL.shape[:-1], num_rows)
    return empty.scatter_add(-1, rows.expand(values_BMHQL.shape), values_BMHQL)


def _gather(values_BMHQN: Tensor, rows: Tensor) -> Tensor:
    return values_BMHQN.gather(-1, rows.expand(*values_BMHQN.shape[:4], -1))


def _add_up(values_BMHQL: Tensor, rows: Tensor, num_rows: int) -> Tensor:
    """Collect by a product with one-hot vectors: threads need not take turns, and the order of the sum is fixed."""
    is_row = (rows[:, :, 0, ..., None] == torch.arange(num_rows, device=rows.device)).to(values_BMHQL.dtype)
    if is_row.shape[:2] == (1, 1):
        return torch.einsum("bmhql,qln->bmhqn", values_BMHQL, is_row[0, 0])
    if is_row.shape[1] == 1:
        return torch.einsum("bmhql,bqln->bmhqn", values_BMHQL, is_row[:, 0].expand(values_BMHQL.shape[0], -1, -1, -1))
    return torch.einsum("bmhql,bmqln->bmhqn", values_BMHQL, is_row.expand(*values_BMHQL.shape[:2], -1, -1, -1))


class _Spread(torch.autograd.Function):
    """The same as gathering, with a gradient by products."""

    @staticmethod
    def forward(values_BMHQN: Tensor, rows: Tensor) -> Tensor:
        """Return the values."""
        return _gather(values_BMHQN, rows)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:  # noqa: ARG004
        """Keep what the gradient needs."""
        ctx.save_for_backward(inputs[1])
        ctx.num_rows = inputs[0].shape[-1]

    @staticmethod
    def backward(ctx: Any, gradient_BMHQL: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the values."""
        (rows,) = ctx.saved_tensors
        return _add_up(gradient_BMHQL, rows, ctx.num_rows), None


class _Collect(torch.autograd.Function):
    """The same as scattering sums, by products."""

    @staticmethod
    def forward(values_BMHQL: Tensor, rows: Tensor, num_rows: int) -> Tensor:
        """Return the sums."""
        return _add_up(values_BMHQL, rows, num_rows)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: Tensor) -> None:  # noqa: ARG004
        """Keep what the gradient needs."""
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx: Any, gradient_BMHQN: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of the values."""
        (rows,) = ctx.saved_tensors
        return _gather(gradient_BMHQN, rows), None, None
