"""Rotary positions of the first channels only, as in GPT-J and GPT-NeoX."""

from __future__ import annotations

from dataclasses import replace

from ...errors import InvalidOptionError
from ..core.base import Fit
from ..core.card import BASE, ROTATION, SEES_THE_PAST_UNTURNED, TURNED_APART, Card, Option
from .rope import RoPE

CARD = Card(
    name="rope_partial",
    title="rotary position embedding of the first channels only",
    formula="the first r channels as in rope of width r, θ_t = base^(−2t/r); the others as they are",
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
)


class PartialRoPE(RoPE):
    """RoPE of the first r = 2·round(share·K/2) channels, at least 2, as if they were the whole head; as in GPT-J."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, share: float = 0.5) -> None:
        if fit.head_width < 2:
            raise InvalidOptionError(
                f"heads of width {fit.head_width} have no pair of channels to turn.", hint="choose wider heads."
            )
        num_pairs = min(max(1, round(share * fit.head_width / 2)), fit.head_width // 2)
        super().__init__(replace(fit, head_width=2 * num_pairs), base=base)
        self.head_width = fit.head_width
