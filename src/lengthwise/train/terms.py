"""The terms of the regularizer R(T) of arXiv 2410.02140, each a function of a stack of models, and usable as a penalty.

R(T), as we understand the paper, is the sum of the size L + H, the precision, the largest rank of a V, the largest norms of
KᵀQ, V, A, B, U, of positions p, embeddings E and biases b, and the positional term. A sum of unlike things says little, so that
each has a name and stands alone. Our model is not the one of the theory, and what its letters mean here is:

- K, Q, V of a head are its blocks of ``qkv``, V together with the head's rows of ``project``; A and B are ``expand`` and
  ``contract``, b is the bias of ``expand``, U is ``readout``, or the embedding where that is tied;
- layer norms have gains of their own, which no term sees: where a norm follows, weights can shrink and gains make up for it.

‖·‖ without a letter is the spectral norm, the largest singular value. Where a term takes a maximum, its gradient is that of
the largest, and of several that are equally large, their mean. Singular values are computed by matrix products alone, so that a
training step with them can still be recorded on a GPU.

Shapes: M models in a stack, H heads, N positions, D width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..errors import InvalidOptionError
from ..model.inspection.products import product_function, queries_and_keys, query_and_key_maps, table_of, value_maps
from ..model.transformer import Block, Transformer

POSITIONS = "positions"

_SQUARINGS = 24  # of a Gram matrix: after them, a singular value that is smaller by 1e-6 has gone
_POLAR_STEPS = 48  # each grows a small singular value by half, until it is 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term of R(T): what it is, whether training can follow its gradient, and what a model must have for it.

    ``needs`` is "positions" for a table of them, or empty. ``function`` maps a stack to a number for each model, [M].
    """

    name: str
    formula: str
    differentiable: bool
    needs: str
    function: Callable[[Transformer], Tensor]


def evaluate_terms(model: Transformer) -> dict[str, Tensor]:
    """Return all terms of a stack that have a meaning for it, each [M], without gradients."""
    has_table = table_of(model) is not None
    with torch.no_grad():
        return {name: term.function(model) for name, term in TERMS.items() if has_table or term.needs != POSITIONS}


# The terms, in the order of the paper


def size(model: Transformer) -> Tensor:
    """Return the number of layers plus the number of heads of a layer."""
    return model.embedding_MVD.new_full((model.num_models,), model.shape.layers + model.shape.heads)


def precision(model: Transformer) -> Tensor:
    """Return the number of binary digits after the point that the weights need: all are multiples of 2⁻ᵖ."""
    most = model.embedding_MVD.new_zeros(model.num_models)
    for parameter in model.parameters():
        mantissa, exponent = torch.frexp(parameter.detach().double())
        whole = (mantissa * 2.0**53).to(torch.int64)
        lowest = (whole & -whole).clamp(min=1).double().log2().round().to(torch.int64)
        digits = torch.where(whole == 0, 0, 53 - lowest - exponent).reshape(model.num_models, -1).amax(1)
        most = torch.maximum(most, digits.clamp(min=0).to(most))
    return most


def value_rank(model: Transformer) -> Tensor:
    """Return the largest rank of a V: singular values above rounding error, relative to the largest."""
    values = _values(model).detach()
    ranks = torch.linalg.matrix_rank(values.double(), rtol=values.shape[-1] * torch.finfo(values.dtype).eps)
    most: Tensor = ranks.amax(1).to(values)
    return most


def value_nuclear(model: Transformer) -> Tensor:
    """Return the largest nuclear norm of a V, the sum of its singular values: a surrogate for the rank."""
    return nuclear_norm(_values(model)).amax(1)


def key_query_norm(model: Transformer) -> Tensor:
    """Return the largest ‖KᵀQ‖ of a head."""
    maps = [q @ k.transpose(-1, -2) for q, k in map(query_and_key_maps, _blocks(model))]
    return spectral_norm(torch.cat(maps, dim=1)).amax(1)


def value_norm(model: Transformer) -> Tensor:
    """Return the largest ‖V‖ of a head."""
    return spectral_norm(_values(model)).amax(1)


def expand_norm(model: Transformer) -> Tensor:
    """Return the largest ‖A‖_F of a layer."""
    return _largest(_frobenius(block.expand.weight_MIO) for block in _blocks(model))


def contract_norm(model: Transformer) -> Tensor:
    """Return the largest ‖B‖_F of a layer."""
    return _largest(_frobenius(block.contract.weight_MIO) for block in _blocks(model))


def readout_norm(model: Transformer) -> Tensor:
    """Return ‖U‖."""
    return spectral_norm(model.embedding_MVD if model.readout is None else model.readout.weight_MIO)


def position_norm(model: Transformer) -> Tensor:
    """Return the largest ‖p_i‖₂."""
    return _length(_table(model)).amax(1)


def embedding_norm(model: Transformer) -> Tensor:
    """Return the largest ‖E_σ‖₂."""
    return _length(model.embedding_MVD).amax(1)


def bias_norm(model: Transformer) -> Tensor:
    """Return the largest ‖b_l‖₂."""
    return _largest(_length(block.expand.bias_MO) for block in _blocks(model))


def positional_first(model: Transformer) -> Tensor:
    """Return the sum over heads of |p_1ᵀKᵀQp_j|² over all j: the first position as key, as the theory writes it."""
    table_MND = _table(model)
    total = table_MND.new_zeros(len(table_MND))
    with torch.autocast(table_MND.device.type, enabled=False):
        for block in _blocks(model):
            q, k = queries_and_keys(table_MND, block)
            total = total + (q @ k[:, :, 0, :, None]).square().sum((1, 2, 3))
    return total


def positional(model: Transformer) -> Tensor:
    """Return the sum over heads of ((p_i W_Q)·(p_j W_K))² over all j ≤ i, divided by N, as the released code has it."""
    table_MND = _table(model)
    total = table_MND.new_zeros(len(table_MND))
    with torch.autocast(table_MND.device.type, enabled=False):
        for block in _blocks(model):
            total = total + product_function(table_MND, block).tril().square().sum((1, 2, 3)) / table_MND.shape[1]
    return total


TERMS: dict[str, Term] = {
    function.__name__: Term(
        name=function.__name__, formula=formula, differentiable=differentiable, needs=needs, function=function
    )
    for function, formula, differentiable, needs in (
        (size, "L + H", False, ""),
        (precision, "the least p ≥ 0 such that all weights are multiples of 2⁻ᵖ", False, ""),
        (value_rank, "max_{l,h} rank(V_{l,h})", False, ""),
        (value_nuclear, "max_{l,h} ‖V_{l,h}‖_*, a surrogate for the rank", True, ""),
        (key_query_norm, "max_{l,h} ‖K_{l,h}ᵀQ_{l,h}‖", True, ""),
        (value_norm, "max_{l,h} ‖V_{l,h}‖", True, ""),
        (expand_norm, "max_l ‖A_l‖_F", True, ""),
        (contract_norm, "max_l ‖B_l‖_F", True, ""),
        (readout_norm, "‖U‖", True, ""),
        (position_norm, "max_i ‖p_i‖₂", True, POSITIONS),
        (embedding_norm, "max_σ ‖E_σ‖₂", True, ""),
        (bias_norm, "max_l ‖b_l‖₂", True, ""),
        (positional_first, "Σ_l Σ_h Σ_j |p_1ᵀK_{l,h}ᵀQ_{l,h}p_j|²", True, POSITIONS),
        (positional, "Σ_l Σ_h 1/N Σ_{j ≤ i} |p_jᵀK_{l,h}ᵀQ_{l,h}p_i|²", True, POSITIONS),
    )
}
"""All terms by name."""


# Norms by matrix products


def spectral_norm(matrices: Tensor) -> Tensor:
    """Return the largest singular value of each matrix, […, R, C] to […].

    Squared again and again, a Gram matrix becomes the projection on the directions that are stretched most. That is held
    constant for the gradient, which is then the one of the singular value, because no other direction is better.
    """
    with torch.autocast(matrices.device.type, enabled=False):
        if matrices.shape[-2] < matrices.shape[-1]:
            matrices = matrices.transpose(-1, -2)
        gram = matrices.transpose(-1, -2) @ matrices
        with torch.no_grad():
            onto = _of_trace_one(gram)
            for _ in range(_SQUARINGS):
                onto = _of_trace_one(onto @ onto)
        return _root((gram * onto).sum((-2, -1)))


def nuclear_norm(matrices: Tensor) -> Tensor:
    """Return the sum of the singular values of each matrix, […, R, C] to […].

    With singular vectors U and W it is ⟨UWᵀ, A⟩, and UWᵀ is its gradient. Newton's iteration (Schulz) finds UWᵀ; it leaves out
    singular values that are too small to count.
    """
    with torch.autocast(matrices.device.type, enabled=False):
        with torch.no_grad():
            polar = matrices / _frobenius(matrices)[..., None, None].clamp(min=torch.finfo(matrices.dtype).tiny)
            for _ in range(_POLAR_STEPS):
                polar = 1.5 * polar - 0.5 * polar @ (polar.transpose(-1, -2) @ polar)
        return (polar * matrices).sum((-2, -1))


def _of_trace_one(gram: Tensor) -> Tensor:
    trace = gram.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]
    return gram / trace.clamp(min=torch.finfo(gram.dtype).tiny)


def _frobenius(matrices: Tensor) -> Tensor:
    return _root(matrices.square().sum((-2, -1)))


def _length(vectors: Tensor) -> Tensor:
    return _root(vectors.square().sum(-1))


def _root(squares: Tensor) -> Tensor:
    """Return square roots, with a gradient of 0 instead of infinity at 0."""
    return torch.where(squares > 0, squares, 1).sqrt() * (squares > 0)


# What the terms are made of


def _blocks(model: Transformer) -> list[Block]:
    blocks = list(model.blocks)
    assert all(isinstance(block, Block) for block in blocks)
    return blocks  # type: ignore[return-value]  # as asserted


def _values(model: Transformer) -> Tensor:
    """Return V of all heads of all layers, [M, L·H, D, D]."""
    return torch.cat([value_maps(block) for block in _blocks(model)], dim=1)


def _largest(values: Iterable[Tensor]) -> Tensor:
    """Return the largest number of each model over all layers."""
    return torch.stack(list(values)).amax(0)


def _table(model: Transformer) -> Tensor:
    table_MND = table_of(model)
    if table_MND is None:
        raise InvalidOptionError(
            "this term of the regularizer acts on a table of positions, and the model has none.",
            hint="use the encoding 'ape', or leave the term out.",
        )
    return table_MND
