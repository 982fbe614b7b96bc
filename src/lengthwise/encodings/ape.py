"""Learned absolute positions with random offsets: the setting of arXiv 2410.02140.

In training every instance starts at a random place of the table, so that all rows are trained; at test it starts at 0.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..errors import InvalidOptionError
from ..seeds import Draw
from .base import Encoding
from .initialization import normal
from .tables import look_up


class LearnedAPE(Encoding):
    """x_i ← x_i + P[i + o], with o uniform over all offsets that fit in training, and 0 otherwise."""

    def __init__(self, *, num_models: int, num_heads: int, head_width: int, width: int, max_length: int) -> None:
        super().__init__(
            num_models=num_models, num_heads=num_heads, head_width=head_width, width=width, max_length=max_length
        )
        self.max_length = max_length
        self.table_MND = nn.Parameter(torch.empty(num_models, max_length, width))

    def initialize(self, draw: Draw) -> None:
        """Set the table to small random numbers."""
        with torch.no_grad():
            self.table_MND.copy_(normal(draw.named("table"), tuple(self.table_MND.shape[1:]), deviation=0.02))

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None) -> Tensor:
        """Return consecutive places, from a random offset in training."""
        ids_MBL = super().ids(tokens_MBL, sizes_MB, draw)
        width = tokens_MBL.shape[-1]
        if self.max_length is None or width > self.max_length:
            raise InvalidOptionError(
                f"an instance of {width} tokens does not fit the {self.max_length} positions of this encoding.",
                hint="make the model with a larger max_length.",
            )
        if draw is None:
            return ids_MBL
        room_MB = self.max_length - sizes_MB + 1
        offset_MB = draw.named("offset").integers(room_MB, (tokens_MBL.shape[1],))
        shifted: Tensor = ids_MBL + offset_MB[..., None]
        return shifted.clamp(max=self.max_length - 1)  # only padding lies beyond

    def embed(self, ids_MBL: Tensor) -> Tensor:
        """Return the rows of the table."""
        return look_up(self.table_MND, ids_MBL)
