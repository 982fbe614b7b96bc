"""A small pre-norm transformer in the manner of GPT-2, or M of them at once.

Every parameter leads with M, the number of models in the stack; alone, M is 1. Models in a stack share nothing but the
program that runs them: their matrix products are batched (``bmm``), their heads lie side by side in attention.

Shapes: M models, B batch, L length, D width, H heads, K head width, F width of the hidden layer, O outputs, V tokens.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ..encodings.base import Encoding
from ..encodings.initialization import normal
from ..encodings.tables import look_up
from ..errors import InvalidOptionError
from ..seeds import Draw
from .shape import Shape


class Where(NamedTuple):
    """Where the tokens of a batch stand: their position ids, the lengths of their instances, and who sees whom.

    ``visible`` is [B, 1, L, L]: whether the place of a row sees that of a column. None stands for all places up to it.
    """

    ids_MBL: Tensor
    scale_MBL: Tensor
    visible: Tensor | None = None


class Scored(NamedTuple):
    """The places of each row where outputs are wanted, the same for all models, and the slot of each place among them.

    A place that is not wanted has a slot beyond the last. What a last block computes elsewhere reaches no output; with
    ``trims`` it is not computed.
    """

    places_BS: Tensor
    slots_BL: Tensor
    trims: bool

    def take(self, x_MBLD: Tensor) -> Tensor:
        """Return the stream at these places, [M, B, S, D]."""
        taken: Tensor = _Take.apply(x_MBLD, self.places_BS, self.slots_BL)  # type: ignore[no-untyped-call]
        return taken

    def where(self, at: Where) -> Where:
        """Return where the tokens at these places stand, and what they see of the whole rows."""
        row = torch.arange(self.places_BS.shape[0], device=self.places_BS.device)[:, None]
        if at.visible is None:
            column = torch.arange(at.ids_MBL.shape[-1], device=self.places_BS.device)
            visible = (column <= self.places_BS[..., None])[:, None]
        else:
            visible = at.visible[:, 0][row, self.places_BS][:, None]
        return Where(at.ids_MBL[:, row, self.places_BS], at.scale_MBL[:, row, self.places_BS], visible)


class _Take(torch.autograd.Function):
    """Places of each row, with a gradient that is looked up by the slots instead of being added up."""

    @staticmethod
    def forward(x_MBLD: Tensor, places_BS: Tensor, slots_BL: Tensor) -> Tensor:  # noqa: ARG004
        """Return the stream at the places."""
        row = torch.arange(places_BS.shape[0], device=places_BS.device)[:, None]
        return x_MBLD[:, row, places_BS]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor], output: Tensor) -> None:  # noqa: ARG004
        """Keep what the gradient needs."""
        ctx.save_for_backward(inputs[2])

    @staticmethod
    def backward(ctx: Any, gradient_MBSD: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of the stream: that of its slot, or zero where a place is not wanted."""
        (slots_BL,) = ctx.saved_tensors
        num_slots = gradient_MBSD.shape[2]
        row = torch.arange(slots_BL.shape[0], device=slots_BL.device)[:, None]
        found = gradient_MBSD[:, row, slots_BL.clamp(max=num_slots - 1)]
        return torch.where((slots_BL < num_slots)[..., None], found, torch.zeros_like(found)), None, None


class _InOrder(torch.autograd.Function):
    """The same numbers, with a gradient laid out model by model: sums over it go in one order in a stack of any size."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        """Return x."""
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        """Keep nothing."""

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # noqa: ARG004
        """Return the gradient."""
        return gradient.contiguous()


class Linear(nn.Module):
    """M affine maps, one per model."""

    def __init__(self, num_models: int, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight_MIO = nn.Parameter(torch.empty(num_models, inputs, outputs))
        self.bias_MO = nn.Parameter(torch.zeros(num_models, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Map [M, …, I] to [M, …, O]."""
        return affine(x, self.weight_MIO, self.bias_MO)


def affine(x: Tensor, weight_MIO: Tensor, bias_MO: Tensor | None) -> Tensor:
    """Map [M, …, I] to [M, …, O] by each model's own matrix."""
    flat = x.reshape(x.shape[0], -1, x.shape[-1])
    outputs = weight_MIO.shape[-1]
    if x.is_cuda:  # tensor cores want multiples of 8, and the bias joins the elementwise work that follows
        mapped = torch.bmm(flat, functional.pad(weight_MIO, (0, -outputs % 8)))[..., :outputs]
        mapped = mapped if bias_MO is None else mapped + bias_MO[:, None, :]
    elif bias_MO is None:
        mapped = torch.bmm(flat, weight_MIO)
    else:
        mapped = torch.baddbmm(bias_MO[:, None, :], flat, weight_MIO)
    return mapped.reshape(*x.shape[:-1], outputs)


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

    def forward(self, x_MBLD: Tensor, encoding: Encoding, at: Where, scored: Scored | None = None) -> Tensor:
        """Return the stream after this block; where places are scored and the encoding allows it, only there."""
        normalized = self.norm_1(x_MBLD)
        if scored is None or not encoding.is_fused:
            q, k, v = (self._to_heads(part) for part in self.qkv(normalized).chunk(3, dim=-1))
            q, k = encoding.transform(q, k, normalized, at.ids_MBL)
            mixed = attend(q, k, v, normalized, encoding, at, at)
        else:
            q, k, v = self._to_scored(normalized, encoding, at, scored)
            mixed = attend(q, k, v, normalized, encoding, scored.where(at), at)
            x_MBLD = scored.take(x_MBLD)
        x_MBLD = x_MBLD + self.project(self._from_heads(mixed, x_MBLD.shape[0]))
        hidden = functional.gelu(self.expand(self.norm_2(x_MBLD)))
        added: Tensor = x_MBLD + self.contract(hidden)
        return added

    def _to_scored(
        self, x_MBLD: Tensor, encoding: Encoding, at: Where, scored: Scored
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries at the scored places, and keys and values at all, [B, M·H, …, K]."""
        width = x_MBLD.shape[-1]
        if not encoding.is_transforming:
            weight, bias = self.qkv.weight_MIO, self.qkv.bias_MO
            q_MBSD = _InOrder.apply(affine(scored.take(x_MBLD), weight[..., :width], bias[..., :width]))  # type: ignore[no-untyped-call]
            k_MBLD, v_MBLD = affine(x_MBLD, weight[..., width:], bias[..., width:]).chunk(2, dim=-1)
            return self._to_heads(q_MBSD), self._to_heads(k_MBLD), self._to_heads(v_MBLD)
        q, k, v = (self._to_heads(part) for part in self.qkv(x_MBLD).chunk(3, dim=-1))
        q, k = encoding.transform(q, k, x_MBLD, at.ids_MBL)
        return self._to_heads(scored.take(self._from_heads(q, x_MBLD.shape[0]))), k, v

    def _to_heads(self, x_MBLD: Tensor) -> Tensor:
        models, batch, length, _ = x_MBLD.shape
        split = x_MBLD.reshape(models, batch, length, self.heads, -1).permute(1, 0, 3, 2, 4)
        return split.reshape(batch, models * self.heads, length, -1)

    def _from_heads(self, mixed: Tensor, models: int) -> Tensor:
        batch, _, length, _ = mixed.shape
        split = mixed.reshape(batch, models, self.heads, length, -1).permute(1, 0, 3, 2, 4)
        return split.reshape(models, batch, length, -1)


def attend(q: Tensor, k: Tensor, v: Tensor, x_MBLD: Tensor, encoding: Encoding, asking: Where, at: Where) -> Tensor:
    """Return causal attention over [B, M·H, L, K], fused where the encoding allows it.

    ``asking`` says where the queries stand, ``at`` where keys and values do.
    """
    bias = encoding.bias(asking.ids_MBL, at.ids_MBL, asking.scale_MBL)
    if encoding.is_fused and bias is None:
        if asking.visible is None:
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        mask = asking.visible.expand(-1, q.shape[1], -1, -1)
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    visible = asking.visible
    if visible is None:
        visible = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
    if encoding.is_fused and bias is not None:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=bias.masked_fill(~visible, -torch.inf))
    scores = encoding.scores(q, k, x_MBLD, at.ids_MBL)
    if bias is not None:
        scores = scores + bias
    return encoding.value(encoding.weights(scores.masked_fill(~visible, -torch.inf)), v, at.ids_MBL)


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
        if shape.tied and num_outputs != num_tokens:
            raise InvalidOptionError(
                f"a tied readout gives {num_tokens} outputs, one for each token; this task asks for {num_outputs}.",
                hint="leave tied out.",
            )
        self.readout = None if shape.tied else Linear(num_models, shape.width, num_outputs)

    def forward(self, tokens_MBL: Tensor, at: Where, scored: Scored | None = None) -> Tensor:
        """Return outputs at every place, [M, B, L, O], or at the scored ones, [M, B, S, O]."""
        trims = scored is not None and scored.trims and self.encoding.is_fused
        x = self.stream(tokens_MBL, at, scored if trims else None)
        return self.read(x if scored is None or trims else scored.take(x))

    def stream(self, tokens_MBL: Tensor, at: Where, scored: Scored | None = None) -> Tensor:
        """Return what the last block leaves at every place, [M, B, L, D], or at the scored ones, [M, B, S, D]."""
        x_MBLD = look_up(self.embedding_MVD, tokens_MBL)
        positions = self.encoding.embed(at.ids_MBL)
        if positions is not None:
            x_MBLD = x_MBLD + positions
        for number, block in enumerate(self.blocks):
            x_MBLD = block(x_MBLD, self.encoding, at, scored if number == len(self.blocks) - 1 else None)
        return x_MBLD

    def read(self, x_MBLD: Tensor) -> Tensor:
        """Return the outputs that the stream gives."""
        x_MBLD = self.norm(x_MBLD)
        if self.readout is None:
            return affine(x_MBLD, self.embedding_MVD.transpose(1, 2), None)
        outputs: Tensor = self.readout(x_MBLD)
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
