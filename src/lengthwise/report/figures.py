"""Curves of exact match by length, as SVG that lives inside a page and follows its colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..svg import element, figure, group, line, points, rect, text
from .numbers import percent
from .statistics import Cell

_WIDTH, _HEIGHT = 360, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 10, 12, 34
_DEPTH = _HEIGHT - _TOP - _BOTTOM


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Runs side by side in a figure: for each bin their shares, drawn as dots, or as rings where they are not ours."""

    label: str
    series: int
    is_ours: bool
    bins: tuple[tuple[float, ...], ...]


def draw_curves(cells: Sequence[Cell]) -> str:
    """Return one panel for the cells of a task: a line and a band for each encoding, the training lengths shaded.

    Dotted levels are what the best shortcut reaches in each bin or, where that is the solution, what chance reaches.
    """
    longest = max(cell.bins[-1].high for cell in cells)
    train = cells[0].bins[0].high

    def across(length: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * length / longest

    parts = [rect(across(0), _TOP, across(train) - across(0), _DEPTH, "trained"), *_scale()]
    parts += [_tick(across(bounds.high), str(bounds.high)) for bounds in cells[0].bins]
    parts += _baselines(cells[0], across)
    for number, cell in enumerate(cells):
        kind = f"series-{number}" + ("" if cell.num_fitted else " dashed")
        median, high, low = (
            [(across(point.length), _up(getattr(point.value, name))) for point in cell.curve]
            for name in ("median", "high", "low")
        )
        parts.append(element("polygon", class_=f"band {kind}", points=points([*high, *reversed(low)])))
        parts.append(element("polyline", class_=f"line {kind}", points=points(median)))
        parts += [element("circle", class_=f"dot {kind}", cx=x, cy=y, r=1.8) for x, y in median]
    return figure(parts, width=_WIDTH, height=_HEIGHT, title=_describe(cells))


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


def _describe(cells: Sequence[Cell]) -> str:
    ends = ", ".join(f"{cell.encoding} {cell.by_bin[cell.success].median:.0%}" for cell in cells)
    return f"Exact match by length for {cells[0].task}; where success is judged: {ends}."
