"""The chance that training finds a solution: measured where a cell was measured, else estimated by a small model.

The model is a table of weights. It has two heads: ``fit`` for a run that fits the training lengths, and ``generalize`` for a
fitted run that is right at ``at`` times the training length; others say the same of larger multiples. A head adds up weights times
features and turns the sum into a chance by the logistic function. A weight whose name begins with "+" is never negative. Features
of that kind grow with what theory proves, so a NO never gets a higher chance than a YES of the same shape. A file that breaks
this rule is refused.

``replicates`` are the same weights fitted again to languages drawn with replacement; their spread gives the interval.
``benchmarks/atlas_fit.py`` writes the file. Without one, nothing is estimated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp, sqrt
from pathlib import Path
from typing import Any

from ..errors import UnreadableFileError
from .measured import Measured

FORMAT = "lengthwise predictor 1"
_AT = "generalize at "  # how the heads for larger multiples are named
_LARGEST = 1e9  # of all numbers in a file
_WIDE = 1.96  # standard deviations on each side of a 95 % interval

_NUMBERS = re.compile(r"-?\d+(\.\d+)?( -?\d+(\.\d+)?)*")

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """How likely a fitted run is right at ``at`` times the training length, with a 95 % interval; and how likely a run fits.

    ``source`` is "measured" for the counts of one cell and "estimated" for the model. ``generalize`` is None where no
    measured run fitted.
    """

    generalize: float | None
    low: float | None
    high: float | None
    at: float
    fit: float
    source: str
    num_cells: int
    beyond: Mapping[float, float] = field(default_factory=dict)
    """The chance at larger multiples of the training length, never more than at smaller ones."""

    def sentence(self) -> str:
        """Return the chance as a sentence.

        >>> Chance(generalize=0.35, low=0.22, high=0.5, at=3, fit=1.0, source="estimated", num_cells=1240).sentence()
        'Chance 0.35 (0.22–0.50) that a fitted run is right at 3 times the training length, estimated from 1,240 measured cells.'
        """
        if self.generalize is None:
            return "No run fitted the training lengths (measured)."
        cells = "1 measured cell" if self.num_cells == 1 else f"{self.num_cells:,} measured cells"
        how = f"estimated from {cells}" if self.source == "estimated" else "measured"
        return (
            f"Chance {self.generalize:.2f} ({self.low:.2f}–{self.high:.2f}) that a fitted run is right at {self.at:g} times the "
            f"training length, {how}."
        )

    def to_json(self) -> dict[str, object]:
        """Return the chance as JSON data, in the shape that docs/reference/json.md documents."""
        return {
            "generalize": _short(self.generalize),
            "low": _short(self.low),
            "high": _short(self.high),
            "at": self.at,
            "fit": _short(self.fit),
            "source": self.source,
            "cells": self.num_cells,
        } | ({"beyond": {f"{at:g}": _short(chance) for at, chance in self.beyond.items()}} if self.beyond else {})


def _short(share: float | None) -> float | None:
    return None if share is None else round(share, 3)


def measured_chance(cell: Measured) -> Chance:
    """Return the chance that the counts of a cell give, with an exact interval."""
    from .success_rates import success_rate  # here: an estimate needs no exact interval

    rate = success_rate(cell.num_generalized, cell.num_fitted) if cell.num_fitted else None
    return Chance(
        generalize=None if rate is None else rate.share,
        low=None if rate is None else rate.low,
        high=None if rate is None else rate.high,
        at=cell.setting.at,
        fit=cell.num_fitted / cell.num_runs,
        source="measured",
        num_cells=1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Weights by the name of their feature; ``replicates`` has those of each replicate as text, with a blank between them.

    Most features have no part in a question, so their replicates stay text.
    """

    weights: Mapping[str, float]
    replicates: Mapping[str, str]

    def score(self, features: Features) -> float:
        """Return the sum before the logistic function; features without a weight count for nothing."""
        return sum(self.weights.get(name, 0.0) * value for name, value in features.items())

    def chance(self, features: Features) -> float:
        """Return the chance."""
        return logistic(self.score(features))

    def interval(self, features: Features) -> tuple[float, float]:
        """Return the 95 % interval by the spread of the replicates' scores around the score."""
        center = self.score(features)
        used = [(value, self.replicates[name].split()) for name, value in features.items() if name in self.replicates]
        scores = [0.0] * max((len(weights) for _, weights in used), default=0)
        for value, weights in used:
            for number, weight in enumerate(weights):
                scores[number] += value * float(weight)
        wide = _WIDE * sqrt(sum((score - center) ** 2 for score in scores) / len(scores)) if scores else 0.0
        return logistic(center - wide), logistic(center + wide)


def logistic(score: float) -> float:
    """Return the chance of a score.

    >>> logistic(0.0), round(logistic(-1000), 3), round(logistic(1000), 3)
    (0.5, 0.0, 1.0)
    """
    return 1 / (1 + exp(-score)) if score >= 0 else exp(score) / (1 + exp(score))


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictor:
    """A fitted model with what it was fitted to."""

    at: float
    train_length: int
    num_cells: int
    fitted_to: str  # in words: which measurements
    fit: Head
    generalize: Head
    beyond: Mapping[float, Head] = field(default_factory=dict)
    """Heads for larger multiples of the training length than ``at``, in increasing order."""

    def estimate(self, features: Features) -> Chance:
        """Return the chance of a question with an encoding."""
        low, high = self.generalize.interval(features)
        chance = self.generalize.chance(features)
        farther, beyond = chance, {}
        for at, head in self.beyond.items():
            beyond[at] = farther = min(farther, head.chance(features))
        return Chance(
            generalize=chance,
            low=low,
            high=high,
            at=self.at,
            fit=self.fit.chance(features),
            source="estimated",
            num_cells=self.num_cells,
            beyond=beyond,
        )

    def to_json(self) -> dict[str, object]:
        """Return the predictor as the data of its file."""
        heads = {
            name: {"weights": dict(head.weights), "replicates": dict(head.replicates)}
            for name, head in (
                ("fit", self.fit),
                ("generalize", self.generalize),
                *((f"{_AT}{at:g}", head) for at, head in self.beyond.items()),
            )
        }
        return {
            "format": FORMAT,
            "at": self.at,
            "train_length": self.train_length,
            "cells": self.num_cells,
            "fitted_to": self.fitted_to,
            "heads": heads,
        }


@lru_cache(maxsize=4)
def read_predictor(path: str | Path) -> Predictor:
    """Return the predictor of a file; raise if it is none, or if a weight that must not be negative is."""
    data, place = _read_json(path), repr(str(path))
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _not_a_predictor(place, f"its format is not {FORMAT!r}")
    try:
        fit, generalize = (_read_head(data["heads"][name], place) for name in ("fit", "generalize"))
        beyond = {
            _number(float(name.removeprefix(_AT))): _read_head(head, place)
            for name, head in data["heads"].items()
            if name.startswith(_AT)
        }
        if any(at <= _number(data["at"]) for at in beyond):
            raise _not_a_predictor(place, f"a head {_AT.strip()!r} is of no larger multiple than {data['at']}")
        return Predictor(
            at=_number(data["at"]),
            train_length=int(_number(data["train_length"])),
            num_cells=int(_number(data["cells"])),
            fitted_to=str(data["fitted_to"]),
            fit=fit,
            generalize=generalize,
            beyond=dict(sorted(beyond.items())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _not_a_predictor(place, f"{error} is missing or of another type") from None


def _read_json(path: str | Path) -> Any:
    """Return the data of a file; what is wrong with one is said by a module that is slow to import."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        from ..files import read_json

        return read_json(path)


def _read_head(data: Any, place: str) -> Head:
    weights = {str(name): _number(weight) for name, weight in data["weights"].items()}
    for name, weight in weights.items():
        if is_monotone(name) and weight < 0:
            raise _not_a_predictor(place, f"the weight of {name!r} is {weight}, which must not be negative")
    replicates = dict(data["replicates"])
    numbers = {text.count(" ") for text in replicates.values()}
    if len(numbers) > 1 or set(replicates) - set(weights) or not all(map(_NUMBERS.fullmatch, replicates.values())):
        raise _not_a_predictor(place, "its replicates are not as many numbers for every weight")
    return Head(weights=weights, replicates=replicates)


def is_monotone(feature: str) -> bool:
    """Return whether a feature grows with what theory proves, so that its weight is never negative."""
    return feature.startswith("+")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _LARGEST:
        raise TypeError(repr(value))
    return float(value)


def _not_a_predictor(place: str, why: str) -> UnreadableFileError:
    return UnreadableFileError(f"{place} is not a predictor: {why}.", hint="write it with benchmarks/atlas_fit.py.")
