"""Accuracy beyond the training lengths and the longest perfect length, published beside measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from ...experiment.store import Result
from ...predict.predict import predict_task
from ...report.numbers import percent
from ...report.pages import Block, Paragraph
from ...tables import Table
from ...tasks.core.catalog import find_task
from ...theory.precision.look_back import NumberFormat, longest_look_back, rotary_angles
from ..sweep import MeasuredCell, SweepComparison
from .tables import HEAD_WIDTH, TRAIN_LENGTH, find_row

AMPLITUDES = (100, 500)
_MOST_LOOK_BACK = 10_000
LEGEND = (
    "Accuracy: the mean over lengths 41–500, in percent, largest / mean ± standard deviation over the runs. N*: the largest length such "
    "that every tested length up to it has no error, largest / mean ± standard deviation. A value below 41 means errors at training "
    "lengths, so that the run says nothing about longer inputs. Fitted: runs without an error at training lengths. Predicted: our "
    f"verdict for all lengths. Look-back at {AMPLITUDES[0]} / {AMPLITUDES[1]}: up to which length a head can attend to the previous token "
    f"alone, exactly in float32, if all its {HEAD_WIDTH // 2} rotary pairs have this amplitude. It is sufficient for such a head, not "
    "necessary, and training may not reach the amplitude; we did not measure the amplitudes of trained models."
)


def perfect_length(result: Result) -> int:
    """Return the largest tested length up to which a run makes no error; 0 if it errs at the shortest.

    >>> from types import SimpleNamespace
    >>> perfect_length(SimpleNamespace(scores=((1, 4, 4), (2, 4, 4), (3, 4, 3), (4, 4, 4))))
    2
    """
    reached = 0
    for length, examples, matches in sorted(result.scores):
        if matches < examples:
            break
        reached = length
    return reached


def mean_accuracy(result: Result) -> float:
    """Return the mean over the tested lengths beyond training, each counting alike."""
    return fmean(matches / examples for length, examples, matches in result.scores if length > TRAIN_LENGTH)


@dataclass(frozen=True, kw_only=True)
class RotaryComparison(SweepComparison):
    """The rows of the published tables, with our runs beside them."""

    def findings(self) -> list[Block | Table]:
        """Return a row for every cell."""
        header = (
            "language",
            "encoding",
            "predicted",
            "published accuracy",
            "measured accuracy",
            "published N*",
            "measured N*",
            "fitted",
            "runs",
            f"look-back at {AMPLITUDES[0]} / {AMPLITUDES[1]}",
        )
        kinds = dict.fromkeys(range(3, len(header)), "number") | {0: "name", 2: "answer"}
        return [Table(header=header, rows=list(map(_row, self.cells)), kinds=kinds), Paragraph(LEGEND)]

    def records(self, measured: MeasuredCell) -> Mapping[str, object]:
        """Return the published row, and what is measured of each run."""
        row = find_row(measured.cell)
        names = ("max", "mean", "sd")
        return {
            "base": row.base,
            "published_accuracy": dict(zip(names, row.accuracy, strict=True)),
            "published_perfect_length": dict(zip(names, row.perfect, strict=True)),
            "accuracy": list(map(mean_accuracy, measured.results)),
            "perfect_length": list(map(perfect_length, measured.results)),
            "look_back": dict(zip(map(str, AMPLITUDES), look_backs(row.base, row.encoding), strict=False)),
        }


def look_backs(base: float | None, encoding: str) -> list[int]:
    """Return the bounded look-back length for each amplitude; none for encodings that do not rotate by a base."""
    if base is None or not encoding.startswith("RoPE"):
        return []
    angles = rotary_angles(base, HEAD_WIDTH)
    return [longest_look_back(angles, amplitude, NumberFormat.FLOAT32, _MOST_LOOK_BACK) for amplitude in AMPLITUDES]


def _row(measured: MeasuredCell) -> list[str]:
    cell, results = measured.cell, measured.results
    row = find_row(cell)
    return [
        cell.task_title,
        cell.encoding_title,
        str(predict_task(find_task(cell.task), cell.encoding).answer),
        _shares(*row.accuracy),
        _spread(list(map(mean_accuracy, results)), _shares),
        _lengths(*row.perfect),
        _spread(list(map(perfect_length, results)), _lengths),
        f"{len(measured.fitted(1.0))}/{len(results)}",
        measured.progress,
        " / ".join(f"{length:,}" for length in look_backs(row.base, row.encoding)) or "–",
    ]


def _spread(values: Sequence[float], show: object) -> str:
    if not values:
        return "–"
    assert callable(show)
    return str(show(max(values), fmean(values), stdev(values) if len(values) > 1 else None))


def _shares(largest: float, mean: float | None, deviation: float | None) -> str:
    return _joined(percent(largest), mean and percent(mean), deviation and percent(deviation))


def _lengths(largest: float, mean: float | None, deviation: float | None) -> str:
    shown = (None if value is None else f"{value:.0f}" for value in (mean, deviation))
    return _joined(f"{largest:.0f}", *shown)


def _joined(largest: str, mean: object, deviation: object) -> str:
    return largest + ("" if mean is None else f" / {mean}") + ("" if deviation is None else f" ± {deviation}")
