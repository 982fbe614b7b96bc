"""Positions that are sorted random fractions (arXiv 2602.14050)."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ...seeds import Draw
from ..core.base import Encoding, Fit
from ..core.card import OTHER_IDS, UNIFORM_HEADS, Card, Option
from ..core.id_wrapper import IdWrapper, draw_for

CARD = Card(
    name="random_float",
    title="positions that are sorted random fractions",
    formula="the base at sorted uniform numbers p_1 ≤ … ≤ p_n of [0, length), in training and at test",
    citation="arXiv 2602.14050",
    order=5,
    options=(
        Option(name="length", default=0, low=0, high=10_000_000, meaning="the range; 0: that of the longest instance"),
    ),
    bases=("rope",),
    at_least=UNIFORM_HEADS,
    bounds_need=("bases",),
    refuses=("chosen ids", "counted positions", "whole ids"),
    variants=("alibi", "kerple_log, length=60"),
    prefix_consistent=False,
    draws_ids=True,
    needs_scale=True,
    ids_from="fractions",
    **OTHER_IDS,
    note="at test the numbers of an instance come from a fixed key.",
)


class RandomFloat(IdWrapper):
    """The base at sorted uniform numbers of [0, length), drawn for each instance."""

    card = CARD

    def __init__(self, fit: Fit, base: Encoding, *, length: int = 0) -> None:
        super().__init__(fit, base)
        self.length = length or fit.max_length

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base must be made for: the whole range."""
        return replace(fit, max_length=int(options["length"]) or fit.max_length)

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """Return, for each instance, as many sorted fractions as it has tokens."""
        batch, num_tokens = tokens_MBL.shape[1:]
        bits = draw_for(draw, tokens_MBL).named("numbers").bits31((batch, num_tokens))
        numbers_MBL = (bits.to(torch.float64) + 0.5) * (self.length / 2**31)
        place = torch.arange(num_tokens, device=tokens_MBL.device)
        numbers_MBL = torch.where(place < sizes_MB[..., None], numbers_MBL, float(self.length))
        return torch.sort(numbers_MBL, dim=-1).values.to(torch.float32).expand(tokens_MBL.shape)
