"""The positional term of the regularizer of arXiv 2410.02140, as a training penalty.

With positions p and, for head h of layer l, queries W_Q and keys W_K, both without bias,

    Σ_l Σ_h 1/N Σ_{j ≤ i} ((p_i W_Q) · (p_j W_K))²

It is what the paper's released code adds to the loss: the term of the theory (position 1 against all others), averaged
over where the pair starts. It is small only if attention between positions depends on few distances.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..errors import InvalidOptionError
from ..model.transformer import Block, Transformer


def require_positions(model: Transformer, encoding: str) -> None:
    """Raise unless there are position vectors to regularize."""
    if not isinstance(getattr(model.encoding, "table_MND", None), Tensor):
        raise InvalidOptionError(
            f"the regularizer acts on a table of positions, and {encoding!r} has none.",
            hint="use the encoding 'ape', or leave the regularizer at 0.",
        )


def positional_penalty(model: Transformer) -> Tensor:
    """Return the penalty of each model, [M]."""
    positions_MND = model.encoding.table_MND
    assert isinstance(positions_MND, Tensor)
    num_models, num_positions, width = positions_MND.shape
    total = positions_MND.new_zeros(num_models)
    with torch.autocast(positions_MND.device.type, enabled=False):
        for block in model.blocks:
            assert isinstance(block, Block)
            mapped = torch.bmm(positions_MND, block.qkv.weight_MIO[..., : 2 * width])
            q, k = (
                part.reshape(num_models, num_positions, block.heads, -1).transpose(1, 2)
                for part in mapped.chunk(2, dim=-1)
            )
            products_MHNN = (q @ k.transpose(-1, -2)).tril()
            total = total + products_MHNN.square().sum((1, 2, 3)) / num_positions
    return total
