"""Learned absolute positions with random offsets in training, the setting of arXiv 2410.02140.

In training every instance starts at a random row of the table, so that all rows are trained; at test it starts at 0.
"""

from __future__ import annotations

from torch import Tensor

from ...crasp.fragments import Fragment
from ...seeds import Draw
from ..core.card import HUANG, SEPARATE, Bound, Card
from ..core.id_wrapper import shift_at_random
from .learned import Learned

CARD = Card(
    name="ape",
    title="learned absolute positions, trained with random offsets",
    formula="x_i ← x_i + P[i + o], o random in training and 0 at test",
    citation=f"{HUANG}; arXiv 2109.05644",
    family="absolute",
    order=2,
    acts_on=("ids", "input"),
    parameters="N·D",
    relation="absolute",
    at_least=Bound(fragment=Fragment.PERIODIC_LOCAL, citation=HUANG),
    at_most=Bound(
        fragment=Fragment.PERIODIC_LOCAL,
        citation=HUANG,
        assumption="limit transformers do no more than C-RASP[periodic, local] (seen in experiments, not proved)",
    ),
    precise_at_most=SEPARATE,
    few_bits=True,
    shift_invariant=False,
    max_length=True,
    float_ids=False,
    shifts_ids=True,
    has_table=True,
)


class LearnedAPE(Learned):
    """x_i ← x_i + P[i + o], with o uniform over all offsets that fit in training, and 0 otherwise."""

    card = CARD

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return consecutive places, from a random offset in training."""
        ids_MBL = super().ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        if draw is None:
            return ids_MBL
        assert self.max_length is not None
        return shift_at_random(ids_MBL, sizes_MB, self.max_length, draw)
