"""The inner product of the sinusoids of two positions, as a bias (arXiv 2212.10356)."""

from __future__ import annotations

import torch
from torch import Tensor

from .base import Encoding, Fit, Where, per_head
from .sinusoidal import waves_of_pairs

_BASE = 10000.0


class Sandwich(Encoding):
    """score_ij = q_i·k_j/√d + (H/8h) Σ_t cos((i − j)/10000^(2t/width)), t = 1, …, width/2, in head h = 1, …, H."""

    def __init__(self, fit: Fit, *, width: int = 128) -> None:
        super().__init__(fit)
        self.width = width

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return the inner products: Σ cos(i − j) = Σ cos i cos j + sin i sin j."""
        device = at.ids_MBL.device
        t_T = torch.arange(1, self.width // 2 + 1, dtype=torch.float64, device=device)
        of_queries, of_keys = waves_of_pairs(asking, at, _BASE ** (-2 * t_T / self.width))
        with torch.autocast(device.type, enabled=False):
            sums_BMQL = torch.cat(of_queries, dim=-1) @ torch.cat(of_keys, dim=-1).transpose(-1, -2)
        head_H = torch.arange(1, self.num_heads + 1, dtype=torch.float32, device=device)
        ratio_H = self.num_heads / (8 * head_H)
        return per_head(ratio_H[:, None, None] * sums_BMQL[:, :, None], self.num_models)
