"""Rotary positions whose angles repeat: pair t is turned by 2π·t·i/period.

The angles of RoPE never come round again. Where the position modulo a number decides, theory asks for angles that do
(docs/concepts/encodings.md). Ids are reduced modulo the period first, so that phases are the same at every length.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Fit, Where
from ..core.card import REPEATING, ROTATION, Card, Option
from .rope import RoPE, angle_type

CARD = Card(
    name="periodic_rope",
    title="rotary position embedding that repeats",
    formula="q_i, k_j rotated by the angles i·θ_t and j·θ_t, θ_t = 2π·t/period",
    citation="arXiv 2608.11909",
    order=4,
    options=(
        Option(name="period", default=12, low=1, high=10_000, meaning="after how many positions the angles repeat"),
    ),
    variants=("period=2", "period=5"),
    relation="relative",
    **REPEATING,
    **ROTATION,
    note="pair 0 is not turned. A solution that needs the position modulo m exists if the period is a multiple of m.",
)


class PeriodicRoPE(RoPE):
    """Turn pair t by (id mod period)·2πt/period."""

    card = CARD

    def __init__(self, fit: Fit, *, period: int = 12) -> None:
        super().__init__(fit)
        if self.num_pairs < 2:
            raise InvalidOptionError(
                "heads of width 2 have one pair of channels, and periodic_rope does not turn the first pair.",
                hint="choose a width and a number of heads whose ratio is at least 4.",
            )
        self.period = period

    def frequencies(self, where: Where) -> Tensor:
        """Return 2πt/period for all pairs, [P]."""
        pairs_P = torch.arange(self.num_pairs, device=where.ids_MBL.device, dtype=angle_type(where.ids_MBL.device))
        return pairs_P * (2 * math.pi / self.period)

    def waves(self, where: Where) -> tuple[Tensor, Tensor]:
        """Return cosines and sines of all angles, [1 or B, 1 or M, 1, L, P]."""
        return super().waves(where._replace(ids_MBL=torch.remainder(where.ids_MBL, self.period)))
