"""Pictures as SVG: the elements that all of them are made of, and their one style sheet, for light and dark pages.

Every rule names our class, because a style inside a page is the whole page's. Colours are no variables, for plain renderers.
"""

from __future__ import annotations

from collections.abc import Iterable

from .markup import escape

_COLOURS = {
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#57606a", "#9da7b3"),
    "paper": ("#ffffff", "#15181c"),
    "rule": ("#d0d7de", "#30363d"),
    "later": ("#dde1e6", "#262b32"),
    "closed": ("#d3d8de", "#444c56"),
    "other": ("#d3d8de", "#8b949e"),
    "hatch": ("#8c959f", "#768390"),
    "trained": ("#e6edf6", "#1f2a38"),
    "node": ("#f6f8fa", "#22272e"),
    "contrary": ("#c2410c", "#ff9d5c"),
    "alarm": ("#b3261e", "#ff8a80"),
    "dark": ("#1f2328", "#1f2328"),
    "white": ("#ffffff", "#ffffff"),
}
"""What a colour is called, on light and on dark paper."""

_SERIES = (
    ("#1f6fb2", "#6db3ee"),
    ("#c2571a", "#f0975c"),
    ("#1a7f4b", "#57c98d"),
    ("#7a3e9d", "#c79be0"),
    ("#8a6d00", "#e0c25a"),
    ("#b3261e", "#ff8a80"),
)
"""The colours of lines that are drawn together."""

NUM_SERIES = len(_SERIES)

_FILLS = {
    "text": "ink",
    ".note": "soft",
    ".tick": "soft",
    ".late": "alarm",
    ".slot": "dark",
    ".on": "white",
    ".paper": "paper",
    ".later": "later",
    ".closed": "closed",
    ".other": "other",
    ".trained": "trained",
    ".arrow": "soft",
    ".state circle": "node",
    ".ring": "paper",
}
_STROKES = {
    ".rule": "rule",
    ".lined": "rule",
    ".baseline": "soft",
    ".cell": "paper",
    ".hatch": "hatch",
    ".shading": "dark",
    ".edge text": "paper",
    ".line": "soft",
    ".state circle": "soft",
    ".operand": "ink",
    ".untrained": "alarm",
    ".limit": "alarm",
    ".boundary": "dark",
    ".none": "hatch",
    ".framed": "contrary",
}

_SANS = 'ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif'
_MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_FORMS = {
    "text": f"font: 11px {_SANS}",
    ".plain": "font-size: 12px",
    ".tick": "font-size: 10px",
    ".tiny": "font-size: 9px",
    ".title": "font-size: 14px; font-weight: 600",
    ".label": "font-size: 12px; font-weight: 600",
    ".name": f"font: 600 12px {_MONO}",
    ".late": "font-weight: 600",
    ".key": "font-weight: 600",
    ".slot": "font-weight: 700; text-anchor: middle",
    ".middle": "text-anchor: middle",
    ".end": "text-anchor: end",
    ".state text": f"font: 600 14px {_MONO}; text-anchor: middle",
    ".edge text": f"font: 14px {_MONO}; text-anchor: middle; paint-order: stroke; stroke-width: 4px",
    ".state circle": "stroke-width: 1.6",
    ".line": "fill: none; stroke-width: 1.7",
    ".band": "opacity: 0.18",
    ".early": "opacity: 0.3",
    ".hatch": "stroke-width: 1.6",
    ".shading": "stroke-width: 1.2; opacity: 0.5",
    ".open": "fill: none",
    ".mark": "fill: none; stroke-width: 3",
    ".operand": "fill: none; stroke-width: 2.2",
    ".untrained": "stroke-dasharray: 4 2",
    ".limit": "fill: none; stroke-width: 1.4; stroke-dasharray: 4 3",
    ".boundary": "fill: none; stroke-dasharray: 3 2",
    ".dashed": "stroke-dasharray: 4 3",
    ".baseline": "stroke-width: 1.5; stroke-dasharray: 1 3",
    ".none": "fill: none; stroke-dasharray: 2 3",
    ".framed": "fill: none; stroke-width: 2.5",
    "image": "image-rendering: pixelated",
}


def _colours(theme: int) -> list[str]:
    rules = [f".lengthwise {selector} {{ fill: {_COLOURS[name][theme]}; }}" for selector, name in _FILLS.items()]
    rules += [f".lengthwise {selector} {{ stroke: {_COLOURS[name][theme]}; }}" for selector, name in _STROKES.items()]
    for number, colours in enumerate(_SERIES):
        filled = ", ".join(f".lengthwise .{kind}.series-{number}" for kind in ("band", "dot", "key"))
        lined = ", ".join(f".lengthwise .{kind}.series-{number}" for kind in ("line", "ring", "mark"))
        rules.append(f"{filled} {{ fill: {colours[theme]}; }}")
        rules.append(f"{lined} {{ stroke: {colours[theme]}; }}")
        rules.append(f".lengthwise-key.series-{number} {{ background: {colours[theme]}; }}")
    return rules


STYLE = "\n".join(
    [
        "",
        *(f".lengthwise {selector} {{ {form}; }}" for selector, form in _FORMS.items()),
        *_colours(0),
        "@media (prefers-color-scheme: dark) {",
        *_colours(1),
        "}",
        "",
    ]
)


def number(value: float) -> str:
    """Return a coordinate with at most one decimal.

    >>> number(2.0), number(1 / 3), number(-0.01)
    ('2', '0.3', '0')
    """
    return f"{round(value, 1) + 0.0:.10g}"  # adding zero turns -0 into 0


def element(tag: str, *content: str, **attributes: str | float) -> str:
    """Return an element: ``class_`` is written ``class``, and ``_`` becomes ``-``; what is text is escaped, content is not.

    >>> element("rect", x=1.5, class_="paper", fill_opacity="0.50")
    '<rect x="1.5" class="paper" fill-opacity="0.50"/>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
        if value != ""
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Return words, which are escaped, with their baseline at y; the classes ``middle`` and ``end`` say where x is."""
    return element("text", escape(words), x=x, y=y, class_=kind)


def rect(x: float, y: float, width: float, height: float, kind: str = "", **attributes: str | float) -> str:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, class_=kind, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def points(places: Iterable[tuple[float, float]]) -> str:
    """Return points as polylines and polygons hold them."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in places)


def group(parts: Iterable[str], *, title: str = "", **attributes: str | float) -> str:
    """Return parts as one, with a title that is shown where the pointer rests."""
    named = [element("title", escape(title))] if title else []
    return element("g", *named, *parts, **attributes)


def hatching(name: str, *ground: str, kind: str) -> str:
    """Return the definition of slanted lines over a ground; ``fill="url(#name)"`` uses it."""
    return element(
        "pattern",
        *ground,
        line(0, 0, 0, 5, kind),
        id=name,
        width=5,
        height=5,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )


def figure(parts: Iterable[str], *, width: float, height: float, title: str) -> str:
    """Return a picture inside a page that holds the style sheet; ``title`` is read aloud."""
    box = f"0 0 {number(width)} {number(height)}"
    return element("svg", "\n", "\n".join(parts), "\n", class_="lengthwise", viewBox=box, role="img", aria_label=title)


def picture(
    parts: Iterable[str],
    *,
    width: float,
    height: float,
    title: str,
    description: str = "",
    left: float = 0,
    top: float = 0,
    definitions: Iterable[str] = (),
) -> str:
    """Return a picture that stands alone, on paper of its own."""
    defined = [*definitions]
    inside = [
        element("title", escape(title)),
        *([element("desc", escape(description))] if description else []),
        element("style", STYLE),
        *([element("defs", *defined)] if defined else []),
        rect(left, top, width, height, "paper", rx=6),
        *parts,
    ]
    return (
        element(
            "svg",
            "\n",
            "\n".join(inside),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            class_="lengthwise",
            role="img",
            viewBox=" ".join(map(number, (left, top, width, height))),
            width=width,
            height=height,
        )
        + "\n"
    )
