"""Many encodings on a few tasks at a glance: one row for each encoding, prediction beside measurement in every cell."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .statistics import Cell

_ROW, _COLUMN, _LEFT, _TOP = 20, 104, 170, 44
_MARKS = {"YES": "✓", "NO": "✗", "UNKNOWN": "?"}

LEGEND = (
    "Each cell: the prediction (✓ yes, ✗ no, ? unknown), how many of the runs that fitted the training lengths generalize, and "
    "their median exact match at the longest lengths. Where no run fitted there is no evidence."
)


def matrix_text(cells: Sequence[Cell]) -> str:
    """Return the matrix as plain text."""
    tasks, encodings, by_place = _arrange(cells)
    width = max(map(len, encodings)) + 2
    columns = [max(18, len(task) + 2) for task in tasks]
    lines = [" " * width + "".join(task.ljust(column) for task, column in zip(tasks, columns, strict=True)).rstrip()]
    for encoding in encodings:
        texts = [_text(by_place.get((task, encoding))) for task in tasks]
        lines.append(
            encoding.ljust(width)
            + "".join(text.ljust(column) for text, column in zip(texts, columns, strict=True)).rstrip()
        )
    return "\n".join([*lines, "", LEGEND])


def _text(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    mark = _MARKS[str(cell.verdict.answer)]
    if not cell.num_fitted:
        return f"{mark} 0/{cell.num_runs} fit"
    return f"{mark} {cell.num_generalized}/{cell.num_fitted} {cell.by_bin[-1].median:4.0%}"


def _arrange(cells: Sequence[Cell]) -> tuple[list[str], list[str], dict[tuple[str, str], Cell]]:
    """Return tasks and encodings in the order in which they come, and the first cell of each pair."""
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    by_place: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        by_place.setdefault((cell.task, cell.encoding), cell)
    most = max(tasks, key=lambda task: sum(cell.task == task for cell in cells))
    ordered = [cell.encoding for cell in cells if cell.task == most]
    encodings = list(dict.fromkeys([*ordered, *(cell.encoding for cell in cells)]))
    return tasks, encodings, by_place


def draw_matrix(cells: Sequence[Cell]) -> str:
    """Return the matrix as SVG: the darker a cell, the better the median at the longest lengths."""
    tasks, encodings, by_place = _arrange(cells)
    width, height = _LEFT + _COLUMN * len(tasks), _TOP + _ROW * len(encodings) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" class="matrix" '
        f'aria-label="Prediction and measurement for {len(encodings)} encodings on {len(tasks)} tasks">',
        "<style>.matrix{font:12px system-ui,sans-serif}.matrix text{fill:currentColor}.matrix .on{fill:#fff}"
        ".matrix .none{fill:none;stroke:currentColor;stroke-opacity:.25;stroke-dasharray:2 3}"
        "@media(prefers-color-scheme:dark){.matrix{color:#ddd}}</style>",
    ]
    for place, task in enumerate(tasks):
        x = _LEFT + _COLUMN * (place + 0.5)
        parts.append(f'<text x="{x}" y="{_TOP - 12}" text-anchor="middle">{escape(task)}</text>')
    for line, encoding in enumerate(encodings):
        y = _TOP + _ROW * line
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(encoding)}</text>')
        for place, task in enumerate(tasks):
            parts += _draw_cell(by_place.get((task, encoding)), _LEFT + _COLUMN * place, y)
    return "\n".join([*parts, "</svg>"])


def _draw_cell(cell: Cell | None, x: int, y: int) -> list[str]:
    if cell is None:
        return []
    share = cell.by_bin[-1].median
    box = f'x="{x + 1}" y="{y + 1}" width="{_COLUMN - 2}" height="{_ROW - 2}" rx="3"'
    shown = f"{cell.task} × {cell.encoding}: predicted {cell.verdict.answer}; {cell.remark}"
    fill = (
        f'{box} fill="#2563a8" fill-opacity="{0.08 + 0.92 * share:.2f}"' if cell.num_fitted else f'{box} class="none"'
    )
    ink = ' class="on"' if cell.num_fitted and share > 0.45 else ""
    return [
        f"<g><title>{escape(shown)}</title>",
        f"<rect {fill}/>",
        f'<text x="{x + _COLUMN / 2}" y="{y + 14}" text-anchor="middle"{ink}>{escape(_text(cell))}</text></g>',
    ]
