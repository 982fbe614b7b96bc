"""Loss and exact match for each objective. A model is scored only where the target is not IGNORE."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor

from ..tasks.core.task import IGNORE, Objective


def loss_per_model(
    objective: Objective, outputs_MBLO: Tensor, targets_MBL: Tensor, is_output_MO: Tensor | None = None
) -> Tensor:
    """Return the mean loss of each model over its scored positions, [M].

    ``is_output_MO`` says which outputs a model has; the others are padding and get no gradient.
    """
    scored = targets_MBL != IGNORE
    num_scored = scored.sum((1, 2)).clamp(min=1)
    if objective is Objective.NEXT_SYMBOLS:
        bits = _as_bits(targets_MBL, outputs_MBLO.shape[-1]).to(outputs_MBLO.dtype)
        losses = functional.binary_cross_entropy_with_logits(outputs_MBLO, bits, reduction="none")
        if is_output_MO is not None:  # not by -inf, for which this loss is not a number
            losses = losses * is_output_MO[:, None, None, :]
        losses = losses.sum(-1)
    else:
        outputs_MBLO = without_padding(outputs_MBLO, is_output_MO)
        flat = outputs_MBLO.flatten(0, 2)
        losses = functional.cross_entropy(flat, targets_MBL.flatten(), ignore_index=IGNORE, reduction="none")
        losses = losses.reshape(targets_MBL.shape)
    return (losses * scored).sum((1, 2)) / num_scored


def exact_matches(
    objective: Objective, outputs_MBLO: Tensor, targets_MBL: Tensor, is_output_MO: Tensor | None = None
) -> Tensor:
    """Return, for every instance, whether all its scored positions are right, [M, B]."""
    outputs_MBLO = without_padding(outputs_MBLO, is_output_MO)
    if objective is Objective.NEXT_SYMBOLS:
        bits = _as_bits(targets_MBL, outputs_MBLO.shape[-1])
        right = ((outputs_MBLO > 0) == bits).all(-1)
    else:
        right = outputs_MBLO.argmax(-1) == targets_MBL
    return (right | (targets_MBL == IGNORE)).all(-1)


def without_padding(outputs_MBLO: Tensor, is_output_MO: Tensor | None) -> Tensor:
    """Return outputs that are -inf where a model has none, so that none of them is ever chosen."""
    if is_output_MO is None:
        return outputs_MBLO
    return outputs_MBLO.masked_fill(~is_output_MO[:, None, None, :], -torch.inf)


def _as_bits(targets_MBL: Tensor, num_bits: int) -> Tensor:
    """Return sets as booleans, [M, B, L, O]; what stands for IGNORE is arbitrary."""
    places = torch.arange(num_bits, device=targets_MBL.device)
    return (targets_MBL[..., None] >> places & 1).bool()
