"""A penalty that is a power of the distance, learned in every head (arXiv 2205.09921)."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, FADED_ALIKE, FADED_TO_WINDOWS, Card
from .alibi import slopes, softplus_inverse

CARD = Card(
    name="kerple_power",
    title="a penalty that is a power of the distance, learned",
    formula="score(i, j) = q_i·k_j / √d − r₁(i − j)^r₂, r₁ > 0, 0 < r₂ < 2",
    citation="arXiv 2205.09921",
    order=9,
    parameters="2·H",
    per_layer=True,
    at_most=FADED_ALIKE,
    precise_at_most=FADED_TO_WINDOWS,
    bounded_bias=False,
    never_positive=True,
    **DISTANCE_BIAS,
    note="alibi is r₂ = 1, and that is where it starts.",
)


class KerplePower(Encoding):
    """score_ij = q_i·k_j/√d − r₁|i − j|^r₂, r₁ = softplus(scale) and r₂ = 2σ(power); it starts as ALiBi."""

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.scale_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))
        self.power_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set r₁ to the slopes of ALiBi and r₂ to 1."""
        with torch.no_grad():
            self.scale_raw_MH.copy_(softplus_inverse(slopes(self.num_heads)))
            self.power_raw_MH.zero_()

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the penalties."""
        scale = functional.softplus(self.scale_raw_MH.float())[..., None, None]
        power = 2 * torch.sigmoid(self.power_raw_MH.float())[..., None, None]
        far = distances(queries, keys).float().abs()
        is_far = far > 0
        # 0^r is 0 whatever r is, but its derivative, 0^r log 0, would be computed as 0·(−∞)
        raised = torch.where(is_far, torch.where(is_far, far, 1.0) ** power, 0.0)
        return per_head(-scale * raised, scale.shape[0])
