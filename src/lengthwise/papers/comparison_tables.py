"""The tables of published beside measured: for a terminal two lines for each cell, for documents one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..report.numbers import percent
from ..tables import Table
from ..theory.claims import Answer
from .compared import DEVIATIONS, LEAST_DEVIATION, ComparedCell
from .interface import Paper
from .published import Published, PublishedPart, Spread

_NOTHING = "–"
_SHOWN_MEDIAN = 0.01  # a median is worth its place on a narrow screen where it is so far from the mean


def show_spread(spread: Spread) -> str:
    """Return a mean with its standard deviation, in percent."""
    deviation = spread.deviation
    return percent(spread.mean) + (f"±{percent(deviation)}" if deviation > 1e-9 else "")


def _multiples(cells: Sequence[ComparedCell]) -> list[str]:
    return [f"{number}×" for number in range(1, len(cells[0].published.bins) + 1)]


def narrow_table(cells: Sequence[ComparedCell]) -> Table:
    """Return two lines for each cell: the published figures, and below them the measured ones."""
    rows = []
    for cell in cells:
        published = cell.published
        rows.append(
            [
                published.task,
                published.encoding,
                str(cell.verdict.answer),
                "published",
                _counted(published.num_counted, published.num_tries),
                *map(show_spread, published.bins),
                "; ".join([published.configuration, *_medians(published.bins)]),
            ]
        )
        rows.append(
            [
                *[""] * 3,
                "measured",
                _counted(cell.num_counted, cell.num_runs),
                *(map(show_spread, cell.bins) if cell.bins else [_NOTHING] * len(published.bins)),
                "; ".join([cell.remark, *_medians(cell.bins)]),
            ]
        )
    header = ["task", "encoding", "predicted", "figures", "counted", *_multiples(cells), "remark"]
    return Table(header=header, rows=rows, kinds={2: "answer"})


def _counted(counted: int, tried: int) -> str:
    return f"{counted}/{tried}" if tried else _NOTHING


def _medians(bins: Sequence[Spread]) -> list[str]:
    return [
        f"median {percent(spread.median)} at {number}×"
        for number, spread in enumerate(bins, start=1)
        if abs(spread.median - spread.mean) > _SHOWN_MEDIAN
    ]


def wide_table(cells: Sequence[ComparedCell]) -> Table:
    """Return a row for each cell."""
    bins = " / ".join(_multiples(cells))
    header = [
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
    rows = [
        [
            cell.published.task,
            cell.published.encoding,
            str(cell.verdict.answer),
            _joined(cell.published.bins, show_spread),
            _joined(cell.bins, show_spread),
            cell.remark,
            _counted(cell.published.num_counted, cell.published.num_tries),
            _counted(cell.num_counted, cell.num_runs),
            _joined(cell.published.bins, _median),
            _joined(cell.bins, _median),
            cell.published.configuration,
        ]
        for cell in cells
    ]
    kinds = dict.fromkeys(range(len(header)), "number") | {0: "name", 2: "answer", 5: "remark"}
    return Table(header=header, rows=rows, kinds=kinds)


def _median(spread: Spread) -> str:
    return percent(spread.median)


def _joined(bins: Sequence[Spread], show: Callable[[Spread], str]) -> str:
    return " / ".join(map(show, bins)) or _NOTHING


def summary(cells: Sequence[ComparedCell]) -> str:
    """Return how far measured and published agree, in a sentence or two."""
    known = [cell.is_close for cell in cells if cell.is_close is not None]
    text = (
        f"Measured is within {DEVIATIONS} sd of published at all lengths in {sum(known)} of {len(known)} cells with counted runs."
        if known
        else "Nothing is measured yet that could be compared."
    )
    others = [
        f"{number} {what}"
        for number, what in (
            (sum(cell.num_runs > 0 and not cell.bins for cell in cells), "without a run that fitted"),
            (sum(not cell.num_runs and not cell.left_out for cell in cells), "not run"),
            (sum(bool(cell.left_out) for cell in cells), "left out"),
        )
        if number
    ]
    rest = f"{len(cells)} cells in all: {', '.join(others)}." if others else ""
    return " ".join(filter(None, [text, rest, _prediction_summary(cells)]))


def _prediction_summary(cells: Sequence[ComparedCell]) -> str:
    known = [
        (cell.verdict.answer is Answer.YES, cell.published.predicted)
        for cell in cells
        if cell.verdict.answer is not Answer.UNKNOWN and cell.published.predicted is not None
    ]
    if all(cell.published.predicted is None for cell in cells):
        return ""
    same = sum(ours == theirs for ours, theirs in known)
    return f"Our verdict equals the published prediction in {same} of {len(known)} cells where we have one."


def legend(paper: Paper, part: PublishedPart) -> str:
    """Return how to read the tables."""
    first = part.published[0]
    bins = " / ".join(map(str, part.bins))
    return (
        f"Published: {paper.source}, from {part.figures_from}. Measured: with this program. Figures are exact match in percent "
        f"at lengths {bins}: mean ± standard deviation (sd) over the counted runs. {part.counted} Within "
        f"{DEVIATIONS} sd: at all lengths the two means differ by at most {DEVIATIONS} standard deviations, pooled over both "
        f"groups of runs and taken as at least {LEAST_DEVIATION * 100:.0f} point. {part.selection} {first.configuration}: layers "
        f"{first.layers}, heads {first.heads}, width {first.width}, learning rate {first.learning_rate:g}."
    )


def cell_to_json(part: PublishedPart, cell: ComparedCell) -> dict[str, object]:
    """Return a cell, published and measured, as JSON data."""
    published = cell.published
    return {
        "task": published.task,
        "encoding": published.encoding,
        "predicted": str(cell.verdict.answer),
        "reason": cell.verdict.reason,
        "configuration": {
            name: getattr(published, name) for name in ("layers", "heads", "width", "learning_rate", "steps", "warmup")
        },
        "published": published_to_json(part, published),
        "measured": {
            "planned": cell.num_planned,
            "runs": cell.num_runs,
            "fitted": cell.num_fitted,
            "counted": cell.num_counted,
            "bins": _bins_to_json(part, cell.bins),
        },
        "close": cell.is_close,
        "left_out": cell.left_out or None,
        "remark": cell.remark,
    }


def published_to_json(part: PublishedPart, published: Published) -> dict[str, object]:
    """Return the published figures of a cell as JSON data."""
    return {
        "predicted": None if published.predicted is None else "YES" if published.predicted else "NO",
        "tries": published.num_tries,
        "counted": published.num_counted,
        "bins": _bins_to_json(part, published.bins),
    }


def _bins_to_json(part: PublishedPart, bins: Sequence[Spread]) -> list[dict[str, object]]:
    return [
        {
            "lengths": [bounds.low, bounds.high],
            "mean": spread.mean,
            "sd": spread.deviation if len(spread.values) > 1 else None,
            "median": spread.median,
            "runs": list(spread.values),
        }
        for bounds, spread in zip(part.bins, bins, strict=bool(bins))
    ]
