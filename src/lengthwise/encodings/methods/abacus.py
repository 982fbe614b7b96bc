"""The place of a digit within its number (arXiv 2405.17399)."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, require_room
from ..core.card import OTHER_IDS, Card
from ..core.id_wrapper import IdWrapper, shift_at_random

CARD = Card(
    name="abacus",
    title="the place of a digit within its number",
    formula="the base at 1 + the index in the run of digits (+ a random number in training), other tokens at 0",
    citation="arXiv 2405.17399",
    order=7,
    bases=("learned",),
    refuses=("chosen ids", "counted positions"),
    variants=("sinusoidal",),
    ids_from="digits",
    shifts_ids=True,
    **OTHER_IDS,
    note="meant for numbers written from their least significant digit.",
)


class Abacus(IdWrapper):
    """The base at 1 + the index of a digit within its number, plus a random number in training; 0 for other tokens."""

    card = CARD

    def __init__(self, fit: Fit, base: Encoding) -> None:
        super().__init__(fit, base)
        if not fit.digits:
            raise InvalidOptionError(
                "abacus counts digits, and none of the tokens are known to be digits.",
                hint="use a task whose symbols have digits among them, or say which tokens are digits.",
            )
        self.digits = fit.digits

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base must be made for: one row more, for tokens that are no digits."""
        return replace(fit, max_length=fit.max_length + 1)

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """Return the place of every digit in its run, from 1."""
        require_room(tokens_MBL.shape[-1], self.room)
        is_digit = torch.zeros_like(tokens_MBL, dtype=torch.bool)
        for digit in self.digits:
            is_digit = is_digit | (tokens_MBL == digit)
        place = torch.arange(tokens_MBL.shape[-1], device=tokens_MBL.device)
        last_other = torch.cummax(torch.where(is_digit, -1, place), dim=-1).values
        index_MBL = place - last_other
        if draw is not None:
            index_MBL = shift_at_random(index_MBL, sizes_MB, self.room + 1, draw)
        return torch.where(is_digit, index_MBL, 0)
