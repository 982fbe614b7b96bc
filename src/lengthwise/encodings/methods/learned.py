"""Learned absolute positions: a table with one row for each.

Without random offsets the rows beyond the training lengths are never trained. With them, in training, every instance
starts at a random place of the table, so that all rows are trained; at test it starts at 0. That is the setting of
arXiv 2410.02140.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import UNIFORM_HEADS, Card
from ..core.initialization import normal
from ..core.tables import look_up

CARD = Card(
    name="learned",
    title="learned absolute positions, always from the first row",
    formula="x_i ← x_i + P[i]",
    citation="arXiv 1706.03762",
    family="absolute",
    order=3,
    acts_on=("input",),
    parameters="N·D",
    relation="absolute",
    expressible=UNIFORM_HEADS,
    few_bits=True,
    shift_invariant=False,
    max_length=True,
    float_ids=False,
    has_table=True,
    note="rows beyond the training lengths are never trained, so longer inputs meet random rows.",
)


class Learned(Encoding):
    """x_i ← x_i + P[i]."""

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.max_length = fit.max_length
        self.table_MND = nn.Parameter(torch.empty(fit.num_models, fit.max_length, fit.width))

    def initialize(self, draw: Draw) -> None:
        """Set the table to small random numbers."""
        with torch.no_grad():
            self.table_MND.copy_(normal(draw.named("table"), tuple(self.table_MND.shape[1:]), deviation=0.02))

    def embed(self, at: Where) -> Tensor:
        """Return the rows of the table."""
        if at.ids_MBL.is_floating_point():
            raise InvalidOptionError(
                "a table of positions has rows for whole numbers only; the ids given are fractions.",
                hint="choose an encoding that is a formula, for example sinusoidal or rope.",
            )
        return look_up(self.table_MND, at.ids_MBL)
