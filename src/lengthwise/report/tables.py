"""The table of a report: prediction beside measurement, as rows, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from .statistics import FITTED, GENERALIZED, Cell, Interval, agreement


def header(cells: Sequence[Cell]) -> list[str]:
    """Return the titles of the columns."""
    return [
        "task",
        "encoding",
        "predicted",
        *_multiples(cells),
        "fitted",
        "generalize",
        "best",
        "remark",
    ]


def rows(cells: Sequence[Cell]) -> list[list[str]]:
    """Return one row of text per cell."""
    num_bins = max(len(cell.bins) for cell in cells)
    return [
        [
            _task(cell, cells),
            cell.encoding,
            str(cell.verdict.answer),
            *(show_interval(value) for value in cell.by_bin),
            *[""] * (num_bins - len(cell.bins)),
            f"{cell.num_fitted}/{cell.num_runs}",
            f"{cell.num_generalized}/{cell.num_fitted}" if cell.num_fitted else "–",
            _percent(cell.best_last),
            cell.remark,
        ]
        for cell in cells
    ]


def _multiples(cells: Sequence[Cell]) -> list[str]:
    """Return the bins as multiples of the training length; where the bins of cells differ, they are counted."""
    bins = {cell.bins for cell in cells}
    most = max(bins, key=len, default=())
    if len(bins) == 1 and all(bounds.low == bounds.high for bounds in most[1:]):
        return [f"{bounds.high / most[0].high:.3g}×" for bounds in most]
    return [f"{number}×" for number in range(1, len(most) + 1)]


def _task(cell: Cell, cells: Sequence[Cell]) -> str:
    """Return the task of a cell, with its bins where those of the cells differ."""
    several = len({each.bins for each in cells}) > 1
    return cell.task + (f" ({' / '.join(map(str, cell.bins))})" if several else "")


HARD_TITLE = "Hard instances"
HARD_LEGEND = (
    "Hard instances: exact match in percent, as above, on random instances and on hard ones of each kind "
    "(docs/concepts/hard-tests.md); – where a kind has none of these lengths."
)


def hard_header(cells: Sequence[Cell]) -> list[str]:
    """Return the titles of the columns of the table of hard instances."""
    return ["task", "encoding", "instances", *_multiples([cell for cell in cells if cell.hard])]


def hard_rows(cells: Sequence[Cell]) -> list[list[str]]:
    """Return, for every cell with hard instances, a row for the random ones and one for each kind of hard ones."""
    num_bins = max((len(cell.bins) for cell in cells if cell.hard), default=0)
    return [
        [_task(cell, cells), cell.encoding, kind, *map(show_interval, values), *[""] * (num_bins - len(values))]
        for cell in cells
        if cell.hard
        for kind, values in (("random", cell.by_bin), *cell.hard.items())
    ]


def show_interval(value: Interval) -> str:
    """Return a median in percent, with its interval where that is wider than a point."""
    if value.median != value.median:
        return "–"
    if value.high - value.low < 0.01:
        return _percent(value.median)
    return f"{_percent(value.median)} ({_percent(value.low)}–{_percent(value.high)})"


def _percent(share: float) -> str:
    """Return percent without rounding up to 100 or down to 0."""
    if share in (0.0, 1.0):
        return f"{share * 100:.0f}"
    return f"{min(99.9, max(0.1, share * 100)):.1f}"


def summary(cells: Sequence[Cell]) -> str:
    """Return how far prediction and measurement agree, in a sentence."""
    right, known = agreement(cells)
    fitted = sum(cell.num_fitted > 0 for cell in cells)
    return (
        f"Prediction and measurement agree in {right} of {known} cells where both are known; "
        f"{fitted} of {len(cells)} cells have a run that fits the training lengths."
    )


def legend(cells: Sequence[Cell]) -> str:
    """Return how to read the table."""
    several = len({cell.bins for cell in cells}) > 1
    bins = "given in each row" if several else " / ".join(str(bounds) for bounds in cells[0].bins)
    return (
        f"Exact match in percent, median (and range; 95 % interval from six runs on) over the fitted runs, or over all where none "
        f"fitted, at lengths {bins}. Fitted: at least {FITTED:.0%} at 1×, on the instances that may also decide when a run "
        "stops. "
        f"Generalize: fitted, and at least {GENERALIZED:.0%} at the longest lengths; "
        "best: the best run there."
    )


def markdown(cells: Sequence[Cell]) -> str:
    """Return the table and its summary as Markdown."""
    parts = [*_lines(header(cells), rows(cells)), "", summary(cells), "", legend(cells)]
    hard = hard_rows(cells)
    if hard:
        parts += ["", f"## {HARD_TITLE}", "", *_lines(hard_header(cells), hard), "", HARD_LEGEND]
    return "\n".join(parts) + "\n"


def _lines(titles: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in body]


def to_json(cells: Sequence[Cell]) -> list[dict[str, object]]:
    """Return the cells as JSON data."""
    return [
        {
            "task": cell.task,
            "encoding": cell.encoding,
            "predicted": str(cell.verdict.answer),
            "theorem": cell.verdict.theorem,
            "reason": cell.verdict.reason,
            "readout": str(cell.verdict.readout),
            "measured": str(cell.measured),
            "agrees": cell.agrees,
            "remark": cell.remark,
            "runs": cell.num_runs,
            "fitted": cell.num_fitted,
            "generalize": cell.num_generalized,
            "bins": _bins(cell, cell.by_bin),
            "best_at_longest": cell.best_last,
            **({"hard": {kind: _bins(cell, values) for kind, values in cell.hard.items()}} if cell.hard else {}),
        }
        for cell in cells
    ]


def _bins(cell: Cell, values: Sequence[Interval]) -> list[dict[str, object]]:
    return [
        {"lengths": [bounds.low, bounds.high], **_numbers(value)}
        for bounds, value in zip(cell.bins, values, strict=True)
    ]


def _numbers(value: Interval) -> dict[str, float | None]:
    """Return an interval as JSON data, where a bin without instances has no numbers: NaN is not JSON."""
    known = value.median == value.median
    return {name: getattr(value, name) if known else None for name in ("median", "low", "high")}
