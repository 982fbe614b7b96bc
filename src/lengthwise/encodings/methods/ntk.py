"""Rotary frequencies of a larger base: NTK-aware scaling."""

from __future__ import annotations

import torch
from torch import Tensor

from ..core.base import Fit, Where
from ..core.card import BASE, FACTOR, FACTOR_IS_FIXED, ROTATION, TURNED_APART, Card
from .rope import RoPE, progress, refuse_one_pair

CARD = Card(
    name="ntk",
    title="rotary frequencies of a larger base, for a factor",
    formula="as rope with the base b·factor^(d/(d−2))",
    citation="NTK-aware scaling, bloc97 2023; see arXiv 2309.00071",
    order=5,
    options=(BASE, FACTOR),
    variants=("factor=2.5",),
    relation="relative",
    **TURNED_APART,
    **ROTATION,
    note=FACTOR_IS_FIXED,
)


class NTK(RoPE):
    """RoPE with base·factor^(K/(K−2)): the fastest pair stays as it is, the slowest is slowed by the factor."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0) -> None:
        super().__init__(fit, base=base)
        refuse_one_pair(fit)
        self.factor = factor

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t·factor^(−2t/(K−2)), [P]."""
        theta_P = super().frequencies(where)
        return theta_P * torch.pow(self.factor, -progress(theta_P))
