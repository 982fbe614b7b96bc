"""A small pre-norm transformer in the manner of GPT-2, or M of them at once.

Every parameter leads with M, the number of models in the stack; alone, M is 1. Models in a stack share nothing but the
program that runs them: their matrix products are batched (``bmm``), their heads lie side by side in attention.

Shapes: M models, B batch, L length, D width, H heads, K head width, F width of the hidden layer, O outputs, V tokens.
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ..encodings.base import Encoding
from ..encodings.initialization import normal
from ..seeds import Draw
from .shape import Shape


class Linear(nn.Module):
    """M affine maps, one per model."""

    def __init__(self, num_models: int, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight_MIO = nn.Parameter(torch.empty(num_models, inputs, outputs))
        self.bias_MO = nn.Parameter(torch.zeros(num_models, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Map [M, …, I] to [M, …, O]."""
        flat = x.reshape(x.shape[0], -1, x.shape[-1])
        mapped = torch.baddbmm(self.bias_MO[:, None, :], flat, self.weight_MIO)
        return mapped.reshape(*x.shape[:-1], -1)


class Norm(nn.Module):
    """M layer normalizations, one per model."""

    def __init__(self, num_models: int, width: int) -> None:
        super().__init__()
        self.gain_MD = nn.Parameter(torch.ones(num_models, width))
        self.shift_MD = nn.Parameter(torch.zeros(num_models, width))

    def forward(self, x_MBLD: Tensor) -> Tensor:
        """Normalize the last axis."""
        normalized = functional.layer_norm(x_MBLD, x_MBLD.shape[-1:])
        scaled: Tensor = normalized * self.gain_MD[:, None, None, :] + self.shift_MD[:, None, None, :]
        return scaled


class Block(nn.Module):
    """Attention, then a hidden layer, each added to what came in."""

    def __init__(self, num_models: int, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.norm_1 = Norm(num_models, shape.width)
        self.qkv = Linear(num_models, shape.width, 3 * shape.width)
        self.project = Linear(num_models, shape.width, shape.width)
        self.norm_2 = Norm(num_models, shape.width)
        self.expand = Linear(num_models, shape.width, 4 * shape.width)
        self.contract = Linear(num_models, 4 * shape.width, shape.width)

    def forward(self, x_MBLD: Tensor, encoding: Encoding, ids_MBL: Tensor, scale_MB: Tensor) -> Tensor:
        """Return the stream after this block."""
        normalized = self.norm_1(x_MBLD)
        q, k, v = (self._to_heads(part) for part in self.qkv(normalized).chunk(3, dim=-1))
        q, k = encoding.transform(q, k, normalized, ids_MBL)
        mixed = attend(q, k, v, normalized, encoding, ids_MBL, scale_MB)
        x_MBLD = x_MBLD + self.project(self._from_heads(mixed, x_MBLD.shape[0]))
        hidden = functional.gelu(self.expand(self.norm_2(x_MBLD)))
        added: Tensor = x_MBLD + self.contract(hidden)
        return added

    def _to_heads(self, x_MBLD: Tensor) -> Tensor:
        models, batch, length, _ = x_MBLD.shape
        split = x_MBLD.reshape(models, batch, length, self.heads, -1).permute(1, 0, 3, 2, 4)
        return split.reshape(batch, models * self.heads, length, -1)

    def _from_heads(self, mixed: Tensor, models: int) -> Tensor:
        batch, _, length, _ = mixed.shape
        split = mixed.reshape(batch, models, self.heads, length, -1).permute(1, 0, 3, 2, 4)
        return split.reshape(models, batch, length, -1)


def attend(
    q: Tensor, k: Tensor, v: Tensor, x_MBLD: Tensor, encoding: Encoding, ids_MBL: Tensor, scale_MB: Tensor
) -> Tensor:
    """Return causal attention over [B, M·H, L, K], fused where the encoding allows it."""
    bias = encoding.bias(ids_MBL, ids_MBL, scale_MB)
    if encoding.is_fused and bias is None:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    length = q.shape[-2]
    future = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    if encoding.is_fused and bias is not None:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=bias.masked_fill(future, -torch.inf))
    scores = encoding.scores(q, k, x_MBLD, ids_MBL)
    if bias is not None:
        scores = scores + bias
    return encoding.value(encoding.weights(scores.masked_fill(future, -torch.inf)), v, ids_MBL)


class Transformer(nn.Module):
    """M transformers of one shape."""

    def __init__(self, *, num_models: int, num_tokens: int, num_outputs: int, shape: Shape, encoding: Encoding) -> None:
        super().__init__()
        self.num_models = num_models
        self.shape = shape
        self.embedding_MVD = nn.Parameter(torch.empty(num_models, num_tokens, shape.width))
        self.encoding = encoding
        self.blocks = nn.ModuleList(Block(num_models, shape) for _ in range(shape.layers))
        self.norm = Norm(num_models, shape.width)
        self.readout = Linear(num_models, shape.width, num_outputs)

    def forward(self, tokens_MBL: Tensor, ids_MBL: Tensor, scale_MB: Tensor) -> Tensor:
        """Return outputs at every position, [M, B, L, O]."""
        model = torch.arange(self.num_models, device=tokens_MBL.device)[:, None, None]
        x_MBLD = self.embedding_MVD[model, tokens_MBL]
        positions = self.encoding.embed(ids_MBL)
        if positions is not None:
            x_MBLD = x_MBLD + positions
        for block in self.blocks:
            x_MBLD = block(x_MBLD, self.encoding, ids_MBL, scale_MB)
        outputs: Tensor = self.readout(self.norm(x_MBLD))
        return outputs

    def initialize(self, draw: Draw) -> None:
        """Set every weight from a draw with M keys, as GPT-2 does: deviation 0.02, less where branches add up."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.endswith(("weight_MIO", "embedding_MVD")):
                    adds = name.endswith(("project.weight_MIO", "contract.weight_MIO"))
                    deviation = 0.02 / (2 * self.shape.layers) ** 0.5 if adds else 0.02
                    parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=deviation))
        self.encoding.initialize(draw.named("encoding"))
