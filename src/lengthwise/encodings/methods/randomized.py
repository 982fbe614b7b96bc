"""Positions that are a random sorted sample of a longer range (arXiv 2305.16843)."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, require_room
from ..core.card import OTHER_IDS, Card, Option
from ..core.id_wrapper import IdWrapper, draw_for

CARD = Card(
    name="randomized",
    title="positions that are a random sorted sample of a longer range",
    formula="the base at the sorted sample p_1 < … < p_n of {0, …, length − 1}, in training and at test",
    citation="arXiv 2305.16843",
    order=4,
    options=(
        Option(
            name="length", default=0, low=0, high=10_000_000, meaning="the range; 0: four times the longest instance"
        ),
    ),
    bases=("sinusoidal",),
    refuses=("chosen ids", "counted positions"),
    variants=("learned", "shaw, length=900"),
    prefix_consistent=False,
    draws_ids=True,
    needs_scale=True,
    max_length=True,
    ids_from="sample",
    **OTHER_IDS,
    note="a batch shares one order of the range, of which an instance of n tokens takes the first n; at test it is fixed.",
)


class Randomized(IdWrapper):
    """The base at a sorted sample without repeats of {0, …, length − 1}, one for each instance."""

    card = CARD

    def __init__(self, fit: Fit, base: Encoding, *, length: int = 0) -> None:
        super().__init__(fit, base)
        self.length = self.max_length = length or 4 * fit.max_length
        if self.length < fit.max_length:
            raise InvalidOptionError(
                f"a sample of up to {fit.max_length} positions cannot be drawn from {self.length}.",
                hint=f"choose a length of at least {fit.max_length}.",
            )

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base must be made for: the whole range."""
        return replace(fit, max_length=int(options["length"]) or 4 * fit.max_length)

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """Return, for each instance, as many sorted numbers of the range as it has tokens.

        The numbers of the range are put in random order, once for a batch. An instance of n tokens takes the first n.
        """
        num_tokens = tokens_MBL.shape[-1]
        require_room(num_tokens, self.length)
        source = draw_for(draw, tokens_MBL).named("sample")
        order_MN = source.permutation(self.length)
        rank_MN = torch.empty_like(order_MN).scatter_(
            -1, order_MN, torch.arange(self.length, device=order_MN.device).expand(order_MN.shape)
        )
        taken_MBN = rank_MN[..., None, :] < sizes_MB[..., None]
        upto_MBN = taken_MBN.cumsum(-1)
        wanted = torch.arange(1, num_tokens + 1, device=tokens_MBL.device).expand(tokens_MBL.shape)
        found = torch.searchsorted(upto_MBN.expand(*tokens_MBL.shape[:2], -1).contiguous(), wanted.contiguous())
        return found.clamp(max=self.length - 1)  # only padding lies beyond
