"""Published figures of cells, and what trains the same cells again.

Figures stand in a JSON file of a pack, a list of cells for each part. They are the authors'. They are labelled "published"
wherever they are shown; ours are labelled "measured".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from statistics import fmean, median, stdev
from typing import Any

from ..experiment.spec import Spec
from ..model.shape import Shape
from ..tasks.core.lengths import LengthRange, length_bins
from ..train.settings import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How the runs of a cell lie in one bin: shares of exact matches, from 0 to 1."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the runs."""
        return fmean(self.values)

    @property
    def deviation(self) -> float:
        """The sample standard deviation over the runs; 0 where there is one run only."""
        return stdev(self.values) if len(self.values) > 1 else 0.0

    @property
    def median(self) -> float:
        """The median over the runs."""
        return median(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The published figures of one task and encoding, and the configuration they come from."""

    part: str
    task: str
    encoding: str
    layers: int
    heads: int
    width: int
    learning_rate: float
    steps: int
    warmup: int
    num_tries: int  # runs that were made until enough of them counted
    counted_from: float  # the exact match at training lengths from which a run counts; 0 if all do
    bins: tuple[Spread, ...]  # over the counted runs, the training lengths first
    predicted: bool | None = None  # whether the authors predict that it length-generalizes, if they do
    dropout: float = 0.0

    @property
    def task_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the task."""
        return (self.task,)

    @property
    def encoding_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the encoding."""
        return (self.encoding,)

    @property
    def num_counted(self) -> int:
        """How many runs the figures are over."""
        return len(self.bins[0].values)

    @property
    def configuration(self) -> str:
        """The configuration in print."""
        dropout = f", dropout {self.dropout:g}" if self.dropout else ""
        return f"{self.layers}l{self.heads}h{self.width}d lr {self.learning_rate:g}{dropout}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRun:
    """A run of a released log: its configuration, and the exact match by bin, the training lengths first."""

    task: str
    encoding: str  # empty where the log does not say
    layers: int
    heads: int
    width: int
    learning_rate: float
    exact_match: tuple[float, ...]


def read_figures(package: str, part: str) -> list[dict[str, Any]]:
    """Return what ``figures.json`` of a pack holds for a part."""
    data: dict[str, list[dict[str, Any]]] = json.loads(files(package).joinpath("figures.json").read_text("utf-8"))
    return data[part]


def _to_published(part: str, row: Mapping[str, Any]) -> Published:
    fields = {"num_tries": row["tries"], "bins": tuple(Spread(values=tuple(values)) for values in row["runs"])}
    return Published(part=part, **fields, **{key: value for key, value in row.items() if key not in ("tries", "runs")})


@dataclass(frozen=True, kw_only=True)
class PublishedPart:
    """A part of a paper whose figures are known: what they are, and how its models are trained again."""

    package: str  # whose figures.json holds the cells under the part's name
    name: str
    summary: str
    figures_from: str
    counted: str  # which runs count, in a sentence
    selection: str  # how the configurations were chosen
    differences: tuple[str, ...]  # where our way of training is not theirs
    train_length: int
    test_length: int
    training: Training  # with the steps and the warm-up of each cell
    tied: bool = True
    most_quick_layers: int = 4  # a quick reproduction leaves out deeper models

    @cached_property
    def published(self) -> tuple[Published, ...]:
        """The cells, read from the file when they are needed."""
        return tuple(_to_published(self.name, row) for row in read_figures(self.package, self.name))

    @property
    def bins(self) -> tuple[LengthRange, ...]:
        """The bins of length that the figures are about."""
        return length_bins(self.train_length, self.test_length)

    def left_out(self, cell: Published, *, quick: bool) -> str:
        """Return why a cell is not trained, or nothing."""
        return f"{cell.layers} layers" if quick and cell.layers > self.most_quick_layers else ""

    def spec(self, cell: Published, seeds: int) -> Spec:
        """Return what trains a cell again."""
        return Spec(
            tasks=(cell.task,),
            encodings=(cell.encoding,),
            seeds=seeds,
            train_length=self.train_length,
            test_length=self.test_length,
            room=self.test_length,
            learning_rate=cell.learning_rate,
            model=Shape(layers=cell.layers, heads=cell.heads, width=cell.width, tied=self.tied),
            training=replace(self.training, steps=cell.steps, warmup=cell.warmup),
        )
