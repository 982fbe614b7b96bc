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
