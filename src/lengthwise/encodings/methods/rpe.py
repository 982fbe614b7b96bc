"""A learned number for every distance: the plain relative encoding, as our reconstruction of arXiv 2510.04130 has it.

Shapes: N rows of the table; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, per_head
from ..core.card import UNIFORM_HEADS, Card
from .shaw import require_whole, whole_distances

CARD = Card(
    name="rpe",
    title="a learned number for every distance",
    formula="score(i, j) = q_i·k_j / √d + b_h[i − j], b = 0 at the start",
    citation="our reconstruction of arXiv 2510.04130",
    family="relations",
    order=1,
    acts_on=("scores",),
    parameters="2·N·H",
    per_layer=True,
    relation="relative",
    expressible=UNIFORM_HEADS,
    shift_invariant=True,
    bounded_bias=True,
    max_length=True,
    float_ids=False,
    note="a distance that training never meets adds nothing; negative distances have rows too, for coupling and scale_hint.",
)


class RPE(Encoding):
    """score_ij = q_i·k_j/√d + b_h[i − j], b all 0 at the start: a distance that training never meets stays without one.

    There is a row for each of −max_length, …, max_length − 1: coupled positions and the scale hint give negative
    distances too. Whatever lies beyond is 0, as an untrained row is.
    """

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.max_length = fit.max_length
        self.table_MNH = nn.Parameter(torch.empty(fit.num_models, 2 * fit.max_length, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set all numbers to 0."""
        with torch.no_grad():
            self.table_MNH.zero_()

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions or there is no room for them."""
        return super().checked(require_whole(ids_MBL), most)

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the number of each distance."""
        models, num_rows, heads = self.table_MNH.shape
        row = whole_distances(queries, keys) + num_rows // 2
        batch, _, _, num_queries, _ = row.shape
        # each query looks up in a view of the table of its own: it meets a distance once, so that no gradients collide
        table = self.table_MNH.float().transpose(1, 2)[None, :, :, None].expand(batch, -1, -1, num_queries, -1)
        found = table.gather(-1, row.clamp(0, num_rows - 1).expand(batch, models, heads, -1, -1))
        return per_head(torch.where((row >= 0) & (row < num_rows), found, 0.0), models)
