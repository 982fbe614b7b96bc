"""Rotary positions: queries and keys are turned by angles that grow with their ids.

Channels t and t + K/2 of a head form a pair, a point of the plane. Turning queries and keys by angles proportional to
their ids leaves in a score only the difference of the two (arXiv 2104.09864). Angles are computed in 64 bits, whatever
the queries are: in 32, the angle of position 100,000 would be off by up to 0.004.

Shapes: M models, B batch, L places, H heads, K head width, P pairs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Encoding, Fit, Where, once
from ..core.card import ANY_BASE, ROTATION, TURNED_APART, Alias, Card

CARD = Card(
    name="rope",
    title="rotary position embedding",
    formula="q_i, k_j rotated by the angles i·θ_t and j·θ_t, θ_t = base^(−2t/d)",
    citation="arXiv 2104.09864",
    order=1,
    options=(ANY_BASE,),
    variants=("base=500", "base=500000"),
    aliases=(
        Alias(
            name="abf",
            means="rope(base=500000)",
            why="adjusting the base frequency is rope with another base.",
            citation="arXiv 2309.16039",
        ),
    ),
    relation="relative",
    angles_by_base=True,
    **TURNED_APART,
    **ROTATION,
    note="channels t and t + d/2 form a pair, as in Llama and GPT-NeoX.",
)


class RoPE(Encoding):
    """Turn pair t by id·θ_t, θ_t = base^(−2t/K). What derives from it changes the frequencies θ."""

    card = CARD

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
        cos, sin = cosines_and_sines(where, self.frequencies(where))
        if self.gain == 1.0:
            return cos, sin
        return cos * self.gain, sin * self.gain

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return queries and keys, turned."""
        of_queries = self.waves(queries)
        of_keys = of_queries if keys is queries else self.waves(keys)
        return turn(q, *of_queries, self.num_heads), turn(k, *of_keys, self.num_heads)


def falling(base: float, count: int, device: torch.device) -> Tensor:
    """Return base^(−t/count) for t = 0 … count − 1."""
    return torch.pow(base, torch.arange(count, device=device, dtype=angle_type(device)) / -count)


def angle_type(device: torch.device) -> torch.dtype:
    """Return the type in which angles are computed: 64 bits, except where a device has none."""
    return torch.float32 if device.type == "mps" else torch.float64


def cosines_and_sines(where: Where, theta: Tensor) -> tuple[Tensor, Tensor]:
    """Return the waves of ids times frequencies, [P] or [1 or M, 1 or B, 1 or L, P], as [1 or B, 1 or M, 1, L, P] in 32 bits."""
    angles = per_row(once(where.ids_MBL).to(theta.dtype)[..., None] * theta)
    return angles.cos().float(), angles.sin().float()


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


def progress(theta_P: Tensor) -> Tensor:
    """Return t/(P − 1): 0 for the fastest pair, 1 for the slowest."""
    return torch.arange(len(theta_P), device=theta_P.device, dtype=theta_P.dtype) / (len(theta_P) - 1)


def refuse_one_pair(fit: Fit) -> None:
    """Raise where there is no slowest pair beside the fastest."""
    if fit.head_width == 2:
        raise InvalidOptionError(
            "heads of width 2 have one pair of channels; a change of base needs a fastest and a slowest pair.",
            hint="choose wider heads, or pi, which slows all pairs down.",
        )


def refuse_reversed(slow: str, least: float, fast: str, most: float) -> None:
    """Raise where a blend from one bound to the other would run backwards."""
    if not least < most:
        raise InvalidOptionError(
            f"{fast} must be more than {slow}, since a blend runs from one to the other; found {most:g} and {least:g}.",
            hint=f"raise {fast} or lower {slow}.",
        )
