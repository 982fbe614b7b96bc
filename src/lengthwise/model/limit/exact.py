"""A limit transformer in the obvious way: one token, one head and one pair at a time, in exact fractions.

The oracle of :mod:`running`. N^a is a fraction only for whole logits a, which compiled programs have.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...errors import InvalidOptionError
from .running import require_weights
from .transformer import Layer, LimitTransformer, Matrix

Vector = list[Fraction]
Rows = list[dict[int, Fraction]]


def run_exactly(transformer: LimitTransformer, tokens: Sequence[int], *, offset: int = 0) -> list[Vector]:
    """Return the outputs at every token, as fractions."""
    stream = [
        [
            Fraction(a) + Fraction(b)
            for a, b in zip(transformer.embeddings[token], transformer.positions.at(place + offset), strict=True)
        ]
        for place, token in enumerate(tokens)
    ]
    for layer in transformer.layers:
        stream = [_hidden(layer, row) for row in _attention(layer, stream, offset, transformer.fraction_bits)]
    readout = _rows(transformer.readout)
    return [_product(readout, row) for row in stream]


def _attention(layer: Layer, stream: list[Vector], offset: int, bits: int | None) -> list[Vector]:
    length = len(stream)
    mixed = [list(row) for row in stream]
    for head in layer.heads:
        queries, keys, values = (
            [_product(_rows(matrix), row) for row in stream] for matrix in (head.queries, head.keys, head.values)
        )
        for i in range(length):
            weights = []
            for j in range(i + 1):
                logit = sum((a * b for a, b in zip(queries[i], keys[j], strict=True)), Fraction(0))
                logit = _rounded(logit + Fraction(head.relation.at(j + offset, i + offset)), bits)
                weights.append(_rounded(_power(length, logit), bits))
            total = sum(weights, Fraction(0))
            require_weights(total > 0)
            for d in range(len(mixed[i])):
                passed = sum((weight * values[j][d] for j, weight in enumerate(weights) if values[j][d]), Fraction(0))
                mixed[i][d] += passed / total
    return mixed


def _power(base: int, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise InvalidOptionError(
            f"the logit {exponent} is no whole number, so that {base} to this power is no fraction.",
            hint="run it in floats.",
        )
    return Fraction(base) ** int(exponent)


def _rounded(value: Fraction, bits: int | None) -> Fraction:
    return value if bits is None else Fraction(round(value * 2**bits), 2**bits)


def _hidden(layer: Layer, row: Vector) -> Vector:
    before = [
        each + Fraction(float(shift)) for each, shift in zip(_product(_rows(layer.into), row), layer.shift, strict=True)
    ]
    after = [
        Fraction(each > 0) if is_step else max(each, Fraction(0))
        for each, is_step in zip(before, layer.is_step, strict=True)
    ]
    return [one + two for one, two in zip(row, _product(_rows(layer.out_of), after), strict=True)]


def _rows(matrix: Matrix) -> Rows:
    """Return the entries of each row that are not 0."""
    return [{int(k): Fraction(float(row[k])) for k in np.flatnonzero(row)} for row in matrix]


def _product(rows: Rows, vector: Vector) -> Vector:
    return [sum((value * vector[k] for k, value in row.items()), Fraction(0)) for row in rows]
