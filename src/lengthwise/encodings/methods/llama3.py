"""Rotary frequencies squeezed by wavelength, as in Llama 3 (arXiv 2407.21783)."""

from __future__ import annotations

import math

from torch import Tensor

from ..core.base import Fit, Where
from ..core.card import FACTOR_IS_FIXED, ROTATION, TRAINED, TURNED_APART, Card, Option
from .rope import RoPE, refuse_reversed

CARD = Card(
    name="llama3",
    title="rotary frequencies squeezed by wavelength, as in Llama 3",
    formula="θ_t kept if its wavelength < N/high, divided by the factor if > N/low, between them a blend",
    citation="arXiv 2407.21783",
    order=8,
    options=(
        Option(name="base", default=500000.0, low=1.0001, high=1e12, meaning="the base of the frequencies"),
        Option(name="factor", default=8.0, low=1, high=10_000, meaning="how much longer inputs shall become"),
        Option(name="low", default=1.0, low=1e-6, high=1e6, meaning="turns up to which a frequency is squeezed"),
        Option(name="high", default=4.0, low=1e-6, high=1e6, meaning="turns from which it is kept"),
        TRAINED,
    ),
    variants=("base=10000, trained=100", "factor=3"),
    relation="relative",
    **TURNED_APART,
    **ROTATION,
    note=FACTOR_IS_FIXED,
)


class Llama3(RoPE):
    """RoPE at id / factor for pairs that turn less than ``low`` times over the trained length (as in Llama 3.1).

    Those that turn more than ``high`` times are left as they are; in between, the blend is linear in the turns.
    """

    card = CARD

    def __init__(
        self,
        fit: Fit,
        *,
        base: float = 500_000.0,
        factor: float = 8.0,
        low: float = 1.0,
        high: float = 4.0,
        trained: int = 0,
    ) -> None:
        super().__init__(fit, base=base)
        self.factor = factor
        refuse_reversed("low", low, "high", high)
        self.low, self.high = low, high
        self.trained = trained or fit.trained

    def frequencies(self, where: Where) -> Tensor:
        """Return (1 − m_t)·θ_t/factor + m_t·θ_t with m_t = (N·θ_t/2π − low)/(high − low), kept in 0 … 1, [P]."""
        theta_P = super().frequencies(where)
        turns_P = theta_P * (self.trained / (2 * math.pi))
        kept_P = ((turns_P - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
        return (1 - kept_P) * (theta_P / self.factor) + kept_P * theta_P
