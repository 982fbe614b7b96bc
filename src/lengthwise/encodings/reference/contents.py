"""Encodings whose scores mix positions with contents: with queries, keys, scores, or the stream that enters attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from .biases import BIASES
from .case import Case, Cube, Matrix, Vector, affine, attend, dot, mixture, plus, sigmoid, softplus


def shaw(case: Case) -> Cube:
    """q_i·(k_j + a^K_r)/√d, and v_j + a^V_r is passed on, r = δ clipped to 0 … clip (arXiv 1803.02155)."""
    keys: Matrix = case.weights["keys_MNK"]
    values: Matrix = case.weights["values_MNK"]

    def row(i: int, j: int) -> int:
        return math.floor(min(max(case.delta(i, j), 0), case.whole("clip", 16)))

    def score(h: int, i: int, j: int) -> float:
        return dot(case.q[h][i], plus(case.k[h][j], keys[row(i, j)])) / math.sqrt(case.head_width)

    return attend(case, score, value=lambda h, i, j: plus(case.v[h][j], values[row(i, j)]))


def transformer_xl(case: Case) -> Cube:
    """((q_i + u)·k_j + (q_i + v)·W r_δ)/√d, r_δ the sines and then the cosines of δ·b^(−2t/D) (arXiv 1901.02860)."""
    maps: Cube = case.weights["map_MDHK"]
    content: Matrix = case.weights["content_MHK"]
    position: Matrix = case.weights["position_MHK"]
    width, base = len(maps), case.number("base", 10000)

    def sinusoid(delta: float) -> Vector:
        angles = [delta * base ** (-2 * t / width) for t in range((width + 1) // 2)]
        return ([math.sin(a) for a in angles] + [math.cos(a) for a in angles])[:width]

    def score(h: int, i: int, j: int) -> float:
        projected = mixture(sinusoid(case.delta(i, j)), [row[h] for row in maps])
        by_content = dot(plus(case.q[h][i], content[h]), case.k[h][j])
        by_position = dot(plus(case.q[h][i], position[h]), projected)
        return (by_content + by_position) / math.sqrt(case.head_width)

    return attend(case, score)


def deberta(case: Case) -> Cube:
    """(q_i·k_j + q_i·K^r[r(δ)] + k_j·Q^r[r(−δ)])/√(3d), r(δ) = δ + clip kept within 0 … 2·clip − 1 (arXiv 2006.03654).

    The released code has Q^r[r(δ)].
    """
    table: Matrix = case.weights["table_MND"]
    queries: Cube = case.weights["queries_MDHK"]
    keys: Cube = case.weights["keys_MDHK"]
    clip = case.whole("clip", 16)

    def relative(delta: float, maps: Cube, h: int) -> Vector:
        row = math.floor(min(max(delta + clip, 0), 2 * clip - 1))
        return mixture(table[row], [channel[h] for channel in maps])

    def score(h: int, i: int, j: int) -> float:
        delta = case.delta(i, j)
        by_content = dot(case.q[h][i], case.k[h][j])
        to_position = dot(case.q[h][i], relative(delta, keys, h))
        turned = delta if case.options.get("index") == "released" else -delta
        from_position = dot(case.k[h][j], relative(turned, queries, h))
        return (by_content + to_position + from_position) / math.sqrt(3 * case.head_width)

    return attend(case, score)


def cope(case: Case) -> Cube:
    """s_ij + q_i·e[p_ij], p_ij = min(p_max, Σ_{t=j..i} σ(s_it)), e interpolated between whole positions (arXiv 2405.18719).

    The gate sees scores divided by √d; the added term is not divided.
    """
    table: Matrix = case.weights["table_MNK"]
    most = case.whole("positions", 16)

    def score(h: int, i: int, j: int) -> float:
        p = min(sum(sigmoid(case.similarity(h, i, t)) for t in range(j, i + 1)), most)
        below, above = math.floor(p), math.ceil(p)
        part = p - below
        at_below, at_above = dot(case.q[h][i], table[below]), dot(case.q[h][i], table[above])
        return case.similarity(h, i, j) + (1 - part) * at_below + part * at_above

    return attend(case, score)


def relative_projection(case: Case) -> Cube:
    """s_ij + Σ_t m_t·table[⌊δ⌋][t] where 0 ≤ δ < reach, and s_ij elsewhere; m = x_i·mix_h + mix_bias_h."""
    table: Matrix = case.weights["table_MRT"]
    mix: Cube = case.weights["mix_MDHT"]
    mix_bias: Matrix = case.weights["mix_bias_MHT"]
    reach = case.whole("reach", 0) or case.trained

    def score(h: int, i: int, j: int) -> float:
        delta = case.delta(i, j)
        if not 0 <= delta < reach:
            return case.similarity(h, i, j)
        weights = affine(case.x[i], [channel[h] for channel in mix], mix_bias[h])
        return case.similarity(h, i, j) + dot(weights, table[math.floor(delta)])

    return attend(case, score)


def _based(case: Case) -> Callable[[int, int, int], float]:
    """Return the bias of the wrapped encoding."""
    name = case.options.get("base", "kerple_log")
    assert isinstance(name, str)
    inner = replace(
        case,
        weights={key.removeprefix("base."): w for key, w in case.weights.items() if key.startswith("base.")},
        options={key.removeprefix("base."): o for key, o in case.options.items() if key.startswith("base.")},
    )
    return lambda h, i, j: BIASES[name](inner, h, i, j)


def _given(case: Case, bias: Callable[[int, int, int], float], i: int, j: int) -> Vector:
    """[s; B]: the scores of all heads, then their biases without a mask: 0 where the wrapped encoding hides j."""
    heads = range(case.num_heads)
    biases = [bias(h, i, j) for h in heads]
    return [case.similarity(h, i, j) for h in heads] + [0.0 if b == -math.inf else b for b in biases]


def _leaky(z: float) -> float:
    return z if z > 0 else 0.01 * z


def dape(case: Case) -> Cube:
    """s + B + f([s; B]) at every (i, j), f an MLP across heads with a leaky rectifier (arXiv 2405.14722)."""
    bias = _based(case)

    @cache
    def correction(i: int, j: int) -> Vector:
        given = _given(case, bias, i, j)
        hidden = [_leaky(z) for z in affine(given, case.weights["in_weight_MIF"], case.weights["in_bias_MF"])]
        return mixture(hidden, case.weights["out_weight_MFH"])

    return attend(case, lambda h, i, j: case.similarity(h, i, j) + bias(h, i, j) + correction(i, j)[h])


def dape_v2(case: Case) -> Cube:
    """The same with f two convolutions along keys: tap c at (i, j) sees key j − c, and zero before the instance begins.

    In arXiv 2410.04798 the taps lie on both sides of j; here they look back, so that a row never depends on how many
    keys follow it.
    """
    bias = _based(case)
    reach = case.whole("reach", 3)
    in_weight: list[Matrix] = case.weights["in_weight_MCIF"]
    out_weight: list[Matrix] = case.weights["out_weight_MCFH"]

    def convolved(row: Matrix, taps: list[Matrix], shift: Vector) -> Matrix:
        """Return shift + Σ_c row[j − c]·taps[c] for every j, ``row`` holding what one query sees."""
        result: Matrix = []
        for j in range(len(row)):
            total = shift
            for c in range(min(reach, j + 1)):
                total = plus(total, mixture(row[j - c], taps[c]))
            result.append(total)
        return result

    corrections: dict[int, Matrix] = {}
    for i in case.asking():
        given = [_given(case, bias, i, j) for j in case.seen(i)]
        mapped = convolved(given, in_weight, case.weights["in_bias_MF"])
        hidden = [[_leaky(z) for z in vector] for vector in mapped]
        corrections[i] = convolved(hidden, out_weight, [0.0] * case.num_heads)

    def score(h: int, i: int, j: int) -> float:
        return case.similarity(h, i, j) + bias(h, i, j) + corrections[i][j - case.first[i]][h]

    return attend(case, score)


def fox(case: Case) -> Cube:
    """s_ij + Σ_{l=j+1..i} log σ(w_h·x_l + b_h) (arXiv 2503.02130)."""
    weight: Matrix = case.weights["weight_MDH"]
    bias: Vector = case.weights["bias_MH"]

    @cache
    def log_forget(h: int, place: int) -> float:
        return -softplus(-affine(case.x[place], weight, bias)[h])

    def score(h: int, i: int, j: int) -> float:
        return case.similarity(h, i, j) + sum(log_forget(h, place) for place in range(j + 1, i + 1))

    return attend(case, score)


def stick_breaking(case: Case) -> Cube:
    """α_ij = β_ij·Π_{j<l<i}(1 − β_il) for j < i and 0 at j = i, β = σ(s), without softmax (arXiv 2410.17980).

    With ``diagonal``, l runs up to i and j may be i.
    """

    def broken(scores: Vector) -> Vector:
        beta = [sigmoid(score) for score in scores]
        end = len(beta) if case.number("diagonal", False) else len(beta) - 1
        weights = [beta[j] * math.prod(1 - beta[later] for later in range(j + 1, end)) for j in range(end)]
        return weights + [0.0] * (len(beta) - end)

    return attend(case, case.similarity, weigh=broken)


def path(case: Case) -> Cube:
    """k_jᵀ H_{j+1} … H_i q_i/√d, H_l = I − β_l w_l w_lᵀ, w_l = x_l·W/‖x_l·W‖, β_l = 2σ(x_l·u + b) (arXiv 2505.16381)."""
    direction: Cube = case.weights["direction_MDHK"]
    rate: Matrix = case.weights["rate_MDH"]
    rate_bias: Vector = case.weights["rate_bias_MH"]
    channels = range(case.head_width)

    def reflection(h: int, place: int) -> Matrix:
        w = mixture(case.x[place], [channel[h] for channel in direction])
        norm = max(math.sqrt(dot(w, w)), 1e-6)
        w = [w_c / norm for w_c in w]
        beta = 2 * sigmoid(affine(case.x[place], rate, rate_bias)[h])
        return [[float(r == c) - beta * w[r] * w[c] for c in channels] for r in channels]

    reflections = [[reflection(h, place) for place in range(len(case.x))] for h in range(case.num_heads)]

    @cache
    def carried(h: int, i: int, j: int) -> Vector:
        """Return H_{j+1} … H_i q_i."""
        if j == i:
            return case.q[h][i]
        return [dot(row, carried(h, i, j + 1)) for row in reflections[h][j + 1]]

    def score(h: int, i: int, j: int) -> float:
        return dot(case.k[h][j], carried(h, i, j)) / math.sqrt(case.head_width)

    return attend(case, score)


def counters(case: Case) -> Cube:
    """clip(Σ_{j≤i} round(8·v_j), ±most) in the first heads, in the channels that count; v_i in the other heads (or softmax)."""
    most, channels = case.whole("most", 4), case.whole("channels", 2)
    usual = attend(case, case.similarity) if case.options.get("softmax") else None
    out: Cube = []
    for h in range(case.num_heads):
        rows: Matrix = []
        for number, i in enumerate(case.asking()):
            if h >= case.whole("heads", 1):
                rows.append(case.v[h][i] if usual is None else usual[h][number])
                continue
            row: Vector = []
            for c in range(case.head_width):
                total = sum(round(8 * case.v[h][j][c]) for j in case.seen(i)) if c < channels else 0
                row.append(float(max(-most, min(most, total))))
            rows.append(row)
        out.append(rows)
    return out


CONTENTS: dict[str, Callable[[Case], Cube]] = {
    reference.__name__: reference
    for reference in (
        shaw,
        transformer_xl,
        deberta,
        relative_projection,
        cope,
        dape,
        dape_v2,
        fox,
        stick_breaking,
        path,
        counters,
    )
}
