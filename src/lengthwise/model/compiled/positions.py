"""Positions that are periodic and local: the encoding of compiled models, whatever the length.

Shapes: P rows of one period, N distances with a value; the rest as in ``encodings.core.base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...encodings.core.base import Encoding, Fit, Where, per_head
from ...encodings.core.tables import look_up
from ...encodings.methods.shaw import require_whole, whole_distances
from ...seeds import Draw


class PeriodicLocal(Encoding):
    """x_i ← x_i + p[i mod P], and score_ij = q_i·k_j/√d + b_h[i − j] for distances below N, without b beyond.

    With one row and no distances it is no position encoding at all.
    """

    def __init__(self, fit: Fit, *, period: int = 1, reach: int = 0) -> None:
        super().__init__(fit)
        self.period, self.reach = period, reach
        self.stepwise = False  # whether attention is computed step by step although the fused kernel could do it
        self.table_MPD = nn.Parameter(torch.zeros(fit.num_models, period, fit.width)) if period > 1 else None
        self.bias_MNH = nn.Parameter(torch.zeros(fit.num_models, reach + 1, fit.num_heads)) if reach else None

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set all numbers to 0."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.zero_()

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions."""
        return super().checked(require_whole(ids_MBL), most)

    def embed(self, at: Where) -> Tensor | None:
        """Return the rows of the period."""
        return None if self.table_MPD is None else look_up(self.table_MPD, at.ids_MBL % self.period)

    @property
    def is_embedding(self) -> bool:
        """Whether there is a period."""
        return self.table_MPD is not None

    @property
    def is_fused(self) -> bool:
        """Whether the fused attention kernel is used; it computes the same, but for rounding."""
        return not self.stepwise

    @property
    def is_biased(self) -> bool:
        """Whether there are distances with a value."""
        return self.bias_MNH is not None

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        """Return the number of each distance, 0 beyond the last."""
        if self.bias_MNH is None:
            return None
        models, num_rows, heads = self.bias_MNH.shape
        row = whole_distances(queries, keys)
        batch, _, _, num_queries, _ = row.shape
        table = self.bias_MNH.transpose(1, 2)[None, :, :, None].expand(batch, -1, -1, num_queries, -1)
        found = table.gather(-1, row.clamp(0, num_rows - 1).expand(batch, models, heads, -1, -1))
        return per_head(found * ((row >= 0) & (row < num_rows)).to(found.dtype), models)
