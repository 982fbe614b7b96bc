"""Relative projection: every token mixes a few shared curves over distance into a bias of its own.

There is no paper. The formula is that of ``RelativeProjPositionalBias`` in x-transformers 2.31.10, which names the model
Inkling of Thinking Machines as its source.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances
from ..core.card import NEAR_OR_FAR_BY_REACH, Card, Option
from ..core.initialization import normal

CARD = Card(
    name="relative_projection",
    title="a mixture of shared distance curves, chosen by each token",
    formula="score(i, j) = q_i·k_j / √d + Σ_t m_ht(x_i)·c_t[i − j] where i − j < reach, m affine",
    citation="as in x-transformers 2.31, after Inkling of Thinking Machines",
    family="contents",
    order=1,
    acts_on=("scores",),
    parameters="(reach or T)·curves + D·H·curves + H·curves",
    per_layer=True,
    options=(
        Option(name="curves", default=16, low=1, high=10_000, meaning="the number of shared curves"),
        Option(name="reach", default=0, low=0, high=1_000_000, meaning="distances with a bias; 0: those trained on"),
    ),
    variants=("curves=3, reach=5",),
    **NEAR_OR_FAR_BY_REACH,
    shift_invariant=True,
    reads_stream=True,
    note="there is no paper; distances beyond the reach get no bias.",
)


class RelativeProjection(Encoding):
    """score = q_i·k_j/√d + Σ_t m_{h,t}(x_i)·c_t[δ] for 0 ≤ δ < ``reach``, and q_i·k_j/√d for any other distance δ.

    m is an affine map of the stream that enters attention at the query; the ``curves`` c are tables, shared by the
    heads, and a fraction takes the row below it. ``reach`` 0 stands for the tokens of the longest training instance:
    then every row can be trained. The source has 1024 rows.
    """

    card = CARD

    def __init__(self, fit: Fit, *, curves: int = 16, reach: int = 0) -> None:
        super().__init__(fit)
        for name, value, least in (("curves", curves, 1), ("reach", reach, 0)):
            if type(value) is not int or value < least:
                raise InvalidOptionError(
                    f"{name} must be a whole number of at least {least}; found {value!r}.", hint="correct the value."
                )
        self.table_MRT = nn.Parameter(torch.empty(fit.num_models, reach or fit.trained, curves))
        self.mix_MDHT = nn.Parameter(torch.empty(fit.num_models, fit.width, fit.num_heads, curves))
        self.mix_bias_MHT = nn.Parameter(torch.empty(fit.num_models, fit.num_heads, curves))

    def initialize(self, draw: Draw) -> None:
        """Set the curves to small random numbers, and the mixtures to such that they are of the order of 1."""
        wide = (3 * self.mix_MDHT.shape[1]) ** -0.5
        named = (("table", self.table_MRT, 0.02), ("mix", self.mix_MDHT, wide), ("mix_bias", self.mix_bias_MHT, wide))
        with torch.no_grad():
            for name, parameter, deviation in named:
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=deviation))

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return scores with the bias that each query has mixed for itself."""
        num_rows = self.table_MRT.shape[1]
        with torch.autocast(x_MBLD.device.type, enabled=False):
            x_BMQD = queries.take(x_MBLD.transpose(0, 1)).float()
            mix_BMHQT = torch.einsum("bmqd,mdht->bmhqt", x_BMQD, self.mix_MDHT.float())
            mix_BMHQT = mix_BMHQT + self.mix_bias_MHT.float()[:, :, None]
            bias_BMHQR = mix_BMHQT @ self.table_MRT.float().mT[:, None]  # at every distance that has a row
        delta = distances(queries, keys)
        row = delta.clamp(0, num_rows - 1).long().expand(*bias_BMHQR.shape[:-1], delta.shape[-1])
        bias_BMHQL = torch.where((delta >= 0) & (delta < num_rows), bias_BMHQR.gather(-1, row), 0.0)
        biased: Tensor = super().scores(q, k, x_MBLD, queries, keys) + bias_BMHQL.flatten(1, 2)
        return biased
