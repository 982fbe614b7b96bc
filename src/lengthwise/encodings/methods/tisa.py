"""A sum of bell curves of the distance, learned in every head (arXiv 2106.01950).

Shapes: S curves; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, FLAT_IN_THE_END, NEAR_AND_FAR_PRECISE, UNIFORM_HEADS, Card, Option
from ..core.initialization import normal

CARD = Card(
    name="tisa",
    title="a sum of bell curves of the distance, learned",
    formula="score(i, j) = q_i·k_j / √d + Σ_s a_s exp(−|b_s|(i − j − c_s)²), s from 1 to kernels",
    citation="arXiv 2106.01950",
    order=13,
    parameters="3·kernels·H",
    per_layer=True,
    options=(Option(name="kernels", default=5, low=1, high=1000, meaning="the number of curves in each head"),),
    variants=("kernels=2",),
    at_least=UNIFORM_HEADS,
    at_most=FLAT_IN_THE_END,
    precise_at_most=NEAR_AND_FAR_PRECISE,
    few_bits=True,
    bounded_bias=True,
    **DISTANCE_BIAS,
    note="the authors' code leaves open where curves start; here they start at the nearest distances.",
)


class TISA(Encoding):
    """score_ij = q_i·k_j/√d + Σ_s a_s exp(−|b_s|(i − j − c_s)²), with heights a, sharpnesses b and centres c learned.

    Far from all centres it adds nothing. The distance here is i − j, in the paper j − i, so centres have the other sign.
    """

    card = CARD

    def __init__(self, fit: Fit, *, kernels: int = 5) -> None:
        super().__init__(fit)
        shape = (fit.num_models, fit.num_heads, kernels)
        self.height_MHS = nn.Parameter(torch.empty(shape))
        self.sharpness_MHS = nn.Parameter(torch.empty(shape))
        self.centre_MHS = nn.Parameter(torch.empty(shape))

    def initialize(self, draw: Draw) -> None:
        """Set centres to 0, 1, 2, …, sharpnesses to 1/2, and heights to small random numbers."""
        with torch.no_grad():
            self.height_MHS.copy_(normal(draw.named("height_MHS"), tuple(self.height_MHS.shape[1:]), deviation=0.1))
            self.sharpness_MHS.fill_(0.5)
            self.centre_MHS.copy_(torch.arange(self.centre_MHS.shape[-1]).expand_as(self.centre_MHS))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the sum, curve by curve, so that no more than one of them is held at a time without gradients."""
        delta = distances(queries, keys).float()
        total = torch.zeros_like(delta)
        curves = zip(
            *(p.float().unbind(-1) for p in (self.height_MHS, self.sharpness_MHS, self.centre_MHS)), strict=True
        )
        for curve in curves:
            height, sharpness, centre = (number_MH[..., None, None] for number_MH in curve)
            total = total + height * torch.exp(-sharpness.abs() * (delta - centre).square())
        return per_head(total, self.num_models)
