"""What learned relations add to the scores of each head, as a picture: a panel for each head, a row for each token written."""

from __future__ import annotations

from collections.abc import Sequence

from ..encodings.relation_readout import LearnedRelation
from ..seeds import EVALUATION, open_stream
from ..svg import group, picture, rect, text
from ..tasks.core.task import IGNORE, Task

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
    largest = max((abs(relation.gain) for relation in relations), default=1.0)
    panels = []
    for number, ((layer, head), own) in enumerate(heads.items()):
        x, y = number % columns * (wide + _GAP), number // columns * (high + _GAP)
        name = text(_LEFT, 14, f"layer {layer + 1}, head {head + 1}")
        parts = _draw_panel(own, tokens, queries, length, largest)
        panels.append(group([name, *parts], transform=f"translate({x} {y})"))
    return picture(
        panels,
        width=columns * (wide + _GAP),
        height=lines * (high + _GAP),
        title=f"Learned relations of {len(heads)} heads on {task.name}",
    )


def _draw_panel(
    relations: Sequence[LearnedRelation], tokens: Sequence[str], queries: Sequence[int], scale: int, largest: float
) -> list[str]:
    parts = [
        text(_LEFT + _CELL * (place + 0.5), _TOP - 5, short_token(token), "tiny middle")
        for place, token in enumerate(tokens)
    ]
    for row, query in enumerate(queries):
        y = _TOP + _CELL * row
        parts.append(text(_LEFT - 5, y + 10, f"{short_token(tokens[query])} {query - _BOS}", "tiny end"))
        for key in range(query + 1):
            gain = sum(each.gain for each in relations if each.equation.holds(key - _BOS, query - _BOS, scale))
            shade = {
                "fill": "#2563a8" if gain >= 0 else "#c2410c",
                "fill_opacity": f"{min(1.0, abs(gain) / largest):.2f}",
            }
            parts.append(rect(_LEFT + _CELL * key, y, _CELL, _CELL, "lined", **shade))
    return parts


def short_token(token: str) -> str:
    """Return a token as one sign, where it has one."""
    return {"<bos>": "⊢", "<sep>": "=", "<eos>": "⊣"}.get(token, token)
