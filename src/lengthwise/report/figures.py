"""Exact match by length and run by run, as SVG that lives inside a page and follows its colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..markup import escape
from ..svg import element, figure, group, line, points, rect, text
from ..svg import number as svg_number
from .matrix import LABEL_LINE, wrap_label
from .naming import Names, names_among
from .numbers import percent
from .statistics import Cell

MOST_LINES = 6  # curves in one picture; beyond that, strips and a matrix say more

_WIDTH, _HEIGHT = 360, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 24, 12, 34
_THINNEST, _MOST_WIDER = 1.6, 8.0  # the width of the last line, and by how much the first is wider at most
_STRIP, _LETTER, _TRACK = 16, 6.2, 170  # the height of a row of dots, the width of a letter, the room for the dots
_LONGEST_BESIDE = 32  # characters of a name beside its dots: with more, they would be too small on a phone
_DEPTH = _HEIGHT - _TOP - _BOTTOM


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Runs side by side in a figure: for each bin their shares, drawn as dots, or as rings where they are not ours."""

    label: str
    series: int
    is_ours: bool
    bins: tuple[tuple[float, ...], ...]


def draw_curves(cells: Sequence[Cell], names: Names | None = None) -> str:
    """Return one panel for the cells of a task: a line and a band for each, and a dot for each run, the training lengths shaded.

    Lines have their number at the end. A later line is thinner, so that lines that lie on each other can all be seen. Dotted
    levels are what the best shortcut reaches in each bin or, where that is the solution, what chance reaches.
    """
    longest = max(cell.bins[-1].high for cell in cells)
    train = cells[0].bins[0].high

    def across(length: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * length / longest

    parts = [rect(across(0), _TOP, across(train) - across(0), _DEPTH, "trained"), *_scale()]
    parts += [_tick(across(bounds.high), str(bounds.high)) for bounds in cells[0].bins]
    parts += _baselines(cells[0], across)
    ends = []
    for number, cell in enumerate(cells):
        parts += _draw_cell(cell, number, _width_of(number, len(cells)), across)
        last = cell.curve[-1]
        ends.append((number, across(last.length), _up(last.value.median)))
    parts += _numbers_at(ends)
    return figure(parts, width=_WIDTH, height=_HEIGHT, title=_describe(cells, names or names_among(cells)))


def _width_of(number: int, num_lines: int) -> float:
    """Return the width of a line: the first is the widest."""
    return _THINNEST + min(2.4, _MOST_WIDER / max(1, num_lines - 1)) * (num_lines - 1 - number)


def _draw_cell(cell: Cell, number: int, width: float, across: Callable[[float], float]) -> list[str]:
    """Return the band, the line and the runs of a cell."""
    kind = f"series-{number}" + ("" if cell.num_fitted else " dashed")
    median, high, low = (
        [(across(point.length), _up(getattr(point.value, name))) for point in cell.curve]
        for name in ("median", "high", "low")
    )
    dots = [(across(length), _up(share)) for run in cell.shown for length, share in run.curve]
    return [
        element("polygon", class_=f"band {kind}", points=points([*high, *reversed(low)])),
        element("polyline", class_=f"line {kind}", points=points(median), style=f"stroke-width: {svg_number(width)}px"),
        element("path", class_=f"line series-{number}", d=_dots(dots), style=_DOT),
    ]


_DOT = "stroke-width: 4.5px; stroke-linecap: round; opacity: 0.65"


def _dots(places: Sequence[tuple[float, float]]) -> str:
    """Return a path that is a dot at every place, each once: strokes of no length with round ends."""
    return "".join(f"M{svg_number(x)} {svg_number(y)}h0" for x, y in dict.fromkeys(places))


def _numbers_at(ends: Sequence[tuple[int, float, float]]) -> list[str]:
    """Return the numbers of lines at their ends, moved apart where they would overlap."""
    downwards = sorted(ends, key=lambda end: (end[2], end[0]))
    places: list[float] = []
    for _, _, y in downwards:
        places.append(max(y + 4, places[-1] + 11 if places else 0.0))
    bottom = _TOP + _DEPTH + 4.0
    for place in reversed(range(len(places))):  # none below the picture
        places[place] = min(places[place], bottom)
        bottom = places[place] - 11
    return [
        text(x + 7, y, str(number + 1), f"key series-{number}")
        for (number, x, _), y in zip(downwards, places, strict=True)
    ]


def draw_strips(cells: Sequence[Cell], names: Names) -> str:
    """Return a row for each cell: a dot for every run at its exact match where success is judged, and the median with its interval.

    Runs that did not fit are rings, and count in no median unless none fitted.
    """
    labels = list(map(names.of, cells))
    are_above = max(map(len, labels)) > _LONGEST_BESIDE
    lines = [wrap_label(label) if are_above else [] for label in labels]
    left = 4.0 if are_above else 8 + _LETTER * max(map(len, labels))

    def across(share: float) -> float:
        return left + 8 + _TRACK * share

    middles, bottom = [], float(_TOP)
    for above in lines:
        middles.append(bottom + LABEL_LINE * len(above) + _STRIP / 2)
        bottom = middles[-1] + _STRIP / 2
    parts = []
    for share in (0, 0.5, 1):
        parts.append(line(across(share), _TOP, across(share), bottom, "rule"))
        parts.append(text(across(share), bottom + 14, f"{share:.0%}", "tick middle"))
    for cell, name, above, y in zip(cells, labels, lines, middles, strict=True):
        start = y - _STRIP / 2 - LABEL_LINE * len(above)
        parts += [text(left, start + LABEL_LINE * number + 12, line_above) for number, line_above in enumerate(above)]
        parts.append(_draw_strip(cell, name, y, left, across, is_named=not are_above))
    at = f"exact match at {cells[0].success_at:g} times the training length; rings: runs that did not fit"
    parts.append(text(4, bottom + 30, at, "tick"))
    longest = max((len(line_above) for above in lines for line_above in above), default=0)
    width = max(left + _TRACK + 28, 8 + 5.2 * len(at), 8 + _LETTER * longest)
    return figure(parts, width=width, height=bottom + 38, title=_describe(cells, names))


def _draw_strip(
    cell: Cell, name: str, y: float, left: float, across: Callable[[float], float], *, is_named: bool
) -> str:
    value = cell.by_bin[cell.success]
    parts = [text(left, y + 4, name, "end")] if is_named else []
    if value.num_runs:
        low, high, median = across(value.low), across(value.high), across(value.median)
        parts.append(rect(low - 3, y - 4, high - low + 6, 8, "band series-0", rx=4))
        parts.append(line(median, y - 6, median, y + 6, "line series-0"))
    for run in cell.runs:
        share = run.by_bin[cell.success]
        if share is not None:
            kind = "dot series-0" if run.fitted else "ring series-1"
            title = element("title", escape(f"seed {run.seed}: {percent(share)} %"))
            parts.append(element("circle", title, class_=kind, cx=across(share), cy=y, r=2.6))
    return group(parts, title=f"{name}: {cell.remark}")


def _baselines(cell: Cell, across: Callable[[float], float]) -> list[str]:
    """Return a level for each bin, with its rule as the title."""
    if cell.audit is None:
        return []
    levels = []
    for number, bounds in enumerate(cell.bins):
        best = cell.audit.best(number)
        rule = cell.audit.chance if best.inherent else best
        share = rule.shares[number]
        if share is not None:
            level = line(across(bounds.low), _up(share), across(bounds.high), _up(share), "baseline")
            levels.append(group([level], title=f"{rule.name}: {percent(share)} %"))
    return levels


def draw_runs(what: str, bins: Sequence[str], columns: Sequence[Column]) -> str:
    """Return one panel: in every bin a dot for each run of each column, and a line at their mean; the first bin shaded."""
    span = (_WIDTH - _LEFT - _RIGHT) / len(bins)
    parts = [rect(_LEFT, _TOP, span, _DEPTH, "trained"), *_scale()]
    for number, title in enumerate(bins):
        parts.append(_tick(_LEFT + span * (number + 0.5), title))
        room = span / (len(columns) + 1)
        for place, column in enumerate(columns):
            if column.bins and column.bins[number]:
                parts.append(_draw_column(column, number, _LEFT + span * number + room * (place + 1), room * 0.8))
    return figure(parts, width=_WIDTH, height=_HEIGHT, title=what)


def _draw_column(column: Column, number: int, x: float, room: float) -> str:
    """Return the runs of a column in one bin, side by side around ``x``, and their mean."""
    values = sorted(column.bins[number])
    mean = sum(values) / len(values)
    kind = f"{'dot' if column.is_ours else 'ring'} series-{column.series}"
    marks = [
        element("circle", class_=kind, cx=x + room * ((place + 0.5) / len(values) - 0.5), cy=_up(value), r=2)
        for place, value in enumerate(values)
    ]
    level = line(x - room / 2, _up(mean), x + room / 2, _up(mean), f"line series-{column.series}")
    return group([level, *marks], title=f"{column.label}: mean {percent(mean)} %")


def _up(share: float) -> float:
    return _TOP + _DEPTH * (1 - share)


def _tick(x: float, words: str) -> str:
    return text(x, _HEIGHT - _BOTTOM + 14, words, "tick middle")


def _scale() -> list[str]:
    """Return the lines and labels of 0, 50 and 100 %, and what runs across."""
    parts = [text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4, "length (shaded: trained on)", "tick middle")]
    for share in (0, 0.5, 1):
        parts.append(line(_LEFT, _up(share), _WIDTH - _RIGHT, _up(share), "rule"))
        parts.append(text(_LEFT - 6, _up(share) + 3.5, f"{share:.0%}", "tick end"))
    return parts


def _describe(cells: Sequence[Cell], names: Names) -> str:
    """Return what a picture shows, for those who hear it."""
    ends = ", ".join(f"{names.of(cell)} {percent(cell.by_bin[cell.success].median, ' %')}" for cell in cells)
    return f"Exact match by length for {cells[0].task}; where success is judged: {ends}."
