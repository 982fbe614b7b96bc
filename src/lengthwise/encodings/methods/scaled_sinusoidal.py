"""Sines and cosines of the position times a learned gain, added to the input."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Fit, Where
from ..core.card import BASE, TURNED_APART, Card
from .sinusoidal import Sinusoidal

CARD = Card(
    name="scaled_sinusoidal",
    title="sines and cosines times a learned gain, added to the input",
    formula="x_i ← x_i + g·(sin, cos)(i·θ_t), θ_t = base^(−2t/D)",
    citation="arXiv 1706.03762; as in x-transformers",
    family="absolute",
    order=5,
    acts_on=("input",),
    parameters="1",
    options=(BASE,),
    variants=("base=100",),
    relation="absolute",
    **TURNED_APART,
    shift_invariant=False,
    note="the gain starts at 1/√D.",
)


class ScaledSinusoidal(Sinusoidal):
    """x_i ← x_i + g·(sinusoidal), with a learned g that starts at D^(−1/2)."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10000.0) -> None:
        super().__init__(fit, base=base)
        self.gain_M = nn.Parameter(torch.empty(fit.num_models))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set the gain so that what is added has a length of about 1."""
        with torch.no_grad():
            self.gain_M.fill_(self.width**-0.5)

    def embed(self, at: Where) -> Tensor:
        """Return the waves of every position, times the gain."""
        return self.gain_M.float()[:, None, None, None] * super().embed(at)
