"""Rotary positions of the first channels only, as in GPT-J and GPT-NeoX."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Fit, Where
from ..core.card import BASE, ROTATION, SEES_THE_PAST_UNTURNED, TURNED_APART, Card, Option
from .rope import RoPE, angle_type

CARD = Card(
    name="rope_partial",
    title="rotary position embedding of the first channels only",
    formula="the first r = ⌊share·d⌋ channels as in rope of width r, θ_t = base^(−2t/r); the others as they are",
    citation="as in GPT-J and GPT-NeoX",
    order=2,
    options=(
        BASE,
        Option(name="share", default=0.5, low=0.001, high=1, meaning="the share of channels that are rotated"),
    ),
    variants=("share=0.9", "base=50, share=0.2"),
    relation="relative",
    precise_at_least=SEES_THE_PAST_UNTURNED,
    **TURNED_APART,
    **ROTATION,
    revision=2,
    note="an odd r turns one channel more and keeps its frequencies, as GPT-NeoX does in the transformers library.",
)


class PartialRoPE(RoPE):
    """RoPE of the first r = ⌊share·K⌋ channels as if they were the whole head, as in GPT-J and GPT-NeoX.

    An odd r leaves half a pair. It is turned with the channel behind it, and frequencies stay base^(−2t/r). At least one
    pair is turned, and no more channels than there are.
    """

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, share: float = 0.5) -> None:
        if fit.head_width < 2:
            raise InvalidOptionError(
                f"heads of width {fit.head_width} have no pair of channels to turn.", hint="choose wider heads."
            )
        self.rotary_width = min(max(1, math.floor(share * fit.head_width)), fit.head_width // 2 * 2)
        num_pairs = -(-self.rotary_width // 2)
        super().__init__(replace(fit, head_width=2 * num_pairs), base=base)
        self.head_width = fit.head_width

    def frequencies(self, where: Where) -> Tensor:
        """Return base^(−2t/r) for the pairs that begin within the first r channels, [P]."""
        pair_P = torch.arange(self.num_pairs, device=where.ids_MBL.device, dtype=angle_type(where.ids_MBL.device))
        return torch.pow(self.base, -2 * pair_P / self.rotary_width)
