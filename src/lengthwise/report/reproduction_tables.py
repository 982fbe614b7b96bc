"""The tables of a reproduction: for a terminal two lines per cell, published above measured; for documents one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..papers.paper import Paper, Published, Spread
from ..theory.claims import Answer
from .reproduction import DEVIATIONS, LEAST_DEVIATION, Comparison, percent, show_spread

DIFFERENCES = "Where our way of training is not theirs"

_NOTHING = "–"
_SHOWN_MEDIAN = 0.01  # a median is worth its place on a narrow screen where it is so far from the mean


def _bins(comparisons: Sequence[Comparison]) -> list[str]:
    return [f"{number}×" for number in range(1, len(comparisons[0].published.bins) + 1)]


def header(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the titles of the columns on a terminal."""
    return ["task", "encoding", "predicted", "figures", "counted", *_bins(comparisons), "remark"]


def rows(comparisons: Sequence[Comparison]) -> list[list[str]]:
    """Return two lines per cell: the published figures, and below them the measured ones."""
    lines = []
    for each in comparisons:
        published = each.published
        lines.append(
            [
                published.task,
                published.encoding,
                str(each.verdict.answer),
                "published",
                _counted(published.num_counted, published.num_tries),
                *map(show_spread, published.bins),
                "; ".join([published.configuration, *_medians(published.bins)]),
            ]
        )
        lines.append(
            [
                *[""] * 3,
                "measured",
                _counted(each.num_counted, each.num_runs),
                *(map(show_spread, each.bins) if each.bins else [_NOTHING] * len(published.bins)),
                "; ".join([each.remark, *_medians(each.bins)]),
            ]
        )
    return lines


def _counted(counted: int, tried: int) -> str:
    return f"{counted}/{tried}" if tried else _NOTHING


def _medians(bins: Sequence[Spread]) -> list[str]:
    return [
        f"median {percent(spread.median)} at {number}×"
        for number, spread in enumerate(bins, start=1)
        if abs(spread.median - spread.mean) > _SHOWN_MEDIAN
    ]


def wide_header(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the titles of the columns in a document."""
    bins = " / ".join(_bins(comparisons))
    return [
        "task",
        "encoding",
        "predicted",
        f"published {bins}",
        f"measured {bins}",
        "remark",
        "published: counted of tries",
        "measured: counted of runs",
        "published median",
        "measured median",
        "configuration",
    ]


def wide_rows(comparisons: Sequence[Comparison]) -> list[list[str]]:
    """Return one row per cell."""
    return [
        [
            each.published.task,
            each.published.encoding,
            str(each.verdict.answer),
            _joined(each.published.bins, show_spread),
            _joined(each.bins, show_spread),
            each.remark,
            _counted(each.published.num_counted, each.published.num_tries),
            _counted(each.num_counted, each.num_runs),
            _joined(each.published.bins, _median),
            _joined(each.bins, _median),
            each.published.configuration,
        ]
        for each in comparisons
    ]


def _median(spread: Spread) -> str:
    return percent(spread.median)


def _joined(bins: Sequence[Spread], show: Callable[[Spread], str]) -> str:
    return " / ".join(map(show, bins)) or _NOTHING


def summary(comparisons: Sequence[Comparison]) -> str:
    """Return how far measured and published agree, in a sentence or two."""
    known = [each.is_close for each in comparisons if each.is_close is not None]
    text = (
        f"Measured is within {DEVIATIONS} sd of published at all lengths in {sum(known)} of {len(known)} cells with counted runs."
        if known
        else "Nothing is measured yet that could be compared."
    )
    others = [
        f"{number} {what}"
        for number, what in (
            (sum(each.num_runs > 0 and not each.bins for each in comparisons), "without a run that fitted"),
            (sum(not each.num_runs and not each.left_out for each in comparisons), "not run"),
            (sum(bool(each.left_out) for each in comparisons), "left out"),
        )
        if number
    ]
    cells = f"Of {len(comparisons)} cells: {', '.join(others)}." if others else ""
    return " ".join(filter(None, [text, cells, _prediction_summary(comparisons)]))


def _prediction_summary(comparisons: Sequence[Comparison]) -> str:
    known = [each for each in comparisons if each.verdict.answer is not Answer.UNKNOWN]
    same = sum((each.verdict.answer is Answer.YES) == each.published.predicted for each in known)
    return f"Our verdict is the published prediction in {same} of {len(known)} cells where we have one."


def legend(paper: Paper) -> str:
    """Return how to read the tables."""
    first = paper.published[0]
    bins = " / ".join(map(str, paper.bins))
    return (
        f"Published: {paper.source}, from {paper.figures_from}. Measured: with this program. Exact match in percent at lengths "
        f"{bins}, mean ± standard deviation (sd) over the counted runs, of all that were made. {paper.counted} Within "
        f"{DEVIATIONS} sd: at all lengths the two means differ by at most {DEVIATIONS} standard deviations, pooled over both "
        f"groups of runs and taken as at least {LEAST_DEVIATION * 100:.0f} point. {paper.selection} {first.configuration}: layers "
        f"{first.layers}, heads {first.heads}, width {first.width}, learning rate {first.learning_rate:g}."
    )


def markdown(paper: Paper, comparisons: Sequence[Comparison]) -> str:
    """Return the table with all that belongs to it as Markdown."""
    titles = wide_header(comparisons)
    return "\n".join(
        [
            "| " + " | ".join(titles) + " |",
            "|" + "---|" * len(titles),
            *("| " + " | ".join(row) + " |" for row in wide_rows(comparisons)),
            "",
            summary(comparisons),
            "",
            legend(paper),
            "",
            f"{DIFFERENCES}:",
            "",
            *(f"- {difference}" for difference in paper.differences),
            "",
        ]
    )


def to_json(paper: Paper, comparisons: Sequence[Comparison]) -> dict[str, object]:
    """Return the reproduction as JSON data."""
    return {
        "paper": paper.name,
        "title": paper.title,
        "source": paper.source,
        "counted": paper.counted,
        "differences": list(paper.differences),
        "cells": [_cell_to_json(paper, each) for each in comparisons],
    }


def _cell_to_json(paper: Paper, each: Comparison) -> dict[str, object]:
    published = each.published
    return {
        "task": published.task,
        "encoding": published.encoding,
        "predicted": str(each.verdict.answer),
        "reason": each.verdict.reason,
        "configuration": {
            name: getattr(published, name) for name in ("layers", "heads", "width", "learning_rate", "steps", "warmup")
        },
        "published": published_to_json(paper, published),
        "measured": {
            "planned": each.num_planned,
            "runs": each.num_runs,
            "fitted": each.num_fitted,
            "counted": each.num_counted,
            "bins": _bins_to_json(paper, each.bins),
        },
        "close": each.is_close,
        "left_out": each.left_out or None,
        "remark": each.remark,
    }


def published_to_json(paper: Paper, published: Published) -> dict[str, object]:
    """Return the published figures of a cell as JSON data."""
    return {
        "predicted": "YES" if published.predicted else "NO",
        "tries": published.num_tries,
        "counted": published.num_counted,
        "bins": _bins_to_json(paper, published.bins),
    }


def _bins_to_json(paper: Paper, bins: Sequence[Spread]) -> list[dict[str, object]]:
    return [
        {
            "lengths": [bounds.low, bounds.high],
            "mean": spread.mean,
            "sd": spread.deviation if len(spread.values) > 1 else None,
            "median": spread.median,
            "runs": list(spread.values),
        }
        for bounds, spread in zip(paper.bins, bins, strict=bool(bins))
    ]
