"""Many encodings or settings on a few tasks at a glance: a row for each, prediction beside measurement in every cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from ..svg import group, picture, rect, text
from .naming import names_among
from .numbers import percent
from .statistics import Cell

_ROW, _TOP, _LEAST_LEFT = 22, 30, 130
_CHARACTER, _NARROW, _SMALL = 7, 6.3, 5.2  # the width of one in print: with room to spare, without, and of small ones
_MARGIN, _GAP = 2, 4  # left of squares below their names, and above these
_LABEL = 54  # the characters of a line that a phone has room for
LABEL_LINE = 15  # the height of a line of such a name
_MOST_BESIDE, _LONGEST_COLUMN = (
    136,
    16,
)  # pixels beside squares: a phone has room for two columns more; characters of a column's name
_SHADE = "#2563a8"
_PREDICTED = {"YES": "yes", "NO": "no", "UNKNOWN": "?"}

LEGEND = (
    "Each cell: the prediction (yes, no, ? unknown), how many of the runs that fitted the training lengths generalize, and their median "
    "exact match in percent where success is judged. Then how the two stand: ✓ agrees, ✗ differs, ? undecided, ! challenged; a thick "
    "frame marks ✗ and !. Darker is better. A dotted frame: no run fitted, so there is no evidence."
)


def _text(cell: Cell) -> str:
    predicted = _PREDICTED[str(cell.verdict.answer)]
    if not cell.num_fitted:
        return f"{predicted}: 0/{cell.num_runs} fit"
    shown = f"{cell.num_generalized}/{cell.num_fitted} {percent(cell.by_bin[cell.success].median)}"
    return f"{predicted}: {shown} {cell.standing.mark}"


def _shade(cell: Cell) -> float | None:
    """Return the median where success is judged; None where no run fitted, or there are no instances."""
    value = cell.by_bin[cell.success]
    return value.median if cell.num_fitted and value.num_runs else None


def names_of_rows(cells: Sequence[Cell], name_of: Callable[[Cell], str]) -> list[str]:
    """Return the rows of the matrix: encodings with the settings that vary, in the order of the task that has most of them."""
    tasks = [cell.task for cell in cells]
    most = max(tasks, key=tasks.count)
    ordered = [name_of(cell) for cell in cells if cell.task == most]
    return list(dict.fromkeys([*ordered, *map(name_of, cells)]))


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
    rows: Sequence[str],
    columns: Sequence[str],
    squares: Iterable[Square],
    *,
    title: str,
    width: int = 104,
    least_left: int = _LEAST_LEFT,
    corner: str = "",
    are_above: bool = False,
) -> str:
    """Return squares under the names of columns and beside the names of rows: the darker a square, the better.

    ``width`` is that of a column, ``least_left`` that of the names of rows, at least. ``corner`` stands above these. With ``are_above``,
    the name of a row stands above its squares, in several lines if it is long: a phone has no room beside them.
    """
    left = _MARGIN if are_above else int(max(least_left, _room_beside(rows, corner)))
    lines = {name: wrap_label(name) if are_above else [] for name in rows}
    tops, bottom = {}, _TOP
    for name in rows:
        tops[name] = bottom + LABEL_LINE * len(lines[name]) + (_GAP if are_above else 0)
        bottom = tops[name] + _ROW
    parts = [text(left + width * (place + 0.5), 20, name, "plain middle") for place, name in enumerate(columns)]
    if are_above:
        parts += [
            text(left + 2, tops[name] - LABEL_LINE * (len(lines[name]) - number) + 12, line, "plain")
            for name in rows
            for number, line in enumerate(lines[name])
        ]
    else:
        parts += [text(left - 8, tops[name] + 15, name, "plain end") for name in rows]
        parts += [text(left - 8, 20, corner, "tick end")] if corner else []
    for square in squares:
        parts.append(_draw_square(square, left + width * columns.index(square.column), tops[square.row], width))
    longest = max((len(line) for name in rows for line in lines[name]), default=0)
    across = max(left + width * len(columns) + 4, int(left + _NARROW * longest) + 4)
    return picture(parts, width=across, height=bottom + 4, title=title)


def _room_beside(rows: Sequence[str], corner: str) -> float:
    """Return how wide the names of rows and what stands above them are."""
    return max(16 + _CHARACTER * max(map(len, rows)), 16 + _SMALL * len(corner))


def wrap_label(name: str) -> list[str]:
    """Return the name of a row in lines that fit on a phone, broken after commas; what is longer than a line is cut."""
    lines: list[str] = []
    for part in name.replace(", ", ",\n").split("\n"):
        if lines and len(f"{lines[-1]} {part}") <= _LABEL:
            lines[-1] += f" {part}"
        else:
            lines += wrap(part, _LABEL)
    return lines


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
    """Return the matrix as SVG: the darker a cell, the better the median where success is judged.

    Tasks are columns or, if there are more tasks than rows would be, rows: a phone is narrow. Names of rows for which there is no room
    beside the squares stand above them, and say which setting each value is of.
    """
    naming = names_among(cells)
    tasks, names = list(dict.fromkeys(cell.task for cell in cells)), names_of_rows(cells, naming.values)
    tasks_are_rows = len(tasks) > len(names) and max(map(len, names)) <= _LONGEST_COLUMN
    corner = "" if tasks_are_rows else naming.title
    are_above = _room_beside(tasks if tasks_are_rows else names, corner) > _MOST_BESIDE
    name_of = naming.of if are_above else naming.values
    names = names_of_rows(cells, name_of)
    squares = [
        Square(
            row=cell.task if tasks_are_rows else name_of(cell),
            column=name_of(cell) if tasks_are_rows else cell.task,
            words=_text(cell),
            title=f"{cell.task} × {naming.of(cell)}: predicted {cell.verdict.answer}; {cell.remark}",
            share=_shade(cell),
            framed=cell.agrees is False,
        )
        for cell in cells
    ]
    rows, columns = (tasks, names) if tasks_are_rows else (names, tasks)
    widest = max(map(len, [*columns, *(square.words for square in squares)]))
    title = f"Prediction and measurement for {len(names)} encodings and settings on {len(tasks)} tasks"
    return draw_matrix(
        rows,
        columns,
        squares,
        title=title,
        corner=corner,
        width=12 + int(_NARROW * widest),
        least_left=40,
        are_above=are_above,
    )
