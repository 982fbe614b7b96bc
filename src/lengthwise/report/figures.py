"""Curves of exact match by length, as SVG that lives inside a page and follows its colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .statistics import Cell

_WIDTH, _HEIGHT = 360, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 10, 12, 34


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Runs side by side in a figure: for each bin their shares, drawn as dots, or as rings where they are not ours."""

    label: str
    series: int
    is_ours: bool
    bins: tuple[tuple[float, ...], ...]


def draw_curves(cells: Sequence[Cell]) -> str:
    """Return one panel for the cells of a task: a line and a band for each encoding, the training lengths shaded."""
    longest = max(cell.bins[-1].high for cell in cells)
    train = cells[0].bins[0].high

    def across(length: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * length / longest

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(_describe(cells), quote=True)}">',
        f'<rect class="trained" x="{across(0):.1f}" y="{_TOP}" width="{across(train) - across(0):.1f}" '
        f'height="{_HEIGHT - _TOP - _BOTTOM}"/>',
    ]
    parts += _scale()
    for bounds in cells[0].bins:
        x = across(bounds.high)
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">{bounds.high}</text>'
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text class="tick" x="{middle:.1f}" y="{_HEIGHT - 4}" text-anchor="middle">length (shaded: trained on)</text>'
    )
    for number, cell in enumerate(cells):
        points = [(across(point.length), point.value) for point in cell.curve]
        upper = " ".join(f"{x:.1f},{_up(value.high):.1f}" for x, value in points)
        lower = " ".join(f"{x:.1f},{_up(value.low):.1f}" for x, value in reversed(points))
        line = " ".join(f"{x:.1f},{_up(value.median):.1f}" for x, value in points)
        kind = f"series-{number}" + ("" if cell.num_fitted else " unfitted")
        parts.append(f'<polygon class="band {kind}" points="{upper} {lower}"/>')
        parts.append(f'<polyline class="line {kind}" points="{line}"/>')
        parts += [
            f'<circle class="dot {kind}" cx="{x:.1f}" cy="{_up(value.median):.1f}" r="1.8"/>' for x, value in points
        ]
    return "\n".join([*parts, "</svg>"])


def draw_runs(what: str, bins: Sequence[str], columns: Sequence[Column]) -> str:
    """Return one panel: in every bin a dot for each run of each column, and a line at their mean; the first bin shaded."""
    span = (_WIDTH - _LEFT - _RIGHT) / len(bins)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(what, quote=True)}">',
        f'<rect class="trained" x="{_LEFT}" y="{_TOP}" width="{span:.1f}" height="{_HEIGHT - _TOP - _BOTTOM}"/>',
        *_scale(),
    ]
    for number, title in enumerate(bins):
        x = _LEFT + span * (number + 0.5)
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">{escape(title)}</text>'
        )
        for place, column in enumerate(columns):
            room = span / (len(columns) + 1)
            parts += _draw_column(column, number, _LEFT + span * number + room * (place + 1), room * 0.8)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text class="tick" x="{middle:.1f}" y="{_HEIGHT - 4}" text-anchor="middle">length (shaded: trained on)</text>'
    )
    return "\n".join([*parts, "</svg>"])


def _draw_column(column: Column, number: int, x: float, room: float) -> list[str]:
    """Return the runs of a column in one bin, side by side around ``x``, and their mean."""
    values = column.bins[number] if column.bins else ()
    if not values:
        return []
    mean = _up(sum(values) / len(values))
    kind = f"{'dot' if column.is_ours else 'ring'} series-{column.series}"
    dots = [
        f'<circle class="{kind}" cx="{x + room * ((place + 0.5) / len(values) - 0.5):.1f}" cy="{_up(value):.1f}" r="2"/>'
        for place, value in enumerate(sorted(values))
    ]
    ends = f'x1="{x - room / 2:.1f}" x2="{x + room / 2:.1f}" y1="{mean:.1f}" y2="{mean:.1f}"'
    return [
        f"<g><title>{escape(column.label)}: mean {sum(values) / len(values):.1%}</title>",
        f'<line class="line series-{column.series}" {ends}/>',
        *dots,
        "</g>",
    ]


def _up(share: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)


def _scale() -> list[str]:
    """Return the lines and labels of 0, 50 and 100 %."""
    parts = []
    for share in (0, 0.5, 1):
        y = _up(share)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{share:.0%}</text>')
    return parts


def _describe(cells: Sequence[Cell]) -> str:
    ends = ", ".join(f"{cell.encoding} {cell.by_bin[-1].median:.0%}" for cell in cells)
    return f"Exact match by length for {cells[0].task}; at the longest lengths: {ends}."
