"""What happens within a Hugging Face decoder that an encoding is attached to (see ``huggingface``).

A hook before the model works out where all tokens stand and hands it, as one more keyword argument, to every layer; one
before each attention layer hands on the stream that enters it. The attention function reads both. Nothing is kept from
one call to the next, so that caches may be reordered and cropped, and layers computed again for their gradients.

Keys lie in the library's cache as they were before any position was worked into them: the encoding sees all of them at
every step.

Shapes: B batch, Q queries, L keys, D width; there is one model, M = 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn, cast

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ..attention import refuse_negative
from ..core.attend import attend
from ..core.base import Encoding, Where

IMPLEMENTATION = "lengthwise"
"""The name under which the library knows our way to compute attention."""
PART = "lengthwise"
"""The part of a model that holds the encoding; also the keyword argument that says where tokens stand."""
STREAM = "lengthwise_stream"
"""The keyword argument with the stream that enters an attention layer."""


class Call(NamedTuple):
    """Where the tokens of one call stand: the new ones, which ask, and all of them, those in a cache included.

    ``first`` is the place of the first new one in a cache of fixed size, None elsewhere: there, the new ones come last.
    ``text_BQ`` numbers the texts of a row, which do not see each other; None stands for one text. ``sees_before_BQ`` says
    which new tokens see the token before them, where attention is to take half of its channels from there; elsewhere it is None.
    """

    encoding: Encoding
    ids_BQ: Tensor
    ids_BL: Tensor
    sizes_BL: Tensor
    first: int | Tensor | None
    text_BQ: Tensor | None
    sees_before_BQ: Tensor | None = None


class Past(NamedTuple):
    """How many tokens a cache holds and, where that is fixed, for how many it has room."""

    length: int | Tensor = 0
    room: int | None = None

    @staticmethod
    def of(cache: Any) -> Past:
        """Return what is in a cache of the library."""
        if cache is None:
            return Past()
        if not cache.is_compileable:
            return Past(cache.get_seq_length())
        if any(cache.is_sliding):
            raise InvalidOptionError(
                "a cache of fixed size does not keep the order of keys where layers have a sliding window.",
                hint="generate without cache_implementation, which gives a cache that grows.",
            )
        return Past(cache.get_seq_length() + 0, cache.get_max_length())  # a copy: the layers count on in this tensor

    @property
    def is_empty(self) -> bool:
        """Whether all keys are those of new tokens."""
        return self.room is None and isinstance(self.length, int) and self.length == 0


class Positions(nn.Module):
    """The encoding as a part of a model.

    ``arguments`` are the names of what the model takes, in order. With ``shifts``, ids start at a random number in
    training, such that they stay below ``max_length``. ``uncached``: the model's cache was turned off for it. With
    ``token_shift``, half of the channels that enter attention are those of the token before.
    """

    def __init__(
        self,
        encoding: Encoding,
        *,
        arguments: tuple[str, ...],
        max_length: int,
        shifts: bool,
        uncached: bool,
        token_shift: bool,
    ) -> None:
        super().__init__()
        self.encoding = encoding
        self.arguments = arguments
        self.max_length = max_length
        self.shifts = shifts
        self.uncached = uncached
        self.token_shift = token_shift
        parts = [part for part in encoding.modules() if isinstance(part, Encoding)]
        self.room = min((part.max_length for part in parts if part.max_length is not None), default=None)

    def enter(self, embedding: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a model with ids, with positions added to the input, and with where tokens stand."""
        given = dict(zip(self.arguments, args, strict=False)) | dict(kwargs)
        tokens, embedded = given.get("input_ids"), given.get("inputs_embeds")
        if (tokens is None) == (embedded is None):
            return given  # the library has an error for this
        _refuse(given)
        call = self._where(given, cast(Tensor, embedded if tokens is None else tokens))
        if self.encoding.is_embedding:
            sizes_MBQ = call.sizes_BL[None, :, : call.ids_BQ.shape[1]]
            added_MBQD = self.encoding.embed(Where(call.ids_BQ[None], sizes_MBQ, sizes_MBQ))
            assert added_MBQD is not None
            embedded = embedding(tokens) if embedded is None else embedded
            given |= {"input_ids": None, "inputs_embeds": embedded + added_MBQD[0].to(embedded.dtype)}
        # the library counts tokens and no more: it would cut texts at every id that is not the next whole number
        return given | {"position_ids": None, PART: call}

    def _where(self, given: Mapping[str, Any], tokens: Tensor) -> Call:
        """Return where tokens stand, [B, Q] or [B, Q, D], from what else the model is given."""
        batch, num_new = tokens.shape[:2]
        past = Past.of(given.get("past_key_values"))
        mask, ids = given.get("attention_mask"), given.get("position_ids")
        mask_BL = mask.to(tokens.device) if isinstance(mask, Tensor) and mask.ndim == 2 else None
        if ids is None:
            ids_BQ, text_BQ = _consecutive(mask_BL, past, num_new, tokens.device), None
        else:
            ids_BQ = _shaped(ids, batch, num_new)
            text_BQ = _texts(ids_BQ) if past.is_empty and mask_BL is None else None
        sizes = _sizes(ids_BQ, text_BQ, mask_BL, past)
        if self.shifts and self.training:
            ids_BQ = self._shifted(ids_BQ.expand(batch, -1), past)
        ids_BQ = _alike(ids_BQ, batch)
        self._check(ids_BQ, past)
        ids_BL = _alike(_with_past(ids_BQ, mask_BL, past), batch)
        sizes_BL = _alike(sizes, batch).expand(ids_BL.shape)
        first = None if past.room is None else past.length
        before = _sees_before(ids_BQ, text_BQ, mask, past) if self.token_shift else None
        # a mask for every pair of tokens says itself who sees whom
        return Call(self.encoding, ids_BQ, ids_BL, sizes_BL, first, text_BQ if mask is None else None, before)

    def _shifted(self, ids_BQ: Tensor, past: Past) -> Tensor:
        """Return ids plus an offset for each row, uniform over all that leave it room."""
        if not past.is_empty:
            raise InvalidOptionError(
                "in training, ids start at a random number, which a cache does not remember.",
                hint="call model.eval() before the model generates, or leave the cache out with use_cache=False.",
            )
        choices_B1 = (self.max_length - ids_BQ.amax(-1, keepdim=True)).clamp(min=1)
        uniform_B1 = torch.rand(choices_B1.shape, dtype=torch.float64, device=ids_BQ.device)
        return ids_BQ + (uniform_B1 * choices_B1).long()

    def _check(self, ids_BQ: Tensor, past: Past) -> None:
        """Raise if there is an id for which the encoding has no room; a compiled program cannot look, and counts."""
        if self.room is None:
            return
        if not torch.compiler.is_compiling():
            refuse_negative(ids_BQ, self.room)
            most = int(ids_BQ.max()) + 1
        else:
            most = ids_BQ.shape[-1] + (past.length if isinstance(past.length, int) else 0)
        if most > self.room:
            raise InvalidOptionError(
                f"{most} tokens do not fit the {self.room} positions of this encoding.",
                hint="attach it anew with a larger max_length; xpos wants a larger decay.",
            )


class NoRotation(nn.Module):
    """Cosines 1 and sines 0: what stands in for the library's rotary positions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, x: Tensor, position_ids: Tensor, layer_type: str | None = None) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return both for every token, [1 or B, Q, K], in layers of every type."""
        shape = (*position_ids.shape, self.width)
        return x.new_ones(()).expand(shape), x.new_zeros(()).expand(shape)


class NoTable(nn.Module):
    """Zeros at every position: what stands in for the library's table of positions.

    The table itself is kept, so that a file of the model has all that its kind has, but it is neither read nor trained.
    """

    def __init__(self, table_ND: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(table_ND.detach(), requires_grad=False)

    def forward(self, position_ids: Tensor) -> Tensor:
        """Return a zero vector for every token, [1 or B, Q, D]."""
        return self.weight.new_zeros(()).expand(*position_ids.shape, self.weight.shape[-1])


class _Missing:
    """The stream of tokens whose keys are in a cache: whoever reads it is told that it is not there."""

    def __getattr__(self, name: str) -> NoReturn:
        raise InvalidOptionError(
            "this encoding reads the stream that enters attention at all tokens, and a cache holds only keys and values.",
            hint="generate with use_cache=False.",
        )


def enter_model(base: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[()], dict[str, Any]]:
    """Work out where the tokens of a call stand: a hook before the model."""
    model = cast(Any, base)
    if model.config._attn_implementation != IMPLEMENTATION:
        raise InvalidOptionError(
            f"the attention of this model was set to {model.config._attn_implementation!r}, "
            "which knows nothing of the encoding that is attached.",
            hint=f"say model.set_attn_implementation({IMPLEMENTATION!r}).",
        )
    return (), getattr(model, PART).enter(model.get_input_embeddings(), args, kwargs)


def enter_attention(
    module: nn.Module,  # noqa: ARG001
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Hand on the stream, shifted if that is wanted: a hook before each attention layer."""
    stream, call = args[0] if args else kwargs["hidden_states"], kwargs.get(PART)
    if call is not None and call.sees_before_BQ is not None:
        half = stream.shape[-1] // 2
        before = functional.pad(stream[..., half:], (0, 0, 1, -1)) * call.sees_before_BQ[..., None]
        stream = torch.cat([stream[..., :half], before.to(stream.dtype)], dim=-1)
        args, kwargs = ((stream, *args[1:]), kwargs) if args else (args, kwargs | {"hidden_states": stream})
    return args, kwargs | {STREAM: stream}


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Return attention with the encoding of the layer, [B, Q, H, K], in the form that the library asks for."""
    call = kwargs.get(PART)
    if call is None:
        raise InvalidOptionError(
            "this model is to run with an encoding of lengthwise, but none is attached to it.",
            hint="load it with lengthwise.encodings.load, or attach one with lengthwise.encodings.attach.",
        )
    encoding = call.encoding.at_layer(module.layer_idx)
    groups = query.shape[1] // key.shape[1]  # queries that share a key
    if groups > 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    queries, keys = _where(call, attention_mask, query.shape[-2], key.shape[-2])
    stream = kwargs[STREAM][None] if queries is keys else cast(Tensor, _Missing())
    query, key = encoding.transform(query, key, stream, queries, keys)
    own = encoding.head_width**-0.5
    if scaling is not None and scaling != own:
        query = query * (scaling / own)
    mixed = attend(query, key, value, stream, encoding, queries, keys, dropout=dropout)
    return mixed.transpose(1, 2).contiguous(), None


def _where(call: Call, mask: Tensor | None, num_queries: int, num_keys: int) -> tuple[Where, Where]:
    """Return where queries and keys of a layer stand; they are one where there is a query for every key.

    A layer with a sliding window may hold fewer keys than there are tokens: the last ones.
    """
    ids_MBL, sizes_MBL = call.ids_BL[None, :, -num_keys:], call.sizes_BL[None, :, -num_keys:]
    is_whole = call.first is None and num_queries == num_keys
    first = num_keys - num_queries if call.first is None else call.first
    place_Q = torch.arange(num_queries, device=ids_MBL.device) + first
    visible = None
    if mask is not None:
        if mask.dtype != torch.bool:
            raise InvalidOptionError(
                f"a mask for every pair of tokens must be of booleans, True where a token is seen; found {mask.dtype}.",
                hint="hand in booleans, or a mask with a number for every token.",
            )
        # padding sees nothing, and a mean of nothing is no number: so it sees itself
        visible = mask | (torch.arange(num_keys, device=mask.device) == place_Q[:, None])
    if call.text_BQ is not None:
        is_same = (call.text_BQ[:, :, None] == call.text_BQ[:, None])[:, None]
        visible = is_same & (place_Q <= place_Q[:, None] if visible is None else visible)
    if is_whole:
        at = Where(ids_MBL, sizes_MBL, sizes_MBL, visible)
        return at, at
    sizes_MBQ = sizes_MBL[..., :num_queries]  # one number for a whole row, unless queries are all there is
    places_BQ = place_Q.expand(call.ids_BQ.shape)
    return Where(call.ids_BQ[None], sizes_MBQ, sizes_MBQ, visible, places_BQ), Where(ids_MBL, sizes_MBL, sizes_MBL)


def _sees_before(ids_BQ: Tensor, text_BQ: Tensor | None, mask: Any, past: Past) -> Tensor:
    """Return whether each token sees the one before it, [1 or B, Q]: not the first of a text, nor one behind padding."""
    if not past.is_empty:
        raise InvalidOptionError(
            "token_shift needs what enters attention at the token before, and a cache holds only keys and values.",
            hint="generate with use_cache=False.",
        )
    if mask is not None and not (isinstance(mask, Tensor) and mask.ndim == 2):
        found = "one for every pair of tokens" if isinstance(mask, Tensor) else type(mask).__name__
        raise InvalidOptionError(
            f"token_shift takes a mask with a number for every token; found {found}.",
            hint="leave it out and hand in position_ids, which say where a text begins.",
        )
    sees = torch.ones_like(ids_BQ[:, 1:], dtype=torch.bool)
    if text_BQ is not None:
        sees = text_BQ[:, 1:] == text_BQ[:, :-1]
    if mask is not None:
        sees = mask[:, :-1].to(ids_BQ.device) != 0
    return functional.pad(sees, (1, 0))


def _refuse(given: Mapping[str, Any]) -> None:
    """Raise for what an attached encoding cannot do."""
    if given.get("output_attentions"):
        raise InvalidOptionError(
            "attention weights are not kept where an encoding is attached; found output_attentions=True.",
            hint="leave output_attentions out.",
        )
    if given.get("encoder_hidden_states") is not None:
        raise InvalidOptionError(
            "an attached encoding knows the places of one text; found encoder_hidden_states, which are another's.",
            hint="leave encoder_hidden_states out.",
        )


def _consecutive(mask_BL: Tensor | None, past: Past, num_new: int, device: torch.device) -> Tensor:
    """Return the ids of new tokens, [1 or B, Q]: 0, 1, 2, … over what is no padding."""
    if mask_BL is None:
        return (torch.arange(num_new, device=device) + past.length)[None]
    return (mask_BL.long().cumsum(-1) - 1).clamp(min=0)[:, -num_new:]


def _shaped(ids: object, batch: int, num_new: int) -> Tensor:
    """Return ids that were handed in; raise if they are not one row of ids, or one for each text."""
    if isinstance(ids, Tensor) and ids.ndim == 2 and ids.shape[0] in (1, batch) and ids.shape[1] == num_new:
        return ids
    found = f"shape {tuple(ids.shape)}" if isinstance(ids, Tensor) else type(ids).__name__
    raise InvalidOptionError(
        f"position_ids must be a tensor with an id for every new token, of shape (1, {num_new}) or ({batch}, {num_new}); "
        f"found {found}.",
        hint="leave position_ids out to have tokens counted, or add the missing axis.",
    )


def _texts(ids_BQ: Tensor) -> Tensor | None:
    """Return the number of the text of each token, [1 or B, Q], or None if there is but one.

    Several texts may lie one behind the other in a row: one begins wherever an id is no larger than the one before.
    """
    begins_BQ = ids_BQ[:, 1:] <= ids_BQ[:, :-1]
    if not torch.compiler.is_compiling() and not bool(begins_BQ.any()):
        return None
    return functional.pad(begins_BQ.long().cumsum(-1), (1, 0))


def _sizes(ids_BQ: Tensor, text_BQ: Tensor | None, mask_BL: Tensor | None, past: Past) -> Tensor:
    """Return how many tokens there are by now, [1 or B, 1], or in the text of each token, [1 or B, Q]."""
    if mask_BL is not None:
        return mask_BL.long().sum(-1, keepdim=True)
    if past.room is not None:
        return ids_BQ[:, -1:].long() + 1
    if text_BQ is None:
        return torch.full((1, 1), ids_BQ.shape[-1], device=ids_BQ.device) + past.length
    counts_BT = torch.zeros_like(text_BQ)
    return counts_BT.scatter_add(-1, text_BQ, torch.ones_like(text_BQ)).gather(-1, text_BQ)


def _with_past(ids_BQ: Tensor, mask_BL: Tensor | None, past: Past) -> Tensor:
    """Return the ids of all keys, [1 or B, L]: before the new ones they are consecutive over what is no padding."""
    if past.is_empty:
        return ids_BQ
    if past.room is not None:
        order_L = torch.arange(past.room, device=ids_BQ.device) - past.length
        place_Q = torch.arange(ids_BQ.shape[1], device=ids_BQ.device) + past.length
        return (ids_BQ[:, :1] + order_L).clamp(min=0).index_copy(1, place_Q, ids_BQ)
    assert isinstance(past.length, int)
    num_all = past.length + ids_BQ.shape[1]
    if mask_BL is None or mask_BL.shape[1] != num_all:
        order_BL = torch.arange(num_all, device=ids_BQ.device)[None]
    else:
        order_BL = mask_BL.long().cumsum(-1)
    before_BP = ids_BQ[:, :1] + order_BL[:, : past.length] - order_BL[:, past.length, None]
    return torch.cat([before_BP.clamp(min=0), ids_BQ.expand(before_BP.shape[0], -1)], dim=-1)


def _alike(values_BL: Tensor, batch: int) -> Tensor:
    """Return values for all rows; where rows are alike, as one row expanded, from which biases are computed once."""
    if values_BL.shape[0] > 1 and (torch.compiler.is_compiling() or bool((values_BL != values_BL[:1]).any())):
        return values_BL
    return values_BL[:1].expand(batch, -1)
