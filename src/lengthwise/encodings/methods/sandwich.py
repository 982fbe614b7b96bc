"""The inner product of the sinusoids of two positions, as a bias (arXiv 2212.10356)."""

from __future__ import annotations

import torch
from torch import Tensor

from ..core.base import Encoding, Fit, Where, per_head
from ..core.card import DISTANCE_BIAS, TURNED, Card, Option
from .sinusoidal import waves_of_pairs

CARD = Card(
    name="sandwich",
    title="the inner product of two sinusoids, as a bias",
    formula="score(i, j) = q_i·k_j / √d + (H/8h) Σ_{t=1..width/2} cos((i − j)/10000^(2t/width))",
    citation="arXiv 2212.10356",
    order=10,
    options=(Option(name="width", default=128, low=2, high=100_000, meaning="the width of the sinusoids"),),
    variants=("width=10",),
    precise_at_most=TURNED,
    few_bits=True,
    bounded_bias=True,
    **DISTANCE_BIAS,
    note="the sum begins at t = 1, as in the formula of the paper.",
)


_BASE = 10000.0


class Sandwich(Encoding):
    """score_ij = q_i·k_j/√d + (H/8h) Σ_t cos((i − j)/10000^(2t/width)), t = 1, …, width/2, in head h = 1, …, H."""

    card = CARD

    def __init__(self, fit: Fit, *, width: int = 128) -> None:
        super().__init__(fit)
        self.width = width

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the inner products: Σ cos(i − j) = Σ cos i cos j + sin i sin j."""
        device = keys.ids_MBL.device
        t_T = torch.arange(1, self.width // 2 + 1, dtype=torch.float64, device=device)
        of_queries, of_keys = waves_of_pairs(queries, keys, _BASE ** (-2 * t_T / self.width))
        with torch.autocast(device.type, enabled=False):
            sums_BMQL = torch.cat(of_queries, dim=-1) @ torch.cat(of_keys, dim=-1).transpose(-1, -2)
        head_H = torch.arange(1, self.num_heads + 1, dtype=torch.float32, device=device)
        ratio_H = self.num_heads / (8 * head_H)
        return per_head(ratio_H[:, None, None] * sums_BMQL[:, :, None], self.num_models)
