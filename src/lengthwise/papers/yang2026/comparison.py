"""The pair side by side: the preregistered answer, every cell, and the released logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ...experiment.spec import Spec
from ...experiment.store import Result
from ...predict.predict import predict_task
from ...report.exact_tests import compare_rates
from ...report.intervals import success_rate
from ...report.numbers import percent
from ...report.pages import Block, Paragraph
from ...report.statistics import share_in, share_of
from ...tables import Table
from ...tasks.core.catalog import find_task
from ...tasks.core.lengths import LengthRange
from ..sweep import MeasuredCell, SweepCell, SweepComparison, SweepExperiment
from .analysis import (
    ENOUGH,
    FITTED,
    GOOD,
    JUDGED,
    Answer,
    Share,
    answer_pair,
    configuration_of,
    counted_runs,
    is_fitted,
)
from .pair import FIRST, SECOND, released_runs
from .suite import SUITE, SUITE_SEEDS, suite_table

LEGEND = (
    f"A run is fitted if it reaches {FITTED:.0%} at lengths 0–50. A configuration counts if {ENOUGH} runs of both languages are fitted; "
    f"of more, those with the lowest seeds. A run is good if its exact match of whole words is at least {GOOD:.0%}. Shares have exact 95 % "
    "intervals. p: Fisher's exact test, two-sided; adjusted: for both ranges of length together (Holm). No test length chooses anything."
)
CELLS = (
    "Median exact match of the fitted runs in percent, over all configurations. Pumped words come from the certificate of a NO; a "
    "language without such a NO has none. Powers repeat a short word."
)
SUITE_LEGEND = (
    "Exact match of whole words in percent at 101–150 / 451–500. Published: the run that the authors chose. Measured: medians of the "
    "fitted runs with the same configuration. Predicted: our verdict."
)
RELEASED = (
    "Published: the released search logs, mostly one run for each configuration. File names do not say whether these runs had "
    "positions; the script gives them learned ones unless told otherwise."
)
_GROUPS = {"1–4 layers": (1, 4), "6–12 layers": (6, 12), "16–24 layers": (16, 24)}
_KINDS = ("pumped", "powers")


@dataclass(frozen=True, kw_only=True)
class PairExperiment(SweepExperiment):
    """Every configuration with equally many seeds; where too few of them fit, with twice as many."""

    stages: Sequence[str] = ("first seeds", "more seeds")

    def seeded(self, cell: SweepCell, known: Mapping[str, Result]) -> list[Spec]:
        """Return the specs of a cell: twice the seeds for a configuration of which all first ones are there and too few fit."""
        by_configuration: dict[object, list[Result]] = {}
        for result in known.values():
            if (result.task, result.encoding) == (cell.task, cell.encoding) and result.seed < self.seeds:
                by_configuration.setdefault(configuration_of(result), []).append(result)
        if cell.part in SUITE:
            return [replace(spec, seeds=min(self.seeds, SUITE_SEEDS)) for spec in cell.specs]
        found = []
        for spec in super().seeded(cell, known):
            key = (spec.model.layers, spec.model.heads, spec.model.width, spec.learning_rate)
            group = by_configuration.get(key, [])
            is_short = not self.quick and len(group) == self.seeds and sum(map(is_fitted, group)) < ENOUGH
            found.append(replace(spec, seeds=2 * self.seeds) if is_short else spec)
        return found


@dataclass(frozen=True, kw_only=True)
class PairComparison(SweepComparison):
    """What was measured of the pair."""

    def findings(self) -> list[Block | Table]:
        """Return the answer, the cells, the released logs, and the suite, as far as they were asked for."""
        suite = [each for each in self.cells if each.cell.part in SUITE]
        blocks: list[Block | Table] = [suite_table(suite), Paragraph(SUITE_LEGEND)] if suite else []
        if len(suite) == len(self.cells):
            return blocks
        pair: list[Block | Table] = [
            self._answers(),
            Paragraph(LEGEND),
            self._cells(),
            Paragraph(CELLS),
            released_table(),
            Paragraph(RELEASED),
        ]
        return [*pair, *blocks]

    @property
    def _pair(self) -> list[MeasuredCell]:
        return [each for each in self.cells if each.cell.part not in SUITE]

    def answers(self) -> list[tuple[str, str, list[Answer]]]:
        """Return question, encoding and answers, for each encoding that both languages are trained with."""
        groups: dict[tuple[str, str], dict[str, list[Result]]] = {}
        for each in self._pair:
            question = "states" if each.cell.task.startswith("states") else "next symbols"
            sides = groups.setdefault((question, each.cell.encoding), {FIRST: [], SECOND: []})
            sides[each.cell.task_title] += each.results
        return [(*key, answer_pair(sides[FIRST], sides[SECOND])) for key, sides in groups.items()]

    def _answers(self) -> Table:
        header = ("asked", "encoding", "lengths", "configurations", FIRST, SECOND, "p", "adjusted")
        rows = [
            (
                question,
                encoding,
                str(answer.lengths),
                str(answer.configurations),
                _show(answer.first),
                _show(answer.second),
                f"{float(answer.test.value):.3g}" if answer.first.runs else "–",
                "–" if answer.adjusted is None else f"{float(answer.adjusted):.3g}",
            )
            for question, encoding, answers in self.answers()
            for answer in answers
        ]
        return Table(header=header, rows=rows, kinds=dict.fromkeys(range(2, len(header)), "number"))

    def _cells(self) -> Table:
        header = ["language", "asked", "encoding", "predicted", "fitted", *map(str, JUDGED), *_KINDS]
        return Table(header=header, rows=list(map(_cell_row, self._pair)), kinds={0: "name", 3: "answer"})

    def records(self, measured: MeasuredCell) -> Mapping[str, object]:
        """Return how many fitted runs each configuration has and how many of the counted ones are good."""
        counted = counted_runs(measured.results)
        return {
            "configurations": [
                {
                    "layers": key[0],
                    "heads": key[1],
                    "width": key[2],
                    "learning_rate": key[3],
                    "counted": len(group),
                    "good": {
                        str(lengths): sum((share_in(run, lengths) or 0.0) >= GOOD for run in group)
                        for lengths in JUDGED
                    },
                }
                for key, group in counted.items()
            ]
        }


def _show(share: Share) -> str:
    if share.rate is None:
        return "–"
    low, high = share.rate.low, share.rate.high
    return f"{share.good}/{share.runs} ({percent(low)}–{percent(high)} %)"


def _cell_row(measured: MeasuredCell) -> list[str]:
    cell, fitted = measured.cell, measured.fitted(FITTED)
    return [
        cell.task_title,
        "states" if cell.task.startswith("states") else "next symbols",
        cell.encoding,
        str(predict_task(find_task(cell.task), cell.encoding).answer),
        f"{len(fitted)}/{len(measured.results)} of {len(measured.runs)}",
        *(_median([share_in(run, lengths) for run in fitted]) for lengths in JUDGED),
        *(_median([_hard_share(run, kind, JUDGED[0]) for run in fitted]) for kind in _KINDS),
    ]


def _hard_share(result: Result, kind: str, lengths: LengthRange) -> float | None:
    return share_of(result.hard.get(kind, ()), lengths)


def _median(shares: Sequence[float | None]) -> str:
    known = [share for share in shares if share is not None]
    return percent(median(known)) if known else "–"


def released_table() -> Table:
    """Return the released runs by depth: how many fit, how many of these are good, and the best."""
    rows = []
    for language in (FIRST, SECOND):
        for title, (low, high) in _GROUPS.items():
            group = [run for run in released_runs() if run.task == language and low <= run.layers <= high]
            fitted = [run for run in group if run.exact_match[0] >= FITTED]
            rows.append(
                [
                    language,
                    title,
                    str(len(group)),
                    str(len(fitted)),
                    *(f"{sum(run.exact_match[number] >= GOOD for run in fitted)}/{len(fitted)}" for number in (2, 9)),
                    percent(median(run.exact_match[2] for run in fitted)),
                    percent(max(run.exact_match[2] for run in fitted)),
                ]
            )
    header = (
        "language",
        "released runs",
        "runs",
        "fitted",
        "good 101–150",
        "good 451–500",
        "median 101–150",
        "best 101–150",
    )
    return Table(header=header, rows=rows, kinds=dict.fromkeys(range(2, len(header)), "number") | {0: "name"})


def released_answer() -> str:
    """Return what the same rule says of the released runs, as a sentence."""
    sides = [[run for run in released_runs() if run.task == language] for language in (FIRST, SECOND)]
    fitted = [[run for run in side if run.exact_match[0] >= FITTED] for side in sides]
    good = [sum(run.exact_match[2] >= GOOD for run in side) for side in fitted]
    p = compare_rates(good[0], len(fitted[0]), good[1], len(fitted[1])).value
    shown = [success_rate(number, len(side)) for number, side in zip(good, fitted, strict=True)]
    return (
        f"Among the released runs that fit, {good[0]} of {len(fitted[0])} on {FIRST} and {good[1]} of {len(fitted[1])} on {SECOND} are "
        f"good at 101–150 (exact 95 % intervals {percent(shown[0].low)}–{percent(shown[0].high)} % and {percent(shown[1].low)}–"
        f"{percent(shown[1].high)} %; Fisher's exact test p = {float(p):.2g})."
    )
