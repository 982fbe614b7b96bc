"""Heads that see only the last few positions: some of them, or all of them, around any other encoding."""

from __future__ import annotations

import torch
from torch import Tensor

from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import WINDOWED, Card, Option
from ..core.wrapper import Wrapper
from .nope import NoPE

CARD = Card(
    name="window",
    title="every head sees the last few tokens only",
    formula="score(i, j) = that of the base if i − j < window, else −∞",
    citation="arXiv 2004.05150",
    family="wrappers",
    order=1,
    acts_on=("scores",),
    options=(Option(name="window", default=4, low=1, high=1_000_000, meaning="how many tokens are seen"),),
    bases=("nope",),
    refuses=("visible keys",),
    variants=("window=2", "fire, window=3"),
    few_bits=True,
    at_least=WINDOWED,
    at_most=WINDOWED,
    precise_at_least=WINDOWED,
    precise_at_most=WINDOWED,
    bounds_need=("bases",),
    shift_invariant=True,
    bounded_bias=False,
    hides_keys=True,
)


class Window(Wrapper):
    """The scores of another encoding where i − j < window, and −∞ elsewhere, in all heads; all else is that one's."""

    card = CARD

    def __init__(self, fit: Fit, base: Encoding | None = None, *, window: int = 4) -> None:
        self.window = window
        super().__init__(fit, NoPE(fit) if base is None else base)

    def around(self, fit: Fit, base: Encoding) -> Encoding:
        """Return the same window around another base."""
        return Window(fit, base, window=self.window)

    @property
    def is_biased(self) -> bool:
        """A window is a bias."""
        return True

    @property
    def may_share_rows(self) -> bool:
        """It would have to be made for each row."""
        return False

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return −∞ outside of the window, and within it what the base adds."""
        values = closed_unless(distances(queries, keys) < self.window)
        models = values.shape[1]
        # what all models share stands for all heads too
        mask = values[:, 0] if models == 1 else per_head(values.expand(-1, -1, self.num_heads, -1, -1), models)
        added = self.base.bias(queries, keys)
        return mask if added is None else added + mask


def closed_unless(is_seen: Tensor) -> Tensor:
    """Return a bias that is 0 where something is seen and −∞ elsewhere."""
    return torch.zeros_like(is_seen, dtype=torch.float32).masked_fill(~is_seen, -torch.inf)
