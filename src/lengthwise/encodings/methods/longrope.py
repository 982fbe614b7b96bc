"""Rotary frequencies with a factor each, other ones beyond the trained length (arXiv 2402.13753)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Fit, Where, once
from ..core.card import BASE, FACTOR, ROTATION, TRAINED, UNIFORM_HEADS, Card, Option
from ..core.factors import read_factors
from .rope import RoPE, progress

CARD = Card(
    name="longrope",
    title="rotary frequencies with a factor each, other ones beyond the trained length",
    formula="θ_t / λ_t, λ_t from the list long for inputs longer than N, else from short; q and k times √(1 + ln factor / ln N)",
    citation="arXiv 2402.13753",
    order=9,
    options=(
        BASE,
        FACTOR,
        TRAINED,
        Option(
            name="long",
            default="curve",
            kind="factors",
            meaning="the factor of each pair in long inputs; curve: factor^(t/(d/2−1))",
        ),
        Option(name="short", default="(1)", kind="factors", meaning="the factor of each pair in other inputs"),
    ),
    variants=("factor=2", "long=(3), short=(2)"),
    prefix_consistent=False,
    needs_scale=True,
    at_least=UNIFORM_HEADS,
    few_bits=True,
    **ROTATION,
    note="published factors come from a search for each model; without them a smooth curve stands in. No first tokens are spared.",
)


class LongRoPE(RoPE):
    """RoPE with each pair slowed by a factor of its own in instances longer than the trained length (arXiv 2402.13753).

    The published factors are searched for each model: ``long`` and ``short`` list them, one for each pair, the fastest
    first, or one for all. Where ``long`` is left out, a smooth curve stands in, factor^(t/(K/2 − 1)): 1 for the fastest
    pair, the whole factor for the slowest. Queries and keys are both multiplied by √(1 + ln(factor)/ln N), in short
    instances too.
    """

    card = CARD

    def __init__(
        self,
        fit: Fit,
        *,
        base: float = 10_000.0,
        factor: float = 4.0,
        trained: int = 0,
        long: str = "curve",
        short: str = "(1)",
    ) -> None:
        super().__init__(fit, base=base)
        self.long = () if long == "curve" else self._for_pairs("long", long)
        self.short = self._for_pairs("short", short)
        self.factor = factor
        self.trained = trained or fit.trained
        if self.trained > 1:  # the logarithm of 1 is 0
            self.gain = math.sqrt(1 + math.log(factor) / math.log(self.trained))

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t, divided by the factor of the pair for the instance's size, [1 or M, 1 or B, 1 or L, P]."""
        theta_P = super().frequencies(where)
        if self.long:
            long_P = _filled(theta_P, self.long)
        else:
            long_P = torch.pow(self.factor, progress(theta_P) if self.num_pairs > 1 else torch.ones_like(theta_P))
        is_long = once(where.sizes_MBL)[..., None] > self.trained
        return torch.where(is_long, theta_P / long_P, theta_P / _filled(theta_P, self.short))

    def _for_pairs(self, name: str, text: str) -> tuple[float, ...]:
        """Return the factors that are listed, one for each pair."""
        factors = read_factors(text)
        if len(factors) not in (1, self.num_pairs):
            raise InvalidOptionError(
                f"longrope has {self.num_pairs} pairs of channels in heads of width {self.head_width}; "
                f"{name} lists {len(factors)} factors.",
                hint="write one factor for each pair, the fastest first, or one for all.",
            )
        return factors * self.num_pairs if len(factors) == 1 else factors


def _filled(theta_P: Tensor, factors: tuple[float, ...]) -> Tensor:
    """Return the factors as a tensor, [P]; a recorded step may copy nothing to a GPU, so each is filled in there."""
    if len(set(factors)) == 1:
        return torch.full_like(theta_P, factors[0])
    return torch.cat([theta_P.new_full((1,), factor) for factor in factors])
