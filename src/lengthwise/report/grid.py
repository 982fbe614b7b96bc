"""What a grid of tasks and encodings came to, beside what the conjecture on sequential complexity says of each cell.

A cell is reported with the stage and the learning rate that fit the scales of training best; longer scales have no say in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean, median

from ..experiment.plan import make_groups
from ..experiment.store import Result
from ..papers.chen2025 import ENOUGH, FITTED, SOLVED, STAGES, GridCell, Stage
from ..tasks.lengths import LengthRange
from ..theory.positions.opinion import Opinion
from .statistics import share_in


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
        last = [trial for trial in self.trials if trial.stage == STAGES[-1]]
        return sum(len(trial.shares) for trial in last) < self.trial.num_planned * len(STAGES[-1].rates)

    @property
    def num_fitted(self) -> int:
        """How many runs fit the scales of training."""
        return len(self.trial.fitted) if self.trial else 0

    @property
    def num_runs(self) -> int:
        """How many runs there are."""
        return len(self.trial.shares) if self.trial else 0

    def solved(self, place: int) -> int:
        """Return how many of the fitted runs solve the scale at this place."""
        return sum(row[place] >= SOLVED for row in self.trial.fitted) if self.trial else 0

    def median(self, place: int) -> float:
        """Return the median exact match of the fitted runs at a scale, or of all where none fitted."""
        assert self.trial is not None
        return median(row[place] for row in self.trial.fitted or self.trial.shares)

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


def summarize_grid(cells: Iterable[GridCell], results: Iterable[Result], seeds: int) -> list[GridOutcome]:
    """Return what each cell came to."""
    known = {result.id: result for result in results}
    return [_summarize(cell, known, seeds) for cell in cells]


def is_enough(cell: GridCell, known: dict[str, Result], stage: Stage, seeds: int) -> bool:
    """Return whether enough seeds of a cell fit in a stage, so that it needs no further one."""
    return any(trial.rank[0] >= ENOUGH for trial in _trials(cell, known, stage, seeds))


def _summarize(cell: GridCell, known: dict[str, Result], seeds: int) -> GridOutcome:
    trials: list[Trial] = []
    for stage in STAGES:
        trials += _trials(cell, known, stage, seeds)
        if is_enough(cell, known, stage, seeds):
            break
    return GridOutcome(
        cell=cell,
        opinion=cell.opinion(),
        bins=_bins(cell, seeds),
        trials=tuple(trials),
    )


def _bins(cell: GridCell, seeds: int) -> tuple[LengthRange, ...]:
    return make_groups(cell.spec(STAGES[0], seeds))[0][0].bins


def _trials(cell: GridCell, known: dict[str, Result], stage: Stage, seeds: int) -> list[Trial]:
    """Return what there is of a stage, a trial for each learning rate."""
    runs = [run for group in make_groups(cell.spec(stage, seeds)) for run in group]
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


_WORDS = {True: "yes", False: "no", None: "–"}


def header(outcomes: Sequence[GridOutcome]) -> list[str]:
    """Return the titles of the columns."""
    train, *tested = outcomes[0].bins
    scales = [f"{bounds.high / train.high:g}×" for bounds in tested]
    return ["task", "encoding", "SRC_φ", "predicted", "fitted", *scales, "measured", "trained as"]


def rows(outcomes: Iterable[GridOutcome]) -> list[list[str]]:
    """Return a line for every cell: at each scale the median exact match in percent and how many fitted runs solve it."""
    return [_row(each) for each in outcomes]


def _row(each: GridOutcome) -> list[str]:
    opinion = each.opinion
    told = [
        each.cell.task_title,
        each.cell.encoding_title,
        _series(opinion),
        _WORDS[opinion.predicted if opinion else None],
    ]
    if each.trial is None:
        return [*told, "not run", *["–"] * (len(each.bins) + 1)]
    scores = [
        f"{100 * each.median(place):.3g} ({each.solved(place)}/{each.num_fitted})"
        if each.num_fitted
        else f"[{100 * each.median(place):.3g}]"
        for place in range(1, len(each.bins))
    ]
    trained = f"{each.trial.stage.name}, {each.trial.rate:g}"
    missing = "" if each.is_whole else f", {each.trial.num_planned - each.num_runs} to come"
    return [*told, f"{each.num_fitted}/{each.num_runs}{missing}", *scores, _WORDS[each.measured], trained]


def _series(opinion: Opinion | None) -> str:
    """Return the complexity by scale in short."""
    if opinion is None:
        return "–"
    if opinion.complexity is None:
        return "∞" if "no circuit" in opinion.reason else "–"
    told = opinion.complexity.by_scale
    return str(told[-1]) if len(set(told[1:])) == 1 else f"{told[1]}…{told[-1]}"


def legend(outcomes: Sequence[GridOutcome]) -> str:
    """Return how the table is to be read."""
    train, *tested = outcomes[0].bins
    return (
        f"Trained on scales up to {train.high}; tested at {', '.join(str(bounds) for bounds in tested)}: the median exact match in "
        f"percent over the fitted runs and, in parentheses, how many of them reach {SOLVED:.0%}; in brackets where no run fitted, "
        f"which is no evidence. Fitted: at least {FITTED:.0%} on the scales of training. SRC_φ: pairs of operator and labels up to "
        "scale 8, from 2 on; predicted: whether the labels support the library's circuit at all scales. Measured: whether "
        "most fitted runs solve every longer scale. Stage and learning rate are those that fit the scales of training best."
    )


def to_json(outcomes: Iterable[GridOutcome]) -> list[dict[str, object]]:
    """Return everything as JSON data."""
    return [
        {
            "part": each.cell.part,
            "task": each.cell.task,
            "encoding": each.cell.encoding,
            "predicted": each.opinion.predicted if each.opinion else None,
            "reason": each.opinion.reason if each.opinion else None,
            "complexity": list(each.opinion.complexity.by_scale) if each.opinion and each.opinion.complexity else None,
            "smooth": each.cell.is_smooth,
            "stage": each.trial.stage.name if each.trial else None,
            "learning_rate": each.trial.rate if each.trial else None,
            "runs": each.num_runs,
            "fitted": each.num_fitted,
            "trials": [
                {
                    "stage": trial.stage.name,
                    "learning_rate": trial.rate,
                    "planned": trial.num_planned,
                    "losses": list(trial.losses),
                    "exact_match": {
                        str(bounds): [row[place] for row in trial.shares] for place, bounds in enumerate(each.bins)
                    },
                }
                for trial in each.trials
            ],
            "measured": each.measured,
            "agrees": each.agrees,
        }
        for each in outcomes
    ]
