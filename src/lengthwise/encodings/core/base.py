"""What a position encoding may do to a transformer, hook by hook.

Every parameter leads with M, the number of models in a stack (M = 1 when alone). Shapes: B batch, L keys, Q queries,
D width, H heads, K head width. Attention runs over [B, M·H, L, K].

A token has a place, its number in the row, and an id, the position that the encoding computes with. Ids may be any
numbers, with repeats. Training packs several instances into a row (train/packing): ids start anew with each of them, and
masks keep the instances apart.

An encoding overrides only the hooks it needs. ``bias`` depends on positions alone and keeps the fused attention kernel;
as soon as ``scores``, ``weights`` or ``value`` is overridden, attention is computed step by step. There may be fewer
queries than keys: while a model generates, there is one query and many keys. ``x_MBLD`` is the stream that enters
attention, with a vector for every key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from .card import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The sizes that an encoding is built for: models, heads, layers and positions.

    ``trained`` is the number of tokens of the longest training instance, ``max_length`` that of the longest instance of
    all. ``digits`` are the tokens that are digits, for encodings that look at numbers.
    """

    num_models: int = 1
    num_heads: int
    head_width: int
    width: int
    max_length: int
    trained: int
    num_layers: int = 1
    digits: tuple[int, ...] = ()


class Where(NamedTuple):
    """The positions of tokens: their ids, the scales and sizes of their instances, their places, and what they see.

    ``scale`` is the length of an instance as its task counts it, ``sizes`` its number of tokens. ``visible`` is
    [B or 1, 1, Q, L]: whether a query sees a key. None means that a token sees all places up to its own. ``places_BL`` is
    None where the tokens are all of the row, in order. ``row_ids`` is the same object as ``ids_MBL`` where these are known
    to be one row for all models and instances, of whole numbers below its length: then there are few distances. Whoever
    replaces the ids need not know of it.
    """

    ids_MBL: Tensor
    scale_MBL: Tensor
    sizes_MBL: Tensor
    visible: Tensor | None = None
    places_BL: Tensor | None = None
    row_ids: Tensor | None = None

    def at_places(self, places_BQ: Tensor) -> Where:
        """Return where the tokens of the last places stand; these places are the same number in all rows."""
        num_new = places_BQ.shape[-1]
        return Where(
            ids_MBL=self.ids_MBL[..., -num_new:],
            scale_MBL=self.scale_MBL[..., -num_new:],
            sizes_MBL=self.sizes_MBL[..., -num_new:],
            places_BL=places_BQ,
        )

    @property
    def has_row_ids(self) -> bool:
        """Whether the ids are known to be one row of whole numbers from 0 to below its length."""
        return self.row_ids is not None and self.row_ids is self.ids_MBL

    def sees(self, num_keys: int) -> Tensor:
        """Return what the tokens see of so many keys, [B or 1, 1, Q, L]."""
        if self.visible is not None:
            return self.visible
        key = torch.arange(num_keys, device=self.ids_MBL.device)
        place = key[: self.ids_MBL.shape[-1]][None] if self.places_BL is None else self.places_BL
        return (key <= place[..., None])[:, None]

    def take(self, values: Tensor) -> Tensor:
        """Return values, [B, M·H, L, …], at the places of these tokens, [B, M·H, Q, …]."""
        if self.places_BL is None:
            return values
        row = torch.arange(values.shape[0], device=values.device)[:, None]
        taken: Tensor = values.transpose(1, 2)[row, self.places_BL].transpose(1, 2)
        return taken


class Encoding(nn.Module):
    """No position encoding at all: the base whose hooks do nothing.

    A class that is an encoding by itself says so with ``card = CARD``, the card of its module.
    """

    card: ClassVar[Card]

    def __init__(self, fit: Fit) -> None:
        super().__init__()
        self.num_models = fit.num_models
        self.num_heads = fit.num_heads
        self.head_width = fit.head_width
        self.max_length: int | None = None  # the number of positions there is room for; None without bound

    def ids(
        self,
        tokens_MBL: Tensor,
        sizes_MB: Tensor,  # noqa: ARG002
        draw: Draw | None,  # noqa: ARG002
        roles_MBL: Tensor | None = None,  # noqa: ARG002
    ) -> Tensor:
        """Return position ids, [M, B, L].

        ``draw`` is there in training only, for encodings that shift or resample; ``roles_MBL`` are the roles that the
        task gives its tokens, where it does.
        """
        place = torch.arange(tokens_MBL.shape[-1], device=tokens_MBL.device)
        return self.checked(place.expand(tokens_MBL.shape), tokens_MBL.shape[-1])

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if ``most`` of them are more than there is room for, or if they are of a wrong kind."""
        if self.max_length is not None:
            require_room(most, self.max_length)
        return ids_MBL

    def embed(self, at: Where) -> Tensor | None:  # noqa: ARG002
        """Return what is added to the token embeddings, [M, B, L, D], or None."""
        return None

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return queries, [B, M·H, Q, K], and keys, [B, M·H, L, K], with positions worked into them."""
        return q, k

    def bias(self, queries: Where, keys: Where) -> Tensor | None:  # noqa: ARG002
        """Return what is added to the scores, [1 or B, M·H or 1, Q, L], from positions alone, or None."""
        return None

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return scores before bias and mask, [B, M·H, Q, L]."""
        scores: Tensor = q @ k.transpose(-1, -2) / self.head_width**0.5
        return scores

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return attention weights from scores, which are -inf where nothing is seen."""
        return torch.softmax(scores, dim=-1)

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return what attention passes on, [B, M·H, Q, K]."""
        return weights @ v

    def at_layer(self, layer: int) -> Encoding:  # noqa: ARG002
        """Return the encoding of one layer."""
        return self

    @property
    def is_fused(self) -> bool:
        """Whether the fused attention kernel computes the same."""
        kind = type(self)
        return all(getattr(kind, hook) is getattr(Encoding, hook) for hook in ("scores", "weights", "value"))

    @property
    def may_share_rows(self) -> bool:
        """Whether instances shall share rows in training: a bias would have to be made for each row, instead of once."""
        return not self.is_biased

    @property
    def is_biased(self) -> bool:
        """Whether there is a bias by position alone."""
        return type(self).bias is not Encoding.bias

    @property
    def is_embedding(self) -> bool:
        """Whether something is added to the input."""
        return type(self).embed is not Encoding.embed

    @property
    def is_transforming(self) -> bool:
        """Whether queries and keys are changed by position."""
        return type(self).transform is not Encoding.transform

    def initialize(self, draw: Draw) -> None:
        """Set all parameters from a draw with M keys."""


def require_room(num_tokens: int, room: int) -> None:
    """Raise if there are more tokens than positions."""
    if num_tokens > room:
        raise InvalidOptionError(
            f"an instance of {num_tokens} tokens does not fit the {room} positions of this encoding.",
            hint="make the model with a larger max_length.",
        )


def distances(queries: Where, keys: Where) -> Tensor:
    """Return id of query minus id of key, [1 or B, 1 or M, 1, Q, L], to be broadcast over heads.

    Where the ids of all rows (or models) are one expanded row, so are the distances: they are not computed again.
    """
    q_MBQ, k_MBL = (once(where.ids_MBL) for where in (queries, keys))
    delta_MBQL = q_MBQ[..., :, None] - k_MBL[..., None, :]
    return delta_MBQL.transpose(0, 1)[:, :, None]


def are_row_ids(ids_MBL: Tensor) -> bool:
    """Return whether ids are one row for all, of whole numbers from 0 to below its length; it looks at the numbers."""
    row_11L = once(ids_MBL)
    if row_11L.shape[:2] != (1, 1) or row_11L.is_floating_point():
        return False
    return bool(((row_11L >= 0) & (row_11L < row_11L.shape[-1])).all())


def once(ids_MBL: Tensor) -> Tensor:
    """Return ids without the axes along which they are expanded from one."""
    if ids_MBL.stride(0) == 0:
        ids_MBL = ids_MBL[:1]
    return ids_MBL[:, :1] if ids_MBL.stride(1) == 0 else ids_MBL


def per_head(values_BMHQL: Tensor, num_models: int) -> Tensor:
    """Return values [B, 1 or M, H, Q, L] with models and heads side by side, [B, M·H, Q, L]."""
    batch, _, heads, queries, keys = values_BMHQL.shape
    whole = values_BMHQL.expand(batch, num_models, heads, queries, keys)
    return whole.reshape(batch, num_models * heads, queries, keys)
