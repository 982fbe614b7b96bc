"""What a published experiment is: its cells with their figures, and how each is trained again.

These figures are the authors'. They are labelled "published" wherever they are shown; ours are labelled "measured".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

from ..errors import unknown_name
from ..experiment.spec import Spec
from ..tasks.lengths import LengthRange, length_bins


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

    task: str
    encoding: str
    predicted: bool  # whether the authors predict that it length-generalizes
    layers: int
    heads: int
    width: int
    learning_rate: float
    steps: int
    warmup: int
    num_tries: int  # runs that were made until enough of them counted
    counts_unfitted: bool  # whether runs count that are not right on all of the training lengths
    bins: tuple[Spread, ...]  # over the counted runs, the training lengths first

    @property
    def num_counted(self) -> int:
        """How many runs the figures are over."""
        return len(self.bins[0].values)

    @property
    def configuration(self) -> str:
        """The configuration in print."""
        return f"{self.layers}l{self.heads}h{self.width}d lr {self.learning_rate:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One row of a reproduction: what was published, and the spec that repeats it or why it is left out."""

    published: Published
    spec: Spec | None
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A published experiment."""

    name: str
    title: str
    authors: str
    source: str
    figures_from: str
    counted: str  # which runs count, in a sentence
    selection: str  # how the configurations were chosen
    differences: tuple[str, ...]  # where our way of training is not theirs
    train_length: int
    test_length: int | tuple[int, ...]
    published: tuple[Published, ...]
    spec_of: Callable[[Published, int], Spec]  # what repeats a cell, with so many seeds
    too_long: Callable[[Published], str]  # why a quick reproduction leaves a cell out, or nothing

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, each once."""
        return tuple(dict.fromkeys(each.task for each in self.published))

    @property
    def bins(self) -> tuple[LengthRange, ...]:
        """The bins of length that the figures are about."""
        return length_bins(self.train_length, self.test_length)

    def cells(self, *, quick: bool, only: Sequence[str] = (), seeds: int = 5) -> list[Cell]:
        """Return the rows of the reproduction; ``only`` names tasks, and all are meant where it names none."""
        for name in only:
            if name not in self.tasks:
                raise unknown_name("task", name, self.tasks)
        chosen = [each for each in self.published if not only or each.task in only]
        return [
            Cell(published=each, spec=None, left_out=reason)
            if quick and (reason := self.too_long(each))
            else Cell(published=each, spec=self.spec_of(each, seeds))
            for each in chosen
        ]
