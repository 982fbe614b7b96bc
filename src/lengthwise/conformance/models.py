"""The models of the conformance suite: small, with weights so large that every part of them matters."""

from __future__ import annotations

import torch
from torch import Tensor

from ..encodings.core.base import Fit, Where
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice
from ..model.shape import Shape
from ..model.transformer import Transformer
from ..seeds import INITIALIZATION, open_stream
from .cases import stir

TOKENS = 7
"""How many tokens the models of the suite know; the last two are digits."""
DIGITS = (5, 6)
TRAINED = 32
ROOM = 16 * TRAINED
SHAPE = Shape(layers=2, heads=2, width=16)


class Nonconforming(AssertionError):
    """An encoding does not do what it must, or not what its card says."""


def fit_for(shape: Shape, models: int = 1, room: int = ROOM) -> Fit:
    """Return what an encoding of the suite is made for."""
    return Fit(
        num_models=models,
        num_heads=shape.heads,
        head_width=shape.width // shape.heads,
        width=shape.width,
        max_length=room,
        trained=TRAINED,
        num_layers=shape.layers,
        digits=DIGITS,
    )


def make_model(choice: Choice, seeds: tuple[int, ...] = (0,), shape: Shape = SHAPE, room: int = ROOM) -> Transformer:
    """Return a model with weights so large that every part of it matters."""
    model = Transformer(
        num_models=len(seeds),
        num_tokens=TOKENS,
        num_outputs=5,
        shape=shape,
        encoding=make_encoding(choice, fit_for(shape, len(seeds), room)),
    )
    model.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(10 if parameter.dim() > 2 else 1)
    stir(model.encoding, seeds)
    return model


def random_tokens(*shape: int, seed: int = 0) -> Tensor:
    """Return random tokens."""
    return torch.randint(TOKENS, shape, generator=torch.Generator().manual_seed(seed))


def where(model: Transformer, tokens_MBL: Tensor, ids_MBL: Tensor | None = None, scale: int | None = None) -> Where:
    """Return where tokens stand that fill their rows, by the model's own ids or others, and at a scale that fits them or another."""
    sizes = torch.full(tokens_MBL.shape[:2], tokens_MBL.shape[-1])
    if ids_MBL is None:
        ids_MBL = model.encoding.ids(tokens_MBL, sizes, None, roles_of(tokens_MBL))
    whole = sizes[..., None].expand(tokens_MBL.shape)
    scale = scale_of(tokens_MBL.shape[-1]) if scale is None else scale
    scale_MBL = torch.full_like(sizes, scale)[..., None].expand(tokens_MBL.shape)
    return Where(ids_MBL=ids_MBL, scale_MBL=scale_MBL, sizes_MBL=whole)


def scale_of(num_tokens: int) -> int:
    """Return the scale of an instance of copying with so many tokens: a scale is not a number of tokens."""
    return max(1, num_tokens // 2 - 1)


def roles_of(tokens_MBL: Tensor) -> Tensor:
    """Return roles as in copying: the second half repeats those of the first."""
    length = tokens_MBL.shape[-1]
    return (torch.arange(length) % max(1, length // 2)).expand(tokens_MBL.shape)


def outputs_of(
    model: Transformer, tokens_MBL: Tensor, ids_MBL: Tensor | None = None, scale: int | None = None
) -> Tensor:
    """Return the outputs of a model."""
    outputs: Tensor = model(tokens_MBL, where(model, tokens_MBL, ids_MBL, scale))
    return outputs


def require_same(found: Tensor, expected: Tensor, what: str, tolerance: float = 2e-4) -> None:
    """Raise unless two tensors are alike."""
    if not torch.allclose(found, expected, rtol=tolerance, atol=tolerance):
        raise Nonconforming(f"{what} differ by up to {(found - expected).abs().max().item():.2g}")
