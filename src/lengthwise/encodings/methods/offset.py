"""Positions that start at a random number in training."""

from __future__ import annotations

from torch import Tensor

from ...seeds import Draw
from ..core.base import require_room
from ..core.card import OTHER_IDS, Alias, Card
from ..core.id_wrapper import IdWrapper, shift_at_random

CARD = Card(
    name="offset",
    title="positions that start at a random number in training",
    formula="the base at i + o, o random in training and 0 at test",
    citation="arXiv 2109.05644; arXiv 2410.02140",
    order=3,
    bases=("sinusoidal",),
    refuses=("chosen ids", "counted positions"),
    variants=("rope", "fire"),
    aliases=(
        Alias(
            name="shape",
            means="offset(sinusoidal)",
            why="shifted absolute positions are sinusoids with a random offset in training.",
            citation="arXiv 2109.05644",
        ),
    ),
    equals=(("learned", "ape"),),
    bounds_of_base=True,
    shifts_ids=True,
    **OTHER_IDS,
)


class Offset(IdWrapper):
    """The base at i + o, with o uniform over all offsets that fit in training, and 0 otherwise."""

    card = CARD

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return the ids of the base, from a random offset in training."""
        ids_MBL = self.base.ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        if draw is None:
            return ids_MBL
        require_room(tokens_MBL.shape[-1], self.room)
        return shift_at_random(ids_MBL, sizes_MB, self.room, draw)
