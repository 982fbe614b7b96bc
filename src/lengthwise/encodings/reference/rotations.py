"""Encodings that turn queries and keys: RoPE, its scalings, xPos and PoPE.

A frequency belongs to each pair of channels (t, t + d/2), and the pair is turned by id times that frequency.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .case import Case, Cube, Matrix, Vector, attend, dot, softplus


def frequencies(base: float, width: int) -> Vector:
    """θ_t = b^(−2t/d) for t = 0 … d/2 − 1."""
    assert width % 2 == 0
    return [base ** (-2 * t / width) for t in range(width // 2)]


def turned(vector: Vector, angles: Vector) -> Vector:
    """Turn each pair (t, t + r/2) of the first r channels by angle t, r twice the number of angles; leave the rest."""
    half = len(angles)
    result = list(vector)
    for t, angle in enumerate(angles):
        a, b = vector[t], vector[t + half]
        result[t] = a * math.cos(angle) - b * math.sin(angle)
        result[t + half] = b * math.cos(angle) + a * math.sin(angle)
    return result


def rotary(case: Case, at: Callable[[int], Vector], *, stretch: float = 1.0) -> Cube:
    """Return attention with the frequencies that hold at each place, queries and keys both ``stretch`` times as long."""

    def angles(number: float, i: int) -> Vector:
        return [number * frequency for frequency in at(i)]

    def score(h: int, i: int, j: int) -> float:
        product = dot(turned(case.q[h][i], angles(case.asked(i), i)), turned(case.k[h][j], angles(case.ids[j], j)))
        return stretch**2 * product / math.sqrt(case.head_width)

    return attend(case, score)


def rope(case: Case) -> Cube:
    """Turn all pairs by id·b^(−2t/d) (arXiv 2104.09864)."""
    return rotary(case, lambda _: frequencies(case.number("base", 10000), case.head_width))


def rope_partial(case: Case) -> Cube:
    """Turn the first r = ⌊share·d⌋ channels as if they were all; an odd r is turned with one more channel (GPT-NeoX)."""
    base, even = case.number("base", 10000), case.head_width - case.head_width % 2
    width = min(max(1, math.floor(case.number("share", 0.5) * case.head_width)), even)
    return rotary(case, lambda _: [base ** (-channel / width) for channel in range(0, width, 2)])


def p_rope(case: Case) -> Cube:
    """Turn by the ⌊share·d/2⌋ highest of the frequencies b^(−2t/d), at least one; the others are 0 (arXiv 2410.06205)."""
    kept = max(1, math.floor(case.number("share", 0.75) * case.head_width / 2))
    theta = frequencies(case.number("base", 10000), case.head_width)
    return rotary(case, lambda _: [theta[t] if t < kept else 0.0 for t in range(len(theta))])


def periodic_rope(case: Case) -> Cube:
    """Turn pair t by 2π·t·(id mod period)/period."""
    period = int(case.number("period", 12))
    theta = [2 * math.pi * t / period for t in range(case.head_width // 2)]

    def score(h: int, i: int, j: int) -> float:
        asked, found = ([(number % period) * angle for angle in theta] for number in (case.asked(i), case.ids[j]))
        return dot(turned(case.q[h][i], asked), turned(case.k[h][j], found)) / math.sqrt(case.head_width)

    return attend(case, score)


def pi(case: Case) -> Cube:
    """RoPE at id/s (arXiv 2306.15595)."""
    theta = frequencies(case.number("base", 10000), case.head_width)
    return rotary(case, lambda _: [f / case.number("factor", 4.0) for f in theta])


def ntk(case: Case) -> Cube:
    """RoPE with base b·s^(d/(d−2))."""
    base = _stretched_base(case, case.number("factor", 4.0))
    return rotary(case, lambda _: frequencies(base, case.head_width))


def dynamic_ntk(case: Case) -> Cube:
    """The same with s = max(1, α·n/N − (α − 1)), n the tokens of the instance now and N of the longest in training."""
    alpha = case.number("factor", 1.0)

    def at(i: int) -> Vector:
        s = max(1.0, alpha * case.size[i] / case.longest_trained() - (alpha - 1))
        return frequencies(_stretched_base(case, s), case.head_width)

    return rotary(case, at)


def _stretched_base(case: Case, s: float) -> float:
    d = case.head_width
    return case.number("base", 10000) * math.pow(s, d / (d - 2))


def yarn_ramp(t: int, width: int, base: float, trained: int, fast: float, slow: float, *, truncate: bool) -> float:
    """γ_t: 0 for pairs that turn often over the training length, 1 for those that hardly turn, linear in t between.

    dim(r) = d·ln(N/(2πr))/(2 ln b) is the pair that turns r times; the ramp runs from ⌊dim(fast)⌋, at least 0, to
    ⌈dim(slow)⌉, at most d − 1 as in the authors' program (not d/2 − 1), and is never quite upright. If it is not to be
    truncated, the bounds are not made whole.
    """

    def dim(rotations: float) -> float:
        return width * math.log(trained / (2 * math.pi * rotations)) / (2 * math.log(base))

    low, high = dim(fast), dim(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low = max(low, 0)
    high = max(min(high, width - 1), low + 0.001)
    return min(max((t - low) / (high - low), 0.0), 1.0)


def yarn(case: Case) -> Cube:
    """θ_t·(1 − γ_t) + (θ_t/s)·γ_t (arXiv 2309.00071), with queries and keys both times g(m)/g(m'), g(m) = 0.1·m·ln s + 1.

    m is ``mscale``, m' ``mscale_all``, 1 and 0 in the paper. ``attention`` replaces the quotient where it is not 0.
    """
    base, factor = case.number("base", 10000), case.number("factor", 4.0)
    fast, slow = case.number("fast", 32.0), case.number("slow", 1.0)
    blended = []
    for t, theta in enumerate(frequencies(base, case.head_width)):
        truncate = bool(case.number("truncate", True))
        gamma = yarn_ramp(t, case.head_width, base, case.longest_trained(), fast, slow, truncate=truncate)
        blended.append(theta * (1 - gamma) + theta / factor * gamma)
    grown = 0.1 * case.number("mscale", 1.0) * math.log(factor) + 1
    divided = 0.1 * case.number("mscale_all", 0.0) * math.log(factor) + 1
    stretch = case.number("attention", 0.0) or grown / divided
    return rotary(case, lambda _: blended, stretch=stretch)


def llama3(case: Case) -> Cube:
    """By wavelength λ = 2π/θ: θ below N/high, θ/s above N/low, and between them a blend that is linear in N/λ."""
    factor, low, high = case.number("factor", 8.0), case.number("low", 1.0), case.number("high", 4.0)
    trained = case.longest_trained()
    scaled = []
    for theta in frequencies(case.number("base", 500000), case.head_width):
        wavelength = 2 * math.pi / theta
        if wavelength < trained / high:
            scaled.append(theta)
        elif wavelength > trained / low:
            scaled.append(theta / factor)
        else:
            m = (trained / wavelength - low) / (high - low)
            scaled.append((1 - m) * theta / factor + m * theta)
    return rotary(case, lambda _: scaled)


def longrope(case: Case) -> Cube:
    """θ_t/λ_t with other λ_t in instances of more than N tokens (arXiv 2402.13753); both times √(1 + ln s/ln N).

    The published factors are found by search: ``short`` and ``long`` list them. Without the latter, λ_t = s^(t/(d/2−1)).
    """
    factor, trained = case.number("factor", 4.0), case.longest_trained()
    theta = frequencies(case.number("base", 10000), case.head_width)
    last = len(theta) - 1

    def at(i: int) -> Vector:
        listed = case.options.get("short", "(1)") if case.size[i] <= trained else case.options.get("long", "curve")
        if listed == "curve":
            return [f / factor ** (t / last if last else 1.0) for t, f in enumerate(theta)]
        factors = [float(number) for number in str(listed).strip("()").split(",")]
        return [f / factors[t % len(factors)] for t, f in enumerate(theta)]

    stretch = math.sqrt(1 + math.log(factor) / math.log(trained)) if factor > 1 and trained > 1 else 1.0
    return rotary(case, at, stretch=stretch)


def xpos(case: Case) -> Cube:
    """RoPE whose pair t also decays as ζ_t^(δ/B), ζ_t = (2t/d + 0.4)/1.4 (arXiv 2212.10554)."""
    theta = frequencies(case.number("base", 10000), case.head_width)
    half = len(theta)

    def score(h: int, i: int, j: int) -> float:
        a = turned(case.q[h][i], [case.asked(i) * f for f in theta])
        b = turned(case.k[h][j], [case.ids[j] * f for f in theta])
        total = 0.0
        for t in range(half):
            zeta = (t / half + 0.4) / 1.4
            total += zeta ** (case.delta(i, j) / case.number("decay", 512)) * (a[t] * b[t] + a[t + half] * b[t + half])
        return total / math.sqrt(case.head_width)

    return attend(case, score)


def pope(case: Case) -> Cube:
    """Σ_c softplus(q_c)·softplus(k_c)·cos((id_j − id_i)·θ_c + φ_c)/√d, θ_c = b^(−c/d) (arXiv 2509.10534, without its bound on φ_c)."""
    phase: Matrix = case.weights["phase_MHK"]
    base, d = case.number("base", 10000), case.head_width

    def score(h: int, i: int, j: int) -> float:
        total = 0.0
        for c in range(d):
            angle = (case.ids[j] - case.asked(i)) * base ** (-c / d) + phase[h][c]
            total += softplus(case.q[h][i][c]) * softplus(case.k[h][j][c]) * math.cos(angle)
        return total / math.sqrt(d)

    return attend(case, score)


ROTATIONS: dict[str, Callable[[Case], Cube]] = {
    reference.__name__: reference
    for reference in (
        rope,
        rope_partial,
        p_rope,
        periodic_rope,
        pi,
        ntk,
        dynamic_ntk,
        yarn,
        llama3,
        longrope,
        xpos,
        pope,
    )
}
