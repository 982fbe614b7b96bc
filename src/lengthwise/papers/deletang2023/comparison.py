"""Fifteen tasks: the best run and the mean over seeds, beyond the training lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev

from ...experiment.store import Result
from ...predict.predict import predict_task
from ...report.numbers import percent
from ...report.pages import Block, Paragraph
from ...tables import Table
from ...tasks.core.catalog import find_task
from ..sweep import MeasuredCell, SweepComparison
from .tasks import TRAIN_LENGTH

FITTED = 0.99
LEGEND = (
    "Score: the mean exact match in percent over the tested lengths 41–500, each length counting alike. Best: the largest score of a run, "
    "which is chosen by test lengths, as the papers do. Mean: over all runs, ± standard deviation. Fitted: runs of at least "
    f"{FITTED:.0%} at training lengths; the mean over these stands beside it. Predicted: our verdict for all lengths."
)


def score(result: Result) -> float:
    """Return the mean exact match over the tested lengths beyond training."""
    return fmean(matches / examples for length, examples, matches in result.scores if length > TRAIN_LENGTH)


@dataclass(frozen=True, kw_only=True)
class LevelsComparison(SweepComparison):
    """A row for every task and encoding."""

    def findings(self) -> list[Block | Table]:
        """Return a row for every cell, and how to read it."""
        header = ("level", "task", "encoding", "predicted", "best", "mean", "fitted", "mean of fitted", "runs")
        kinds = dict.fromkeys(range(4, len(header)), "number") | {1: "name", 3: "answer"}
        return [Table(header=header, rows=list(map(_row, self.cells)), kinds=kinds), Paragraph(LEGEND)]

    def records(self, measured: MeasuredCell) -> Mapping[str, object]:
        """Return the score of each run."""
        return {"scores": list(map(score, measured.results))}


def _row(measured: MeasuredCell) -> list[str]:
    cell, results = measured.cell, measured.results
    scores = list(map(score, results))
    fitted = measured.fitted(FITTED)
    deviation = f" ± {percent(stdev(scores))}" if len(scores) > 1 else ""
    return [
        cell.part.replace("_", "-"),
        cell.task_title,
        cell.encoding_title,
        str(predict_task(find_task(cell.task), cell.encoding).answer),
        percent(max(scores)) if scores else "–",
        percent(fmean(scores)) + deviation if scores else "–",
        f"{len(fitted)}/{len(results)}",
        percent(fmean(map(score, fitted))) if fitted else "–",
        measured.progress,
    ]
