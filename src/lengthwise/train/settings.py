"""How models are trained; torch-free, so that specs can speak of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InvalidOptionError

TRAINER_REVISION = 3
"""Raised whenever a change makes the same settings train differently; a golden test notices such a change."""

_RANGES: dict[str, tuple[type, float, float]] = {
    "steps": (int, 1, 10**9),
    "batch": (int, 1, 10**6),
    "warmup": (int, 0, 10**9),
    "weight_decay": (float, 0, 10),
    "clip": (float, 1e-6, 1e6),
    "evaluate_every": (int, 1, 10**9),
    "examples": (int, 1, 10**7),
    "regularizer": (float, 0, 10**6),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """AdamW with a short warm-up and linear decay, until the steps run out.

    A run stops early when all ``examples`` of an evaluation set of training lengths are right. ``regularizer`` is the
    weight of the positional term of the regularizer of arXiv 2410.02140, for encodings with a table of positions.
    """

    steps: int = 4000
    batch: int = 64
    warmup: int = 100
    weight_decay: float = 0.01
    clip: float = 1.0
    evaluate_every: int = 250
    examples: int = 500
    regularizer: float = 0.0

    def __post_init__(self) -> None:
        for field, (kind, low, high) in _RANGES.items():
            check_number(field, getattr(self, field), kind, low, high)


def check_number(name: str, value: object, kind: type, low: float, high: float) -> None:
    """Raise unless a setting is a number of its kind within its range."""
    right_kind = type(value) is int or (kind is float and type(value) is float)
    if not right_kind or not low <= value <= high:  # type: ignore[operator]  # a number, if it is of the right kind
        what = "a whole number" if kind is int else "a number"
        raise InvalidOptionError(
            f"{name} must be {what} from {low:g} to {high:g}; found {value!r}.", hint="correct the value."
        )
