"""Rotary frequencies with a factor each, other ones beyond the trained length (arXiv 2402.13753)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ..core.base import Fit, Where, once
from ..core.card import BASE, FACTOR, ROTATION, TRAINED, UNIFORM_HEADS, Card
from .rope import RoPE, progress

CARD = Card(
    name="longrope",
    title="rotary frequencies with a factor each, other ones beyond the trained length",
    formula="θ_t / λ_t, λ_t = factor^(t/(d/2−1)) for inputs longer than N, else 1; q and k times √(1 + ln factor / ln N)",
    citation="arXiv 2402.13753",
    order=9,
    options=(BASE, FACTOR, TRAINED),
    variants=("factor=2",),
    prefix_consistent=False,
    needs_scale=True,
    at_least=UNIFORM_HEADS,
    few_bits=True,
    **ROTATION,
    note="the published factors come from a search; a smooth curve stands in for them, and no first tokens are spared.",
)


class LongRoPE(RoPE):
    """RoPE with each pair slowed by a factor of its own in instances longer than the trained length (arXiv 2402.13753).

    The published factors are searched for each model. In their place stands a smooth curve, factor^(t/(K/2 − 1)): 1 for
    the fastest pair, the whole factor for the slowest. Queries and keys are both multiplied by √(1 + ln(factor)/ln N),
    in short instances too.
    """

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0, trained: int = 0) -> None:
        super().__init__(fit, base=base)
        self.factor = factor
        self.trained = trained or fit.trained
        if self.trained > 1:  # the logarithm of 1 is 0
            self.gain = math.sqrt(1 + math.log(factor) / math.log(self.trained))

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t, divided by the factor of the pair where the instance is long, [1 or M, 1 or B, 1 or L, P]."""
        theta_P = super().frequencies(where)
        progress_P = progress(theta_P) if self.num_pairs > 1 else torch.ones_like(theta_P)
        is_long = once(where.sizes_MBL)[..., None] > self.trained
        return torch.where(is_long, theta_P / torch.pow(self.factor, progress_P), theta_P)
