"""Pictures of what encodings do to attention: shades for a terminal, and SVG for a page; torch-free.

A picture is a square of numbers, rows queries and columns keys, as ``model/pictures`` computes it: None where a query
does not see a key. Colours part at 0, which is what a token gives itself, and every panel has its own scale.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from ..svg import element, group, hatching, line, picture, rect, text
from .numbers import show_number

Square = Sequence[Sequence[float | None]]

_LEVELS = 60  # colours on either side of 0
_LESS = ("#f7f5f2", "#c9d8ea", "#8db3da", "#4f86c0", "#265a9b", "#12336a")  # from light to dark, blue
_MORE = ("#f7f5f2", "#f7d9b5", "#f0ad6a", "#d97b2f", "#a94f14", "#6b2c0a")  # from light to dark, orange
_SHADES, _PLAIN_SHADES = "·░▒▓█", ".-+*#"
_HIDDEN, _PLAIN_HIDDEN = "×", "x"

_COLUMNS = 7
_SIDE = 128  # of a picture
_ACROSS, _DOWN = 146, 174  # from one panel to the next
_MARGIN, _HEADING = 18, 36
_HATCHED = "url(#lengthwise-hatch)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A picture with its name and a line that says what it is."""

    name: str
    title: str
    values: Square

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest number seen."""
        seen = [value for row in self.values for value in row if value is not None]
        return (min(seen), max(seen)) if seen else (0.0, 0.0)

    @property
    def span(self) -> str:
        """The extent in words."""
        low, high = self.extent
        closed = any(value is None for i, row in enumerate(self.values) for value in row[: i + 1])
        return (show_number(low) if low == high else f"{show_number(low)} … {show_number(high)}") + ", −∞" * closed


# For a terminal


def text_picture(panel: Panel, *, plain: bool = False) -> str:
    """Return the picture in shades, two characters for each number, with what they mean; ``plain`` is ASCII alone.

    >>> print(text_picture(Panel(name="", title="", values=[[0.0, None], [-2.0, 0.0]])))
    ██
    ··██
    · −2 … █ 0
    """
    shades, hidden = (_PLAIN_SHADES, _PLAIN_HIDDEN) if plain else (_SHADES, _HIDDEN)
    low, high = panel.extent

    def shade(value: float | None) -> str:
        if value is None:
            return hidden + " "
        share = (value - low) / (high - low) if high > low else 1.0
        return 2 * shades[min(int(share * len(shades)), len(shades) - 1)]

    lines = ["".join(shade(value) for value in row[: i + 1]).rstrip() for i, row in enumerate(panel.values)]
    ends = f"{shades[-1]} {show_number(high)}"
    legend = f"{shades[0]} {show_number(low)} … {ends}" if high > low else ends
    if any(hidden in line for line in lines):
        legend += f", {hidden} not seen"
    return "\n".join([*lines, legend.replace("…", "...").replace("−", "-") if plain else legend])


# For a page


def draw_panel(panel: Panel) -> str:
    """Return one picture as SVG, with its scale."""
    wide, side = 640, 384
    caption = wrap(CAPTION, 100)
    parts = [
        text(24, 34, panel.name, "title"),
        text(24, 54, _shortened(panel.title), "note"),
        _square(panel, 24, 88, side),
        text(24, 80, "columns: keys j →", "note"),
        text(side + 32, 104, "rows: queries i ↓", "note"),
        *_scale(panel, side + 32, 124),
        *(text(24, side + 112 + 16 * row, words, "note") for row, words in enumerate(caption)),
    ]
    return picture(
        parts,
        width=wide,
        height=side + 124 + 16 * len(caption),
        title=f"What {panel.name} does to attention",
        definitions=_definitions(len(panel.values), side),
    )


def draw_gallery(families: Mapping[str, Sequence[Panel]], columns: int = _COLUMNS) -> str:
    """Return all pictures side by side, family by family."""
    parts: list[str] = []
    top, width = _MARGIN - 8, 2 * _MARGIN + (columns - 1) * _ACROSS + _SIDE
    for family, panels in families.items():
        if parts:
            parts.append(line(_MARGIN, top, width - _MARGIN, top, "rule"))
        parts.append(text(_MARGIN, top + 24, family, "title"))
        top += _HEADING
        for number, panel in enumerate(panels):
            down, across = divmod(number, columns)
            parts += _panel(panel, _MARGIN + across * _ACROSS, top + down * _DOWN)
        top += -(-len(panels) // columns) * _DOWN + 6
    parts += [line(_MARGIN, top, width - _MARGIN, top, "rule"), *_key(_MARGIN, top)]
    length = max((len(panel.values) for panels in families.values() for panel in panels), default=1)
    return picture(
        parts,
        width=width,
        height=top + 82,
        title="What position encodings do to attention",
        definitions=_definitions(length, _SIDE),
    )


CAPTION = (
    "What positions add to the scores of constant content, in one head of the first layer, before training (seed 0), "
    "at twice the trained length. Where they are added to the input: inner products, divided by √D. "
    "Where there is no softmax (stick_breaking): logarithms of the weights."
)
"""What the pictures show."""


def _definitions(length: int, side: float) -> list[str]:
    """Return hatching for keys that are hidden, and the outline of the cells with j ≤ i."""
    step = side / max(1, length)
    stairs = f"M0 0V{side:g}H{side:g}{f'v-{step:g}h-{step:g}' * length}Z"
    return [
        hatching("lengthwise-hatch", rect(0, 0, 5, 5, "closed"), kind="hatch"),
        element("path", id="lengthwise-seen", d=stairs),
    ]


def _panel(panel: Panel, x: float, y: float) -> list[str]:
    return [
        text(x, y + 12, panel.name, "name"),
        _square(panel, x, y + 18, _SIDE),
        text(x, y + 18 + _SIDE + 13, panel.span, "note"),
    ]


def _square(panel: Panel, x: float, y: float, side: float) -> str:
    """Return the picture over its grounds: one colour for later keys, hatching for keys that are hidden."""
    hatched = element("use", href="#lengthwise-seen", fill=_HATCHED) if "∞" in panel.span else ""
    return group(
        [rect(0, 0, side, side, "later"), hatched, draw_pixels(encode_png(panel.values), 0, 0, side, side)],
        title=f"{panel.name}: {panel.title}; {panel.span}",
        role="img",
        transform=f"translate({x:g} {y:g})",
    )


def draw_pixels(png: bytes, x: float, y: float, width: float, height: float) -> str:
    """Return a PNG, stretched to a size."""
    data = f"data:image/png;base64,{b64encode(png).decode('ascii')}"
    return element("image", x=x, y=y, width=width, height=height, preserveAspectRatio="none", href=data)


def _key(x: float, y: float) -> list[str]:
    """Return what the colours mean."""
    return [
        text(x, y + 26, "less", "note"),
        _bar(x + 30, y + 16, 200),
        text(x + 238, y + 26, "more than tokens give themselves; every panel has its scale", "note"),
        rect(x + 578, y + 16, 13, 13, fill=_HATCHED),
        text(x + 597, y + 26, "not seen: −∞", "note"),
        rect(x + 696, y + 16, 13, 13, "later"),
        text(x + 715, y + 26, "later: j > i; rows are queries i, columns keys j", "note"),
        *(text(x, y + 50 + 16 * row, words, "note") for row, words in enumerate(wrap(CAPTION, 170))),
    ]


def _bar(x: float, y: float, width: float) -> str:
    return draw_pixels(_png([list(range(1, 2 * _LEVELS + 2))]), x, y, width, 13)


def _scale(panel: Panel, x: float, y: float) -> list[str]:
    """Return the colours of one picture with the numbers they stand for."""
    low, high = panel.extent
    largest = max(abs(low), abs(high)) or 1.0
    ends = ((-largest, "note"), (0.0, "note middle"), (largest, "note end"))
    return [
        _bar(x, y, 150),
        *(text(x + 75 * (1 + value / largest), y + 28, show_number(value), kind) for value, kind in ends),
    ]


def _shortened(text: str, most: int = 100) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


# Pixels


def encode_png(values: Square) -> bytes:
    """Return the picture as PNG, one pixel for each number; what is not seen is transparent."""
    seen = [abs(value) for row in values for value in row if value is not None]
    largest = max(seen, default=0.0) or 1.0
    return _png([[0 if v is None else 1 + _LEVELS + round(v / largest * _LEVELS) for v in row] for row in values])


def palette() -> list[tuple[int, int, int]]:
    """Return the colours from the lowest to the highest, with 0 in the middle."""
    less = [_between(_LESS, step / _LEVELS) for step in range(_LEVELS + 1)]
    more = [_between(_MORE, step / _LEVELS) for step in range(_LEVELS + 1)]
    return [*reversed(less), *more[1:]]


def _between(colours: Sequence[str], share: float) -> tuple[int, int, int]:
    """Return the colour at a share of the way through a list of colours."""
    place = share * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    part = place - first
    red, green, blue = (
        round(int(colours[first][k : k + 2], 16) * (1 - part) + int(colours[first + 1][k : k + 2], 16) * part)
        for k in (1, 3, 5)
    )
    return red, green, blue


def _png(rows: Sequence[Sequence[int]]) -> bytes:
    """Return rows of numbers of colours as PNG; number 0 is transparent."""
    colours = b"\0\0\0" + b"".join(bytes(colour) for colour in palette())
    lines = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", colours),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
