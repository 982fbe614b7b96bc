"""Position interpolation: rotary positions squeezed by a factor (arXiv 2306.15595)."""

from __future__ import annotations

from torch import Tensor

from ..core.base import Fit, Where
from ..core.card import BASE, FACTOR, FACTOR_IS_FIXED, ROTATION, TURNED_APART, Card
from .rope import RoPE

CARD = Card(
    name="pi",
    title="position interpolation: rotary positions squeezed by a factor",
    formula="as rope at the positions i / factor",
    citation="arXiv 2306.15595",
    order=4,
    options=(BASE, FACTOR),
    variants=("factor=2.5",),
    relation="relative",
    **TURNED_APART,
    **ROTATION,
    note=FACTOR_IS_FIXED,
)


class PI(RoPE):
    """Position interpolation: RoPE at id / factor (arXiv 2306.15595)."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0) -> None:
        super().__init__(fit, base=base)
        self.factor = factor

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t / factor, [P]."""
        return super().frequencies(where) / self.factor
