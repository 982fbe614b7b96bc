"""What a grid of tasks and encodings came to, beside what the conjecture on sequential complexity says of each cell.

A cell is reported with the stage and the learning rate that fit the scales of training best; longer scales have no say in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean, median

from ...experiment.plan import make_runs
from ...experiment.store import Result
from ...report.statistics import share_in
from ...tasks.core.lengths import LengthRange
from ...theory.positions.opinion import Opinion
from .grid import ENOUGH, FITTED, SOLVED, STAGES, GridCell, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The runs of a cell in one stage with one learning rate: for each its loss at the end and its share of exact matches by bin."""

    stage: Stage
    rate: float
    num_planned: int
    losses: tuple[float, ...]
    shares: tuple[tuple[float, ...], ...]

    @property
    def fitted(self) -> tuple[tuple[float, ...], ...]:
        """The shares of the runs that fit the scales of training."""
        return tuple(row for row in self.shares if row[0] >= FITTED)

    @property
    def rank(self) -> tuple[float, ...]:
        """How well the scales of training are fitted: the share of runs that do, then the loss."""
        return len(self.fitted) / self.num_planned, -fmean(self.losses)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridOutcome:
    """A cell: what the conjecture says, and what was tried; nothing where nothing was trained."""

    cell: GridCell
    opinion: Opinion | None
    bins: tuple[LengthRange, ...]
    trials: tuple[Trial, ...]
    last_stage: Stage

    @property
    def trial(self) -> Trial | None:
        """The trial that the cell is reported with."""
        return max(self.trials, key=lambda trial: trial.rank, default=None)

    @property
    def is_whole(self) -> bool:
        """Whether all runs of the trial are there."""
        return self.trial is not None and len(self.trial.shares) == self.trial.num_planned

    @property
    def lacks_a_stage(self) -> bool:
        """Whether too few runs fit, and the last stage was not run, or not to its end."""
        if self.trial is None or not self.is_whole or self.trial.rank[0] >= ENOUGH:
            return False
        last = [trial for trial in self.trials if trial.stage == self.last_stage]
        return sum(len(trial.shares) for trial in last) < self.trial.num_planned * len(self.last_stage.rates)

    @property
    def num_fitted(self) -> int:
        """How many runs fit the scales of training."""
        return len(self.trial.fitted) if self.trial else 0

    @property
    def num_runs(self) -> int:
        """How many runs there are."""
        return len(self.trial.shares) if self.trial else 0

    def solved(self, bin_number: int) -> int:
        """Return how many of the fitted runs solve a bin of scales."""
        return sum(row[bin_number] >= SOLVED for row in self.trial.fitted) if self.trial else 0

    def median(self, bin_number: int) -> float:
        """Return the median exact match of the fitted runs in a bin of scales, or of all where none fitted."""
        assert self.trial is not None
        return median(row[bin_number] for row in self.trial.fitted or self.trial.shares)

    @property
    def measured(self) -> bool | None:
        """Whether most fitted runs solve every longer scale; None where none fitted, or where runs are missing."""
        if not self.trial or not self.num_fitted or not self.is_whole:
            return None
        good = sum(all(share >= SOLVED for share in row[1:]) for row in self.trial.fitted)
        return 2 * good > self.num_fitted

    @property
    def agrees(self) -> bool | None:
        """Whether the conjecture and the measurement agree; None where either is not known."""
        if self.opinion is None or self.opinion.predicted is None or self.measured is None:
            return None
        return self.opinion.predicted is self.measured


def summarize_grid(
    cells: Iterable[GridCell], results: Mapping[str, Result], seeds: int, stages: Sequence[Stage] = STAGES
) -> list[GridOutcome]:
    """Return what each cell came to, from results by the id of their runs."""
    return [_summarize(cell, results, seeds, stages) for cell in cells]


def is_enough(cell: GridCell, known: Mapping[str, Result], stage: Stage, seeds: int) -> bool:
    """Return whether enough seeds of a cell fit in a stage, so that it needs no further one."""
    return any(trial.rank[0] >= ENOUGH for trial in _trials(cell, known, stage, seeds))


def _summarize(cell: GridCell, known: Mapping[str, Result], seeds: int, stages: Sequence[Stage]) -> GridOutcome:
    trials: list[Trial] = []
    for stage in stages:
        trials += _trials(cell, known, stage, seeds)
        if is_enough(cell, known, stage, seeds):
            break
    return GridOutcome(
        cell=cell,
        opinion=cell.opinion(),
        bins=make_runs(cell.specs(stages[0], seeds))[0].bins,
        trials=tuple(trials),
        last_stage=stages[-1],
    )


def _trials(cell: GridCell, known: Mapping[str, Result], stage: Stage, seeds: int) -> list[Trial]:
    """Return what there is of a stage, a trial for each learning rate."""
    runs = make_runs(cell.specs(stage, seeds))
    trials = []
    for rate in stage.rates:
        found = [(run, known[run.id]) for run in runs if run.learning_rate == rate and run.id in known]
        if found:
            trials.append(
                Trial(
                    stage=stage,
                    rate=rate,
                    num_planned=seeds,
                    losses=tuple(result.losses[-1][1] if result.losses else inf for _, result in found),
                    shares=tuple(
                        tuple(share_in(result, bounds) or 0.0 for bounds in run.bins) for run, result in found
                    ),
                )
            )
    return trials
