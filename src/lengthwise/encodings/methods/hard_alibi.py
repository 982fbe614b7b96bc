"""Heads that see only the last few positions beside heads that see everything, without positions."""

from __future__ import annotations

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, NEAR_OR_FAR_BY_WINDOW, Card, Option
from .window import closed_unless

CARD = Card(
    name="hard_alibi",
    title="heads with a window beside heads without positions",
    formula="score_h(i, j) = q_i·k_j / √d if i − j < window + h, else −∞, in the first heads; the others are free",
    citation="arXiv 2402.01032; arXiv 2407.03310",
    order=7,
    options=(
        Option(name="window", default=2, low=1, high=1_000_000, meaning="the width of the first head's window"),
        Option(name="heads", default=0, low=0, high=100, meaning="how many heads have one; 0: half of them"),
    ),
    variants=("window=3", "window=1, heads=1"),
    **NEAR_OR_FAR_BY_WINDOW,
    bounds_need=("heads",),
    bounded_bias=False,
    never_positive=True,
    **DISTANCE_BIAS,
    note="head h = 0, 1, … has a window of width window + h.",
)


class HardALiBi(Encoding):
    """score_ij = q_i·k_j/√d if i − j < window + h, else −∞, in the heads h = 0, 1, … that have a window.

    The other heads see everything, without positions. ``heads`` is how many have a window; 0 stands for half of them.
    """

    card = CARD

    def __init__(self, fit: Fit, *, window: int = 2, heads: int = 0) -> None:
        super().__init__(fit)
        if heads > fit.num_heads:
            raise InvalidOptionError(
                f"{heads} heads cannot have a window where there are {fit.num_heads} heads.",
                hint=f"choose heads from 1 to {fit.num_heads}, or 0 for half of them.",
            )
        self.window = window
        self.num_windows = heads or max(1, fit.num_heads // 2)

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return 0 where a head may look, and −∞ elsewhere."""
        head_H = torch.arange(self.num_heads, device=keys.ids_MBL.device)[:, None, None]
        is_seen = (distances(queries, keys) < self.window + head_H) | (head_H >= self.num_windows)
        return per_head(closed_unless(is_seen), self.num_models)
