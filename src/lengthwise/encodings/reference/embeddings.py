"""Encodings that act on the input: what is added to the embedding of each token, [i][D]. Attention itself is plain."""

from __future__ import annotations

import math
from collections.abc import Callable

from .case import Case, Matrix, Vector


def learned(case: Case, width: int) -> Matrix:
    """P[id_i]. With random offsets in training (ape) only the ids differ."""
    table: Matrix = case.weights["table_MND"]
    rows: Matrix = []
    for number in case.ids:
        assert number >= 0
        assert number == int(number)
        assert len(table[int(number)]) == width
        rows.append(table[int(number)])
    return rows


def periodic(case: Case, width: int) -> Matrix:
    """P[id_i mod period], found by taking the period away again and again."""
    table: Matrix = case.weights["table_MND"]
    period = int(case.number("period", 12))
    rows: Matrix = []
    for number in case.ids:
        rest = int(number)
        while rest >= period:
            rest -= period
        assert len(table[rest]) == width
        rows.append(table[rest])
    return rows


def sinusoidal(case: Case, width: int) -> Matrix:
    """Channel 2t is sin(id·b^(−2t/D)) and channel 2t+1 is cos(id·b^(−2t/D))."""
    base = case.number("base", 10000)
    rows: Matrix = []
    for number in case.ids:
        row: Vector = []
        for channel in range(width):
            t = channel // 2
            angle = number * base ** (-2 * t / width)
            row.append(math.sin(angle) if channel % 2 == 0 else math.cos(angle))
        rows.append(row)
    return rows


def scaled_sinusoidal(case: Case, width: int) -> Matrix:
    """Return g times the sinusoids, with g learned."""
    gain: float = case.weights["gain_M"]
    return [[gain * number for number in row] for row in sinusoidal(case, width)]


EMBEDDED: dict[str, Callable[[Case, int], Matrix]] = {
    "learned": learned,
    "ape": learned,
    "periodic": periodic,
    "counters": periodic,
    "sinusoidal": sinusoidal,
    "scaled_sinusoidal": scaled_sinusoidal,
}
"""What is added to the input, [i][D], of a case and a width D."""
