"""Sinusoids of the distance, mapped and matched with queries (arXiv 1901.02860).

Shapes: T frequencies; the rest as in ``base``.
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import BASE, DISTANCE_BIAS, TURNED_APART, Card
from ..core.initialization import normal
from .sinusoidal import frequencies, waves_of_pairs

CARD = Card(
    name="transformer_xl",
    title="sinusoids of the distance, mapped and matched with queries",
    formula="score(i, j) = ((q_i + u)·k_j + (q_i + v)·(r_(i−j) W)) / √d",
    citation="arXiv 1901.02860",
    order=2,
    parameters="D·H·d + 2·H·d",
    per_layer=True,
    options=(BASE,),
    variants=("base=50",),
    **TURNED_APART,
    **DISTANCE_BIAS,
)


class TransformerXL(Encoding):
    """score_ij = ((q_i + u)·k_j + (q_i + v)·(r_(i−j) W))/√d, where r_δ are all sin δθ_t, then all cos δθ_t.

    θ_t = base^(−2t/D). The vectors u and v and the map W belong to a head.
    """

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10000.0) -> None:
        super().__init__(fit)
        self.base = base
        models, heads, width = fit.num_models, fit.num_heads, fit.head_width
        self.map_MDHK = nn.Parameter(torch.empty(models, fit.width, heads, width))
        self.content_MHK = nn.Parameter(torch.empty(models, heads, width))
        self.position_MHK = nn.Parameter(torch.empty(models, heads, width))

    def initialize(self, draw: Draw) -> None:
        """Set the map and both vectors to small random numbers."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=0.02))

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return the scores of contents and of distances."""
        contents = (q + self.content_MHK.to(q.dtype).flatten(0, 1)[:, None]) @ k.transpose(-1, -2)
        with torch.autocast(q.device.type, enabled=False):  # the waves of near distances differ too little for 16 bits
            q_BMHQK = torch.unflatten(q.float(), 1, self.position_MHK.shape[:2])
            places = self._match(q_BMHQK + self.position_MHK.float()[:, :, None], queries, keys)
        scores: Tensor = (contents + places) / self.head_width**0.5
        return scores

    def _match(self, q_BMHQK: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return q_i·(r_(i−j) W), [B, M·H, Q, L].

        With a_t = q_i·W[t] for the sine and c_t for the cosine of δθ_t, it is the sum over t of

            a_t sin(iθ − jθ) + c_t cos(iθ − jθ)
                = (a_t sin iθ + c_t cos iθ) cos jθ + (c_t sin iθ − a_t cos iθ) sin jθ,

        a product of queries with keys: no wave of a distance is ever computed, and ids may be any numbers.
        """
        width = self.map_MDHK.shape[1]
        rates_T = frequencies(width, self.base, q_BMHQK.device)
        num_sines = rates_T.shape[0]
        (sin_i, cos_i), (sin_j, cos_j) = waves_of_pairs(queries, keys, rates_T)
        map_MHDK = self.map_MDHK.float().transpose(1, 2).contiguous()  # one layout in a stack of any size
        amounts_BMHQD = torch.einsum("bmhqk,mhdk->bmhqd", q_BMHQK, map_MHDK)
        a, c = amounts_BMHQD[..., :num_sines], amounts_BMHQD[..., num_sines:]
        c = functional.pad(c, (0, width % 2))  # of an odd width, the last sine is without its cosine
        sin_i, cos_i = sin_i[:, :, None], cos_i[:, :, None]
        turned = torch.cat([a * sin_i + c * cos_i, c * sin_i - a * cos_i], dim=-1)
        key_waves = torch.cat([cos_j, sin_j], dim=-1).transpose(-1, -2)
        matched = turned.flatten(2, 3) @ key_waves  # the heads of a model meet the same keys
        return torch.unflatten(matched, 2, turned.shape[2:4]).flatten(1, 2)
