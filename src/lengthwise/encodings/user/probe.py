"""A first call of every hook of a user's encoding, so that a mistake in a file ends in a sentence, not in a traceback."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NoReturn

import torch
from torch import Tensor

from ...arrays import torch_arrays
from ...errors import LengthwiseError, UserCodeError
from ...seeds import DATA, INITIALIZATION, open_stream
from ...tasks.user.source import describe
from ..core.attend import attend
from ..core.base import Encoding, Fit, Where
from ..core.build import build_encoding
from ..core.choice import Choice

_MODELS, _BATCH, _LENGTH, _HEADS, _HEAD_WIDTH, _LAYERS = 2, 3, 6, 2, 4, 2
_WIDTH = _HEADS * _HEAD_WIDTH
_SIDE_BY_SIDE = _MODELS * _HEADS


@lru_cache(maxsize=32)
def require_sound(choice: Choice) -> None:
    """Raise unless the hooks of an encoding return what they must, for a small stack of models."""
    path = next(part.path for part in choice.parts if part.path)
    fit = Fit(
        num_models=_MODELS,
        num_heads=_HEADS,
        head_width=_HEAD_WIDTH,
        width=_WIDTH,
        max_length=4 * _LENGTH,
        trained=_LENGTH,
        num_layers=_LAYERS,
        digits=(1,),
    )
    encoding = build_encoding(choice, fit)
    _call(path, "initialize", encoding.initialize, open_stream(INITIALIZATION, seed=list(range(_MODELS))))
    tokens = torch.zeros(_MODELS, _BATCH, _LENGTH, dtype=torch.int64)
    sizes = torch.full((_MODELS, _BATCH), _LENGTH)
    roles = torch.arange(_LENGTH).expand(tokens.shape)
    for draw in (open_stream(DATA, seed=list(range(_MODELS)), xp=torch_arrays()), None):
        ids = _call(path, "ids", encoding.ids, tokens, sizes, draw, roles)
        _require_shape(path, "ids", ids, (_MODELS, _BATCH, _LENGTH))
    whole = sizes[..., None].expand(tokens.shape)
    at = Where(ids, whole // 2, whole)
    added = _call(path, "embed", encoding.embed, at)
    if added is not None:
        _require_shape(path, "embed", added, (_MODELS, _BATCH, _LENGTH, _WIDTH))
    last = at.at_places(torch.full((_BATCH, 1), _LENGTH - 1))
    for layer in range(_LAYERS):
        for queries in (at, last):
            _probe_layer(path, encoding.at_layer(layer), queries, at)


def _probe_layer(path: str, kind: Encoding, queries: Where, at: Where) -> None:
    """Call what acts in attention, for all queries or for the last one alone."""
    num_queries = queries.ids_MBL.shape[-1]
    q = torch.ones(_BATCH, _SIDE_BY_SIDE, num_queries, _HEAD_WIDTH)
    k = v = torch.ones(_BATCH, _SIDE_BY_SIDE, _LENGTH, _HEAD_WIDTH)
    x = torch.ones(_MODELS, _BATCH, _LENGTH, _WIDTH)
    turned = _call(path, "transform", kind.transform, q, k, x, queries, at)
    if not isinstance(turned, tuple) or len(turned) != 2:
        _raise_wrong(path, "transform", "queries and keys", type(turned).__name__)
    _require_shape(path, "transform", turned[0], tuple(q.shape))
    _require_shape(path, "transform", turned[1], tuple(k.shape))
    bias = _call(path, "bias", kind.bias, queries, at)
    if bias is not None:
        allowed = ((1, _BATCH), (1, _SIDE_BY_SIDE), (num_queries,), (_LENGTH,))
        fits = isinstance(bias, Tensor) and bias.ndim == len(allowed)
        if not fits or any(size not in sizes for size, sizes in zip(bias.shape, allowed, strict=True)):
            wanted = f"None or a tensor of shape [1 or {_BATCH}, 1 or {_SIDE_BY_SIDE}, {num_queries}, {_LENGTH}]"
            _raise_wrong(path, "bias", wanted, _seen(bias))
    mixed = _call(path, "attention", attend, *turned, v, x, kind, queries, at)
    _require_shape(path, "attention", mixed, tuple(q.shape))
    if not bool(mixed.isfinite().all()):
        raise UserCodeError(f"{path!r}: attention is not finite.", hint="look for a division by 0, or a row of −inf.")


def _call(path: str, hook: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except LengthwiseError:
        raise
    except Exception as problem:
        raise UserCodeError(
            f"{path!r}: {hook} fails: {describe(problem, path)}.", hint=f"lengthwise check {path} looks for more."
        ) from None


def _require_shape(path: str, hook: str, value: object, shape: tuple[int, ...]) -> None:
    if not isinstance(value, Tensor) or tuple(value.shape) != shape:
        _raise_wrong(path, hook, f"a tensor of shape {list(shape)}", _seen(value))


def _raise_wrong(path: str, hook: str, wanted: str, found: str) -> NoReturn:
    raise UserCodeError(
        f"{path!r}: {hook} must return {wanted} for {_MODELS} models with {_HEADS} heads of width {_HEAD_WIDTH}, "
        f"{_BATCH} rows and {_LENGTH} tokens; found {found}.",
        hint="the shapes of all hooks are in the docstrings of lengthwise.encodings.Encoding.",
    )


def _seen(value: object) -> str:
    return f"shape {list(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
