"""A penalty linear in the distance with learned slopes, which start from those of alibi."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, FADED_ALIKE, FADED_IF_STEEP, Card
from .alibi import slopes, softplus_inverse

CARD = Card(
    name="learned_alibi",
    title="a penalty linear in the distance, with learned slopes",
    formula="score(i, j) = q_i·k_j / √d − softplus(r_h)·(i − j)",
    citation="after arXiv 2108.12409",
    order=6,
    parameters="H",
    per_layer=True,
    at_most=FADED_ALIKE,
    precise_at_most=FADED_IF_STEEP,
    bounded_bias=False,
    never_positive=True,
    unsigned=True,
    **DISTANCE_BIAS,
    note="it starts from the slopes of alibi; a slope below 1e-45 is 0 in float32, and its head then attends like one of nope.",
)


class LearnedALiBi(Encoding):
    """score_ij = q_i·k_j/√d − softplus(raw_h)·(i − j), from the slopes of ALiBi on."""

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set the slopes to those of ALiBi."""
        with torch.no_grad():
            self.raw_MH.copy_(softplus_inverse(slopes(self.num_heads)))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the penalties."""
        slope_MH = functional.softplus(self.raw_MH.float())
        return per_head(-slope_MH[..., None, None] * distances(queries, keys).float(), slope_MH.shape[0])
