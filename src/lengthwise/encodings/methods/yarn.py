"""Rotary frequencies, the low ones squeezed and the high ones kept, with sharper scores (arXiv 2309.00071)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ..core.base import Fit, Where
from ..core.card import BASE, FACTOR, FACTOR_IS_FIXED, ROTATION, TRAINED, TURNED_APART, Card, Option
from .rope import RoPE, refuse_reversed

CARD = Card(
    name="yarn",
    title="rotary frequencies, the low ones squeezed and the high ones kept, with sharper scores",
    formula="θ_t between θ_t and θ_t/factor by a ramp over t; q and k times g(mscale)/g(mscale_all), g(m) = 0.1 m ln(factor) + 1",
    citation="arXiv 2309.00071",
    order=7,
    options=(
        BASE,
        FACTOR,
        TRAINED,
        Option(name="fast", default=32.0, low=1e-6, high=1e6, meaning="turns from which a frequency is kept"),
        Option(name="slow", default=1.0, low=1e-6, high=1e6, meaning="turns up to which it is squeezed"),
        Option(name="mscale", default=1.0, low=0, high=100, meaning="how fast queries and keys grow with the factor"),
        Option(name="mscale_all", default=0.0, low=0, high=100, meaning="the same for what they are divided by"),
        Option(name="attention", default=0.0, low=0, high=1000, meaning="times what they are instead; 0: by mscale"),
        Option(name="truncate", default=True, meaning="whether the ramp begins and ends at whole pairs"),
    ),
    variants=(
        "factor=3, trained=300, fast=4",
        "base=20, trained=300",
        "mscale=2, mscale_all=0.5",
        "trained=300, truncate=false",
    ),
    relation="relative",
    **TURNED_APART,
    **ROTATION,
    note=f"{FACTOR_IS_FIXED} mscale, mscale_all (mscale_all_dim there) and attention (attention_factor) are those of model files.",
)


class YaRN(RoPE):
    """RoPE at id / factor for slow pairs, at id for fast ones, and a blend between (arXiv 2309.00071).

    Pairs up to the one that turns ``fast`` times over the trained length are fast, those from the one that turns
    ``slow`` times are slow; in between, the blend is linear in t. Queries and keys are both multiplied by the gain,
    scores by its square. The gain is (0.1·mscale·ln(factor) + 1)/(0.1·mscale_all·ln(factor) + 1), as in DeepSeek's models,
    or the number ``attention``.
    """

    card = CARD

    def __init__(
        self,
        fit: Fit,
        *,
        base: float = 10_000.0,
        factor: float = 4.0,
        trained: int = 0,
        fast: float = 32.0,
        slow: float = 1.0,
        mscale: float = 1.0,
        mscale_all: float = 0.0,
        attention: float = 0.0,
        truncate: bool = True,
    ) -> None:
        super().__init__(fit, base=base)
        self.factor = factor
        self.trained = trained or fit.trained
        refuse_reversed("slow", slow, "fast", fast)
        self.fast, self.slow = fast, slow
        self.truncate = truncate
        grown, divided = (0.1 * scale * math.log(factor) + 1 for scale in (mscale, mscale_all))
        self.gain = attention or grown / divided

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t·(1 − γ_t) + θ_t/factor·γ_t, γ rising from 0 to 1 between the two bounds, [P]."""
        theta_P = super().frequencies(where)
        low, high = self._pair(self.fast), self._pair(self.slow)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        # bounds as the authors' program has them: a ramp may end beyond the last pair
        low, high = (min(max(bound, 0), 2 * self.num_pairs - 1) for bound in (low, high))
        pair_P = torch.arange(self.num_pairs, device=theta_P.device, dtype=theta_P.dtype)
        slowed_P = ((pair_P - low) / max(high - low, 0.001)).clamp(0.0, 1.0)
        return theta_P * (1 - slowed_P) + theta_P / self.factor * slowed_P

    def _pair(self, turns: float) -> float:
        """Return the t, not a whole number, at which a pair turns so many times over the trained length."""
        return self.num_pairs * math.log(self.trained / (2 * math.pi * turns)) / math.log(self.base)
