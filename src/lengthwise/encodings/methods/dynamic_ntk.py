"""Rotary frequencies of a base that grows with the input: dynamic NTK scaling."""

from __future__ import annotations

import torch
from torch import Tensor

from ..core.base import Fit, Where, once
from ..core.card import BASE, ROTATION, TRAINED, UNIFORM_HEADS, Card, Option
from .rope import RoPE, progress, refuse_one_pair

CARD = Card(
    name="dynamic_ntk",
    title="rotary frequencies of a base that grows with the input",
    formula="as rope with the base b·s^(d/(d−2)), s = max(1, α·n/N − (α − 1)), n tokens now, N trained on",
    citation="dynamic NTK scaling, 2023; see arXiv 2309.00071",
    order=6,
    options=(BASE, Option(name="factor", default=1.0, low=1, high=10_000, meaning="α"), TRAINED),
    variants=("factor=2, trained=5",),
    prefix_consistent=False,
    needs_scale=True,
    at_least=UNIFORM_HEADS,
    few_bits=True,
    **ROTATION,
    note="keys computed earlier must be rotated anew when the input grows: a cache of rotated keys is wrong.",
)


class DynamicNTK(RoPE):
    """NTK whose factor follows the n tokens of an instance: max(1, α·n/N − (α − 1)), with α = ``factor``."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 1.0, trained: int = 0) -> None:
        super().__init__(fit, base=base)
        refuse_one_pair(fit)
        self.factor = factor
        self.trained = trained or fit.trained

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t·s^(−2t/(K−2)) with s of the instance, [1 or M, 1 or B, 1 or L, P]."""
        theta_P = super().frequencies(where)
        sizes = once(where.sizes_MBL).to(theta_P.dtype)[..., None]
        stretch = (self.factor * sizes / self.trained - (self.factor - 1)).clamp(min=1.0)
        return theta_P * torch.pow(stretch, -progress(theta_P))
