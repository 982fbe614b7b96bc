"""A small pre-norm transformer in the manner of GPT-2, or M of them at once.

Every parameter leads with M, the number of models in the stack; alone, M is 1. Models in a stack share nothing but the
program that runs them: their matrix products are batched (``bmm``), their heads lie side by side in attention.

Shapes: M models, B batch, L length, D width, H heads, K head width, F width of the hidden layer, O outputs, V tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ..encodings.core.attend import attend
from ..encodings.core.base import Encoding, Where
from ..encodings.core.initialization import normal
from ..encodings.core.tables import look_up
from ..errors import InvalidOptionError
from ..seeds import Draw
from .shape import Shape


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
        return Where(
            ids_MBL=at.ids_MBL[:, row, self.places_BS],
            scale_MBL=at.scale_MBL[:, row, self.places_BS],
            sizes_MBL=at.sizes_MBL[:, row, self.places_BS],
            visible=None if at.visible is None else at.visible[:, 0][row, self.places_BS][:, None],
            places_BL=self.places_BS,
        )


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
        return found.masked_fill_((slots_BL >= num_slots)[..., None], 0), None, None


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


def make_norm(num_models: int, shape: Shape) -> nn.Module:
    """Return the layer normalizations of M models; a bare shape has none."""
    return nn.Identity() if shape.is_bare else Norm(num_models, shape.width)


class Past(NamedTuple):
    """What a block keeps of the places before, while a model writes: the stream that entered attention, keys, values.

    Keys are kept as they were before any position was worked into them, so that an encoding may change its mind.
    """

    x_MBLD: Tensor
    k: Tensor
    v: Tensor


class Block(nn.Module):
    """Attention, then a hidden layer, each added to what came in."""

    def __init__(self, num_models: int, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.norm_1 = make_norm(num_models, shape)
        self.qkv = Linear(num_models, shape.width, 3 * shape.width)
        self.project = Linear(num_models, shape.width, shape.width)
        self.norm_2 = make_norm(num_models, shape)
        self.expand = Linear(num_models, shape.width, 4 * shape.width)
        self.contract = Linear(num_models, 4 * shape.width, shape.width)
        self.activate = functional.relu if shape.is_bare else functional.gelu
        self.shifts, self.has_sink = shape.token_shift, shape.softmax_1
        self.sharpen = Sharpen(num_models, shape.heads) if shape.log_n else None
        self.norm_qk = NormQK(num_models, shape) if shape.qk_norm else None

    def forward(self, x_MBLD: Tensor, encoding: Encoding, at: Where, scored: Scored | None = None) -> Tensor:
        """Return the stream after this block, at all places or only at the scored ones."""
        entering = self._enter(x_MBLD, at)
        if scored is None:
            q, k, v = (self._to_heads(part) for part in self.qkv(entering).chunk(3, dim=-1))
            return self._finish(x_MBLD, q, k, v, entering, encoding, at, at)
        if encoding.is_biased:  # made once for all rows, which ask at different places
            q, k, v = (self._to_heads(part) for part in self.qkv(entering).chunk(3, dim=-1))
            return self._finish(x_MBLD, q, k, v, entering, encoding, at, at, scored)
        width = x_MBLD.shape[-1]
        weight, bias = self.qkv.weight_MIO, self.qkv.bias_MO
        q_MBSD = _InOrder.apply(affine(scored.take(entering), weight[..., :width], bias[..., :width]))  # type: ignore[no-untyped-call]
        k_MBLD, v_MBLD = affine(entering, weight[..., width:], bias[..., width:]).chunk(2, dim=-1)
        q, k, v = (self._to_heads(part) for part in (q_MBSD, k_MBLD, v_MBLD))
        return self._finish(scored.take(x_MBLD), q, k, v, entering, encoding, scored.where(at), at)

    def extend(
        self, x_MBQD: Tensor, encoding: Encoding, queries: Where, keys: Where, past: Past | None
    ) -> tuple[Tensor, Past]:
        """Return the stream after this block at new places, which follow those of the past, and the past they leave."""
        normalized = self.norm_1(x_MBQD)
        whole = normalized if past is None else torch.cat([past.x_MBLD, normalized], dim=2)
        entering = _shift(whole, keys) if self.shifts else whole
        q, k, v = (self._to_heads(part) for part in self.qkv(entering[:, :, -x_MBQD.shape[2] :]).chunk(3, dim=-1))
        if past is not None:
            k, v = torch.cat([past.k, k], dim=2), torch.cat([past.v, v], dim=2)
        return self._finish(x_MBQD, q, k, v, entering, encoding, queries, keys), Past(whole, k, v)

    def _enter(self, x_MBLD: Tensor, at: Where) -> Tensor:
        normalized: Tensor = self.norm_1(x_MBLD)
        return _shift(normalized, at) if self.shifts else normalized

    def _finish(
        self,
        x_MBQD: Tensor,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        entering_MBLD: Tensor,
        encoding: Encoding,
        queries: Where,
        keys: Where,
        scored: Scored | None = None,
    ) -> Tensor:
        """Return the stream after attention and the hidden layer, at the places of the queries or the scored ones."""
        if self.norm_qk is not None:
            q, k = self.norm_qk(q, k)
        q, k = encoding.transform(q, k, entering_MBLD, queries, keys)
        if self.sharpen is not None:
            q = self.sharpen(q, queries, k.shape[-2])
        mixed = attend(q, k, v, entering_MBLD, encoding, queries, keys, has_sink=self.has_sink)
        mixed_MBQD = self._from_heads(mixed, x_MBQD.shape[0])
        if scored is not None:
            x_MBQD, mixed_MBQD = scored.take(x_MBQD), scored.take(mixed_MBQD)
        x_MBQD = x_MBQD + self.project(mixed_MBQD)
        hidden = self.activate(self.expand(self.norm_2(x_MBQD)))
        added: Tensor = x_MBQD + self.contract(hidden)
        return added

    def _to_heads(self, x_MBLD: Tensor) -> Tensor:
        models, batch, length, _ = x_MBLD.shape
        split = x_MBLD.reshape(models, batch, length, self.heads, -1).permute(1, 0, 3, 2, 4)
        return split.reshape(batch, models * self.heads, length, -1)

    def _from_heads(self, mixed: Tensor, models: int) -> Tensor:
        batch, _, length, _ = mixed.shape
        split = mixed.reshape(batch, models, self.heads, length, -1).permute(1, 0, 3, 2, 4)
        return split.reshape(models, batch, length, -1)


class Sharpen(nn.Module):
    """Log-n scaling: queries are multiplied by s·log n, n the keys that a query sees, with s learned for each head."""

    def __init__(self, num_models: int, heads: int) -> None:
        super().__init__()
        self.rate_MH = nn.Parameter(torch.full((num_models, heads), 0.43))  # as in arXiv 2501.19399

    def forward(self, q: Tensor, queries: Where, num_keys: int) -> Tensor:
        """Return the queries, longer where more is seen."""
        seen = queries.sees(num_keys).sum(-1, dtype=torch.float32)[..., None]
        sharpened: Tensor = q * (self.rate_MH.reshape(1, -1, 1, 1) * seen.log()).to(q.dtype)
        return sharpened


class NormQK(nn.Module):
    """Queries and keys of length √K, times a gain learned for each head and channel."""

    def __init__(self, num_models: int, shape: Shape) -> None:
        super().__init__()
        size = (num_models, shape.heads, shape.width // shape.heads)
        self.query_gain_MHK = nn.Parameter(torch.ones(size))
        self.key_gain_MHK = nn.Parameter(torch.ones(size))

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Return both, normalized."""
        q_gain, k_gain = (gain.flatten(0, 1)[:, None] for gain in (self.query_gain_MHK, self.key_gain_MHK))
        return _of_length_one(q) * q_gain, _of_length_one(k) * k_gain


def _of_length_one(x: Tensor) -> Tensor:
    return functional.rms_norm(x, x.shape[-1:], eps=1e-6)


def _shift(x_MBLD: Tensor, at: Where) -> Tensor:
    """Return the stream with the second half of its channels taken from the place before, where that is seen."""
    half = x_MBLD.shape[-1] // 2
    before = functional.pad(x_MBLD[..., half:], (0, 0, 1, -1))
    if at.visible is not None:
        sees_before = torch.diagonal(at.visible[:, 0], offset=-1, dim1=-2, dim2=-1)
        before = before * functional.pad(sees_before, (1, 0))[..., None]
    return torch.cat([x_MBLD[..., :half], before], dim=-1)


class Transformer(nn.Module):
    """M transformers of one shape."""

    def __init__(self, *, num_models: int, num_tokens: int, num_outputs: int, shape: Shape, encoding: Encoding) -> None:
        super().__init__()
        self.num_models = num_models
        self.shape = shape
        self.embedding_MVD = nn.Parameter(torch.empty(num_models, num_tokens, shape.width))
        self.encoding = encoding
        self.blocks = nn.ModuleList(Block(num_models, shape) for _ in range(shape.layers))
        self.norm = make_norm(num_models, shape)
        if shape.tied and num_outputs != num_tokens:
            raise InvalidOptionError(
                f"a tied readout gives {num_tokens} outputs, one for each token; this task asks for {num_outputs}.",
                hint="leave tied out.",
            )
        self.readout = None if shape.tied else Linear(num_models, shape.width, num_outputs)

    def forward(self, tokens_MBL: Tensor, at: Where, scored: Scored | None = None) -> Tensor:
        """Return outputs at every place, [M, B, L, O], or at the scored ones, [M, B, S, O]."""
        return self.read(self.stream(tokens_MBL, at, scored))

    def stream(
        self,
        tokens_MBL: Tensor,
        at: Where,
        scored: Scored | None = None,
        run_block: Callable[..., Tensor] = Block.__call__,
    ) -> Tensor:
        """Return what the last block leaves at every place, [M, B, L, D], or at the scored ones, [M, B, S, D].

        ``run_block`` is called with each block and its arguments: a program compiled once may stand for all blocks.
        """
        trimmed = scored if scored is not None and scored.trims else None
        x_MBLD = self.enter(tokens_MBL, at)
        for number, block in enumerate(self.blocks):
            is_last = number == len(self.blocks) - 1
            x_MBLD = run_block(block, x_MBLD, self.encoding.at_layer(number), at, trimmed if is_last else None)
        return x_MBLD if scored is None or scored.trims else scored.take(x_MBLD)

    def enter(self, tokens_MBL: Tensor, at: Where) -> Tensor:
        """Return the stream before the first block."""
        x_MBLD = look_up(self.embedding_MVD, tokens_MBL)
        positions = self.encoding.embed(at)
        return x_MBLD if positions is None else x_MBLD + positions.to(x_MBLD.dtype)

    def extend(self, tokens_MBQ: Tensor, keys: Where, past: Sequence[Past] | None = None) -> tuple[Tensor, list[Past]]:
        """Return outputs at new places, [M, B, Q, O], and what to hand in next time.

        ``at`` says where all tokens stand, those of the past and the new ones; it must be causal, without packing.
        """
        batch, num_new, num_all = *tokens_MBQ.shape[1:], keys.ids_MBL.shape[-1]
        places = torch.arange(num_all - num_new, num_all, device=tokens_MBQ.device)
        queries = keys.at_places(places.expand(batch, -1))
        x_MBQD, kept = self.enter(tokens_MBQ, queries), []
        for number, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            before = None if past is None else past[number]
            x_MBQD, left = block.extend(x_MBQD, self.encoding.at_layer(number), queries, keys, before)
            kept.append(left)
        return self.read(x_MBQD), kept

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
