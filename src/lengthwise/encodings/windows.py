"""Heads that see only the last few positions: some of them, or all of them, around any other encoding."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ..errors import InvalidOptionError
from ..seeds import Draw
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


class Window(Encoding):
    """The scores of another encoding where i − j < window, and −∞ elsewhere, in all heads; all else is that one's."""

    def __init__(self, fit: Fit, base: Encoding | None = None, *, window: int = 4) -> None:
        super().__init__(fit)
        self.window = window
        self.base = NoPE(fit) if base is None else base
        self.max_length = self.base.max_length
        layers = [self.base.at_layer(number) for number in range(fit.num_layers)]
        has_layers = any(layer is not self.base for layer in layers)
        # in a tuple they are not found as parts of this one: what they learn is among the parts of the base already
        self.layers = tuple(Window(replace(fit, num_layers=1), layer, window=window) for layer in layers if has_layers)

    @property
    def is_fused(self) -> bool:
        """As the base: a window is a bias."""
        return self.base.is_fused

    @property
    def is_embedding(self) -> bool:
        """As the base."""
        return self.base.is_embedding

    @property
    def is_transforming(self) -> bool:
        """As the base."""
        return self.base.is_transforming

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return the ids of the base."""
        return self.base.ids(tokens_MBL, sizes_MB, draw, roles_MBL)

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return ids that the base can be told."""
        return self.base.checked(ids_MBL, most)

    def embed(self, at: Where) -> Tensor | None:
        """Return what the base adds to the input."""
        return self.base.embed(at)

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, asking: Where, at: Where) -> tuple[Tensor, Tensor]:
        """Return queries and keys as the base changes them."""
        return self.base.transform(q, k, x_MBLD, asking, at)

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return −∞ outside of the window, and within it what the base adds."""
        values = _closed_unless(distances(asking, at) < self.window)
        models = values.shape[1]
        # what all models share stands for all heads too
        mask = values[:, 0] if models == 1 else per_head(values.expand(-1, -1, self.num_heads, -1, -1), models)
        added = self.base.bias(asking, at)
        return mask if added is None else added + mask

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, asking: Where, at: Where) -> Tensor:
        """Return the scores of the base."""
        return self.base.scores(q, k, x_MBLD, asking, at)

    def weights(self, scores: Tensor, asking: Where, at: Where) -> Tensor:
        """Return the weights of the base."""
        return self.base.weights(scores, asking, at)

    def value(self, weights: Tensor, v: Tensor, asking: Where, at: Where) -> Tensor:
        """Return what attention of the base passes on."""
        return self.base.value(weights, v, asking, at)

    def at_layer(self, layer: int) -> Encoding:
        """Return the encoding of one layer: that of the base, behind the window."""
        return self.layers[layer] if self.layers else self

    def initialize(self, draw: Draw) -> None:
        """Set the parameters of the base."""
        self.base.initialize(draw.named("base"))


def _closed_unless(is_seen: Tensor) -> Tensor:
    """Return a bias that is 0 where something is seen and −∞ elsewhere."""
    return torch.zeros_like(is_seen, dtype=torch.float32).masked_fill(~is_seen, -torch.inf)
