"""A grid of tasks and encodings beside the conjecture: its tables, its picture, and its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...experiment.spec import Spec
from ...experiment.store import Result
from ...report.matrix import Square, draw_matrix
from ...report.numbers import percent
from ...report.pages import Document, Heading, Items, Paragraph, Picture
from ...report.results_page import describe_training
from ...tables import Table
from ...theory.positions.opinion import Opinion
from ..interface import Comparison, Paper, StagedExperiment
from .conjecture import count_agreement, count_table, exceptions, unknowns
from .grid import CLAIMS, FITTED, SOLVED, STANDING, GridCell, Stage
from .outcomes import GridOutcome, is_enough, summarize_grid

_COLUMN = 132
_MARKS = {True: "✓", False: "✗", None: "?"}
_WORDS = {True: "yes", False: "no", None: "–"}

PICTURE = (
    "Each cell shows what the conjecture predicts (✓ generalizes, ✗ does not, ? no prediction), the median exact match of the fitted "
    "runs at the longest scale, and how many of them reach 99 %. The stronger the colour, the better. "
    "Framed: prediction and measurement disagree. "
    "Dashed: no run fitted the scales of training, so there is no evidence."
)


@dataclass(frozen=True, kw_only=True)
class GridExperiment(StagedExperiment):
    """Cells that are trained in stages until enough of their seeds fit; a quick reproduction has the first stage only."""

    paper: Paper
    cells: Sequence[GridCell]
    all_stages: Sequence[Stage]
    seeds: int
    quick: bool

    @property
    def stages(self) -> Sequence[str]:  # type: ignore[override]
        """The names of the stages to train."""
        return [stage.name for stage in self.all_stages[: 1 if self.quick else None]]

    def specs(self, stage: str, known: Mapping[str, Result]) -> list[Spec]:
        """Return a spec for every cell that no stage before was enough for."""
        number = self.stages.index(stage)
        before = self.all_stages[:number]
        left = [cell for cell in self.cells if not any(is_enough(cell, known, each, self.seeds) for each in before)]
        return [spec for cell in left for spec in cell.specs(self.all_stages[number], self.seeds)]

    def compare(self, results: Mapping[str, Result]) -> GridComparison:
        """Return what the cells came to."""
        outcomes = summarize_grid(self.cells, results, self.seeds, self.all_stages)
        return GridComparison(paper=self.paper, outcomes=outcomes, results=list(results.values()))


@dataclass(frozen=True, kw_only=True)
class GridComparison(Comparison):
    """What every cell came to, beside the conjecture; ``results`` are the runs that the figures come from."""

    paper: Paper
    outcomes: Sequence[GridOutcome]
    results: Sequence[Result]

    def brief(self, *, narrow: bool) -> Document:  # noqa: ARG002
        """Return the conjecture with its exceptions, and all figures."""
        return Document(
            [
                count_table(count_agreement(self.outcomes)),
                Items(exceptions(self.outcomes)),
                outcomes_table(self.outcomes),
                Paragraph(legend(self.outcomes)),
                *map(Paragraph, unknowns(self.outcomes)),
                Paragraph(STANDING),
            ]
        )

    def page(self) -> Document:
        """Return a picture with a cell for every task and encoding, the conjecture counted, and all figures."""
        return Document(
            [
                Paragraph(f"{self.paper.title}. {self.paper.authors}; {self.paper.source}."),
                Paragraph(STANDING),
                Heading("Claims of the paper, in our words"),
                Items(CLAIMS),
                Heading("At a glance"),
                Picture(draw_grid(self.outcomes)),
                Paragraph(PICTURE, soft=True),
                Heading("The conjecture, counted"),
                Items(exceptions(self.outcomes)),
                count_table(count_agreement(self.outcomes)),
                *map(Paragraph, unknowns(self.outcomes)),
                Heading("Figures"),
                Paragraph(legend(self.outcomes), soft=True),
                outcomes_table(self.outcomes),
                Heading("How this was measured"),
                Paragraph(describe_training(self.results)),
            ],
            title=f"{self.paper.name}: claims beside measurement",
        )

    def to_json(self) -> dict[str, object]:
        """Return every trial as JSON data."""
        return {"paper": self.paper.name, "standing": STANDING, "cells": outcomes_to_json(self.outcomes)}


def outcomes_table(outcomes: Sequence[GridOutcome]) -> Table:
    """Return a row for every cell: at each scale the median exact match in percent and how many fitted runs solve it."""
    train, *tested = outcomes[0].bins
    scales = [f"{bounds.high / train.high:g}×" for bounds in tested]
    header = ["task", "encoding", "SRC_φ", "predicted", "fitted", *scales, "measured", "trained as"]
    return Table(header=header, rows=list(map(_row, outcomes)))


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
        f"{percent(each.median(number))} ({each.solved(number)}/{each.num_fitted})"
        if each.num_fitted
        else f"[{percent(each.median(number))}]"
        for number in range(1, len(each.bins))
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
    """Return how to read the table."""
    train, *tested = outcomes[0].bins
    scales = ", ".join(str(bounds) for bounds in tested)
    return (
        f"Models are trained on scales up to {train.high} and tested at {scales}. Figures are the median exact match in percent over "
        f"the fitted runs; in parentheses, how many of them reach {SOLVED:.0%}. A run is fitted if it reaches {FITTED:.0%} at the "
        "scales of training. Brackets: no run fitted, which is no evidence. SRC_φ counts pairs of operator and labels up to scale 8, "
        "from 2 on. Predicted: whether the labels support the library's circuit at all scales. Measured: whether most fitted runs "
        "solve every longer scale. Stage and learning rate are those that fit the scales of training best."
    )


def outcomes_to_json(outcomes: Iterable[GridOutcome]) -> list[dict[str, object]]:
    """Return every trial of every cell as JSON data."""
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
                        str(bounds): [row[number] for row in trial.shares] for number, bounds in enumerate(each.bins)
                    },
                }
                for trial in each.trials
            ],
            "measured": each.measured,
            "agrees": each.agrees,
        }
        for each in outcomes
    ]


def draw_grid(outcomes: Sequence[GridOutcome]) -> str:
    """Return the grid as SVG, encodings below each other and tasks side by side."""
    tasks = list(dict.fromkeys(outcome.cell.task_title for outcome in outcomes))
    encodings = list(dict.fromkeys(outcome.cell.encoding_title for outcome in outcomes))
    title = f"What {len(encodings)} encodings came to on {len(tasks)} tasks"
    return draw_matrix(encodings, tasks, map(_square, outcomes), title=title, width=_COLUMN)


def _square(outcome: GridOutcome) -> Square:
    opinion, last = outcome.opinion, len(outcome.bins) - 1
    if outcome.trial is None or not outcome.num_fitted:
        share = None
        words = "not run" if outcome.trial is None else f"0/{outcome.num_runs} fit"
    else:
        share = outcome.median(last)
        words = f"{percent(share)} % ({outcome.solved(last)}/{outcome.num_fitted})"
    cell = outcome.cell
    reason = opinion.reason if opinion else "no relation with labels"
    return Square(
        row=cell.encoding_title,
        column=cell.task_title,
        words=f"{_MARKS[opinion.predicted if opinion else None]} {words}",
        title=f"{cell.task_title} × {cell.encoding_title}: {reason}",
        share=share,
        framed=outcome.agrees is False,
    )
