"""The curves of a report as one drawing, for a paper: SVG, or PDF made of it.

Each task and each combination of the settings that vary has a panel, in which the encodings are lines. PDF needs CairoSVG
(extra ``figures``), which keeps lines as lines, text as text, and half-transparent bands as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any

from ..errors import InvalidOptionError, MissingExtraError
from ..experiment.settings import flat_settings, show_setting, varying_settings
from ..experiment.store import Result
from ..extras import require_extra
from ..files import draft_of, write_text
from ..svg import NUM_SERIES, element, picture, text
from .figures import draw_curves
from .statistics import Cell, summarize

FORMATS = (".svg", ".pdf")
_COLUMNS = 3
_WIDTH, _GAP, _LINE = 360, 16, 15  # of a panel, between panels, of a line of text
_CHARACTER = 6.6  # about the width of one in print, for line breaks
_BOX = re.compile(r'<svg ([^>]*)viewBox="0 0 (\S+) (\S+)"')


def save_figure(results: Sequence[Result], path: str | Path) -> None:
    """Write the curves of runs as SVG or PDF, as the name of the file ends."""
    require_figure_format(path)
    drawing = draw_figure(results)
    if Path(path).suffix.lower() == ".svg":
        write_text(path, drawing)
        return
    converter = _converter()
    with draft_of(path) as draft, open(draft, "ab") as opened:
        opened.write(converter.svg2pdf(bytestring=drawing.encode()))


def require_figure_format(path: str | Path) -> None:
    """Raise unless a figure can be written to a file of this name."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise InvalidOptionError(
            f"a figure is written as {' or '.join(FORMATS)}; found {str(path)!r}.", hint="for example curves.pdf."
        )
    if ending == ".pdf":
        _converter()


def _converter() -> Any:
    require_extra("a figure in PDF", "figures")
    try:
        return import_module("cairosvg")
    except OSError as error:  # it is there, but the library of the system that it calls is not
        raise MissingExtraError(
            f"a figure in PDF needs the library cairo, which is not installed: {str(error).splitlines()[0]}.",
            hint="apt install libcairo2, or brew install cairo; or write .svg.",
        ) from None


def draw_figure(results: Sequence[Result]) -> str:
    """Return the curves of runs as one SVG picture."""
    panels = [_draw_panel(title, cells) for title, cells in _panels(results)]
    columns = min(_COLUMNS, len(panels))
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    parts, top = [], float(_GAP)
    for row in rows:
        for column, (panel, _) in enumerate(row):
            parts.append(element("g", panel, transform=f"translate({_GAP + column * (_WIDTH + _GAP)} {top:g})"))
        top += max(height for _, height in row) + _GAP
    return picture(
        parts,
        width=_GAP + columns * (_WIDTH + _GAP),
        height=top,
        title="Exact match by length",
        description="Lines are medians over the runs of an encoding, bands their intervals; training lengths are shaded.",
    )


def _panels(results: Sequence[Result]) -> list[tuple[str, list[Cell]]]:
    """Return the cells of each task and combination of settings, with a title; too many lines for one panel take several."""
    flat = [flat_settings(result.settings) for result in results]
    varying = [name for name in varying_settings(flat) if name not in ("hard", "generate", "room")]
    groups: dict[str, list[Result]] = {}
    titles: dict[str, str] = {}
    for result, settings in zip(results, flat, strict=True):
        key = json.dumps([result.task, *(settings[name] for name in varying)])
        groups.setdefault(key, []).append(result)
        said = [f"{name} {show_setting(settings[name])}" for name in varying]
        titles.setdefault(key, ", ".join([result.task, *said]))
    tasks = list(dict.fromkeys(result.task for result in results))
    found = []
    for key in sorted(groups, key=lambda key: _place(json.loads(key), tasks)):
        cells = summarize(groups[key])
        found += [(titles[key], cells[start : start + NUM_SERIES]) for start in range(0, len(cells), NUM_SERIES)]
    return found


def _place(key: Sequence[Any], tasks: Sequence[str]) -> list[Any]:
    """Return what panels are sorted by: tasks as they come, then settings as numbers, or as text where they are none."""
    task, *values = key
    return [
        tasks.index(task),
        *((0, value, "") if isinstance(value, (int, float)) else (1, 0, str(value)) for value in values),
    ]


def _draw_panel(title: str, cells: Sequence[Cell]) -> tuple[str, float]:
    """Return a panel with its title and the key to its lines, and its height."""
    lines = _wrapped(title)
    parts = [text(0, 12 + _LINE * number, line, "label") for number, line in enumerate(lines)]
    y = 12 + _LINE * len(lines)
    x = 0.0
    for number, cell in enumerate(cells):
        name = f"{number + 1} {cell.encoding}" + ("" if cell.num_fitted else " (no run fitted)")
        width = 14 + _CHARACTER * len(name) + 12
        if x and x + width > _WIDTH:
            x, y = 0.0, y + _LINE
        parts.append(element("circle", cx=x + 5, cy=y - 4, r=4, class_=f"key series-{number}"))
        parts.append(text(x + 14, y, name))
        x += width
    curves = draw_curves(cells)
    box = _BOX.search(curves)
    assert box is not None
    height = _WIDTH * float(box[3]) / float(box[2])
    placed = f'<svg x="0" y="{y + 6:g}" width="{_WIDTH}" height="{height:g}" '
    parts.append(curves.replace("<svg ", placed, 1))
    return "".join(parts), y + 6 + height


def _wrapped(title: str) -> list[str]:
    """Return a title in lines that fit above a panel; a long expression without spaces is cut where the line ends."""
    return wrap(title, int(_WIDTH / _CHARACTER)) or [title]
