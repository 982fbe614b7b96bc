"""Learned vectors for clipped distances, added to keys and to values (arXiv 1803.02155).

Shapes: N rows of a table; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances
from ..core.card import CLIP, NEAR_OR_FAR_BY_CLIP, Card
from ..core.initialization import normal
from ..core.tables import collect, spread

CARD = Card(
    name="shaw",
    title="learned vectors for clipped distances, for keys and for values",
    formula="score(i, j) = q_i·(k_j + a[min(i − j, clip)]) / √d; output_i = Σ_j α_ij (v_j + c[min(i − j, clip)])",
    citation="arXiv 1803.02155",
    family="biases",
    order=1,
    acts_on=("scores", "values"),
    parameters="2·(clip + 1)·d",
    per_layer=True,
    options=(CLIP,),
    variants=("clip=3",),
    relation="clipped",
    **NEAR_OR_FAR_BY_CLIP,
    shift_invariant=True,
    float_ids=False,
    unsigned=True,
    note="all distances from the clip on look alike.",
)


def require_whole(ids_MBL: Tensor) -> Tensor:
    """Return ids that a table of distances can be asked for; raise if they are fractions."""
    if ids_MBL.is_floating_point():
        raise InvalidOptionError(
            f"a table of distances has rows for whole numbers only; the ids given are fractions ({ids_MBL.dtype}).",
            hint="choose an encoding that is a formula, for example alibi, kerple_log or rope.",
        )
    return ids_MBL


def whole_distances(queries: Where, keys: Where) -> Tensor:
    """Return distances as in ``base``, in whole numbers; raise if the ids are fractions."""
    require_whole(queries.ids_MBL)
    require_whole(keys.ids_MBL)
    return distances(queries, keys).long()


class Shaw(Encoding):
    """score_ij = q_i·(k_j + A[c])/√d and output_i = Σ_j α_ij (v_j + C[c]), where c is i − j brought into 0, …, clip.

    The heads of a layer share the tables.
    """

    card = CARD

    def __init__(self, fit: Fit, *, clip: int = 16) -> None:
        super().__init__(fit)
        self.clip = clip
        size = (fit.num_models, clip + 1, fit.head_width)
        self.keys_MNK = nn.Parameter(torch.empty(size))
        self.values_MNK = nn.Parameter(torch.empty(size))

    def initialize(self, draw: Draw) -> None:
        """Set both tables to small random numbers."""
        with torch.no_grad():
            for name, table_MNK in self.named_parameters():
                table_MNK.copy_(normal(draw.named(name), tuple(table_MNK.shape[1:]), deviation=0.02))

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions."""
        return super().checked(require_whole(ids_MBL), most)

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return scores with a part for the distance, which is computed for each row of the table and looked up."""
        plain = super().scores(q, k, x_MBLD, queries, keys)
        table_MNK = self.keys_MNK.to(q.dtype)
        q_BMHQK = torch.unflatten(q, 1, (table_MNK.shape[0], -1))
        by_row_BMHQN = torch.einsum("bmhqk,mnk->bmhqn", q_BMHQK, table_MNK)
        found_BMHQL = spread(by_row_BMHQN, self._rows(queries, keys))
        scores: Tensor = plain + found_BMHQL.flatten(1, 2) / self.head_width**0.5
        return scores

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return what attention passes on; weights that meet the same row of the table are added up first."""
        table_MNK = self.values_MNK.to(v.dtype)
        # many small weights meet in the last row: a sum for 32 bits
        weights_BMHQL = torch.unflatten(weights.float(), 1, (table_MNK.shape[0], -1))
        by_row_BMHQN = collect(weights_BMHQL, self._rows(queries, keys), table_MNK.shape[1])
        added_BMHQK = torch.einsum("bmhqn,mnk->bmhqk", by_row_BMHQN.to(v.dtype), table_MNK)
        return super().value(weights, v, queries, keys) + added_BMHQK.flatten(1, 2)

    def _rows(self, queries: Where, keys: Where) -> Tensor:
        """Return the row of the table that each pair looks up, [1 or B, 1 or M, 1, Q, L]."""
        return whole_distances(queries, keys).clamp(0, self.clip)
