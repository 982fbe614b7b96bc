"""Product functions: what two positions alone give to the score of a head, p_jᵀKᵀQp_i.

Rows are queries i, columns keys j, as everywhere here. The number is that of the weights alone: positions as they are added to
the input, times W_Q and W_K, without layer norm, bias or 1/√K, at every layer. That is the product function of the theory of
arXiv 2410.02140, whose transformer has no layer norm, and what its released code penalizes.

Shapes: M models, H heads, N positions, D width, K head width.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from ...encodings.core.base import Encoding, Where
from ...encodings.core.wrapper import Wrapper
from ...encodings.methods.learned import Learned
from ...errors import InvalidOptionError
from ..transformer import Block, Transformer


def unwrapped(encoding: Encoding) -> Iterator[Encoding]:
    """Yield an encoding, then what it is put around, down to one that is put around nothing.

    Only what passes on what its base adds to the input is gone through: a window around ``ape`` still has its table.
    """
    yield encoding
    while isinstance(encoding, Wrapper):
        encoding = encoding.base
        yield encoding


def table_of(model: Transformer) -> Tensor | None:
    """Return the table of positions that a model learns, [M, N, D], or None if it has none."""
    return next((each.table_MND for each in unwrapped(model.encoding) if isinstance(each, Learned)), None)


def positions_of(model: Transformer, length: int) -> Tensor:
    """Return the vectors that are added to the input at positions 0, 1, …, as many as there are up to a length, [M, N, D].

    They may be learned or given by a formula; raise if the encoding adds nothing to the input.
    """
    encoding = model.encoding
    if encoding.is_embedding:
        rooms = [each.max_length for each in unwrapped(encoding) if each.max_length is not None]
        ids_MBL = torch.arange(min([length, *rooms])).expand(model.num_models, 1, -1)
        sizes_MBL = torch.full_like(ids_MBL, ids_MBL.shape[-1])
        positions_MBLD = encoding.embed(Where(ids_MBL=ids_MBL, scale_MBL=sizes_MBL, sizes_MBL=sizes_MBL))
        if positions_MBLD is not None:
            return positions_MBLD[:, 0].expand(model.num_models, -1, -1)
    raise InvalidOptionError(
        "the encoding of this model adds no position vectors to the input, so that there are no product functions.",
        hint="inspect a model that was trained with ape, learned or sinusoidal.",
    )


def query_and_key_maps(block: Block) -> tuple[Tensor, Tensor]:
    """Return W_Q and W_K of every head, each [M, H, D, K]."""
    num_models, width, _ = block.qkv.weight_MIO.shape
    q, k = (
        part.reshape(num_models, width, block.heads, -1).transpose(1, 2).contiguous()
        for part in block.qkv.weight_MIO[..., : 2 * width].chunk(2, dim=-1)
    )
    return q, k


def value_maps(block: Block) -> Tensor:
    """Return V of every head, what it takes from the stream and adds to it again: W_V W_O, [M, H, D, D]."""
    num_models, width, _ = block.qkv.weight_MIO.shape
    v = block.qkv.weight_MIO[..., 2 * width :].reshape(num_models, width, block.heads, -1).transpose(1, 2)
    o = block.project.weight_MIO.reshape(num_models, block.heads, -1, width)
    return v @ o


def queries_and_keys(positions_MND: Tensor, block: Block) -> tuple[Tensor, Tensor]:
    """Return p_i W_Q and p_j W_K for every head, each [M, H, N, K]."""
    num_models, num_positions, width = positions_MND.shape
    mapped = torch.bmm(positions_MND, block.qkv.weight_MIO[..., : 2 * width])
    q, k = (  # laid out in the same way in a stack and alone, so that products are computed in the same order
        part.reshape(num_models, num_positions, block.heads, -1).transpose(1, 2).contiguous()
        for part in mapped.chunk(2, dim=-1)
    )
    return q, k


def product_function(positions_MND: Tensor, block: Block) -> Tensor:
    """Return (p_i W_Q)·(p_j W_K) for every head, [M, H, N, N], for pairs in both orders."""
    q, k = queries_and_keys(positions_MND, block)
    return q @ k.transpose(-1, -2)
