"""Encodings that add to the score of a query and a key a number that depends on their positions alone.

Each is a function of the case, head h (from 0), query place i and key place j.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from .case import Case, Matrix, Vector, affine, mixture, sigmoid, softplus
from .relations import rpe

Bias = Callable[[Case, int, int, int], float]


def t5_bucket(delta: float, buckets: int, distance: int) -> int:
    """δ itself below E = ⌊B/2⌋; from there min(B−1, E + ⌊(B−E)·ln(δ/E)/ln(D/E)⌋).

    The floor is the largest k with (D/E)^k ≤ (δ/E)^(B−E), which fractions decide without rounding.
    """
    exact = buckets // 2
    if delta < exact:
        return max(0, math.floor(delta))
    rest = buckets - exact
    grown = (Fraction(delta) / exact) ** rest
    step = Fraction(distance, exact)
    return exact + max(k for k in range(rest) if step**k <= grown)


def t5(case: Case, h: int, i: int, j: int) -> float:
    """b[bucket(δ)][h] (arXiv 1910.10683)."""
    table: Matrix = case.weights["table_MBH"]
    return table[t5_bucket(case.delta(i, j), case.whole("buckets", 32), case.whole("distance", 128))][h]


def alibi_slopes(num_heads: int) -> Vector:
    """2^(−8/H), 2^(−16/H), …, 2^(−8) for a power of two; otherwise those of the power of two below, then every second of the one above."""
    below = 1
    while 2 * below <= num_heads:
        below *= 2
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    if below == num_heads:
        return slopes
    return slopes + alibi_slopes(2 * below)[0::2][: num_heads - below]


def alibi(case: Case, h: int, i: int, j: int) -> float:
    """−m_h·δ (arXiv 2108.12409)."""
    return -alibi_slopes(case.num_heads)[h] * case.delta(i, j)


def learned_alibi(case: Case, h: int, i: int, j: int) -> float:
    """−softplus(raw_h)·δ."""
    raw: Vector = case.weights["raw_MH"]
    return -softplus(raw[h]) * case.delta(i, j)


def hard_alibi(case: Case, h: int, i: int, j: int) -> float:
    """Head h < heads sees δ < window + h and nothing else; the others have no positions (arXiv 2402.01032)."""
    limited = case.whole("heads", 0) or max(1, case.num_heads // 2)
    if h >= limited or case.delta(i, j) < case.whole("window", 2) + h:
        return 0.0
    return -math.inf


def window(case: Case, h: int, i: int, j: int) -> float:  # noqa: ARG001
    """0 where δ < window, −∞ elsewhere."""
    return 0.0 if case.delta(i, j) < case.whole("window", 4) else -math.inf


def kerple_log(case: Case, h: int, i: int, j: int) -> float:
    """−r₁·log(1 + r₂·|δ|) (arXiv 2205.09921)."""
    scale: Vector = case.weights["scale_raw_MH"]
    rate: Vector = case.weights["rate_raw_MH"]
    return -softplus(scale[h]) * math.log(1 + softplus(rate[h]) * abs(case.delta(i, j)))


def kerple_power(case: Case, h: int, i: int, j: int) -> float:
    """−r₁·|δ|^r₂ with 0 < r₂ < 2 (arXiv 2205.09921)."""
    scale: Vector = case.weights["scale_raw_MH"]
    power: Vector = case.weights["power_raw_MH"]
    return -softplus(scale[h]) * math.pow(abs(case.delta(i, j)), 2 * sigmoid(power[h]))


def sandwich(case: Case, h: int, i: int, j: int) -> float:
    """(H/(8h))·Σ_{t=1}^{d̄/2} cos(δ/10000^(2t/d̄)), heads counted from 1 (arXiv 2212.10356)."""
    width = case.whole("width", 128)
    total = sum(math.cos(case.delta(i, j) / 10000 ** (2 * t / width)) for t in range(1, width // 2 + 1))
    return case.num_heads / (8 * (h + 1)) * total


def fire_input(case: Case, i: int, j: int) -> float:
    """ψ(δ)/(ψ(max(|L|, id_i)) + 10⁻⁶) with ψ(z) = log(|c|·z + 1); negative δ and ids count as 0."""
    slope: float = case.weights["slope_M"]
    threshold: float = case.number("threshold", 512) * case.weights["threshold_M"]

    def psi(z: float) -> float:
        return math.log(abs(slope) * z + 1)

    return psi(max(case.delta(i, j), 0)) / (psi(max(abs(threshold), case.ids[i], 0)) + 1e-6)


def fire(case: Case, h: int, i: int, j: int) -> float:
    """f(ψ(δ)/ψ(max(L, i))), f an MLP with one hidden layer of rectified units (arXiv 2310.04418)."""
    in_weight: Vector = case.weights["in_weight_MF"]
    in_bias: Vector = case.weights["in_bias_MF"]
    out_weight: Matrix = case.weights["out_weight_MFH"]
    u = fire_input(case, i, j)
    hidden = [max(0.0, u * w + b) for w, b in zip(in_weight, in_bias, strict=True)]
    return mixture(hidden, out_weight)[h]


def dynamic_bias(case: Case, h: int, i: int, j: int) -> float:
    """f(sgn(δ)·log(1 + |δ|)), f an MLP with two hidden layers of z·σ(z)."""
    in_weight: Vector = case.weights["in_weight_MF"]
    in_bias: Vector = case.weights["in_bias_MF"]
    delta = case.delta(i, j)
    u = math.copysign(math.log(1 + abs(delta)), delta)
    hidden = [_silu(z) for z in affine([u], [in_weight], in_bias)]
    hidden = [_silu(z) for z in affine(hidden, case.weights["mid_weight_MFG"], case.weights["mid_bias_MG"])]
    return mixture(hidden, case.weights["out_weight_MGH"])[h]


def tisa(case: Case, h: int, i: int, j: int) -> float:
    """Σ_s a_s·exp(−|b_s|·(δ − c_s)²) (arXiv 2106.01950)."""
    heights: Vector = case.weights["height_MHS"][h]
    sharpnesses: Vector = case.weights["sharpness_MHS"][h]
    centres: Vector = case.weights["centre_MHS"][h]
    delta = case.delta(i, j)
    return sum(a * math.exp(-abs(b) * (delta - c) ** 2) for a, b, c in zip(heights, sharpnesses, centres, strict=True))


def _silu(z: float) -> float:
    return z * sigmoid(z)


BIASES: dict[str, Bias] = {
    "t5": t5,
    "alibi": alibi,
    "learned_alibi": learned_alibi,
    "hard_alibi": hard_alibi,
    "window": window,
    "kerple_log": kerple_log,
    "kerple_power": kerple_power,
    "sandwich": sandwich,
    "fire": fire,
    "dynamic_bias": dynamic_bias,
    "tisa": tisa,
    "rpe": rpe,
}
