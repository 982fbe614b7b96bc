"""Content that looks for distances, and distances that look for content (arXiv 2006.03654).

Shapes: N rows of the table; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import CLIP, NEAR_OR_FAR_BY_CLIP, Card, Option
from ..core.initialization import normal
from ..core.tables import spread
from .shaw import require_whole, whole_distances

CARD = Card(
    name="deberta",
    title="content to position and position to content, with clipped distances",
    formula="score(i, j) = (q_i·k_j + q_i·K[r(i − j)] + k_j·Q[r(j − i)]) / √(3d), r clips to ±clip; released: Q[r(i − j)]",
    citation="arXiv 2006.03654",
    family="biases",
    order=4,
    acts_on=("scores",),
    parameters="2·clip·D + 2·D·H·d",
    per_layer=True,
    options=(
        CLIP,
        Option(
            name="index",
            default="paper",
            words=("paper", "released"),
            meaning="where keys look up positions: at j − i as in the paper, or at i − j as in its released code",
        ),
    ),
    variants=("clip=3", "index=released"),
    **NEAR_OR_FAR_BY_CLIP,
    shift_invariant=True,
    float_ids=False,
)


class DeBERTa(Encoding):
    """score_ij = (q_i·k_j + q_i·K[r(i − j)] + k_j·Q[r(j − i)])/√(3d), r(δ) = δ + clip brought into 0, …, 2·clip − 1.

    K and Q are the rows of one table, mapped for each head as keys and as queries. With ``index="released"`` it is
    Q[r(i − j)]: the authors' program, and the transformers library after it, do not turn the sign as the paper does.
    """

    card = CARD

    def __init__(self, fit: Fit, *, clip: int = 16, index: str = "paper") -> None:
        super().__init__(fit)
        self.clip = clip
        self.sign = -1 if index == "paper" else 1
        models, heads, width = fit.num_models, fit.num_heads, fit.head_width
        self.table_MND = nn.Parameter(torch.empty(models, 2 * clip, fit.width))
        self.queries_MDHK = nn.Parameter(torch.empty(models, fit.width, heads, width))
        self.keys_MDHK = nn.Parameter(torch.empty(models, fit.width, heads, width))

    def initialize(self, draw: Draw) -> None:
        """Set the table and both maps to small random numbers."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=0.02))

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions."""
        return super().checked(require_whole(ids_MBL), most)

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return the sum of three products; those with the table are computed for each row of it and looked up."""
        delta = whole_distances(queries, keys)
        to_position = self._look_up(q, self.keys_MDHK, delta)
        to_content = self._look_up(k, self.queries_MDHK, self.sign * delta.transpose(-1, -2)).transpose(-1, -2)
        scores: Tensor = (q @ k.transpose(-1, -2) + to_position + to_content) / (3 * self.head_width) ** 0.5
        return scores

    def _look_up(self, contents: Tensor, map_MDHK: Tensor, delta: Tensor) -> Tensor:
        """Return the products of contents, [B, M·H, P, K], with the mapped row of each distance, [B, M·H, P, P']."""
        mapped_MHKN = torch.einsum("mnd,mdhk->mhkn", self.table_MND, map_MDHK).to(contents.dtype)
        by_row_BMHPN = torch.unflatten(contents, 1, mapped_MHKN.shape[:2]) @ mapped_MHKN
        return spread(by_row_BMHPN, (delta + self.clip).clamp(0, 2 * self.clip - 1)).flatten(1, 2)
