"""A picture of relations: for every token of an answer, which tokens before it are read."""

from __future__ import annotations

from html import escape

from ..seeds import EVALUATION, open_stream
from ..tasks.task import Task
from ..train.relation_family import draw_points, keys_of, marks_of
from ..train.relation_search import Found
from .learned_picture import short_token

_CELL, _LEFT, _TOP = 26, 60, 40
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by the colour-blind too


def draw_relations(found: Found, task: Task, scale: int) -> str:
    """Return an SVG of one instance: a row for each token to be written, a mark where a relation points."""
    lengths = task.lengths(1, scale)
    points = draw_points(task, lengths[-1:], 1, open_stream(EVALUATION, seed=0).at(0), marks_of(found.names, task))
    tokens = [task.vocabulary[token] for token in points.tokens_IL[0].tolist()]
    first, last = int(points.query_P.min()), int(points.query_P.max())
    rows = last - first + 1
    height = _TOP + rows * _CELL + 24 + 20 * len(found.relations)
    width = max(_LEFT + (last + 1) * _CELL + 70, 420)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        f"<title>{escape(f'What {found.task} reads at n = {lengths[-1]}')}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    parts += [
        _text(_LEFT + (place + 0.5) * _CELL, _TOP - 8, short_token(tokens[place]), "middle")
        for place in range(last + 1)
    ]
    for row in range(rows):
        y = _TOP + row * _CELL
        parts.append(_text(_LEFT - 8, y + 0.65 * _CELL, f"t = {row + 1}", "end"))
        parts.append(
            _text(
                _LEFT + (last + 1) * _CELL + 8, y + 0.65 * _CELL, f"→ {short_token(tokens[first + row + 1])}", "start"
            )
        )
        for place in range(first + row + 1):
            x = _LEFT + place * _CELL
            parts.append(f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="none" stroke="#dddddd"/>')
    for number, relation in enumerate(found.relations):
        colour, radius = _COLOURS[number % len(_COLOURS)], 10 - 1.5 * (number % 5)
        for query, key in zip(points.query_P.tolist(), keys_of(relation, points).tolist(), strict=True):
            if key >= 0:
                x, y = _LEFT + (key + 0.5) * _CELL, _TOP + (query - first + 0.5) * _CELL
                parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{colour}" stroke-width="3"/>')
        y = _TOP + rows * _CELL + 24 + 20 * number
        parts.append(f'<circle cx="{_LEFT}" cy="{y - 4}" r="6" fill="none" stroke="{colour}" stroke-width="3"/>')
        parts.append(_text(_LEFT + 14, y, found.equations[number], "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
