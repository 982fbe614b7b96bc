"""A picture of relations: for every token of an answer, which tokens before it are read."""

from __future__ import annotations

from ..seeds import EVALUATION, open_stream
from ..svg import NUM_SERIES, element, picture, rect, text
from ..tasks.core.task import Task
from ..train.relation_family import draw_points, keys_of, marks_of
from ..train.relation_search import Found
from .learned_picture import short_token

_CELL, _LEFT, _TOP = 26, 60, 40


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
        text(_LEFT + (place + 0.5) * _CELL, _TOP - 8, short_token(tokens[place]), "middle") for place in range(last + 1)
    ]
    for row in range(rows):
        y = _TOP + row * _CELL
        written = f"→ {short_token(tokens[first + row + 1])}"
        parts.append(text(_LEFT - 8, y + 0.65 * _CELL, f"t = {row + 1}", "end"))
        parts.append(text(_LEFT + (last + 1) * _CELL + 8, y + 0.65 * _CELL, written))
        parts += [rect(_LEFT + key * _CELL, y, _CELL, _CELL, "open lined") for key in range(first + row + 1)]
    for number, relation in enumerate(found.relations):
        kind, radius = f"mark series-{number % NUM_SERIES}", 10 - 1.5 * (number % 5)
        for query, key in zip(points.query_P.tolist(), keys_of(relation, points).tolist(), strict=True):
            if key >= 0:
                x, y = _LEFT + (key + 0.5) * _CELL, _TOP + (query - first + 0.5) * _CELL
                parts.append(element("circle", cx=x, cy=y, r=radius, class_=kind))
        y = _TOP + rows * _CELL + 24 + 20 * number
        parts.append(element("circle", cx=_LEFT, cy=y - 4, r=6, class_=kind))
        parts.append(text(_LEFT + 14, y, found.equations[number]))
    return picture(parts, width=width, height=height, title=f"What {found.task} reads at n = {lengths[-1]}")
