"""Exact match by length: the whole instance must be right, under teacher forcing, in one forward pass per bin.

For an encoding whose scores among the first tokens do not change when more tokens come, this equals greedy decoding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..arrays import Arrays
from ..encodings.base import Where
from ..model.transformer import Transformer
from ..seeds import Draw
from ..tasks.lengths import LengthRange
from ..tasks.task import IGNORE, Batch, Task
from .batches import make_batch
from .objectives import exact_matches

_TOKENS_PER_MODEL = 8_192  # instances go in slices of about so many tokens, the same for a model alone and in a stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many of the instances of one length a model got right."""

    length: int
    examples: int
    matches: int


class Examples(NamedTuple):
    """The instances a bin is scored on, with the places that are scored: targets there, IGNORE where fewer are."""

    batch: Batch
    places_MBS: Tensor
    targets_MBS: Tensor
    roles_MBL: Tensor | None = None


def make_examples(task: Task, lengths: LengthRange, number: int, draw: Draw, xp: Arrays) -> Examples:
    """Return the instances of a bin, a function of their draw: the same at every evaluation."""
    possible = task.lengths(lengths.low, lengths.high)
    batch = make_batch(task, possible, number, draw, xp)
    most = max(len(task.scored(length)) for length in possible)
    is_scored = batch.targets_MBL != IGNORE
    places = torch.argsort(is_scored.to(torch.int8), dim=-1, descending=True, stable=True)[..., :most]
    targets = torch.take_along_dim(batch.targets_MBL, places, dim=-1)
    return Examples(batch, places, targets, task.roles(batch, xp))


@torch.no_grad()
def match_instances(model: Transformer, task: Task, examples: Examples) -> Tensor:
    """Return, for every model and instance, whether it is matched exactly, [M, B]."""
    batch = examples.batch
    step = max(1, _TOKENS_PER_MODEL // batch.tokens_MBL.shape[-1])
    parts = []
    for start in range(0, batch.tokens_MBL.shape[1], step):
        part = slice(start, start + step)
        tokens, sizes, places = batch.tokens_MBL[:, part], batch.sizes_MB[:, part], examples.places_MBS[:, part]
        roles = None if examples.roles_MBL is None else examples.roles_MBL[:, part]
        at = Where(
            ids_MBL=model.encoding.ids(tokens, sizes, None, roles),
            scale_MBL=batch.scale_MB[:, part, None].expand(tokens.shape),
            sizes_MBL=sizes[..., None].expand(tokens.shape),
        )
        stream = torch.take_along_dim(model.stream(tokens, at), places[..., None], dim=2)
        outputs = model.read(stream)
        parts.append(exact_matches(task.objective, outputs, examples.targets_MBS[:, part]))
    return torch.cat(parts, dim=1)


def score_by_length(matches_MB: Tensor, scale_MB: Tensor) -> list[list[Score]]:
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
