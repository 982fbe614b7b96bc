"""Measuring at lengths whose square is out of reach: the last position alone, layer by layer.

The stream that enters a layer is computed in 64-bit floats by running sums, in time linear in the length; all truths in it
are exactly 0 or 1. Then the layer itself runs in the format under test, for one query and all keys, and what it decides is
compared. So this tests one position of each word, and each layer on right inputs: where it finds no error in any layer, the
whole model is right at that position, provided that it was right at all positions before.

Shapes: L tokens, D width.
"""

from __future__ import annotations

import numpy as np
import torch

from ..limit.running import streams
from ..transformer import Block, Past
from .circuit import Circuit
from .measurement import Measurement, Words, tie_words
from .model import CompiledModel, where
from .running import encode
from .to_limit import limit_transformer


def probe_longest(model: CompiledModel, *, up_to: int, words: Words | None = None) -> Measurement:
    """Return the longest length, of those that double up to a cap, at whose last position all words tried are right."""
    make = tie_words(model.program) if words is None else words
    good, length = 0, min(64, up_to)
    while True:
        wrong = next((word for word in make(length) if not is_right_at_end(model, word)), None)
        if wrong is not None:
            return Measurement(longest=good, failed=True, word=wrong)
        if length == up_to:
            return Measurement(longest=up_to, failed=False)
        good, length = length, min(2 * length, up_to)


def is_right_at_end(model: CompiledModel, word: tuple[str, ...]) -> bool:
    """Return whether every layer decides the last position as it should."""
    circuit = model.circuit
    assert circuit is not None, "a model that was read from a file has no circuit"
    tokens = encode(model.program, word)
    before_LD: np.ndarray | None = None
    for number, after_LD in enumerate(streams(limit_transformer(circuit), tokens)):
        if before_LD is not None and not _layer_is_right(model, circuit, number, before_LD, after_LD[-1]):
            return False
        before_LD = after_LD
    return True


def _layer_is_right(
    model: CompiledModel, circuit: Circuit, number: int, before_LD: np.ndarray, after_D: np.ndarray
) -> bool:
    """Return whether a layer leaves 0 where it should, and only there, in the coordinates of its units."""
    targets = sorted({unit.target for unit in circuit.units if unit.layer == number})
    if not targets:
        return True
    transformer = model.transformer
    block = transformer.blocks[number - 1]
    assert isinstance(block, Block)
    length, width = before_LD.shape
    dtype = transformer.embedding_MVD.dtype
    with torch.no_grad():
        x_MBLD = torch.zeros(1, 1, length, model.plan.width, dtype=dtype)
        x_MBLD[0, 0, :, :width] = torch.from_numpy(before_LD)
        keys = where(torch.zeros(1, length, dtype=torch.long), length)
        queries = keys.at_places(torch.tensor([[length - 1]]))
        entering = x_MBLD[:, :, :-1]
        _, k, v = (block._to_heads(part) for part in block.qkv(entering).chunk(3, dim=-1))
        layer = transformer.encoding.at_layer(number - 1)
        found, _ = block.extend(x_MBLD[:, :, -1:], layer, queries, keys, Past(entering, k, v))
    is_zero = found[0, 0, 0, targets].double().numpy() == 0
    return bool((is_zero == (after_D[targets] == 0)).all())
