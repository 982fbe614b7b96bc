"""A check of the conformance suite: rows and models that differ in everything that positions may depend on."""

from __future__ import annotations

import torch
from torch import Tensor

from ..encodings.core.base import Where
from ..encodings.core.choice import Choice
from .models import make_model, random_tokens, require_same

_SIZES = torch.tensor([14, 20, 40])
_SCALES = torch.tensor([6, 2, 11])


@torch.no_grad()
def check_rows(choice: Choice) -> None:
    """Rows with other ids, sizes and scales, and models with other ids, are each computed as if they were alone."""
    seeds = (3, 8)
    stack = make_model(choice, seeds)
    tokens = random_tokens(len(seeds), len(_SIZES), 14)
    whole = _where()
    together = stack(tokens, whole)
    for number, seed in enumerate(seeds):
        alone = make_model(choice, (seed,))
        for row in range(len(_SIZES)):
            part = slice(number, number + 1), slice(row, row + 1)
            at = Where(*(numbers[part] for numbers in (whole.ids_MBL, whole.scale_MBL, whole.sizes_MBL)))
            require_same(
                together[part], alone(tokens[part], at), f"row {row} of model {number} among others and alone", 1e-4
            )


def _where() -> Where:
    """Return where tokens stand: no two rows or models have the same ids, and one row has consecutive ones from 0."""
    step = torch.tensor([[1, 2, 3], [2, 1, 5]])[..., None]
    start = torch.tensor([[0, 5, 1], [3, 2, 0]])[..., None]
    ids_MBL: Tensor = torch.arange(14) * step + start
    sizes, scales = (numbers[None, :, None].expand(ids_MBL.shape) for numbers in (_SIZES, _SCALES))
    return Where(ids_MBL=ids_MBL, scale_MBL=scales, sizes_MBL=sizes)
