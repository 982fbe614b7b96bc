"""The precision of training: what it is on a device, and how it is set."""

from __future__ import annotations

from enum import StrEnum

import torch


class Precision(StrEnum):
    """How matrix products are computed in training; weights and the residual stream are always in 32 bits."""

    FP32 = "fp32"
    TF32 = "tf32"  # products of 32-bit numbers rounded to 19 bits, on a GPU
    BF16 = "bf16"


def precision_on(device: str) -> Precision:
    """Return the precision of training on a device, where no other is asked for."""
    return Precision.BF16 if torch.device(device).type == "cuda" else Precision.FP32


class matrix_products:  # noqa: N801  # reads as what it does
    """Products of 32-bit matrices with tensor cores where TF32 is asked for, otherwise in full."""

    def __init__(self, precision: Precision) -> None:
        self._asked = "high" if precision is Precision.TF32 else "highest"

    def __enter__(self) -> None:
        self._before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision(self._asked)

    def __exit__(self, *_: object) -> None:
        torch.set_float32_matmul_precision(self._before)
