"""Many encodings on a few tasks at a glance: one row for each encoding, prediction beside measurement in every cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..svg import group, picture, rect, text
from .numbers import percent
from .statistics import Cell

_ROW, _TOP, _LEAST_LEFT = 22, 30, 130
_CHARACTER = 7  # about the width of one in print
_SHADE = "#2563a8"
_MARKS = {"YES": "✓", "NO": "✗", "UNKNOWN": "?"}

LEGEND = (
    "Each cell: the prediction (✓ yes, ✗ no, ? unknown), how many of the runs that fitted the training lengths generalize, and "
    "their median exact match where success is judged. Where no run fitted there is no evidence."
)


def _text(cell: Cell) -> str:
    mark = _MARKS[str(cell.verdict.answer)]
    if not cell.num_fitted:
        return f"{mark} 0/{cell.num_runs} fit"
    return f"{mark} {cell.num_generalized}/{cell.num_fitted} {percent(cell.by_bin[cell.success].median)} %"


def _arrange(cells: Sequence[Cell]) -> tuple[list[str], list[str], dict[tuple[str, str], Cell]]:
    """Return tasks and encodings in the order in which they come, and the first cell of each pair."""
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    by_place: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        by_place.setdefault((cell.task, cell.encoding), cell)
    most = max(tasks, key=lambda task: sum(cell.task == task for cell in cells))
    ordered = [cell.encoding for cell in cells if cell.task == most]
    encodings = list(dict.fromkeys([*ordered, *(cell.encoding for cell in cells)]))
    return tasks, encodings, by_place


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """A cell of a matrix: ``share`` gives its shade and is None where there is no evidence; ``framed`` marks it."""

    row: str
    column: str
    words: str
    title: str
    share: float | None
    framed: bool = False


def draw_matrix(
    rows: Sequence[str], columns: Sequence[str], squares: Iterable[Square], *, title: str, width: int = 104
) -> str:
    """Return squares under the names of columns and beside the names of rows: the darker a square, the better.

    ``width`` is that of a column.
    """
    left = max(_LEAST_LEFT, 16 + _CHARACTER * max(map(len, rows)))
    parts = [text(left + width * (place + 0.5), 20, name, "plain middle") for place, name in enumerate(columns)]
    parts += [text(left - 8, _TOP + _ROW * line + 15, name, "plain end") for line, name in enumerate(rows)]
    for square in squares:
        x, y = left + width * columns.index(square.column), _TOP + _ROW * rows.index(square.row)
        parts.append(_draw_square(square, x, y, width))
    return picture(parts, width=left + width * len(columns) + 4, height=_TOP + _ROW * len(rows) + 4, title=title)


def _draw_square(square: Square, x: float, y: float, width: int) -> str:
    box = (x + 2, y + 2, width - 4, _ROW - 4)
    if square.share is None:
        ground = rect(*box, "none", rx=3)
    else:
        ground = rect(*box, rx=3, fill=_SHADE, fill_opacity=f"{0.08 + 0.92 * square.share:.2f}")
    is_dark = square.share is not None and square.share > 0.45
    words = text(x + width / 2, y + 15, square.words, "plain middle on" if is_dark else "plain middle")
    frame = [rect(*box, "framed", rx=3)] if square.framed else []
    return group([ground, *frame, words], title=square.title)


def draw_results(cells: Sequence[Cell]) -> str:
    """Return the matrix as SVG: the darker a cell, the better the median where success is judged."""
    tasks, encodings, by_place = _arrange(cells)
    squares = [
        Square(
            row=encoding,
            column=task,
            words=_text(cell),
            title=f"{task} × {encoding}: predicted {cell.verdict.answer}; {cell.remark}",
            share=cell.by_bin[cell.success].median if cell.num_fitted else None,
        )
        for (task, encoding), cell in by_place.items()
    ]
    title = f"Prediction and measurement for {len(encodings)} encodings on {len(tasks)} tasks"
    return draw_matrix(encodings, tasks, squares, title=title)
