"""Exact match by length: the whole instance must be right, under teacher forcing, in one forward pass per bin.

For an encoding whose scores among the first tokens do not change when more tokens come, this equals greedy decoding.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..arrays import Arrays
from ..model.transformer import Transformer
from ..seeds import Draw
from ..tasks.lengths import LengthRange
from ..tasks.task import Batch, Task
from .batches import make_batch
from .objectives import exact_matches

_TOKENS_PER_MODEL = 8_192  # instances go in slices of about so many tokens, the same for a model alone and in a stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many of the instances of one length a model got right."""

    length: int
    examples: int
    matches: int


def evaluation_batch(task: Task, lengths: LengthRange, examples: int, draw: Draw, xp: Arrays) -> Batch:
    """Return the instances a bin is scored on: drawn once, the same at every evaluation."""
    return make_batch(task, task.lengths(lengths.low, lengths.high), examples, draw, xp)


@torch.no_grad()
def match_instances(model: Transformer, task: Task, batch: Batch) -> torch.Tensor:
    """Return, for every model and instance, whether it is matched exactly, [M, B]."""
    step = max(1, _TOKENS_PER_MODEL // batch.tokens_MBL.shape[-1])
    parts = []
    for start in range(0, batch.tokens_MBL.shape[1], step):
        part = slice(start, start + step)
        tokens, sizes = batch.tokens_MBL[:, part], batch.sizes_MB[:, part]
        ids = model.encoding.ids(tokens, sizes, None)
        outputs = model(tokens, ids, batch.scale_MB[:, part])
        parts.append(exact_matches(task.objective, outputs, batch.targets_MBL[:, part]))
    return torch.cat(parts, dim=1)


def score_by_length(matches_MB: torch.Tensor, scale_MB: torch.Tensor) -> list[list[Score]]:
    """Return, for every model, its score at each length that occurs."""
    scores = []
    for matches, lengths in zip(matches_MB.tolist(), scale_MB.tolist(), strict=True):
        totals: dict[int, list[int]] = {}
        for match, length in zip(matches, lengths, strict=True):
            total = totals.setdefault(length, [0, 0])
            total[0] += 1
            total[1] += match
        scores.append([Score(length=length, examples=n, matches=k) for length, (n, k) in sorted(totals.items())])
    return scores
