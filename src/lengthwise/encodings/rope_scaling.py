"""RoPE stretched: slower rotations, so that instances longer than those of training turn by angles seen in training.

The methods differ in which pairs they slow down. N is the trained length, the tokens of the longest training instance;
``trained=0`` takes it from what the model is made for. Methods that look at the size of an instance turn all its keys
anew when it grows.

Shapes: M models, B batch, L places, K head width, P = K/2 pairs.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ..errors import InvalidOptionError
from .base import Fit, Where, once
from .rope import RoPE


class PI(RoPE):
    """Position interpolation: RoPE at id / factor (arXiv 2306.15595)."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0) -> None:
        super().__init__(fit, base=base)
        self.factor = factor

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t / factor, [P]."""
        return super().frequencies(where) / self.factor


class NTK(RoPE):
    """RoPE with base·factor^(K/(K−2)): the fastest pair stays as it is, the slowest is slowed by the factor."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0) -> None:
        super().__init__(fit, base=base)
        _refuse_one_pair(fit)
        self.factor = factor

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t·factor^(−2t/(K−2)), [P]."""
        theta_P = super().frequencies(where)
        return theta_P * torch.pow(self.factor, -_progress(theta_P))


class DynamicNTK(RoPE):
    """NTK whose factor follows the n tokens of an instance: max(1, α·n/N − (α − 1)), with α = ``factor``."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 1.0, trained: int = 0) -> None:
        super().__init__(fit, base=base)
        _refuse_one_pair(fit)
        self.factor = factor
        self.trained = trained or fit.trained

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t·s^(−2t/(K−2)) with s of the instance, [1 or M, 1 or B, 1 or L, P]."""
        theta_P = super().frequencies(where)
        sizes = once(where.sizes_MBL).float()[..., None]
        stretch = (self.factor * sizes / self.trained - (self.factor - 1)).clamp(min=1.0)
        return theta_P * torch.pow(stretch, -_progress(theta_P))


class YaRN(RoPE):
    """RoPE at id / factor for slow pairs, at id for fast ones, and a blend between (arXiv 2309.00071).

    Pairs up to the one that turns ``fast`` times over the trained length are fast, those from the one that turns
    ``slow`` times are slow; in between, the blend is linear in t. Queries and keys are both multiplied by
    0.1·ln(factor) + 1, scores by its square.
    """

    def __init__(
        self,
        fit: Fit,
        *,
        base: float = 10_000.0,
        factor: float = 4.0,
        trained: int = 0,
        fast: float = 32.0,
        slow: float = 1.0,
    ) -> None:
        super().__init__(fit, base=base)
        self.factor = factor
        self.trained = trained or fit.trained
        _refuse_reversed("slow", slow, "fast", fast)
        self.fast, self.slow = fast, slow
        self.gain = 0.1 * math.log(factor) + 1

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t·(1 − γ_t) + θ_t/factor·γ_t, γ rising from 0 to 1 between the two bounds, [P]."""
        theta_P = super().frequencies(where)
        low, high = math.floor(self._pair(self.fast)), math.ceil(self._pair(self.slow))
        # bounds as the authors' program has them: a ramp may end beyond the last pair
        low, high = (min(max(bound, 0), 2 * self.num_pairs - 1) for bound in (low, high))
        pair_P = torch.arange(self.num_pairs, device=theta_P.device, dtype=torch.float32)
        slowed_P = ((pair_P - low) / max(high - low, 0.001)).clamp(0.0, 1.0)
        return theta_P * (1 - slowed_P) + theta_P / self.factor * slowed_P

    def _pair(self, turns: float) -> float:
        """Return the t, not a whole number, at which a pair turns so many times over the trained length."""
        return self.num_pairs * math.log(self.trained / (2 * math.pi * turns)) / math.log(self.base)


class Llama3(RoPE):
    """RoPE at id / factor for pairs that turn less than ``low`` times over the trained length (as in Llama 3.1).

    Those that turn more than ``high`` times are left as they are; in between, the blend is linear in the turns.
    """

    def __init__(
        self,
        fit: Fit,
        *,
        base: float = 500_000.0,
        factor: float = 8.0,
        low: float = 1.0,
        high: float = 4.0,
        trained: int = 0,
    ) -> None:
        super().__init__(fit, base=base)
        self.factor = factor
        _refuse_reversed("low", low, "high", high)
        self.low, self.high = low, high
        self.trained = trained or fit.trained

    def frequencies(self, where: Where) -> Tensor:
        """Return (1 − m_t)·θ_t/factor + m_t·θ_t with m_t = (N·θ_t/2π − low)/(high − low), kept in 0 … 1, [P]."""
        theta_P = super().frequencies(where)
        turns_P = theta_P * (self.trained / (2 * math.pi))
        kept_P = ((turns_P - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
        return (1 - kept_P) * (theta_P / self.factor) + kept_P * theta_P


class LongRoPE(RoPE):
    """RoPE with each pair slowed by a factor of its own in instances longer than the trained length (arXiv 2402.13753).

    The published factors are searched for each model. In their place stands a smooth curve, factor^(t/(K/2 − 1)): 1 for
    the fastest pair, the whole factor for the slowest. Queries and keys are both multiplied by √(1 + ln(factor)/ln N),
    in short instances too.
    """

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0, trained: int = 0) -> None:
        super().__init__(fit, base=base)
        self.factor = factor
        self.trained = trained or fit.trained
        if self.trained > 1:  # the logarithm of 1 is 0
            self.gain = math.sqrt(1 + math.log(factor) / math.log(self.trained))

    def frequencies(self, where: Where) -> Tensor:
        """Return θ_t, divided by the factor of the pair where the instance is long, [1 or M, 1 or B, 1 or L, P]."""
        theta_P = super().frequencies(where)
        progress_P = _progress(theta_P) if self.num_pairs > 1 else torch.ones_like(theta_P)
        is_long = once(where.sizes_MBL)[..., None] > self.trained
        return torch.where(is_long, theta_P / torch.pow(self.factor, progress_P), theta_P)


def _progress(theta_P: Tensor) -> Tensor:
    """Return t/(P − 1): 0 for the fastest pair, 1 for the slowest."""
    return torch.arange(len(theta_P), device=theta_P.device, dtype=torch.float32) / (len(theta_P) - 1)


def _refuse_one_pair(fit: Fit) -> None:
    if fit.head_width == 2:
        raise InvalidOptionError(
            "heads of width 2 have one pair of channels; a change of base needs a fastest and a slowest pair.",
            hint="choose wider heads, or pi, which slows all pairs down.",
        )


def _refuse_reversed(slow: str, least: float, fast: str, most: float) -> None:
    if not least < most:
        raise InvalidOptionError(
            f"{fast} must be more than {slow}, since a blend runs from one to the other; found {most:g} and {least:g}.",
            hint=f"raise {fast} or lower {slow}.",
        )
