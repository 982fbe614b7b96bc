"""Rotary positions without the lowest frequencies (arXiv 2410.06205)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ..core.base import Fit, Where
from ..core.card import BASE, ROTATION, SEES_THE_PAST_UNTURNED, TURNED_APART, Card, Option
from .rope import RoPE

CARD = Card(
    name="p_rope",
    title="rotary position embedding without its lowest frequencies",
    formula="as rope with θ_t = base^(−2t/d), but only the pairs t < share·d/2 are rotated",
    citation="arXiv 2410.06205",
    order=3,
    options=(
        BASE,
        Option(name="share", default=0.75, low=0.001, high=1, meaning="the share of frequencies that are kept"),
    ),
    variants=("share=0.4", "base=50"),
    relation="relative",
    precise_at_least=SEES_THE_PAST_UNTURNED,
    **TURNED_APART,
    **ROTATION,
)


class PRoPE(RoPE):
    """RoPE of the first ⌊share·K/2⌋ pairs, at least one: the slowest are not turned (arXiv 2410.06205)."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, share: float = 0.75) -> None:
        super().__init__(fit, base=base)
        self.num_turned = max(1, math.floor(share * self.num_pairs))

    def frequencies(self, where: Where) -> Tensor:
        """Return the frequencies of RoPE for the first pairs and 0 for the rest, [P]."""
        whole_P = super().frequencies(where)
        return torch.where(torch.arange(self.num_pairs, device=whole_P.device) < self.num_turned, whole_P, 0.0)
