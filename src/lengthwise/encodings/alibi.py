"""A penalty linear in the distance, in every head (arXiv 2108.12409), with fixed or learned slopes."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ..seeds import Draw
from .base import Encoding, Fit, Where, distances, per_head


def slopes(num_heads: int, device: torch.device | None = None) -> Tensor:
    """Return the slope of each head, [H].

    If H is a power of two, 2^(−8h/H) for h = 1, …, H. Otherwise the slopes of the power of two below, then every other
    one of the power of two above, from its first on, until there are enough.

    >>> slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    power = 1 << (num_heads.bit_length() - 1)
    regular = torch.arange(1, power + 1, dtype=torch.float32, device=device) / power
    between = (torch.arange(num_heads - power, dtype=torch.float32, device=device) + 0.5) / power
    return torch.exp2(-8 * torch.cat([regular, between]))


def softplus_inverse(values: Tensor) -> Tensor:
    """Return the numbers whose softplus, log(1 + e^x), is the given one."""
    return values.double().expm1().log().float()


class ALiBi(Encoding):
    """score_ij = q_i·k_j/√d − m_h·(i − j), with the slopes m_h fixed."""

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return the penalties."""
        delta = distances(asking, at).float()
        return per_head(-slopes(self.num_heads, delta.device)[:, None, None] * delta, self.num_models)


class LearnedALiBi(Encoding):
    """score_ij = q_i·k_j/√d − softplus(raw_h)·(i − j), from the slopes of ALiBi on."""

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set the slopes to those of ALiBi."""
        with torch.no_grad():
            self.raw_MH.copy_(softplus_inverse(slopes(self.num_heads)))

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return the penalties."""
        slope_MH = functional.softplus(self.raw_MH.float())
        return per_head(-slope_MH[..., None, None] * distances(asking, at).float(), slope_MH.shape[0])
