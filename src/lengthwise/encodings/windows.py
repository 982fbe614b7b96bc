"""Heads that see only the last few positions: some of them, or all of them, around any other encoding."""

from __future__ import annotations

import torch
from torch import Tensor

from ..errors import InvalidOptionError
from .around import Around
from .base import Encoding, Fit, Where, distances, per_head
from .nope import NoPE


class HardALiBi(Encoding):
    """score_ij = q_i·k_j/√d if i − j < window + h, else −∞, in the heads h = 0, 1, … that have a window.

    The other heads see everything, without positions. ``heads`` is how many have a window; 0 stands for half of them.
    """

    def __init__(self, fit: Fit, *, window: int = 2, heads: int = 0) -> None:
        super().__init__(fit)
        if heads > fit.num_heads:
            raise InvalidOptionError(
                f"{heads} heads cannot have a window where there are {fit.num_heads} heads.",
                hint=f"choose heads from 1 to {fit.num_heads}, or 0 for half of them.",
            )
        self.window = window
        self.num_windows = heads or max(1, fit.num_heads // 2)

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return 0 where a head may look, and −∞ elsewhere."""
        head_H = torch.arange(self.num_heads, device=at.ids_MBL.device)[:, None, None]
        is_seen = (distances(asking, at) < self.window + head_H) | (head_H >= self.num_windows)
        return per_head(_closed_unless(is_seen), self.num_models)


class Window(Around):
    """The scores of another encoding where i − j < window, and −∞ elsewhere, in all heads; all else is that one's."""

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

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return −∞ outside of the window, and within it what the base adds."""
        values = _closed_unless(distances(asking, at) < self.window)
        models = values.shape[1]
        # what all models share stands for all heads too
        mask = values[:, 0] if models == 1 else per_head(values.expand(-1, -1, self.num_heads, -1, -1), models)
        added = self.base.bias(asking, at)
        return mask if added is None else added + mask


def _closed_unless(is_seen: Tensor) -> Tensor:
    """Return a bias that is 0 where something is seen and −∞ elsewhere."""
    return torch.zeros_like(is_seen, dtype=torch.float32).masked_fill(~is_seen, -torch.inf)
