"""A layer of causal self-attention with any position encoding, for models of one's own.

Shapes: B batch, L tokens, Q new tokens, D width, H heads, K head width; there is one model, M = 1.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..arrays import torch_arrays
from ..errors import InvalidOptionError
from ..seeds import INITIALIZATION, open_stream
from .core.attend import attend
from .core.base import Fit, Where
from .core.build import make_encoding
from .core.choice import Choice, find_encoding


class Past(NamedTuple):
    """What a layer keeps of the tokens before: the stream, ids, where there is no padding, keys and values.

    Keys are as they were before any position was worked into them, so that an encoding may change its mind.
    """

    x_BLD: Tensor
    ids_BL: Tensor
    mask_BL: Tensor | None
    k: Tensor
    v: Tensor


class Attention(nn.Module):
    """Causal self-attention with a position encoding.

    ``max_length`` is the number of positions for encodings that have a table of them, ``trained`` the number of tokens
    of the longest training instance, for those that ask for it; that is ``max_length`` unless told. ``seed`` draws what
    the encoding learns. An encoding of the input is added to what enters this layer.

    >>> layer = Attention(width=32, heads=4, encoding="fire")
    >>> x_BLD = torch.randn(2, 100, 32)
    >>> layer(x_BLD).shape
    torch.Size([2, 100, 32])
    >>> first, past = layer.extend(x_BLD[:, :99])
    >>> last, past = layer.extend(x_BLD[:, 99:], past)
    >>> bool(torch.allclose(last, layer(x_BLD)[:, 99:], atol=1e-6))
    True
    """

    def __init__(
        self,
        width: int,
        heads: int,
        encoding: str = "rope",
        *,
        max_length: int = 2048,
        trained: int | None = None,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        numbers = {"width": width, "heads": heads, "max_length": max_length}
        for word, value in numbers.items() if trained is None else (numbers | {"trained": trained}).items():
            checked_number(word, value)
        if width % heads:
            raise InvalidOptionError(
                f"width {width} cannot be divided among {heads} heads.",
                hint="choose a width that is a multiple of the heads.",
            )
        choice = _accepted(encoding)
        fit = Fit(
            num_heads=heads,
            head_width=width // heads,
            width=width,
            max_length=max_length,
            trained=max_length if trained is None else trained,
        )
        self.heads, self.dropout = heads, dropout
        self.encoding = make_encoding(choice, fit)
        self.encoding.initialize(open_stream(INITIALIZATION, seed=[seed], xp=torch_arrays()).named("encoding"))
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x_BLD: Tensor, ids_BL: Tensor | None = None, *, mask_BL: Tensor | None = None) -> Tensor:
        """Return what attention makes of the stream, [B, L, D].

        ``ids_BL`` are the positions that the encoding is told, any numbers; 0, 1, 2, … unless given. ``mask_BL`` is
        False at padding, which nobody sees and which is not counted.
        """
        return self.extend(x_BLD, ids_BQ=ids_BL, mask_BQ=mask_BL)[0]

    def extend(
        self,
        x_BQD: Tensor,
        past: Past | None = None,
        *,
        ids_BQ: Tensor | None = None,
        mask_BQ: Tensor | None = None,
    ) -> tuple[Tensor, Past]:
        """Return the same at new tokens, which follow those of the past, and the past that they leave.

        Ids go on from the last one unless given.
        """
        _refuse_misshapen(x_BQD, mask_BQ)
        if ids_BQ is None:
            ids_BQ = _next_ids(x_BQD, past, mask_BQ)
        ids_BQ = ids_BQ.expand(x_BQD.shape[:2])
        self._check(ids_BQ)
        ids_BL, mask_BL = ids_BQ, mask_BQ
        if past is not None:
            ids_BL = torch.cat([past.ids_BL, ids_BQ], dim=1)
            if mask_BQ is not None or past.mask_BL is not None:
                whole = zip((past.mask_BL, mask_BQ), (past.ids_BL, ids_BQ), strict=True)
                masks = [torch.ones_like(ids, dtype=torch.bool) if mask is None else mask.bool() for mask, ids in whole]
                masks = [mask.expand(len(ids_BQ), -1) for mask in masks]
                mask_BL = torch.cat(masks, dim=1)
        queries, keys = _where(ids_BQ, ids_BL, mask_BL)
        added_MBQD = self.encoding.embed(queries)
        x_BLD = x_BQD if added_MBQD is None else x_BQD + added_MBQD[0].to(x_BQD.dtype)
        q, k, v = (self._to_heads(part) for part in self.qkv(x_BLD).chunk(3, dim=-1))
        if past is not None:
            x_BLD = torch.cat([past.x_BLD, x_BLD], dim=1)
            k, v = torch.cat([past.k, k], dim=2), torch.cat([past.v, v], dim=2)
        encoding, dropout = self.encoding.at_layer(0), self.dropout if self.training else 0.0
        turned_q, turned_k = encoding.transform(q, k, x_BLD[None], queries, keys)
        mixed = attend(turned_q, turned_k, v, x_BLD[None], encoding, queries, keys, dropout=dropout)
        return self.project(mixed.transpose(1, 2).flatten(2)), Past(x_BLD, ids_BL, mask_BL, k, v)

    def _to_heads(self, x_BLD: Tensor) -> Tensor:
        return torch.unflatten(x_BLD, -1, (self.heads, -1)).transpose(1, 2)

    def _check(self, ids_BQ: Tensor) -> None:
        """Raise if there is an id for which the encoding has no room; a compiled program cannot look."""
        if self.encoding.max_length is not None and not torch.compiler.is_compiling():
            refuse_negative(ids_BQ, self.encoding.max_length)
            self.encoding.checked(ids_BQ[None], int(ids_BQ.max()) + 1)


def named(name: object) -> Choice:
    """Return the encoding of a name; raise for what is no name."""
    if not isinstance(name, str):
        raise InvalidOptionError(
            f"the name of an encoding must be a string; found {name!r}.",
            hint="name one, for example 'rope', or 'nope' for none; lengthwise list encodings shows all.",
        )
    return find_encoding(name)


def checked_number(word: str, value: object) -> int:
    """Return a size; raise if it is none."""
    if type(value) is not int or not 1 <= value <= 10**8:
        raise InvalidOptionError(
            f"{word} must be a whole number from 1 to 100000000; found {value!r}.", hint="correct the value."
        )
    return value


def refuse_negative(ids_BQ: Tensor, room: int) -> None:
    """Raise if there is an id below 0, for an encoding with so many positions: a table would count it from its end."""
    least = ids_BQ.min().item()
    if least < 0:
        raise InvalidOptionError(
            f"this encoding has positions 0 to {room - 1}; found the id {least}.",
            hint="count ids from 0, or choose an encoding that is a formula, for example rope.",
        )


def _accepted(name: object) -> Choice:
    """Return the encoding of a name; raise for one that is not for a layer alone."""
    choice = named(name)
    refuse_scale(choice)
    if choice.chooses_ids:
        raise InvalidOptionError(
            f"encoding {choice.name!r} chooses ids for a whole model, and this is one layer of it.",
            hint="name the encoding that it is put around, and hand the ids to every layer.",
        )
    if any(part.card.chooses_layers for part in choice.parts):
        raise InvalidOptionError(
            f"encoding {choice.name!r} chooses among the layers of a model, and this is one of them.",
            hint="name the encoding of each layer.",
        )
    return choice


def refuse_scale(choice: Choice) -> None:
    """Raise for an encoding that must know the scale of every instance: here nobody tells it."""
    if choice.takes_hint:
        raise InvalidOptionError(
            f"encoding {choice.name!r} must know the scale of every instance, which is not told here.",
            hint="train with it by lengthwise run, where tasks say their scale.",
        )


def _refuse_misshapen(x_BQD: Tensor, mask_BQ: Tensor | None) -> None:
    """Raise for a mask that is not one of the new tokens."""
    batch, num_new = x_BQD.shape[:2]
    if mask_BQ is not None and tuple(mask_BQ.shape) not in ((1, num_new), (batch, num_new)):
        raise InvalidOptionError(
            f"a mask must have a value for every token, in shape (1, {num_new}) or ({batch}, {num_new}); "
            f"found shape {tuple(mask_BQ.shape)}.",
            hint="hand in a mask with a row for each text; mask[None] is one for all of them.",
        )


def _next_ids(x_BQD: Tensor, past: Past | None, mask_BQ: Tensor | None) -> Tensor:
    """Return ids that go on from the last one, [1 or B, Q], without counting padding."""
    first = 0 if past is None else past.ids_BL[:, -1:] + 1
    if mask_BQ is None:
        return torch.arange(x_BQD.shape[1], device=x_BQD.device)[None] + first
    return (mask_BQ.long().cumsum(-1) - 1).clamp(min=0) + first


def _where(ids_BQ: Tensor, ids_BL: Tensor, mask_BL: Tensor | None) -> tuple[Where, Where]:
    """Return where queries and keys stand; they are one where there is a query for every key."""
    (batch, num_new), num_all = ids_BQ.shape, ids_BL.shape[1]
    place_Q = torch.arange(num_all - num_new, num_all, device=ids_BL.device)
    visible = None
    sizes_B1 = torch.full((1, 1), num_all, device=ids_BL.device)
    if mask_BL is not None:
        key_L, sizes_B1 = torch.arange(num_all, device=ids_BL.device), mask_BL.long().sum(-1, keepdim=True)
        # padding sees nothing, and a mean of nothing is no number: so it sees itself
        own_QL = key_L == place_Q[:, None]
        visible = (((key_L <= place_Q[:, None]) & mask_BL.bool()[:, None]) | own_QL)[:, None]
    sizes_MBL = sizes_B1.expand(batch, num_all)[None]
    if num_new == num_all:
        keys = Where(ids_BL[None], sizes_MBL, sizes_MBL, visible)
        return keys, keys
    sizes_MBQ = sizes_MBL[..., :num_new]
    queries = Where(ids_BQ[None], sizes_MBQ, sizes_MBQ, visible, place_Q.expand(batch, -1))
    return queries, Where(ids_BL[None], sizes_MBL, sizes_MBL)
