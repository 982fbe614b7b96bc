"""Pictures of what is inside a model: functions of two positions as heat maps and as curves over distance, and how sure and how
sharp the model is by length; torch-free.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite, isnan

from ..model.inspection.functions import Findings
from .gallery import encode_png, show_number

Square = Sequence[Sequence[float]]

WIDTH = 960
_MARGIN, _HEAT, _CURVE, _GAP = 24, 150, 266, 14
_HALF = (WIDTH - 2 * _MARGIN) // 2
_ROW = 226
_MOST_PIXELS = 110
_PLOT_WIDTH, _PLOT_HEIGHT = 212, 150
_COLOURS = 6
_MOST_NAMES = 6
_FEW = 3  # the last distances, with so few pairs or fewer, are not drawn

_STYLE = """
.lengthwise-inspect text { font: 11px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
.lengthwise-inspect .title { font-size: 14px; font-weight: 600; }
.lengthwise-inspect .name { font-size: 12px; font-weight: 600; }
.lengthwise-inspect .note { fill: #57606a; }
.lengthwise-inspect .paper { fill: #ffffff; }
.lengthwise-inspect .later { fill: #dde1e6; }
.lengthwise-inspect .trained { fill: #e6edf6; }
.lengthwise-inspect .grid { stroke: #d0d7de; }
.lengthwise-inspect .edge { stroke: #1f2328; stroke-width: 1; stroke-dasharray: 3 2; fill: none; }
.lengthwise-inspect .line { fill: none; stroke-width: 1.6; stroke: #265a9b; }
.lengthwise-inspect .band { fill: #265a9b; opacity: 0.18; }
.lengthwise-inspect .limit { fill: none; stroke: #b3261e; stroke-width: 1.4; stroke-dasharray: 4 3; }
.lengthwise-inspect .series-1 { stroke: #a94f14; }
.lengthwise-inspect .series-2 { stroke: #2f7d4f; }
.lengthwise-inspect .series-3 { stroke: #7a3e9d; }
.lengthwise-inspect .series-4 { stroke: #57606a; }
.lengthwise-inspect .series-5 { stroke: #b3261e; }
.lengthwise-inspect .key-0 { fill: #265a9b; font-weight: 600; }
.lengthwise-inspect .key-1 { fill: #a94f14; font-weight: 600; }
.lengthwise-inspect .key-2 { fill: #2f7d4f; font-weight: 600; }
.lengthwise-inspect .key-3 { fill: #7a3e9d; font-weight: 600; }
.lengthwise-inspect .key-4 { fill: #57606a; font-weight: 600; }
.lengthwise-inspect .key-5 { fill: #b3261e; font-weight: 600; }
.lengthwise-inspect .low { stroke-dasharray: 4 3; }
.lengthwise-inspect image { image-rendering: pixelated; }
@media (prefers-color-scheme: dark) {
  .lengthwise-inspect text { fill: #e6edf3; }
  .lengthwise-inspect .note { fill: #9da7b3; }
  .lengthwise-inspect .paper { fill: #15181c; }
  .lengthwise-inspect .later { fill: #262b32; }
  .lengthwise-inspect .trained { fill: #1f2a38; }
  .lengthwise-inspect .grid { stroke: #30363d; }
  .lengthwise-inspect .edge { stroke: #1f2328; }
  .lengthwise-inspect .line { stroke: #6ea8e0; }
  .lengthwise-inspect .band { fill: #6ea8e0; }
  .lengthwise-inspect .limit { stroke: #ff8a80; }
  .lengthwise-inspect .series-1 { stroke: #f0ad6a; }
  .lengthwise-inspect .series-2 { stroke: #7fcf9f; }
  .lengthwise-inspect .series-3 { stroke: #c79be0; }
  .lengthwise-inspect .series-4 { stroke: #9da7b3; }
  .lengthwise-inspect .series-5 { stroke: #ff8a80; }
  .lengthwise-inspect .key-0 { fill: #6ea8e0; }
  .lengthwise-inspect .key-1 { fill: #f0ad6a; }
  .lengthwise-inspect .key-2 { fill: #7fcf9f; }
  .lengthwise-inspect .key-3 { fill: #c79be0; }
  .lengthwise-inspect .key-4 { fill: #9da7b3; }
  .lengthwise-inspect .key-5 { fill: #ff8a80; }
}
"""  # every rule names our class, because a style inside a page is the whole page's; no variables, for plain renderers


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPicture:
    """A function of two positions, rows queries, NaN where it is not known, and what was found of it."""

    values: Square
    findings: Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadPicture:
    """One head: its product function, if it has one, and its mean scores."""

    name: str
    product: FunctionPicture | None
    measured: FunctionPicture


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthPlot:
    """Lines over length: a name and a value for each length, and whether it is drawn dashed."""

    title: str
    lines: tuple[tuple[str, tuple[float, ...], bool], ...]


def draw_inspection(
    title: str, heads: Sequence[HeadPicture], lengths: Sequence[int], trained: int, plots: Sequence[LengthPlot]
) -> str:
    """Return everything as one self-contained SVG, for light and dark pages; ``trained`` is the longest training length."""
    parts = [f'<text class="title" x="{_MARGIN}" y="30">{escape(title)}</text>']
    y = 48
    for head in heads:
        x = _MARGIN
        for kind, picture in (
            ("product function, from the weights", head.product),
            ("mean score, measured", head.measured),
        ):
            if picture is not None:
                parts += _function(f"{head.name}: {kind}", picture, x, y)
                x += _HALF
        y += _ROW
    for number, line in enumerate(_CAPTION):
        parts.append(_note(line, _MARGIN, y + 4 + 15 * number))
    y += 15 * len(_CAPTION) + 14
    for number, plot in enumerate(plots):
        parts += _plot(plot, lengths, trained, _MARGIN + number * (_PLOT_WIDTH + 20), y)
    height = y + (_PLOT_HEIGHT + 64 if plots else 0)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="lengthwise-inspect" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
            *parts,
            "</svg>\n",
        ]
    )


_CAPTION = (
    "Squares: rows are queries i, columns keys j; blue is less, orange more; what a query gives to all of its keys alike is taken off.",
    "Below the dashed line: distances never seen in training. Curves: the mean over pairs by distance i − j, with the standard deviation;",
    "shaded: seen in training; dashed red: the nearest local and periodic function, fitted to what was seen.",
)


def _function(name: str, picture: FunctionPicture, x: int, y: int) -> list[str]:
    found = picture.findings
    size, seen = found.num_positions, found.seen
    data = b64encode(encode_png(_pixels(picture))).decode("ascii")
    parts = [
        f'<text class="name" x="{x}" y="{y + 12}">{escape(name)}</text>',
        f'<g role="img" transform="translate({x} {y + 20})"><title>{escape(name)}</title>',
        f'<rect class="later" width="{_HEAT}" height="{_HEAT}"/>',
        f'<image width="{_HEAT}" height="{_HEAT}" preserveAspectRatio="none" href="data:image/png;base64,{data}"/>',
    ]
    if seen < size:
        at = _HEAT * seen / size
        parts.append(f'<line class="edge" x1="0" y1="{at:.1f}" x2="{_HEAT - at:.1f}" y2="{_HEAT}"/>')
    parts.append("</g>")
    shares = f"{_percent(found.invariant)} by distance"
    limit = found.limit
    told = f"nearest limit: τ = {limit.tau}, period {limit.period}, residual {_percent(limit.residual)}"
    return [
        *parts,
        *_curve(found, x + _HEAT + _GAP, y + 20),
        _note(f"±{show_number(_most(found.curve))}; {shares}", x, y + _HEAT + 36),
        _note(told, x + _HEAT + _GAP + 30, y + _HEAT + 50),
    ]


def _pixels(picture: FunctionPicture) -> list[list[float | None]]:
    """Return what softmax sees of a function, in blocks of positions if there are many."""
    rows, size = picture.findings.rows, picture.findings.num_positions
    step = -(-size // _MOST_PIXELS)
    seen = [
        [value - rows[i] if j <= i and isfinite(value) else None for j, value in enumerate(row)]
        for i, row in enumerate(picture.values)
    ]
    if step == 1:
        return seen

    def mean(top: int, left: int) -> float | None:
        block = [value for row in seen[top : top + step] for value in row[left : left + step] if value is not None]
        return sum(block) / len(block) if block else None

    return [[mean(top, left) for left in range(0, size, step)] for top in range(0, size, step)]


def _most(values: Sequence[float]) -> float:
    return max((abs(value) for value in values if not isnan(value)), default=0.0)


def _curve(found: Findings, x: int, y: int) -> list[str]:
    """Return the function of the distance, with its spread and the nearest limit."""
    left = x + 30
    last = max(found.seen, found.num_positions - _FEW)
    known = [d for d, value in enumerate(found.curve) if not isnan(value) and d < last]
    highs = [found.curve[d] + found.spread[d] for d in known]
    lows = [found.curve[d] - found.spread[d] for d in known]
    across = _scaler(0, max(1, found.num_positions - 1), left, x + _CURVE)
    up = _scaler(*_range([*highs, *lows]), y + _HEAT, y)
    parts = [
        f'<rect class="trained" x="{left}" y="{y}" width="{across(found.seen - 1) - left:.1f}" height="{_HEAT}"/>',
        *_ticks(up, min([*lows, 0.0]), max([*highs, 0.0]), left, x + _CURVE),
    ]
    upper = [f"{across(d):.1f},{up(high):.1f}" for d, high in zip(known, highs, strict=True)]
    lower = [f"{across(d):.1f},{up(low):.1f}" for d, low in zip(known, lows, strict=True)]
    line = [f"{across(d):.1f},{up(found.curve[d]):.1f}" for d in known]
    within = [min(max(value, min(lows)), max(highs)) for value in found.limit.curve]
    limit = [f"{across(d):.1f},{up(value):.1f}" for d, value in enumerate(within)]
    parts += [
        f'<polygon class="band" points="{" ".join([*upper, *reversed(lower)])}"/>',
        f'<polyline class="limit" points="{" ".join(limit)}"/>',
        f'<polyline class="line" points="{" ".join(line)}"/>',
    ]
    for d in sorted({0, found.seen - 1, found.num_positions - 1}):
        parts.append(f'<text class="note" x="{across(d):.1f}" y="{y + _HEAT + 14}" text-anchor="middle">{d}</text>')
    return parts


def _plot(plot: LengthPlot, lengths: Sequence[int], trained: int, x: int, y: int) -> list[str]:
    left = x + 30
    values = [value for _, line, _ in plot.lines for value in line]
    across = _scaler(0, max(lengths), left, x + _PLOT_WIDTH)
    low, high = min([*values, 0.0]), max([*values, 0.0])
    up = _scaler(*_range([low, high]), y + 20 + _PLOT_HEIGHT, y + 20)
    parts = [
        f'<text class="name" x="{x}" y="{y + 12}">{escape(plot.title)}</text>',
        f'<rect class="trained" x="{left}" y="{y + 20}" width="{across(trained) - left:.1f}" height="{_PLOT_HEIGHT}"/>',
        *_ticks(up, low, high, left, x + _PLOT_WIDTH),
    ]
    for number, (name, line, dashed) in enumerate(plot.lines):
        points = " ".join(f"{across(n):.1f},{up(value):.1f}" for n, value in zip(lengths, line, strict=True))
        kind = f"line series-{number % _COLOURS}" + " low" * dashed
        parts.append(f'<g><title>{escape(name)}</title><polyline class="{kind}" points="{points}"/></g>')
    parts += [
        f'<text class="note" x="{across(length):.1f}" y="{y + _PLOT_HEIGHT + 34}" text-anchor="middle">{length}</text>'
        for length in (trained, max(lengths))
    ]
    names = [
        f'<tspan class="key-{number % _COLOURS}">{escape(name)}</tspan>'
        for number, (name, _, _) in enumerate(plot.lines)
    ]
    shown = "  ".join(names[:_MOST_NAMES]) + " …" * (len(names) > _MOST_NAMES)
    return [*parts, f'<text class="note" x="{left}" y="{y + _PLOT_HEIGHT + 52}" xml:space="preserve">{shown}</text>']


def _ticks(up: Callable[[float], float], low: float, high: float, left: int, right: int) -> list[str]:
    parts = []
    for value in sorted({low, 0.0, high}):
        if value and abs(up(value) - up(0.0)) < 12:  # too near to the line of 0
            continue
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{up(value):.1f}" y2="{up(value):.1f}"/>')
        shown = show_number(float(f"{value:.2g}"))
        parts.append(f'<text class="note" x="{left - 4}" y="{up(value) + 3.5:.1f}" text-anchor="end">{shown}</text>')
    return parts


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min([*values, 0.0]), max([*values, 0.0])
    return (low, high) if high > low else (0.0, 1.0)


def _scaler(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (end - start) * (value - low) / (high - low)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _note(text: str, x: int, y: int) -> str:
    return f'<text class="note" x="{x}" y="{y}">{escape(text)}</text>'
