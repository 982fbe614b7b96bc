"""Exact match by length: the whole instance must be right, under teacher forcing, in one forward pass per bin.

For an encoding whose scores among the first tokens do not change when more tokens come, this equals greedy decoding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..arrays import Arrays
from ..encodings.core.base import Encoding, Where, are_row_ids
from ..model.transformer import Transformer
from ..seeds import Draw
from ..tasks.core.lengths import LengthRange
from ..tasks.core.task import IGNORE, Batch, Objective, Task
from ..tasks.languages.regular import MixedNextSymbols, NextSymbols
from .batches import make_batch
from .groups import is_asked_at_every_prefix
from .objectives import exact_matches
from .packing import are_same

_TOKENS_PER_MODEL = 8_192  # instances go in slices of about so many tokens, the same for a model alone and in a stack
_TOKENS_ON_GPU = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many of the instances of one length a model got right."""

    length: int
    examples: int
    matches: int


class Examples(NamedTuple):
    """The instances a bin is scored on, with the places that are scored: targets there, IGNORE where fewer are."""

    batch: Batch
    ids_MBL: Tensor
    places_MBS: Tensor
    targets_MBS: Tensor

    def split(self) -> list[Examples]:
        """Return the instances of each model by themselves."""
        return [self._mapped(lambda part, model=model: part[model : model + 1]) for model in range(len(self.ids_MBL))]  # type: ignore[misc]

    def of_instances(self, chosen: slice) -> Examples:
        """Return some of the instances of every model."""
        return self._mapped(lambda part: part[:, chosen])

    def _mapped(self, function: Callable[[Tensor], Tensor]) -> Examples:
        tokens, targets, sizes, scale = map(function, _parts(self.batch))
        batch = Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=sizes, scale_MB=scale)
        return Examples(batch, function(self.ids_MBL), function(self.places_MBS), function(self.targets_MBS))


def make_examples(
    task: Task, lengths: LengthRange, number: int, draw: Draw, xp: Arrays, encoding: Encoding
) -> Examples:
    """Return the instances of a bin, a function of their draw: the same at every evaluation.

    They are made by the arrays of the draw, and are those of ``xp``: made on a CPU for a GPU, they are the same.
    """
    possible = task.lengths(lengths.low, lengths.high)
    # as wide as the whole bin asks for where that can be said, so that instances of several tasks go side by side
    longest = lengths.high if is_asked_at_every_prefix(task) else max(possible)
    batch = make_batch(task, possible, number, draw, draw.xp, longest)
    most = max(len(task.scored(length)) for length in (*possible, longest))
    return _examples_of(batch, task.roles(batch, draw.xp), most, xp, encoding)


def make_mixed_examples(
    tasks: Sequence[NextSymbols],
    bins: Sequence[LengthRange],
    number: int,
    draw: Draw,
    xp: Arrays,
    encoding: Encoding,
) -> Examples:
    """Return the instances of several tasks, one with its bin for each key of the draw; they are those of each task alone.

    Bins must end at the same length.
    """
    distinct = list({id(task): task for task in tasks}.values())
    place = {id(task): number for number, task in enumerate(distinct)}
    possible = [task.lengths(bounds.low, bounds.high) for task, bounds in zip(tasks, bins, strict=True)]
    most, arrays = max(map(len, possible)), draw.xp
    sizes, which, table = (
        arrays.asarray(np.asarray(values, dtype=np.int64))
        for values in (
            [[len(lengths)] for lengths in possible],
            [place[id(task)] for task in tasks],
            [(*lengths, *[0] * (most - len(lengths))) for lengths in possible],
        )
    )
    choice = draw.named("length").integers(sizes, (number,))
    made = MixedNextSymbols(distinct, max_length=bins[0].high, xp=arrays)
    batch = made.sample(which, arrays.gather_last(table, choice), draw.named("instance"))
    return _examples_of(batch, None, bins[0].high + 1, xp, encoding)


def _examples_of(batch: Batch, roles_MBL: Any, most: int, xp: Arrays, encoding: Encoding) -> Examples:
    """Return a batch as arrays of ``xp``, with its ids and with the places that are scored, at most so many."""
    if not isinstance(batch.tokens_MBL, Tensor):
        made: tuple[Any, ...] = _parts(batch)  # arrays of NumPy
        tokens, targets, sizes, scale = (xp.asarray(part.copy()) for part in made)
        batch = Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=sizes, scale_MB=scale)
        roles_MBL = None if roles_MBL is None else xp.asarray(roles_MBL.copy())
    is_scored = batch.targets_MBL != IGNORE
    places = torch.argsort(is_scored.to(torch.int8), dim=-1, descending=True, stable=True)[..., :most]
    targets = torch.take_along_dim(batch.targets_MBL, places, dim=-1)
    ids = encoding.ids(batch.tokens_MBL, batch.sizes_MB, None, roles_MBL).expand(batch.tokens_MBL.shape)
    return Examples(batch, ids, places, targets)


def join_examples(of_models: Sequence[Examples]) -> Examples:
    """Return the instances of several models, equally wide and equally many, side by side."""
    tokens, targets, sizes, scale = (
        torch.cat(parts) for parts in zip(*(_parts(examples.batch) for examples in of_models), strict=True)
    )
    ids = [examples.ids_MBL for examples in of_models]
    return Examples(
        Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=sizes, scale_MB=scale),
        ids[0][0, 0].expand(tokens.shape)
        if all(map(are_same, ids))
        else torch.cat(ids),  # one row for all stays one row
        torch.cat([examples.places_MBS for examples in of_models]),
        torch.cat([examples.targets_MBS for examples in of_models]),
    )


def _parts(batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB


def tokens_on_gpu(num_models: int, slots: int | None) -> int:
    """Return the tokens of a model that go at once on a GPU: more of them where few models would not fill it."""
    most = _TOKENS_ON_GPU if slots is None else min(_TOKENS_ON_GPU, slots * _TOKENS_PER_MODEL)
    return max(_TOKENS_PER_MODEL, most // num_models)


@torch.no_grad()
def match_instances(
    model: Transformer,
    objective: Objective,
    examples: Examples,
    is_output_MO: Tensor | None = None,
    *,
    slots: int | None = None,
) -> Tensor:
    """Return, for every model and instance, whether it is matched exactly, [M, B].

    ``slots`` are those of the stack that the models are of: together they take no more memory on a GPU than it was sized for.
    """
    num_models, num_instances, width = examples.batch.tokens_MBL.shape
    on_gpu = examples.batch.tokens_MBL.is_cuda
    step = max(1, (tokens_on_gpu(num_models, slots) if on_gpu else _TOKENS_PER_MODEL) // width)
    parts = []
    for start in range(0, num_instances, step):
        part = examples.of_instances(slice(start, start + step))
        tokens = part.batch.tokens_MBL
        at = Where(
            ids_MBL=part.ids_MBL,
            scale_MBL=part.batch.scale_MB[..., None].expand(tokens.shape),
            sizes_MBL=part.batch.sizes_MB[..., None].expand(tokens.shape),
            row_ids=part.ids_MBL if are_row_ids(part.ids_MBL) else None,
        )
        stream = torch.take_along_dim(model.stream(tokens, at), part.places_MBS[..., None], dim=2)
        parts.append(exact_matches(objective, model.read(stream), part.targets_MBS, is_output_MO))
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
