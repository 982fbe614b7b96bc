"""The angles by which a rotary model turns its queries and keys, in plain Python, for every scaling that configurations name.

Pair t of a rotary width d turns by base^(−2t/d) for each position. A scaling changes these angles, so that inputs longer than those of
training stay within the angles that training used. Formulas are those of the papers named in ``SCALINGS``; tests compare
them with the Hugging Face library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import InvalidOptionError

SCALINGS: Mapping[str, str] = {
    "default": "no scaling",
    "linear": "position interpolation: every angle divided by the factor (arXiv 2306.15595)",
    "dynamic": "dynamic NTK: a base that grows with the input (see arXiv 2309.00071)",
    "yarn": "YaRN: slow pairs divided by the factor, fast ones kept, scores sharpened (arXiv 2309.00071)",
    "longrope": "LongRoPE: a factor for each pair (arXiv 2402.13753)",
    "llama3": "Llama 3: slow pairs divided by the factor, fast ones kept (arXiv 2407.21783)",
    "proportional": "only the fastest pairs turn; each angle divided by the factor (p-RoPE, arXiv 2410.06205)",
}
"""Every scaling by the name that configurations use, and what it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """A rotary encoding as a configuration gives it.

    ``width`` is the number of entries of a head that turn, ``head_width`` that of all. ``trained`` is the length before the
    scaling, ``declared`` the longest input that the configuration allows. ``settings`` are the scaling's own numbers by the
    names that configurations use.
    """

    base: float
    width: int
    head_width: int
    trained: int
    declared: int
    scaling: str = "default"
    factor: float = 1.0
    settings: Mapping[str, float | bool] = field(default_factory=dict)
    short_factors: tuple[float, ...] = ()
    long_factors: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.width < 2 or self.width % 2:
            raise InvalidOptionError(
                f"the rotary width must be an even number from 2 on; found {self.width}.",
                hint="it is the head width times the share of it that turns.",
            )
        if self.scaling not in SCALINGS:
            raise InvalidOptionError(
                f"the scaling {self.scaling!r} is unknown. Known: {', '.join(SCALINGS)}.",
                hint="a model with other rotations cannot be described from its configuration.",
            )
        if self.scaling == "llama3":
            low, high = self._turns_kept
            if not low < high:
                raise InvalidOptionError(
                    f"high_freq_factor must be above low_freq_factor; found {high:g} and {low:g}.",
                    hint="correct the configuration.",
                )
        if self.scaling == "longrope" and self.trained < 2:
            raise InvalidOptionError(
                f"LongRoPE needs a trained length from 2 on; found {self.trained}.",
                hint="correct original_max_position_embeddings in the configuration.",
            )
        pairs = self.width // 2
        for name, factors in (("short_factor", self.short_factors), ("long_factor", self.long_factors)):
            if self.scaling == "longrope" and len(factors) != pairs:
                raise InvalidOptionError(
                    f"{name} must have a number for each of the {pairs} pairs; found {len(factors)}.",
                    hint="correct the configuration.",
                )

    @property
    def unscaled(self) -> list[float]:
        """The angle of each pair without a scaling."""
        if self.scaling == "proportional":
            turning = int(self.settings.get("share", 1.0) * self.width // 2)
            return [self.base ** (-2 * pair / self.width) if pair < turning else 0.0 for pair in range(self.width // 2)]
        return [self.base ** (-2 * pair / self.width) for pair in range(self.width // 2)]

    def angles(self, length: int) -> list[float]:
        """Return the angle of each pair for inputs of a length."""
        plain = self.unscaled
        match self.scaling:
            case "linear" | "proportional":
                return [angle / self.factor for angle in plain]
            case "dynamic":
                return self._of_growing_base(length)
            case "yarn":
                return self._yarn(plain)
            case "longrope":
                factors = self.long_factors if length > self.trained else self.short_factors
                return [angle / factor for angle, factor in zip(plain, factors, strict=True)]
            case "llama3":
                return [self._llama3(angle) for angle in plain]
        return plain

    @property
    def gain(self) -> float:
        """The number by which queries and keys are multiplied beside the rotation; scores get its square."""
        given = self.settings.get("attention_factor")
        if given is not None:
            return float(given)
        if self.scaling == "yarn":
            scale, scale_of_all = self.settings.get("mscale"), self.settings.get("mscale_all_dim")
            if scale and scale_of_all:
                return _sharpening(self.factor, scale) / _sharpening(self.factor, scale_of_all)
            return _sharpening(self.factor, 1.0)
        if self.scaling == "longrope" and self.factor > 1:
            return math.sqrt(1 + math.log(self.factor) / math.log(self.trained))
        return 1.0

    def _of_growing_base(self, length: int) -> list[float]:
        growth = self.factor * max(length, self.trained) / self.trained - (self.factor - 1)
        base = self.base * growth ** (self.width / (self.width - 2)) if self.width > 2 else self.base
        return [base ** (-2 * pair / self.width) for pair in range(self.width // 2)]

    def _yarn(self, plain: list[float]) -> list[float]:
        low = self._pair_that_turns(self.settings.get("beta_fast") or 32.0)
        high = self._pair_that_turns(self.settings.get("beta_slow") or 1.0)
        if self.settings.get("truncate", True):
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0.0), min(high, self.width - 1.0)
        span = high - low if high != low else 0.001
        slowed = [min(max((pair - low) / span, 0.0), 1.0) for pair in range(self.width // 2)]
        return [angle * (1 - part) + angle / self.factor * part for angle, part in zip(plain, slowed, strict=True)]

    def _pair_that_turns(self, turns: float) -> float:
        """Return the pair, not a whole number, that turns so many times over the trained length."""
        return self.width * math.log(self.trained / (turns * 2 * math.pi)) / (2 * math.log(self.base))

    @property
    def _turns_kept(self) -> tuple[float, float]:
        """How many turns in training divide a pair by the factor, and how many leave it as it was."""
        return self.settings.get("low_freq_factor", 1.0), self.settings.get("high_freq_factor", 4.0)

    def _llama3(self, angle: float) -> float:
        turns = self.trained * angle / (2 * math.pi)
        low, high = self._turns_kept
        kept = min(max((turns - low) / (high - low), 0.0), 1.0)
        return (1 - kept) * angle / self.factor + kept * angle


def _sharpening(factor: float, scale: float) -> float:
    return 0.1 * scale * math.log(factor) + 1.0 if factor > 1 else 1.0
