"""Learned absolute positions: a table with one row for each.

Without random offsets the rows beyond the training lengths are never trained. With them, in training, every instance
starts at a random place of the table, so that all rows are trained; at test it starts at 0. That is the setting of
arXiv 2410.02140.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..errors import InvalidOptionError
from ..seeds import Draw
from .base import Encoding, Fit, Where
from .initialization import normal
from .positions import shift_at_random
from .tables import look_up


class Learned(Encoding):
    """x_i ← x_i + P[i]."""

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


class LearnedAPE(Learned):
    """x_i ← x_i + P[i + o], with o uniform over all offsets that fit in training, and 0 otherwise."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return consecutive places, from a random offset in training."""
        ids_MBL = super().ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        if draw is None:
            return ids_MBL
        assert self.max_length is not None
        return shift_at_random(ids_MBL, sizes_MB, self.max_length, draw)
