"""Random weights from counter-based draws: the same numbers for a seed, alone or in a stack."""

from __future__ import annotations

import torch
from torch import Tensor

from ...seeds import Draw


def normal(draw: Draw, shape: tuple[int, ...], *, deviation: float) -> Tensor:
    """Return normal numbers [M, *shape] in float32; each model's depend on its own key only.

    31 random bits pick a quantile, so that the largest number is about 6.2 deviations out.
    """
    bits = torch.as_tensor(draw.bits31(shape))
    quantile = (bits.to(torch.float64) + 0.5) / 2**31
    return (torch.erfinv(2 * quantile - 1) * (deviation * 2**0.5)).to(torch.float32)
