"""Causal attention with an encoding: by the fused kernel where the encoding allows it, step by step where not."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor

from .base import Encoding, Where


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    x_MBLD: Tensor,
    encoding: Encoding,
    queries: Where,
    keys: Where,
    *,
    has_sink: bool = False,
    dropout: float = 0.0,
) -> Tensor:
    """Return causal attention over [B, M·H, L, K], fused where the encoding allows it.

    ``queries`` says where the queries stand, ``keys`` where keys and values do. With ``has_sink`` there is one more key,
    of score 0 and value 0: weights are exp(s) / (1 + Σ exp(s)). ``dropout`` is the share of weights that are set to 0.
    """
    bias = encoding.bias(queries, keys)
    scale = encoding.head_width**-0.5
    if encoding.is_fused and bias is None and not has_sink:
        if queries.visible is None and queries.places_BL is None:
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, dropout_p=dropout)
        mask = queries.sees(k.shape[-2]).expand(-1, q.shape[1], -1, -1)
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, dropout_p=dropout)
    hidden = ~queries.sees(k.shape[-2])
    if encoding.is_fused:
        mask = q.new_zeros(()) if bias is None else bias.to(q.dtype)
        mask = torch.where(hidden, -torch.inf, mask)
        if has_sink:
            k, v, mask = functional.pad(k, (0, 0, 0, 1)), functional.pad(v, (0, 0, 0, 1)), functional.pad(mask, (0, 1))
        mask = mask.expand(q.shape[0], q.shape[1], -1, -1)
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, dropout_p=dropout)
    scores = encoding.scores(q, k, x_MBLD, queries, keys)
    if bias is not None:
        scores = scores + bias
    scores = scores.masked_fill(hidden, -torch.inf)
    if has_sink:
        weights = encoding.weights(functional.pad(scores, (0, 1)), queries, keys)[..., :-1]
    else:
        weights = encoding.weights(scores, queries, keys)
    weights = weights.to(v.dtype)
    return encoding.value(functional.dropout(weights, dropout) if dropout else weights, v, queries, keys)
