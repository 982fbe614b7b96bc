"""Distance from a limit transformer against success: the experiment, which keeps its models, and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from ...experiment.store import Result
from ...report.exact_tests import adjust, compare_rates, compare_values
from ...report.numbers import percent
from ...report.pages import Block, Paragraph
from ...report.statistics import share_in
from ...tables import Table
from ..interface import Trainer
from ..sweep import MeasuredCell, SweepComparison, SweepExperiment
from .distances import LimitDistance, measure_distance, read_distances, write_distances
from .grid import TASKS, WEIGHTS, setting_name

FITTED = 0.99
GOOD = 0.9
LEGEND = (
    f"Fitted: exact match of at least {FITTED:.0%} at training lengths. Good: a fitted run of at least {GOOD:.0%} at 101–150. Exact match "
    "and distances are medians over the fitted runs. Distance: how far product functions are from the nearest limit transformer, as the "
    "share of variance it leaves at pairs of positions that training saw, and as the size of the difference at pairs it never saw. 0 is "
    "exact. weight_W: the regularizer of arXiv 2410.02140 with weight W; log_n: queries times s·log n."
)
QUESTIONS = (
    "Nearer when good: among all fitted runs of a task, is the distance at unseen pairs smaller for good runs than for others (exact "
    "rank-sum test)? Regularized against not: are good runs more frequent with a weight than without, at the weight where the most runs "
    "fit (Fisher's exact test)? p-values are two-sided and hold for all tasks together (Holm)."
)
_SAVE_EVERY = 20


@dataclass(frozen=True, kw_only=True)
class MechanismExperiment(SweepExperiment):
    """Trains with models kept, and measures their distances; what the file beside the store holds is not measured again."""

    def measure(self, trainer: Trainer) -> MechanismComparison:
        """Train what is missing, measure what was not measured, and compare."""
        results = {result.id: result for result in trainer.train(self.specs("", {}), keep=True)}
        file = trainer.beside_store("distances.json")
        distances = read_distances(file)
        missing = [run for run in results if run not in distances and trainer.model_file(run).exists()]
        if missing and not trainer.is_dry_run:
            trainer.say(f"measuring the product functions of {len(missing)} models")
            for number, run in enumerate(missing, start=1):
                distances[run] = measure_distance(trainer.model_file(run))
                if number % _SAVE_EVERY == 0 or number == len(missing):
                    write_distances(file, distances)
        compared = self.compare(results)
        assert isinstance(compared, MechanismComparison)
        return replace(compared, distances={run: distances[run] for run in results if run in distances})


@dataclass(frozen=True, kw_only=True)
class MechanismComparison(SweepComparison):
    """Cells with the distances of their models."""

    distances: Mapping[str, LimitDistance] = field(default_factory=dict)

    def findings(self) -> list[Block | Table]:
        """Return every cell, and the two questions for each task."""
        return [self._cells(), Paragraph(LEGEND), self._tests(), Paragraph(QUESTIONS)]

    def records(self, measured: MeasuredCell) -> Mapping[str, object]:
        """Return the distances of each run."""
        known = {run.id: self.distances[run.id] for run in measured.results if run.id in self.distances}
        return {
            "setting": measured.cell.encoding_title,
            "distances": {run: [each.residual, each.beyond] for run, each in known.items()},
        }

    def _cells(self) -> Table:
        header = (
            "task",
            "setting",
            "fitted",
            "good",
            "51–100",
            "101–150",
            "distance at seen pairs",
            "at unseen pairs",
            "runs",
        )
        rows = []
        for each in self.cells:
            fitted = each.fitted(FITTED)
            known = [self.distances[run.id] for run in fitted if run.id in self.distances]
            rows.append(
                [
                    each.cell.task_title,
                    each.cell.encoding_title,
                    f"{len(fitted)}/{len(each.results)}",
                    f"{len(good_runs(each, fitted))}/{len(fitted)}",
                    *(_median_share(each, fitted, number) for number in (1, 2)),
                    _median_of([distance.residual for distance in known]),
                    _median_of([distance.beyond for distance in known]),
                    each.progress,
                ]
            )
        return Table(header=header, rows=rows, kinds=dict.fromkeys(range(2, len(header)), "number") | {0: "name"})

    def _tests(self) -> Table:
        tasks = list(dict.fromkeys(each.cell.task_title for each in self.cells))
        nearer = [self._nearer(task) for task in tasks]
        better = [self._better(task) for task in tasks]
        p_nearer = adjust([compare_values(good, others) for good, others in nearer])
        p_better = adjust([compare_rates(*counts) for counts in better])
        rows = [
            [
                task,
                TASKS[task],
                f"{_median_of(good)} / {_median_of(others)} ({len(good)} / {len(others)} runs)",
                "–" if near is None else f"{float(near):.3g}",
                f"{counts[0]}/{counts[1]} against {counts[2]}/{counts[3]}",
                "–" if rate is None else f"{float(rate):.3g}",
            ]
            for task, (good, others), near, counts, rate in zip(tasks, nearer, p_nearer, better, p_better, strict=True)
        ]
        header = ("task", "what it needs", "distance, good / others", "p", "good, regularized against not", "p")
        return Table(header=header, rows=rows, kinds={0: "name", 1: "remark"})

    def _nearer(self, task: str) -> tuple[list[float], list[float]]:
        """Return the distances at unseen pairs of the good runs of a task, and of its other fitted runs."""
        sides: tuple[list[float], list[float]] = [], []
        for each in self.cells:
            if each.cell.task_title == task:
                fitted = each.fitted(FITTED)
                good = {run.id for run in good_runs(each, fitted)}
                for run in fitted:
                    if run.id in self.distances:
                        sides[run.id not in good].append(self.distances[run.id].beyond)
        return sides

    def _better(self, task: str) -> tuple[int, int, int, int]:
        """Return good and fitted runs with the weight that the most runs fit, then without the regularizer."""
        by_weight = {}
        for weight in WEIGHTS:
            names = [setting_name(weight, log_n=log_n) for log_n in (False, True)]
            cells = [each for each in self.cells if each.cell.task_title == task and each.cell.encoding_title in names]
            groups = [(each, each.fitted(FITTED)) for each in cells]
            good = sum(len(good_runs(each, fitted)) for each, fitted in groups)
            by_weight[weight] = good, sum(len(fitted) for _, fitted in groups)
        best = max((weight for weight in WEIGHTS if weight), key=lambda weight: by_weight[weight][1])
        return *by_weight[best], *by_weight[0.0]


def good_runs(measured: MeasuredCell, fitted: Sequence[Result]) -> list[Result]:
    """Return the fitted runs that generalize to three times the training length."""
    return [run for run in fitted if (share_in(run, measured.bins[2]) or 0.0) >= GOOD]


def _median_share(measured: MeasuredCell, fitted: Sequence[Result], number: int) -> str:
    return percent(median(share_in(run, measured.bins[number]) or 0.0 for run in fitted)) if fitted else "–"


def _median_of(values: Sequence[float]) -> str:
    return f"{median(values):.3g}" if values else "–"
