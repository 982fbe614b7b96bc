"""Pictures of what is inside a model: functions of two positions as heat maps and as curves over distance, and how sure and how
sharp the model is by length; torch-free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan

from ..markup import escape
from ..model.inspection.functions import Findings
from ..svg import NUM_SERIES, element, group, line, picture, points, rect, text
from .gallery import draw_pixels, encode_png
from .numbers import percent, show_number

Square = Sequence[Sequence[float]]

WIDTH = 960
_MARGIN, _HEAT, _CURVE, _GAP = 24, 150, 266, 14
_HALF = (WIDTH - 2 * _MARGIN) // 2
_ROW = 226
_MOST_PIXELS = 110
_PLOT_WIDTH, _PLOT_HEIGHT = 212, 150
_MOST_NAMES = 6
_FEW = 3  # the last distances, with so few pairs or fewer, are not drawn


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
    parts = [text(_MARGIN, 30, title, "title")]
    y = 48
    for head in heads:
        x = _MARGIN
        for kind, function in (
            ("product function, from the weights", head.product),
            ("mean score, measured", head.measured),
        ):
            if function is not None:
                parts += _function(f"{head.name}: {kind}", function, x, y)
                x += _HALF
        y += _ROW
    parts += [text(_MARGIN, y + 4 + 15 * row, words, "note") for row, words in enumerate(_CAPTION)]
    y += 15 * len(_CAPTION) + 14
    for number, plot in enumerate(plots):
        parts += _plot(plot, lengths, trained, _MARGIN + number * (_PLOT_WIDTH + 20), y)
    return picture(parts, width=WIDTH, height=y + (_PLOT_HEIGHT + 64 if plots else 0), title=title)


_CAPTION = (
    "Squares: rows are queries i, columns keys j; blue is less, orange more; what a query gives to all of its keys alike is taken off.",
    "Below the dashed line: distances never seen in training. Curves: the mean over pairs by distance i − j, with the standard deviation;",
    "shaded: seen in training; dashed red: the nearest local and periodic function, fitted to what was seen.",
)


def _function(name: str, function: FunctionPicture, x: int, y: int) -> list[str]:
    found = function.findings
    size, seen = found.num_positions, found.seen
    at = _HEAT * seen / size
    pixels = draw_pixels(encode_png(_pixels(function)), 0, 0, _HEAT, _HEAT)
    boundary = [line(0, at, _HEAT - at, _HEAT, "boundary")] if seen < size else []
    limit = found.limit
    nearest = f"nearest limit: τ = {limit.tau}, period {limit.period}, residual {percent(limit.residual, '%')}"
    shares = f"±{show_number(_most(found.curve))}; {percent(found.invariant, '%')} by distance"
    return [
        text(x, y + 12, name, "label"),
        group(
            [rect(0, 0, _HEAT, _HEAT, "later"), pixels, *boundary],
            title=name,
            role="img",
            transform=f"translate({x} {y + 20})",
        ),
        *_curve(found, x + _HEAT + _GAP, y + 20),
        text(x, y + _HEAT + 36, shares, "note"),
        text(x + _HEAT + _GAP + 30, y + _HEAT + 50, nearest, "note"),
    ]


def _pixels(function: FunctionPicture) -> list[list[float | None]]:
    """Return what softmax sees of a function, in blocks of positions if there are many."""
    rows, size = function.findings.rows, function.findings.num_positions
    step = -(-size // _MOST_PIXELS)
    seen = [
        [value - rows[i] if j <= i and isfinite(value) else None for j, value in enumerate(row)]
        for i, row in enumerate(function.values)
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
    within = [min(max(value, min(lows)), max(highs)) for value in found.limit.curve]
    upper = [(across(d), up(high)) for d, high in zip(known, highs, strict=True)]
    lower = [(across(d), up(low)) for d, low in zip(known, lows, strict=True)]
    return [
        rect(left, y, across(found.seen - 1) - left, _HEAT, "trained"),
        *_ticks(up, min([*lows, 0.0]), max([*highs, 0.0]), left, x + _CURVE),
        element("polygon", class_="band series-0", points=points([*upper, *reversed(lower)])),
        element("polyline", class_="limit", points=points((across(d), up(v)) for d, v in enumerate(within))),
        element("polyline", class_="line series-0", points=points((across(d), up(found.curve[d])) for d in known)),
        *(
            text(across(d), y + _HEAT + 14, str(d), "note middle")
            for d in sorted({0, found.seen - 1, found.num_positions - 1})
        ),
    ]


def _plot(plot: LengthPlot, lengths: Sequence[int], trained: int, x: int, y: int) -> list[str]:
    left = x + 30
    values = [value for _, curve, _ in plot.lines for value in curve]
    across = _scaler(0, max(lengths), left, x + _PLOT_WIDTH)
    low, high = min([*values, 0.0]), max([*values, 0.0])
    up = _scaler(*_range([low, high]), y + 20 + _PLOT_HEIGHT, y + 20)
    parts = [
        text(x, y + 12, plot.title, "label"),
        rect(left, y + 20, across(trained) - left, _PLOT_HEIGHT, "trained"),
        *_ticks(up, low, high, left, x + _PLOT_WIDTH),
        *(
            text(across(length), y + _PLOT_HEIGHT + 34, str(length), "note middle")
            for length in (trained, max(lengths))
        ),
    ]
    names: list[str] = []
    for number, (name, curve, dashed) in enumerate(plot.lines):
        series = f"series-{number % NUM_SERIES}"
        course = points((across(length), up(value)) for length, value in zip(lengths, curve, strict=True))
        kind = f"line {series}" + " dashed" * dashed
        parts.append(group([element("polyline", class_=kind, points=course)], title=name))
        names.append(element("tspan", escape(name), class_=f"key {series}", dx=7 if names else 0))
    shown = [*names[:_MOST_NAMES], *([" …"] if len(names) > _MOST_NAMES else [])]
    return [*parts, element("text", *shown, x=left, y=y + _PLOT_HEIGHT + 52, class_="note")]


def _ticks(up: Callable[[float], float], low: float, high: float, left: int, right: int) -> list[str]:
    parts = []
    for value in sorted({low, 0.0, high}):
        if value and abs(up(value) - up(0.0)) < 12:  # too near to the line of 0
            continue
        parts.append(line(left, up(value), right, up(value), "rule"))
        parts.append(text(left - 4, up(value) + 3.5, show_number(float(f"{value:.2g}")), "note end"))
    return parts


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min([*values, 0.0]), max([*values, 0.0])
    return (low, high) if high > low else (0.0, 1.0)


def _scaler(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (end - start) * (value - low) / (high - low)
