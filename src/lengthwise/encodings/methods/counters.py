"""Heads that count exactly: they add up whole numbers over all earlier tokens, where softmax attention averages.

Two counts that differ by one differ by 1/n in an average over n tokens, which a model can tell apart on short inputs only. A counting
head passes on the sum itself, cut off at a small number, so that the difference of two counts is as clear at any length as it was in
training. Together with positions that repeat, and with the switch ``token_shift``, these are the operations of C-RASP[periodic, local].
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor

from ...crasp.fragments import Fragment
from ..core.base import Fit, Where
from ..core.card import OURS, ROUNDED, Bound, Card, Option
from .periodic import Periodic

CARD = Card(
    name="counters",
    title="heads that count exactly, and positions that repeat",
    formula="o_i = clip(Σ_{j≤i} round(8·v_j), −most, most) in counting heads, o_i = v_i in the others; x_i ← x_i + P[i mod period]",
    citation="ours, after the counts of arXiv 2506.16055",
    family="contents",
    order=20,
    acts_on=("input", "weights", "values"),
    parameters="period·D",
    options=(
        Option(name="heads", default=1, low=1, high=100, meaning="how many heads count"),
        Option(
            name="channels",
            default=2,
            low=1,
            high=10_000,
            meaning="how many channels of such a head count; the others give 0",
        ),
        Option(name="most", default=4, low=1, high=1000, meaning="where sums are cut off, on both sides of 0"),
        Option(
            name="period",
            default=12,
            low=1,
            high=10_000,
            meaning="after how many positions the table repeats; 1 for no positions",
        ),
        Option(
            name="softmax",
            default=False,
            meaning="whether the other heads attend as usual, instead of to their own token only",
        ),
    ),
    variants=("heads=2, most=1", "softmax=true, channels=3", "period=5"),
    at_least=(
        Bound(fragment=Fragment.PERIODIC, citation=f"{OURS}, theorem G", status="ours", period="period"),
        Bound(fragment=Fragment.PLAIN, citation=f"{OURS}, theorem G", status="ours"),
    ),
    at_most=Bound(fragment=Fragment.PERIODIC, citation=f"{OURS}, theorem G", assumption=ROUNDED, status="ours"),
    few_bits=True,
    shift_invariant=False,
    float_ids=False,
    has_table=True,
    note="meant for models with the switch token_shift; gradients are those of sums that are neither rounded nor cut off hard.",
)

_GAIN = 8  # values begin at about 0.1: then as many round to 0 as to 1 or −1


class Counters(Periodic):
    """o_i = clip(Σ_{j≤i} round(8·v_j), −most, most) in counting heads."""

    card = CARD

    def __init__(
        self, fit: Fit, *, heads: int = 1, channels: int = 2, most: int = 4, period: int = 12, softmax: bool = False
    ) -> None:
        super().__init__(fit, period=period)
        self.counting_heads, self.channels, self.most, self.softmax = heads, channels, most, softmax

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return 1 for every token seen in counting heads; in the others the softmax, or 1 for the token itself."""
        if self.softmax:
            others = torch.softmax(scores, dim=-1)
        else:
            key = torch.arange(scores.shape[-1], device=scores.device)
            place = key[: keys.ids_MBL.shape[-1]][None] if queries.places_BL is None else queries.places_BL
            others = (key == place[..., None])[:, None].to(scores.dtype)
        return torch.where(self._counting(scores), (scores > -torch.inf).to(scores.dtype), others)

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return sums of whole numbers, cut off, in counting heads, and what the others attend to."""
        counting = self._counting(v)
        scaled = _GAIN * v
        rounded = scaled + (scaled.round() - scaled).detach()
        in_use = (torch.arange(v.shape[-1], device=v.device) < self.channels).to(v.dtype)
        mixed = weights @ torch.where(counting, rounded * in_use, v)
        soft = functional.softsign(mixed / 2)  # its gradient fades slowly, while that of a hard cut is 0
        cut = soft + (mixed.clamp(-self.most, self.most) - soft).detach()
        return torch.where(counting, cut, mixed)

    def _counting(self, values: Tensor) -> Tensor:
        """Return which of the heads of values, [B, M·H, …], count."""
        head = torch.arange(values.shape[1], device=values.device) % self.num_heads
        return (head < self.counting_heads)[None, :, None, None]
