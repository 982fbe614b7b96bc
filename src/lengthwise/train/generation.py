"""Exact match by real decoding: a model sees the prompt and what it has written itself, and nothing that comes later.

Scores are teacher-forced, in one pass over whole instances. That is the same for encodings whose scores among the first tokens
do not change when more tokens come. For others it is not, and this module measures the difference.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ..arrays import Arrays
from ..encodings.core.base import Where
from ..model.transformer import Transformer
from ..tasks.core.task import IGNORE, PAD, Objective, Task
from .evaluation import Examples
from .objectives import exact_matches, without_padding


@torch.no_grad()
def match_generated(
    model: Transformer, task: Task, examples: Examples, xp: Arrays, is_output_MO: Tensor | None = None
) -> Tensor:
    """Return, for every model and instance of one task, whether greedy decoding is right at every scored position, [M, B].

    There is a pass for every scored position, over the tokens up to it. An answer is fed back token by token; for questions at
    every prefix the tokens are those of the instance.
    """
    batch = examples.batch
    tokens_MBL = batch.tokens_MBL.clone()
    is_right_MB = torch.ones(tokens_MBL.shape[:2], dtype=torch.bool, device=tokens_MBL.device)
    for place_MB, target_MB in zip(examples.places_MBS.unbind(-1), examples.targets_MBS.unbind(-1), strict=True):
        is_scored_MB = target_MB != IGNORE
        if not is_scored_MB.any():
            break
        width = int(place_MB[is_scored_MB].max()) + 1
        place_MB = place_MB.clamp(max=width - 1)  # of instances that have no more scored positions
        sizes_MB = place_MB + 1
        is_seen = torch.arange(width, device=tokens_MBL.device) < sizes_MB[..., None]
        seen_MBL = torch.where(is_seen, tokens_MBL[..., :width], task.token(PAD))
        seen = replace(batch, tokens_MBL=seen_MBL, targets_MBL=batch.targets_MBL[..., :width], sizes_MB=sizes_MB)
        ids = model.encoding.ids(seen_MBL, sizes_MB, None, task.roles(seen, xp)).expand(seen_MBL.shape)
        at = Where(
            ids_MBL=ids,
            scale_MBL=batch.scale_MB[..., None].expand(seen_MBL.shape),
            sizes_MBL=sizes_MB[..., None].expand(seen_MBL.shape),
        )
        stream = torch.take_along_dim(model.stream(seen_MBL, at), place_MB[..., None, None], dim=2)
        outputs = model.read(stream)
        is_right_MB &= exact_matches(task.objective, outputs, target_MB[..., None], is_output_MO)
        if task.objective is Objective.ANSWER and width < tokens_MBL.shape[-1]:
            written_MB = without_padding(outputs, is_output_MO)[..., 0, :].argmax(-1)
            after_MB1 = sizes_MB[..., None]
            kept = torch.take_along_dim(tokens_MBL, after_MB1, dim=-1)
            tokens_MBL.scatter_(-1, after_MB1, torch.where(is_scored_MB[..., None], written_MB[..., None], kept))
    return is_right_MB
