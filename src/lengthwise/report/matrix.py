"""Many encodings or settings on a few tasks at a glance: a row for each, prediction beside measurement in every cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from ..svg import group, picture, rect, text
from .naming import Names, names_among
from .numbers import percent
from .statistics import Cell

_ROW, _TOP, _LEAST_LEFT = 22, 30, 130
_CHARACTER, _NARROW, _SMALL = 7, 6.3, 5.2  # the width of one in print: with room to spare, without, and of small ones
_HEAD = 15  # from line to line of a name
_LONGEST_HEAD = 18  # characters of a column's name on one line
_LINE_OF_NAME = 50  # characters of a row's name on one line
_PARTS = re.compile(r", (?![^(]*\))")  # commas between the parts of a name, outside of brackets
_PHONE = 358  # the width that a page has for a picture on a phone
_SHADE = "#2563a8"
_PREDICTED = {"YES": "yes", "NO": "no", "UNKNOWN": "?"}

LEGEND = (
    "Each cell: the prediction (yes, no, ? unknown), how many of the runs that fitted the training lengths generalize, and their median "
    "exact match in percent where success is judged. Then how the two stand: ✓ agrees, ✗ differs, ? undecided, ! challenged; a thick "
    "frame marks ✗ and !. The stronger the colour, the better. A dotted frame: no run fitted, so there is no evidence."
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


def _first_cells(cells: Sequence[Cell], names: Names) -> dict[str, Cell]:
    """Return each encoding with settings by its name, in the order of the task that has most of them."""
    tasks = [cell.task for cell in cells]
    most = max(tasks, key=tasks.count)
    ordered = sorted(cells, key=lambda cell: cell.task != most)
    found: dict[str, Cell] = {}
    for cell in ordered:
        found.setdefault(names.of(cell), cell)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """A cell of a matrix: ``share`` gives its shade and is None where there is no evidence; ``framed`` marks it."""

    row: str
    column: str
    words: str
    title: str
    share: float | None
    framed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowNames:
    """The names of rows in parts, a column for each below its title, as far as there is room for them beside the squares.

    Where there is none, as on a phone, each name stands in full above the squares of its row.
    """

    titles: Sequence[str]
    parts: Mapping[str, Sequence[str]]

    def widths(self) -> list[int]:
        """Return the width of each column of names."""
        values = zip(*self.parts.values(), strict=True)
        return [
            16 + int(max(_SMALL * len(title), _CHARACTER * max(map(len, own))))
            for title, own in zip(self.titles, values, strict=True)
        ]


def draw_matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    squares: Iterable[Square],
    *,
    title: str,
    width: int = 104,
    least_left: int = _LEAST_LEFT,
    names: RowNames | None = None,
) -> str:
    """Return squares under the names of columns and beside the names of rows, or below these: the stronger a colour, the better.

    ``width`` is that of a column, ``least_left`` that of the names of rows, at least. ``names`` are those of rows in parts. The
    parts of a column's name, which commas separate, stand one below the other.
    """
    named = names or RowNames(titles=("",), parts={row: (row,) for row in rows})
    widths = named.widths()
    left, whole = max(least_left, sum(widths)), width * len(columns) + 4
    is_beside = names is None or left <= _LEAST_LEFT or left + whole <= _PHONE
    heads = [_parts_of(name, columns) for name in columns]
    top = _TOP + _HEAD * (max(map(len, heads)) - 1)
    lines = {row: [] if is_beside else _lines_of(row) for row in rows}
    at: dict[str, float] = {}  # the upper end of each row of squares
    bottom: float = top
    for row in rows:
        at[row] = bottom + _HEAD * len(lines[row]) + (6 if lines[row] else 0)
        bottom = at[row] + _ROW
    start = left if is_beside else 0
    parts = [
        text(start + width * (place + 0.5), top - 10 - _HEAD * (len(head) - 1 - number), name, "plain middle")
        for place, head in enumerate(heads)
        for number, name in enumerate(head)
    ]
    if is_beside:
        ends = [left - sum(widths[place + 1 :]) - 8 for place in range(len(widths))]
        parts += [text(end, top - 10, name, "tick end") for end, name in zip(ends, named.titles, strict=True) if name]
        parts += [
            text(end, at[row] + 15, name, "plain end")
            for row in rows
            for end, name in zip(ends, named.parts[row], strict=True)
        ]
    else:
        parts += [
            text(2, at[row] - _HEAD * (len(own) - number) + 10, name, "plain")
            for row, own in lines.items()
            for number, name in enumerate(own)
        ]
    for square in squares:
        parts.append(_draw_square(square, start + width * columns.index(square.column), at[square.row], width))
    longest = max((len(name) for own in lines.values() for name in own), default=0)
    return picture(parts, width=max(start + whole, 8 + _NARROW * longest), height=bottom + 4, title=title)


def _lines_of(name: str) -> list[str]:
    """Return a name in lines that fit on a phone, broken between its parts, or inside of one that is longer."""
    joined = ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in _PARTS.split(name))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in wrap(joined, _LINE_OF_NAME)]


def _parts_of(name: str, names: Sequence[str]) -> list[str]:
    """Return a name in the parts that commas outside of brackets separate, if any of the names is long."""
    return _PARTS.split(name) if max(map(len, names)) > _LONGEST_HEAD else [name]


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
    """Return the matrix as SVG: the stronger the colour of a cell, the better the median where success is judged.

    Tasks are columns or, if there are more tasks than rows would be, rows: a phone is narrow.
    """
    naming = names_among(cells)
    tasks, first = list(dict.fromkeys(cell.task for cell in cells)), _first_cells(cells, naming)
    names = list(first)
    tasks_are_rows = len(tasks) > len(names)
    squares = [
        Square(
            row=cell.task if tasks_are_rows else naming.of(cell),
            column=naming.of(cell) if tasks_are_rows else cell.task,
            words=_text(cell),
            title=f"{cell.task} × {naming.of(cell)}: predicted {cell.verdict.answer}; {cell.remark}",
            share=_shade(cell),
            framed=cell.agrees is False,
        )
        for cell in cells
    ]
    rows, columns = (tasks, names) if tasks_are_rows else (names, tasks)
    heads = [part for name in columns for part in _parts_of(name, columns)]
    widest = max(map(len, [*heads, *(square.words for square in squares)]))
    in_parts = (
        RowNames(titles=("task",), parts={task: (task,) for task in tasks})
        if tasks_are_rows
        else RowNames(titles=naming.titles, parts={name: naming.values(cell) for name, cell in first.items()})
    )
    title = f"Prediction and measurement for {len(names)} encodings and settings on {len(tasks)} tasks"
    return draw_matrix(
        rows, columns, squares, title=title, names=in_parts, width=12 + int(_NARROW * widest), least_left=40
    )
