"""What a position encoding may do to a transformer, hook by hook.

Every parameter leads with M, the number of models in a stack (M = 1 when alone). Shapes: B batch, L length, D width,
H heads, K head width, Q queries. Attention runs over [B, M·H, L, K]. Position ids may be any numbers, with repeats.

Training packs several instances into a row (train/packing): ids start anew with each of them, and masks keep them
apart. ``scale`` is the length of the instance that a query belongs to, [M or 1, B, Q].

An encoding overrides only the hooks it needs. ``bias`` depends on positions alone and keeps the fused attention kernel;
as soon as ``scores``, ``weights`` or ``value`` is overridden, attention is computed step by step.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..seeds import Draw


class Encoding(nn.Module):
    """No position encoding at all: the base whose hooks do nothing."""

    max_length: int | None = None
    """The number of positions there is room for; None without bound."""
    may_share_rows: bool = True
    """Whether instances may share a row in training: places that do not see each other must not act on each other."""

    def __init__(self, *, num_models: int, num_heads: int, head_width: int, width: int, max_length: int) -> None:  # noqa: ARG002
        super().__init__()
        self.num_models = num_models
        self.num_heads = num_heads

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None) -> Tensor:  # noqa: ARG002
        """Return position ids, [M, B, L]; ``draw`` is there in training only, for encodings that shift or resample."""
        place = torch.arange(tokens_MBL.shape[-1], device=tokens_MBL.device)
        return place.expand(tokens_MBL.shape)

    def embed(self, ids_MBL: Tensor) -> Tensor | None:  # noqa: ARG002
        """Return what is added to the token embeddings, [M, B, L, D], or None."""
        return None

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, ids_MBL: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return queries and keys, [B, M·H, L, K], with positions worked into them."""
        return q, k

    def bias(self, ids_q: Tensor, ids_k: Tensor, scale_MBL: Tensor | None) -> Tensor | None:  # noqa: ARG002
        """Return what is added to the scores, [1 or B, M·H, Q, L], from positions alone, or None."""
        return None

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, ids_MBL: Tensor) -> Tensor:  # noqa: ARG002
        """Return scores before bias and mask, [B, M·H, Q, L]."""
        scores: Tensor = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        return scores

    def weights(self, scores: Tensor) -> Tensor:
        """Return attention weights from masked scores."""
        return torch.softmax(scores, dim=-1)

    def value(self, weights: Tensor, v: Tensor, ids_MBL: Tensor) -> Tensor:  # noqa: ARG002
        """Return what attention passes on, [B, M·H, Q, K]."""
        return weights @ v

    @property
    def is_fused(self) -> bool:
        """Whether the fused attention kernel computes the same."""
        kind = type(self)
        return all(getattr(kind, hook) is getattr(Encoding, hook) for hook in ("scores", "weights", "value"))

    @property
    def is_transforming(self) -> bool:
        """Whether queries and keys are changed by position."""
        return type(self).transform is not Encoding.transform

    def initialize(self, draw: Draw) -> None:
        """Set all parameters from a draw with M keys."""
