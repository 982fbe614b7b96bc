"""xPos: rotary positions whose scores fade with distance (arXiv 2212.10554).

Queries shrink as their ids grow, and keys grow by as much, so that what is left in a score is ζ^((i − j)/decay). Both
are powers that a long instance drives out of the range of numbers. Two things put that off: ids are counted from a
centre, half of the longest length the model is made for, which cancels in every score; and everything is computed in
32 bits. The centre is a constant of the model: nothing depends on the tokens that come later.

There is a bound all the same, also without the centre: the scores of later keys are masked only after they are
computed, and ζ^(−n/decay) must be finite over the n ids of an instance. The smallest ζ is 0.4/1.4, and n may be 64
times the decay, 32,768 with the default: that power is 7e34, and room for a factor of 5,000 is left to the queries and
keys themselves. bfloat16 has the same range; float16 does not.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Fit, Where, once
from ..core.card import (
    BASE,
    NEAR_AND_FAR_PRECISELY_ROUNDED,
    NEAR_AND_FAR_ROUNDED,
    ROTATION,
    UNIFORM_HEADS,
    Card,
    Option,
)
from .rope import RoPE, per_row, turn

CARD = Card(
    name="xpos",
    title="rotary position embedding with a decay for each frequency",
    formula="as rope, with q pairs times ζ_t^(i/decay), k pairs times ζ_t^(−j/decay), ζ_t = (2t/d + 0.4)/1.4",
    citation="arXiv 2212.10554",
    order=10,
    options=(
        BASE,
        Option(name="decay", default=512, low=1, high=1_000_000, meaning="the distance scale of the decay"),
    ),
    variants=("decay=30",),
    relation="relative",
    max_length=True,
    expressible=UNIFORM_HEADS,
    at_most=NEAR_AND_FAR_ROUNDED,
    precise_at_most=NEAR_AND_FAR_PRECISELY_ROUNDED,
    **ROTATION,
    note="powers of ζ overflow at very long inputs, which are refused.",
)


_DECAYS = 64  # how many times the decay ids may reach


class XPos(RoPE):
    """RoPE, and pair t times ζ_t^(id/decay) in queries, ζ_t^(−id/decay) in keys, with ζ_t = (2t/K + 0.4)/1.4."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0, decay: float = 512.0) -> None:
        super().__init__(fit, base=base)
        self.decay = decay
        self.max_length = math.floor(_DECAYS * decay)
        if fit.max_length > self.max_length:
            raise InvalidOptionError(
                f"with decay {decay:g}, xpos overflows past {self.max_length} positions; {fit.max_length} are asked for.",
                hint=f"choose a decay of at least {math.ceil(fit.max_length / _DECAYS)}.",
            )
        self.centre = fit.max_length / 2

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return queries and keys, turned and scaled."""
        if q.dtype is torch.float16:
            raise InvalidOptionError(
                "the powers of xpos do not fit into float16.", hint="use bfloat16 or float32, or another encoding."
            )
        return self._fade(q, queries, 1.0), self._fade(k, keys, -1.0)

    def _fade(self, x: Tensor, where: Where, sign: float) -> Tensor:
        pair_P = torch.arange(self.num_pairs, device=x.device, dtype=torch.float32)
        zeta_P = (pair_P / self.num_pairs + 0.4) / 1.4
        steps = (once(where.ids_MBL).float() - self.centre) * (sign / self.decay)
        power = per_row((steps[..., None] * zeta_P.log()).exp())
        cos, sin = self.waves(where)
        return turn(x, cos * power, sin * power, self.num_heads)
