"""What the configuration of a decoder says about positions: kinds of attention, each with its layers, window and positions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import InvalidOptionError
from ..theory.precision.look_back import NumberFormat
from .rotations import Rotation

MOST_LENGTH = 16_777_216


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """ALiBi: a penalty that grows with the distance, by one slope for each head."""

    slopes: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedTable:
    """A learned vector for each position, and none beyond."""

    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """An encoding that ``lengthwise.encodings.attach`` put in place of the model's own."""

    name: str


Positions = Rotation | Penalty | LearnedTable | Attached | None
"""How layers see positions; None is by the causal mask alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionKind:
    """Layers that treat positions alike: their numbers from 0 on, and how many tokens a query sees, itself included."""

    name: str
    layers: tuple[int, ...]
    window: int | None
    positions: Positions


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """What the configuration of a model says about positions.

    ``trained`` is the length before any scaling, ``declared`` the longest input allowed.
    """

    name: str
    family: str
    num_layers: int
    num_heads: int
    head_width: int
    number_format: NumberFormat
    trained: int
    declared: int
    kinds: tuple[AttentionKind, ...]
    remarks: tuple[str, ...] = ()

    @property
    def rotations(self) -> list[tuple[AttentionKind, Rotation]]:
        """The kinds of attention with rotary positions."""
        return [(kind, kind.positions) for kind in self.kinds if isinstance(kind.positions, Rotation)]


def with_lengths(config: ModelConfig, trained: int | None, declared: int | None) -> ModelConfig:
    """Return the configuration with other lengths than those it states."""
    for name, value in (("--trained", trained), ("--length", declared)):
        if value is not None and not 1 <= value <= MOST_LENGTH:
            raise InvalidOptionError(
                f"{name} must be from 1 to {MOST_LENGTH:,}; found {value}.", hint="correct the number."
            )
    return replace(config, trained=trained or config.trained, declared=declared or config.declared)
