"""The spec of an experiment: what to train and how. A file may hold many of them (``grid``).

The defaults are the preset of the demo. It was chosen on training lengths only (docs/log.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..encodings.core.choice import find_encoding
from ..errors import InvalidSpecError, check_number
from ..model.shape import Shape
from ..tasks.core.lengths import (
    MOST_LENGTH,
    LengthRange,
    check_lengths,
    length_bins,
    multiple_of,
    success_bin,
)
from ..train.settings import Training

VERSION = 1
MOST_RUNS = 1_000_000
DEFAULT_LEARNING_RATE = 0.003
USUAL_TEST = 3
"""The longest test length, in training lengths."""
USUAL_ROOM = 3
"""The longest input that encodings with a table of positions, or with random ones, have room for, in training lengths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """Tasks times encodings times seeds, all with the same settings: trained on short inputs and tested on longer ones.

    Tests are on all lengths up to ``test_length`` (three times the training length unless it is given), in bins as wide as the
    training lengths, or on the lengths it lists.
    With ``hard``, models are also tested on the hard sets of their task; with ``generate``, some instances are also decoded
    token by token. Success is judged at ``success_at`` times the training length (3 unless that is not tested). ``room`` is
    the longest input that encodings with a table of positions, or with random ones, are made for (three times the
    training length unless it is given).
    """

    tasks: tuple[str, ...]
    encodings: tuple[str, ...] = ("nope", "ape")
    seeds: int = 3
    train_length: int = 10
    test_length: int | tuple[int, ...] = None  # type: ignore[assignment]  # __post_init__ replaces it
    learning_rate: float = DEFAULT_LEARNING_RATE
    hard: bool = False
    generate: bool = False
    success_at: float | None = None
    room: int | None = None
    model: Shape = field(default_factory=Shape)
    training: Training = field(default_factory=Training)
    version: int = VERSION

    def __post_init__(self) -> None:
        for key in ("tasks", "encodings", "test_length"):
            if isinstance(getattr(self, key), list):
                object.__setattr__(self, key, tuple(getattr(self, key)))
        if self.test_length is None and type(self.train_length) is int:
            object.__setattr__(self, "test_length", min(USUAL_TEST * self.train_length, MOST_LENGTH))
        _check(self)

    @property
    def num_runs(self) -> int:
        """The number of models to train."""
        return len(self.tasks) * len(self.encodings) * self.seeds


def _check_success(success_at: float, bins: Sequence[LengthRange]) -> None:
    """Raise unless so many times the training length is tested."""
    if success_bin(bins, success_at) in (None, 0):
        known = ", ".join(f"{multiple_of(bounds, bins[0].high):g}" for bounds in bins[1:])
        raise InvalidSpecError(
            f"success_at is {success_at:g}, and no tested lengths end at {success_at:g} times the training length.",
            hint=f"choose one of {known}, or test other lengths.",
        )


def _check(spec: Spec) -> None:
    for key in ("tasks", "encodings"):
        value = getattr(spec, key)
        if not isinstance(value, tuple) or not value or not all(isinstance(name, str) for name in value):
            raise InvalidSpecError(
                f"{key} must be a list of names with at least one; found {value!r}.", hint="name what to train."
            )
        meant = [find_encoding(name).name for name in value] if key == "encodings" else value
        repeated = [name for number, name in enumerate(value) if meant[number] in meant[:number]]
        if repeated:
            raise InvalidSpecError(f"{repeated[0]!r} is named twice in {key}.", hint="name each once.")
    if type(spec.version) is not int or spec.version != VERSION:
        raise InvalidSpecError(
            f"version must be {VERSION}; found {spec.version!r}.", hint=f"write version = {VERSION}."
        )
    for key in ("hard", "generate"):
        if type(getattr(spec, key)) is not bool:
            raise InvalidSpecError(
                f"{key} must be true or false; found {getattr(spec, key)!r}.", hint=f"write {key} = true."
            )
    check_number("seeds", spec.seeds, int, 1, 100_000)
    check_number("train_length", spec.train_length, int, 1, MOST_LENGTH)
    check_number("learning_rate", spec.learning_rate, float, 1e-9, 10)
    check_lengths(spec.train_length, spec.test_length)
    if spec.room is not None:
        check_number("room", spec.room, int, spec.train_length, MOST_LENGTH)
    if spec.success_at is not None:
        check_number("success_at", spec.success_at, float, 1, MOST_LENGTH)
        _check_success(spec.success_at, length_bins(spec.train_length, spec.test_length))
    if spec.num_runs > MOST_RUNS:
        raise InvalidSpecError(
            f"the spec asks for {spec.num_runs:,} runs; at most {MOST_RUNS:,} are allowed.",
            hint="name fewer tasks, encodings or seeds, or split the spec.",
        )
