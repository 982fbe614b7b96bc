"""Encodings of the theory of position relations: distances, the scale hint, the length correction, and squares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from .case import Case, Cube, Matrix, Vector, attend, dot, mixture, softmax

_UNSIGNED = ("alibi", "learned_alibi", "t5", "shaw")

Bias = Callable[[Case, int, int, int], float]


def rpe(case: Case, h: int, i: int, j: int) -> float:
    """b[δ + N][h] where −N ≤ δ < N, and 0 elsewhere; there are 2N rows."""
    table: Matrix = case.weights["table_MNH"]
    row = math.floor(case.delta(i, j)) + len(table) // 2
    return table[row][h] if 0 <= row < len(table) else 0.0


def _base(case: Case) -> tuple[str, Case]:
    """Return the name of the wrapped encoding, and the case as it sees it."""
    name = case.options.get("base", "rpe")
    assert isinstance(name, str)
    weights = {key.removeprefix("base."): w for key, w in case.weights.items() if key.startswith("base.")}
    options = {key.removeprefix("base."): o for key, o in case.options.items() if key.startswith("base.")}
    return name, replace(case, weights=weights, options=options)


def _hinted(case: Case) -> tuple[str, Case]:
    """Return the same, queries being told id_i − n."""
    name, inner = _base(case)
    told = [number - n for number, n in zip(case.ids, case.scale, strict=True)]
    return name, replace(inner, told=told, unsigned=name in _UNSIGNED)


def scale_hint(case: Case, references: Mapping[str, Callable[[Case], Cube]]) -> Cube:
    """The wrapped encoding at δ = id_i − n − id_j, n the scale of i's instance, or |δ| for those without a sign."""
    name, inner = _hinted(case)
    return references[name](inner)


def length_corrected(case: Case, biases: Mapping[str, Bias]) -> Cube:
    """s_ij + b − log(m)·(1 − tanh(max(b, 0))), b the bias of the wrapped encoding and m the number of places that i sees."""
    name, inner = _base(case)
    if name == "scale_hint":
        name, inner = _hinted(inner)

    def score(h: int, i: int, j: int) -> float:
        b = biases[name](inner, h, i, j)
        return case.similarity(h, i, j) + b - math.log(len(case.seen(i))) * (1 - math.tanh(max(b, 0.0)))

    return attend(case, score)


def rpe_square(case: Case) -> Cube:
    """s_ij + Σ_k Σ_l a_ik b_jl R[(i − k) − (j − l)][h], k among what i sees and l among what j sees (arXiv 2410.08898).

    a_i is the softmax over k of (x_i·S)·(x_k·O)/√w, b_j that over l with maps S and O of its own; R is clipped.
    """
    table: Matrix = case.weights["table_MNH"]
    seek: list[Cube] = case.weights["seek_MDTHW"]
    offer: list[Cube] = case.weights["offer_MDTHW"]
    reach = case.whole("reach", 16)

    def found(part: int, h: int, i: int) -> Vector:
        asks = mixture(case.x[i], [channel[part][h] for channel in seek])
        offers = [mixture(case.x[k], [channel[part][h] for channel in offer]) for k in case.seen(i)]
        return softmax([dot(asks, each) / math.sqrt(len(asks)) for each in offers])

    places, heads = range(len(case.x)), range(case.num_heads)
    a, b = ([[found(part, h, i) for i in places] for h in heads] for part in (0, 1))

    def score(h: int, i: int, j: int) -> float:
        total = case.similarity(h, i, j)
        for a_ik, k in zip(a[h][i], case.seen(i), strict=True):
            for b_jl, l in zip(b[h][j], case.seen(j), strict=True):  # noqa: E741  # as in the formula
                total += a_ik * b_jl * table[min(max((i - k) - (j - l), -reach), reach) + reach][h]
        return total

    return attend(case, score)
