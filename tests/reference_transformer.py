"""The obvious transformer: one model, one head at a time, every formula written out.

It is the oracle of ``transformer.py`` and shares nothing with it but the names of the weights, here without the model
axis. Shapes: B batch, L length, D width, K head width, F width of the hidden layer, O outputs, V tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

Weights = Mapping[str, Tensor]


def reference_outputs(weights: Weights, tokens_BL: Tensor, ids_BL: Tensor, *, layers: int, heads: int) -> Tensor:
    """Return the outputs of one model at every position, [B, L, O].

    ``weights`` are named as the parameters of a :class:`Transformer`, each without its first axis. Positions are added
    to the input if there is a table of them; there are no other position encodings here.
    """
    x_BLD = weights["embedding_MVD"][tokens_BL]
    if "encoding.table_MND" in weights:
        x_BLD = x_BLD + weights["encoding.table_MND"][ids_BL]
    for layer in range(layers):
        block = f"blocks.{layer}."
        x_BLD = x_BLD + _attention(weights, block, _norm(weights, block + "norm_1", x_BLD), heads)
        x_BLD = x_BLD + _hidden_layer(weights, block, _norm(weights, block + "norm_2", x_BLD))
    x_BLD = _norm(weights, "norm", x_BLD)
    if "readout.weight_MIO" not in weights:
        return x_BLD @ weights["embedding_MVD"].T
    return _affine(weights, "readout", x_BLD)


def _affine(weights: Weights, name: str, x: Tensor) -> Tensor:
    return x @ weights[f"{name}.weight_MIO"] + weights[f"{name}.bias_MO"]


def _norm(weights: Weights, name: str, x_BLD: Tensor) -> Tensor:
    """Return x with mean 0 and variance 1 along its last axis, then scaled and shifted."""
    centred = x_BLD - x_BLD.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return centred / torch.sqrt(variance + 1e-5) * weights[f"{name}.gain_MD"] + weights[f"{name}.shift_MD"]


def _attention(weights: Weights, block: str, x_BLD: Tensor, heads: int) -> Tensor:
    """Return causal softmax attention: position i sees the positions j ≤ i."""
    length, width = x_BLD.shape[-2:]
    head_width = width // heads
    qkv = _affine(weights, f"{block}qkv", x_BLD)
    position = torch.arange(length, device=x_BLD.device)
    is_future = position[None, :] > position[:, None]
    mixed = []
    for head in range(heads):
        q, k, v = (
            qkv[..., part * width + head * head_width : part * width + (head + 1) * head_width] for part in range(3)
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(head_width)
        scores = torch.where(is_future, -math.inf, scores)
        shares = torch.exp(scores - scores.amax(-1, keepdim=True))
        mixed.append(shares / shares.sum(-1, keepdim=True) @ v)
    return _affine(weights, f"{block}project", torch.cat(mixed, dim=-1))


def _hidden_layer(weights: Weights, block: str, x_BLD: Tensor) -> Tensor:
    """Return an affine map, GELU, and an affine map back."""
    h_BLF = _affine(weights, f"{block}expand", x_BLD)
    gelu = 0.5 * h_BLF * (1 + torch.erf(h_BLF / math.sqrt(2)))
    return _affine(weights, f"{block}contract", gelu)
