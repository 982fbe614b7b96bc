"""The relative position of relative positions: distances to tokens that attention finds, compared (arXiv 2410.08898).

The paper's idea in our reconstruction. A query that is 4 tokens behind ``<sep>`` finds the key that is 4 tokens behind
``<bos>``: nobody tells it the scale, because contents show where both count from.

Shapes: E the distances 0, …, L − 1 of a token to those before it, N rows of the table, W width of the maps; the rest as
in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import UNIFORM_HEADS, Card, Option
from ..core.initialization import normal
from ..core.tables import spread

CARD = Card(
    name="rpe_square",
    title="the relative position of the relative positions to tokens that attention finds",
    formula="score(i, j) = q_i·k_j / √d + Σ_k Σ_l a_ik b_jl R_h[(i − k) − (j − l)], a and b softmaxes of contents, R clipped at ±reach",
    citation="our reconstruction of arXiv 2410.08898",
    family="relations",
    order=4,
    acts_on=("scores",),
    parameters="(2·reach + 1)·H + 4·D·H·width",
    per_layer=True,
    options=(
        Option(name="reach", default=16, low=0, high=100_000, meaning="the difference from which all are alike"),
        Option(name="width", default=8, low=1, high=10_000, meaning="the width of the maps that find tokens"),
    ),
    variants=("reach=2, width=3",),
    at_least=UNIFORM_HEADS,
    shift_invariant=True,
    uses_visible_keys=True,
    reads_stream=True,
    note="distances count tokens, whatever their ids.",
)


class RPESquare(Encoding):
    """score_ij = q_i·k_j/√d + Σ_{k≤i} Σ_{l≤j} a_ik b_jl R_h[(i − k) − (j − l)]; R is clipped at ±``reach``.

    a and b are softmaxes of products of maps of the stream, of their own in every head, over the tokens that i and j
    see. Distances count tokens, whatever their ids. The sum needs only how a_i is spread over the distances i − k and
    b_j over j − l: with these in the rows of A and B, and T the matrix of R[d − e], it is A T Bᵀ.
    """

    card = CARD

    def __init__(self, fit: Fit, *, reach: int = 16, width: int = 8) -> None:
        super().__init__(fit)
        self.reach = reach
        self.table_MNH = nn.Parameter(torch.empty(fit.num_models, 2 * reach + 1, fit.num_heads))
        size = (fit.num_models, fit.width, 2, fit.num_heads, width)  # 2: the maps of a, then those of b
        self.seek_MDTHW = nn.Parameter(torch.empty(size))
        self.offer_MDTHW = nn.Parameter(torch.empty(size))

    def initialize(self, draw: Draw) -> None:
        """Set R to small random numbers, and the maps to ones of deviation 1/√D, so that tokens tell each other apart."""
        with torch.no_grad():
            self.table_MNH.copy_(normal(draw.named("table"), tuple(self.table_MNH.shape[1:]), deviation=0.02))
            for name, maps in (("seek", self.seek_MDTHW), ("offer", self.offer_MDTHW)):
                maps.copy_(normal(draw.named(name), tuple(maps.shape[1:]), deviation=maps.shape[1] ** -0.5))

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return scores with what is learned of the distances of query and key to what they have found."""
        num_keys = k.shape[-2]
        own = torch.arange(num_keys, device=k.device)
        with torch.autocast(x_MBLD.device.type, enabled=False):
            x_BMLD = x_MBLD.transpose(0, 1).float()
            place = own[None] if queries.places_BL is None else queries.places_BL
            a_BMHQE = self._spread_of(0, queries.take(x_BMLD), x_BMLD, queries.sees(num_keys), place)
            b_BMHLE = self._spread_of(1, x_BMLD, x_BMLD, _sees_before(queries, keys, num_keys), own[None])
            matched = a_BMHQE @ self._matrix(num_keys) @ b_BMHLE.mT
        biased: Tensor = super().scores(q, k, x_MBLD, queries, keys) + matched.flatten(1, 2)
        return biased

    def _spread_of(self, part: int, x_BMQD: Tensor, x_BMLD: Tensor, sees: Tensor, place_BQ: Tensor) -> Tensor:
        """Return how the softmax of each token is spread over distances to tokens before it, [B, M, H, Q, E]."""
        seek_MDHW, offer_MDHW = (maps[:, :, part].float() for maps in (self.seek_MDTHW, self.offer_MDTHW))
        seek = torch.einsum("bmqd,mdhw->bmhqw", x_BMQD, seek_MDHW)
        offer = torch.einsum("bmld,mdhw->bmhlw", x_BMLD, offer_MDHW)
        found = seek @ offer.mT / seek.shape[-1] ** 0.5
        share_BMHQL = torch.softmax(found.masked_fill(~sees[:, :, None], -torch.inf), dim=-1)
        key = place_BQ[..., None] - torch.arange(x_BMLD.shape[2], device=x_BMLD.device)  # at each distance, [B, Q, E]
        index = key.clamp(min=0)[:, None, None].expand(*share_BMHQL.shape[:4], -1)
        return torch.where((key >= 0)[:, None, None], share_BMHQL.gather(-1, index), 0.0)

    def _matrix(self, num_distances: int) -> Tensor:
        """Return R[d − e] for all distances d and e, [1, M, H, E, E]."""
        d = torch.arange(num_distances, device=self.table_MNH.device)
        row = (d[:, None] - d).clamp(-self.reach, self.reach) + self.reach
        table_MHN = self.table_MNH.float().transpose(1, 2)
        return spread(table_MHN[None, :, :, None].expand(-1, -1, -1, num_distances, -1), row[None, None, None])


def _sees_before(queries: Where, keys: Where, num_keys: int) -> Tensor:
    """Return what each key sees, [B or 1, 1, L, L]: itself, and what is before it in its instance."""
    own = torch.arange(num_keys, device=keys.ids_MBL.device)
    if keys.visible is not None or queries.visible is None:
        sees = keys.visible if keys.visible is not None else (own <= own[:, None])[None, None]
    else:  # of a single instance, whose last token sees all of it that is no padding
        sees = queries.visible[..., -1:, :] & (own <= own[:, None])
    return sees | (own == own[:, None])
