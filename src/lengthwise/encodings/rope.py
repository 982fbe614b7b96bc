"""Rotary positions: queries and keys are turned by angles that grow with their ids.

Channels t and t + K/2 of a head form a pair, a point of the plane. Turning queries and keys by angles proportional to
their ids leaves in a score only the difference of the two (arXiv 2104.09864). Angles are computed in 32 bits, whatever
the queries are.

Shapes: M models, B batch, L places, H heads, K head width, P pairs.
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from ..errors import InvalidOptionError
from .base import Encoding, Fit, Where, once


class RoPE(Encoding):
    """Turn pair t by id·θ_t, θ_t = base^(−2t/K). What derives from it changes the frequencies θ."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0) -> None:
        super().__init__(fit)
        if fit.head_width % 2:
            raise InvalidOptionError(
                f"heads of width {fit.head_width} cannot be split into pairs of channels, which rotations need.",
                hint="choose a width and a number of heads whose ratio is even.",
            )
        self.base = base
        self.num_pairs = fit.head_width // 2
        self.gain = 1.0  # what queries and keys are multiplied by

    def frequencies(self, where: Where) -> Tensor:
        """Return by how much a pair is turned from one id to the next, [P], or [1 or M, 1 or B, 1 or L, P]."""
        return falling(self.base, self.num_pairs, where.ids_MBL.device)

    def waves(self, where: Where) -> tuple[Tensor, Tensor]:
        """Return cosines and sines of all angles, times the gain, [1 or B, 1 or M, 1, L, P]."""
        angles = per_row(once(where.ids_MBL).float()[..., None] * self.frequencies(where))
        if self.gain == 1.0:
            return angles.cos(), angles.sin()
        return angles.cos() * self.gain, angles.sin() * self.gain

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, asking: Where, at: Where) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return queries and keys, turned."""
        return turn(q, *self.waves(asking), self.num_heads), turn(k, *self.waves(at), self.num_heads)


class PartialRoPE(RoPE):
    """RoPE of the first r = 2·round(share·K/2) channels, at least 2, as if they were the whole head; as in GPT-J."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, share: float = 0.5) -> None:
        if fit.head_width < 2:
            raise InvalidOptionError(
                f"heads of width {fit.head_width} have no pair of channels to turn.", hint="choose wider heads."
            )
        num_pairs = min(max(1, round(share * fit.head_width / 2)), fit.head_width // 2)
        super().__init__(replace(fit, head_width=2 * num_pairs), base=base)
        self.head_width = fit.head_width


class PRoPE(RoPE):
    """RoPE of the first ⌊share·K/2⌋ pairs, at least one: the slowest are not turned (arXiv 2410.06205)."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, share: float = 0.75) -> None:
        super().__init__(fit, base=base)
        self.num_turned = max(1, math.floor(share * self.num_pairs))

    def frequencies(self, where: Where) -> Tensor:
        """Return the frequencies of RoPE for the first pairs and 0 for the rest, [P]."""
        whole_P = super().frequencies(where)
        return torch.where(torch.arange(self.num_pairs, device=whole_P.device) < self.num_turned, whole_P, 0.0)


def falling(base: float, count: int, device: torch.device) -> Tensor:
    """Return base^(−t/count) for t = 0 … count − 1."""
    return torch.pow(base, torch.arange(count, device=device, dtype=torch.float32) / -count)


def turn(x: Tensor, cos: Tensor, sin: Tensor, num_heads: int) -> Tensor:
    """Return x, [B, M·H, L, K], with pairs turned by angles [1 or B, 1 or M, 1 or H, L, P], in the type of x.

    With fewer than K/2 angles, only the channels before 2P are turned.
    """
    num_pairs = cos.shape[-1]
    split = torch.unflatten(x, 1, (-1, num_heads))
    a, b = split[..., :num_pairs], split[..., num_pairs : 2 * num_pairs]
    turned = [(a * cos - b * sin).to(x.dtype), (b * cos + a * sin).to(x.dtype)]
    if 2 * num_pairs < x.shape[-1]:
        turned.append(split[..., 2 * num_pairs :])
    return torch.cat(turned, dim=-1).flatten(1, 2)


def per_row(values_MBLP: Tensor) -> Tensor:
    """Return values [M, B, L, P] as [B, M, 1, L, P], to be broadcast over heads."""
    return values_MBLP.transpose(0, 1)[:, :, None]
