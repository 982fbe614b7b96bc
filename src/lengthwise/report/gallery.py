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
from html import escape
from textwrap import wrap

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

_STYLE = """
.lengthwise-gallery text { font: 12px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.lengthwise-gallery text { fill: #1f2328; }
.lengthwise-gallery .name { font: 600 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.lengthwise-gallery .family { font-size: 14px; font-weight: 600; }
.lengthwise-gallery .note { font-size: 11px; fill: #57606a; }
.lengthwise-gallery .paper { fill: #ffffff; }
.lengthwise-gallery .rule { stroke: #d0d7de; }
.lengthwise-gallery .later { fill: #dde1e6; }
.lengthwise-gallery .closed { fill: #d3d8de; }
.lengthwise-gallery .hatch { stroke: #8c959f; stroke-width: 1.6; }
.lengthwise-gallery image { image-rendering: pixelated; }
@media (prefers-color-scheme: dark) {
  .lengthwise-gallery text { fill: #e6edf3; }
  .lengthwise-gallery .note { fill: #9da7b3; }
  .lengthwise-gallery .paper { fill: #15181c; }
  .lengthwise-gallery .rule { stroke: #30363d; }
  .lengthwise-gallery .later { fill: #262b32; }
  .lengthwise-gallery .closed { fill: #444c56; }
  .lengthwise-gallery .hatch { stroke: #768390; }
}
"""  # every rule names our class, because a style inside a page is the whole page's; no variables, for plain renderers


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


def show_number(value: float) -> str:
    """Return a number with three digits that count and a proper minus sign.

    >>> show_number(-7.75), show_number(0.0), show_number(-100.42)
    ('−7.75', '0', '−100')
    """
    return f"{value:.3g}".replace("-", "−") if value else "0"


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
        f'<text class="family" x="24" y="34">{escape(panel.name)}</text>',
        _note(_shortened(panel.title), 24, 54),
        *_picture(panel, 24, 88, side),
        _note("columns: keys j →", 24, 80),
        _note("rows: queries i ↓", side + 32, 104),
        *_scale(panel, side + 32, 124),
        *(_note(line, 24, side + 112 + 16 * number) for number, line in enumerate(caption)),
    ]
    return _svg(
        wide,
        side + 124 + 16 * len(caption),
        _stairs(len(panel.values), side),
        f"What {panel.name} does to attention",
        parts,
    )


def draw_gallery(families: Mapping[str, Sequence[Panel]], columns: int = _COLUMNS) -> str:
    """Return all pictures side by side, family by family."""
    parts: list[str] = []
    top, width = _MARGIN - 8, 2 * _MARGIN + (columns - 1) * _ACROSS + _SIDE
    for family, panels in families.items():
        if parts:
            parts.append(_rule(top, width))
        parts.append(f'<text class="family" x="{_MARGIN}" y="{top + 24}">{escape(family)}</text>')
        top += _HEADING
        for number, panel in enumerate(panels):
            down, across = divmod(number, columns)
            parts += _panel(panel, _MARGIN + across * _ACROSS, top + down * _DOWN)
        top += -(-len(panels) // columns) * _DOWN + 6
    parts += [_rule(top, width), *_key(_MARGIN, top)]
    length = max((len(panel.values) for panels in families.values() for panel in panels), default=1)
    return _svg(width, top + 82, _stairs(length, _SIDE), "What position encodings do to attention", parts)


CAPTION = (
    "What positions add to the scores of constant content, in one head of the first layer, before training (seed 0), "
    "at twice the trained length. Where they are added to the input: inner products, divided by √D. "
    "Where there is no softmax (stick_breaking): logarithms of the weights."
)
"""What the pictures show."""


def _stairs(length: int, side: float) -> str:
    """Return the outline of the cells with j ≤ i."""
    step = side / max(1, length)
    return f"M0 0V{side:g}H{side:g}{f'v-{step:g}h-{step:g}' * length}Z"


def _rule(y: float, width: float) -> str:
    return f'<line class="rule" x1="{_MARGIN}" x2="{width - _MARGIN:g}" y1="{y:g}" y2="{y:g}"/>'


def _svg(width: float, height: float, stairs: str, title: str, parts: Sequence[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="lengthwise-gallery" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            "<defs>",
            '<pattern id="lengthwise-hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)">',
            '<rect class="closed" width="5" height="5"/><line class="hatch" x1="0" y1="0" x2="0" y2="5"/>',
            "</pattern>",
            f'<path id="lengthwise-seen" d="{stairs}"/>',
            "</defs>",
            f'<rect class="paper" width="{width:g}" height="{height:g}" rx="6"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _panel(panel: Panel, x: float, y: float) -> list[str]:
    return [
        f'<text class="name" x="{x:g}" y="{y + 12:g}">{escape(panel.name)}</text>',
        *_picture(panel, x, y + 18, _SIDE),
        f'<text class="note" x="{x:g}" y="{y + 18 + _SIDE + 13:g}">{escape(panel.span)}</text>',
    ]


def _picture(panel: Panel, x: float, y: float, side: float) -> list[str]:
    """Return the picture over its grounds: one colour for later keys, hatching for keys that are hidden."""
    size = f'width="{side:g}" height="{side:g}"'
    told = f"{panel.name}: {panel.title}; {panel.span}"
    data = b64encode(encode_png(panel.values)).decode("ascii")
    closed = '<use href="#lengthwise-seen" fill="url(#lengthwise-hatch)"/>' if "∞" in panel.span else ""
    return [
        f'<g role="img" transform="translate({x:g} {y:g})"><title>{escape(told)}</title>',
        f'<rect class="later" {size}/>{closed}',
        f'<image {size} preserveAspectRatio="none" href="data:image/png;base64,{data}"/></g>',
    ]


def _key(x: float, y: float) -> list[str]:
    """Return what the colours mean."""
    return [
        _note("less", x, y + 26),
        *_bar(x + 30, y + 16, 200),
        _note("more than tokens give themselves; every panel has its scale", x + 238, y + 26),
        f'<rect x="{x + 578}" y="{y + 16}" width="13" height="13" fill="url(#lengthwise-hatch)"/>',
        _note("not seen: −∞", x + 597, y + 26),
        f'<rect class="later" x="{x + 696}" y="{y + 16}" width="13" height="13"/>',
        _note("later: j > i; rows are queries i, columns keys j", x + 715, y + 26),
        *(_note(line, x, y + 50 + 16 * number) for number, line in enumerate(wrap(CAPTION, 170))),
    ]


def _note(text: str, x: float, y: float) -> str:
    return f'<text class="note" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _bar(x: float, y: float, width: float) -> list[str]:
    data = b64encode(_png([list(range(1, 2 * _LEVELS + 2))])).decode("ascii")
    return [
        f'<image x="{x:g}" y="{y:g}" width="{width:g}" height="13" preserveAspectRatio="none" '
        f'href="data:image/png;base64,{data}"/>'
    ]


def _scale(panel: Panel, x: float, y: float) -> list[str]:
    """Return the colours of one picture with the numbers they stand for."""
    low, high = panel.extent
    largest = max(abs(low), abs(high)) or 1.0
    parts = _bar(x, y, 150)
    for value in (-largest, 0.0, largest):
        at = x + 75 * (1 + value / largest)
        anchor = "start" if value < 0 else "end" if value else "middle"
        parts.append(f'<text class="note" x="{at:g}" y="{y + 28:g}" text-anchor="{anchor}">{show_number(value)}</text>')
    return parts


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
