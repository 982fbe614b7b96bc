"""Sines and cosines of the position, added to the input; also the waves that other encodings are made of.

Angles are computed in 64 bits: in 32, the angle of position 100,000 would be off by up to 0.004.

Shapes: T frequencies; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..core.base import Encoding, Fit, Where, once
from ..core.card import ANY_BASE, TURNED_APART, Card

CARD = Card(
    name="sinusoidal",
    title="fixed sines and cosines added to the input",
    formula="x_i ← x_i + (sin, cos)(i·θ_t), θ_t = base^(−2t/D)",
    citation="arXiv 1706.03762",
    family="absolute",
    order=4,
    acts_on=("input",),
    options=(ANY_BASE,),
    variants=("base=100",),
    relation="absolute",
    **TURNED_APART,
    shift_invariant=False,
    note="phases beyond the training lengths are new to the model.",
)


def frequencies(width: int, base: float, device: torch.device) -> Tensor:
    """Return base^(−2t/width) for t = 0, 1, …, as many as pairs of channels begin within the width, in 64 bits."""
    t_T = torch.arange(-(-width // 2), dtype=torch.float64, device=device)
    rates_T: Tensor = base ** (-2 * t_T / width)
    return rates_T


def waves(ids: Tensor, rates_T: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sines and the cosines of ids times rates, in 32 bits, along a new last axis."""
    angles = ids.double()[..., None] * rates_T
    return angles.sin().float(), angles.cos().float()


def waves_of_pairs(queries: Where, keys: Where, rates_T: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Return the waves of queries, [1 or B, 1 or M, Q, T] each, and those of keys, [1 or B, 1 or M, L, T].

    A wave of a distance is a product of these: cos(i − j) = cos i cos j + sin i sin j, sin(i − j) = sin i cos j −
    cos i sin j. What all rows or all models share is computed once.
    """
    q_BMQ, k_BML = (once(where.ids_MBL).transpose(0, 1) for where in (queries, keys))
    return waves(q_BMQ, rates_T), waves(k_BML, rates_T)


class Sinusoidal(Encoding):
    """x_i ← x_i + (sin iθ_0, cos iθ_0, sin iθ_1, cos iθ_1, …), θ_t = base^(−2t/D)."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10000.0) -> None:
        super().__init__(fit)
        self.width = fit.width
        self.base = base

    def embed(self, at: Where) -> Tensor:
        """Return the waves of every position; an odd width leaves the last sine without its cosine."""
        sines, cosines = waves(at.ids_MBL, frequencies(self.width, self.base, at.ids_MBL.device))
        return torch.stack([sines, cosines], dim=-1).flatten(-2)[..., : self.width]
