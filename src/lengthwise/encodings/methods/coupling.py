"""One position for all tokens of a role, as the task gives it (arXiv 2405.20671)."""

from __future__ import annotations

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import require_room
from ..core.card import OTHER_IDS, Alias, Card
from ..core.id_wrapper import IdWrapper, shift_at_random

CARD = Card(
    name="coupling",
    title="one position for all tokens of a role",
    formula="the base at the role of each token, as its task gives it, from a random start in training",
    citation="arXiv 2405.20671; arXiv 2410.15787; arXiv 2502.16792",
    order=6,
    bases=("learned",),
    refuses=("chosen ids", "counted positions"),
    variants=("t5", "rope"),
    aliases=(
        Alias(
            name="predictive_coupling",
            means="coupling(learned)",
            why="the ids are those of coupling; predicting the next id is a matter of training.",
            citation="arXiv 2502.16792",
        ),
    ),
    ids_from="roles",
    shifts_ids=True,
    **OTHER_IDS,
    note="needs a task whose tokens have roles; that of an answer's token may depend on the prompt only.",
)


class Coupling(IdWrapper):
    """The base at the roles that the task gives its tokens, from a random start in training; role 0 stays 0."""

    card = CARD

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return the roles, shifted in training."""
        if roles_MBL is None:
            raise InvalidOptionError(
                "coupling needs a task whose tokens have roles, and this one gives none.",
                hint="use a task with roles, such as unique_copy or repeat_copy, or hand in the roles.",
            )
        roles_MBL = roles_MBL.expand(tokens_MBL.shape)
        require_room(tokens_MBL.shape[-1], self.room)  # a role is a number of tokens at most
        if draw is None:
            return roles_MBL
        return torch.where(roles_MBL > 0, shift_at_random(roles_MBL, sizes_MB, self.room, draw), 0)
