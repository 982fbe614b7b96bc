"""Penalties that grow like a logarithm or a power of the distance, learned in every head (arXiv 2205.09921)."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, Card
from .alibi import softplus_inverse

CARD = Card(
    name="kerple_log",
    title="a penalty logarithmic in the distance, learned",
    formula="score(i, j) = q_i·k_j / √d − r₁ log(1 + r₂(i − j)), r₁, r₂ > 0",
    citation="arXiv 2205.09921",
    order=8,
    parameters="2·H",
    per_layer=True,
    bounded_bias=False,
    never_positive=True,
    **DISTANCE_BIAS,
)


class KerpleLog(Encoding):
    """score_ij = q_i·k_j/√d − r₁ log(1 + r₂|i − j|), with r₁ and r₂ the softplus of what is learned; both start at 1."""

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.scale_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))
        self.rate_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set r₁ and r₂ to 1."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(softplus_inverse(torch.ones_like(parameter)))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the penalties."""
        scale, rate = (
            functional.softplus(raw_MH.float())[..., None, None] for raw_MH in (self.scale_raw_MH, self.rate_raw_MH)
        )
        far = distances(queries, keys).float().abs()
        return per_head(-scale * torch.log1p(rate * far), scale.shape[0])
