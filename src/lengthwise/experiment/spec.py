"""The spec of an experiment: what to train and how, as strict TOML.

The defaults are the preset of the demo. It was chosen on training lengths only (docs/log.md).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..encodings.core.choice import find_encoding
from ..errors import InvalidSpecError, check_number, did_you_mean
from ..files import read_text
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """Tasks times encodings times seeds times learning rates, trained on short inputs and tested on longer ones.

    Tests are on all lengths up to ``test_length``, in bins as wide as the training lengths, or on the lengths it lists.
    With ``hard``, models are also tested on the hard sets of their task; with ``generate``, some instances are also decoded
    token by token. Success is judged at ``success_at`` times the training length (3 unless that is not tested). ``room`` is
    the longest input that encodings with a table of positions, or with random ones, are made for (three times the
    training length unless it is given).
    """

    tasks: tuple[str, ...]
    encodings: tuple[str, ...] = ("nope", "ape")
    seeds: int = 3
    train_length: int = 10
    test_length: int | tuple[int, ...] = 30
    learning_rates: tuple[float, ...] = (DEFAULT_LEARNING_RATE,)
    hard: bool = False
    generate: bool = False
    success_at: float | None = None
    room: int | None = None
    model: Shape = field(default_factory=Shape)
    training: Training = field(default_factory=Training)
    version: int = VERSION

    def __post_init__(self) -> None:
        for key in ("tasks", "encodings", "learning_rates", "test_length"):
            if isinstance(getattr(self, key), list):
                object.__setattr__(self, key, tuple(getattr(self, key)))
        _check(self)


def load_spec(path: str | Path) -> Spec:
    """Return the spec in a TOML file."""
    return parse_spec(read_text(path), str(path))


def parse_spec(text: str, source: str = "spec") -> Spec:
    """Return the spec in TOML text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidSpecError(
            f"{source} is not TOML: {error}.", hint="see docs/reference/spec.md for an example."
        ) from None
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits, or thousands of brackets
        reason = "is nested too deeply" if isinstance(error, RecursionError) else "has a number that is too long"
        raise InvalidSpecError(
            f"{source} {reason} to be read.", hint="see docs/reference/spec.md for an example."
        ) from None
    if isinstance(data.get("version"), int) and data["version"] > VERSION:
        raise InvalidSpecError(
            f"{source} has version {data['version']}; this program reads version {VERSION}.",
            hint="update lengthwise, or write the spec for this version.",
        )
    spec = _read(Spec, data, source, "")
    assert isinstance(spec, Spec)
    return spec


def _read(kind: type[Any], data: Mapping[str, Any], source: str, prefix: str) -> Any:
    """Return a dataclass from a table; unknown keys and wrong types are errors."""
    known = {each.name: each for each in fields(kind)}
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in known:
            suggestion = did_you_mean(key, known)
            raise InvalidSpecError(
                f"key {prefix + key!r} in {source} is unknown. Known: {', '.join(known)}.",
                hint=f"did you mean {prefix + suggestion!r}?" if suggestion else "remove it.",
            )
        inner = {"model": Shape, "training": Training}.get(key)
        if inner and not prefix:
            if not isinstance(value, dict):
                raise InvalidSpecError(
                    f"{key!r} in {source} must be a table; found {value!r}.", hint=f"write it as [{key}]."
                )
            values[key] = _read(inner, value, source, f"{key}.")
        elif (prefix, key) == ("training.", "penalties"):
            if not isinstance(value, dict):
                raise InvalidSpecError(
                    f"'training.penalties' in {source} must be a table; found {value!r}.",
                    hint="for example [training.penalties] and relations = 1e-4 below it.",
                )
            values[key] = tuple(sorted(value.items()))
        else:
            values[key] = tuple(value) if isinstance(value, list) else value
    if kind is Spec and "tasks" not in values:
        raise InvalidSpecError(f"{source} names no tasks.", hint='for example: tasks = ["bin_majority", "(aa)*"]')
    return kind(**values)


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
    if not isinstance(spec.learning_rates, tuple) or not spec.learning_rates:
        raise InvalidSpecError(
            f"learning_rates must be a list of numbers; found {spec.learning_rates!r}.", hint="for example [0.001]."
        )
    for number, rate in enumerate(spec.learning_rates):
        check_number("learning_rates", rate, float, 1e-9, 10)
        if rate in spec.learning_rates[:number]:
            raise InvalidSpecError(f"{rate!r} is named twice in learning_rates.", hint="name each once.")
    check_lengths(spec.train_length, spec.test_length)
    if spec.room is not None:
        check_number("room", spec.room, int, spec.train_length, MOST_LENGTH)
    if spec.success_at is not None:
        check_number("success_at", spec.success_at, float, 1, MOST_LENGTH)
        _check_success(spec.success_at, length_bins(spec.train_length, spec.test_length))
    num_runs = len(spec.tasks) * len(spec.encodings) * len(spec.learning_rates) * spec.seeds
    if num_runs > MOST_RUNS:
        raise InvalidSpecError(
            f"the spec asks for {num_runs:,} runs; at most {MOST_RUNS:,} are allowed.",
            hint="name fewer tasks, encodings, learning rates or seeds, or split the spec.",
        )
