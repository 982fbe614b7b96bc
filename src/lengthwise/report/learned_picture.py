"""What learned relations add to the scores of each head, as a picture: a panel for each head, a row for each token written."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..encodings.relation_readout import LearnedRelation
from ..seeds import EVALUATION, open_stream
from ..tasks.task import IGNORE, Task

_CELL, _LEFT, _TOP, _GAP = 13, 34, 46, 26
_PER_ROW = 4
_BOS = 1  # positions of circuits count from the token behind <bos>


def draw_learned(relations: Sequence[LearnedRelation], task: Task, scale: int) -> str:
    """Return an SVG of one instance of a scale: the darker a key, the more the relations of a head add to its score."""
    from ..arrays import numpy_arrays

    xp = numpy_arrays()
    length = task.lengths(1, scale)[-1]
    batch = task.sample(open_stream(EVALUATION, seed=[0]).at(0), xp.asarray([length]), length, xp)
    size = int(batch.sizes_MB[0, 0])
    tokens = [task.vocabulary[int(token)] for token in batch.tokens_MBL[0, 0, :size]]
    queries = [place for place in range(size) if int(batch.targets_MBL[0, 0, place]) != IGNORE]
    heads: dict[tuple[int, int], list[LearnedRelation]] = {}
    for relation in relations:
        heads.setdefault((relation.layer, relation.head), []).append(relation)
    wide, high = _LEFT + _CELL * size, _TOP + _CELL * len(queries)
    columns = max(1, min(_PER_ROW, len(heads)))
    lines = -(-len(heads) // columns)
    width, height = columns * (wide + _GAP), lines * (high + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" class="learned" '
        f'aria-label="Learned relations of {len(heads)} heads on {escape(task.name)}">',
        "<style>.learned{font:9px system-ui,sans-serif}.learned text{fill:currentColor}.learned .title{font-size:11px}"
        ".learned .cell{stroke:currentColor;stroke-opacity:.15}"
        "@media(prefers-color-scheme:dark){.learned{color:#ddd}}</style>",
    ]
    largest = max((abs(relation.gain) for relation in relations), default=1.0)
    for number, ((layer, head), own) in enumerate(heads.items()):
        x, y = number % columns * (wide + _GAP), number // columns * (high + _GAP)
        parts.append(f'<g transform="translate({x},{y})">')
        parts.append(f'<text class="title" x="{_LEFT}" y="14">layer {layer + 1}, head {head + 1}</text>')
        parts += _draw_panel(own, tokens, queries, length, largest)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"])


def _draw_panel(
    relations: Sequence[LearnedRelation], tokens: Sequence[str], queries: Sequence[int], scale: int, largest: float
) -> list[str]:
    parts = [
        f'<text x="{_LEFT + _CELL * (place + 0.5)}" y="{_TOP - 5}" text-anchor="middle">{escape(short_token(token))}</text>'
        for place, token in enumerate(tokens)
    ]
    for row, query in enumerate(queries):
        y = _TOP + _CELL * row
        parts.append(
            f'<text x="{_LEFT - 5}" y="{y + 10}" text-anchor="end">{escape(short_token(tokens[query]))} {query - _BOS}</text>'
        )
        for key in range(query + 1):
            gain = sum(each.gain for each in relations if each.equation.holds(key - _BOS, query - _BOS, scale))
            colour = "#2563a8" if gain >= 0 else "#c2410c"
            parts.append(
                f'<rect class="cell" x="{_LEFT + _CELL * key}" y="{y}" width="{_CELL}" height="{_CELL}" '
                f'fill="{colour}" fill-opacity="{min(1.0, abs(gain) / largest):.2f}"/>'
            )
    return parts


def short_token(token: str) -> str:
    """Return a token as one sign, where it has one."""
    return {"<bos>": "⊢", "<sep>": "=", "<eos>": "⊣"}.get(token, token)
