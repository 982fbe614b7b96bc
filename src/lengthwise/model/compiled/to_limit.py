"""From a circuit to the matrices of a limit transformer."""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from ..limit.positions import LocalRelation, PeriodicPositions
from ..limit.transformer import Head, Layer, LimitTransformer
from .circuit import STEP, Channel, Circuit, Form


def limit_transformer(circuit: Circuit) -> LimitTransformer:
    """Return the limit transformer that computes a circuit; tokens are the symbols, the end marker, and token 0."""
    width = circuit.width
    bonus = 5 + ceil(log2(circuit.local_weight))
    layers = tuple(_layer(circuit, number, bonus) for number in range(1, circuit.layers + 1))
    return LimitTransformer(
        embeddings=embeddings(circuit),
        positions=PeriodicPositions(position_table(circuit)),
        layers=layers,
        readout=np.stack([_row(without_constant(form), width) for form in circuit.outputs.values()]),
    )


def embeddings(circuit: Circuit) -> np.ndarray:
    """Return the vectors of the symbols, of the end marker and of token 0, in this order."""
    table = np.zeros((len(circuit.symbols) + 2, circuit.width))
    table[:-1, Circuit.HERE] = 1
    table[-1, Circuit.BOS] = 1
    for number, symbol in enumerate(circuit.symbols):
        table[number, circuit.symbol_at[symbol]] = 1
    return table


def position_table(circuit: Circuit) -> np.ndarray:
    """Return p_0, p_1, … for one period: which residues the position leaves."""
    table = np.zeros((circuit.period, circuit.width))
    for (modulus, residue), coordinate in circuit.residue_at.items():
        table[residue::modulus, coordinate] = 1
    return table


def _layer(circuit: Circuit, number: int, bonus: int) -> Layer:
    width = circuit.width
    channels = [each for each in circuit.channels if each.layer == number]
    distances = sorted({each.distance for each in channels}, key=lambda each: -1 if each is None else each)
    units = [each for each in circuit.units if each.layer == number]
    out_of = np.zeros((width, len(units)))
    for column, unit in enumerate(units):
        out_of[unit.target, column] = unit.weight
    return Layer(
        heads=tuple(
            _head([each for each in channels if each.distance == distance], distance, width, bonus)
            for distance in distances
        ),
        into=np.stack([_row(unit.form, width) for unit in units]) if units else np.zeros((0, width)),
        shift=np.array([unit.form.constant for unit in units]),
        out_of=out_of,
        is_step=np.array([unit.activation == STEP for unit in units], dtype=bool),
    )


def _head(channels: list[Channel], distance: int | None, width: int, bonus: int) -> Head:
    """Return the head of an average or of one distance; where there is no such position, token 0 is looked at."""
    values = np.zeros((width, width))
    for channel in channels:
        values[channel.target] += _row(channel.form, width)
    if distance is None:
        return Head(keys=np.zeros((1, width)), queries=np.zeros((1, width)), values=values)
    keys, queries = np.zeros((1, width)), np.zeros((1, width))
    keys[0, Circuit.BOS] = bonus
    queries[0, [Circuit.BOS, Circuit.HERE]] = 1
    return Head(keys=keys, queries=queries, values=values, relation=LocalRelation(((distance, 2.0 * bonus),)))


def _row(form: Form, width: int) -> np.ndarray:
    row = np.zeros(width)
    for coordinate, value in form.terms:
        row[coordinate] = value
    return row


def without_constant(form: Form) -> Form:
    """Return a form with its constant on the coordinate that is 1 at every position of the word."""
    return Form(form.terms).plus(Form(((Circuit.HERE, form.constant),))) if form.constant else form
