"""Encodings whose position relation is given by a circuit or learned: our reconstruction of arXiv 2510.04130.

Each is a function of the case, head h, query place i and key place j. The scale n is that of the query.
"""

from __future__ import annotations

import math

from ...tasks.core.problems import find_circuit
from ...theory.positions.circuits import slots
from .case import Case, Cube, Matrix, Vector, affine, attend

FEW = [
    (a, b, c, d) for a, b in ((-1, 1), (1, 1), (1, 0)) for c in (0, -1, -2) for d in (-2, -1, 0, 1, 2)
]  # a·i + b·q + c·n + d = 0


def many(*, hint: bool) -> list[tuple[int, int, int, int]]:
    """Return the relations of the large dictionary, by trying which small numbers are one: a pair satisfies it, and it is reduced."""
    found = set()
    for a in (1, 2):
        for b in range(-2, 3):
            for c in range(-2, 3) if hint else (0,):
                for d in range(-3, 4):
                    for start_i in (0, 1) if hint else (0,):
                        for start_q in (0, 1) if hint else (0,):
                            # a·(i − start_i·(n+1)) + b·(q − start_q·(n+1)) + c·n + d
                            away = a * start_i + b * start_q
                            four = (a, b, c - away, d - away)
                            if all(number % 2 == 0 for number in four):
                                four = (a // 2, b // 2, (c - away) // 2, (d - away) // 2)
                            found.add(four)
    n = 20
    kept = [
        (a, b, c, d)
        for a, b, c, d in found
        if any(-(b * q + c * n + d) in range(0, a * q + 1, a) for q in range(4 * n))  # a·i for an i from 0 to q
    ]
    return sorted(kept, key=lambda four: (sum(map(abs, four)), four))


def corrected(case: Case, bias: float, i: int) -> float:
    """b − log(id_i + 1)·(1 − tanh(max(b, 0)))."""
    if not case.options["corrected"]:
        return bias
    return bias - math.log(max(case.ids[i], 0) + 1) * (1 - math.tanh(max(bias, 0.0)))


def lbpe(case: Case, h: int, i: int, j: int) -> float:
    """Σ_r g_hr·1[a·id_j + b·id_i + c·n + d = 0] over the 45 relations, or the 15 with c = 0."""
    return _dictionary(case, [four for four in FEW if case.options["hint"] or not four[2]], h, i, j)


def lbpe_grown(case: Case) -> Cube:
    """Attention with the same over the large dictionary."""
    relations = many(hint=bool(case.options["hint"]))
    return attend(case, lambda h, i, j: case.similarity(h, i, j) + _dictionary(case, relations, h, i, j))


def _dictionary(case: Case, relations: list[tuple[int, int, int, int]], h: int, i: int, j: int) -> float:
    raw: Matrix = case.weights["raw_MHR"]  # an eighth of the gains
    total = 0.0
    for gain, (a, b, c, d) in zip(raw[h], relations, strict=True):
        if a * case.ids[j] + b * case.ids[i] + c * case.scale[i] + d == 0:
            total += 8 * gain
    return corrected(case, total, i)


def ipe(case: Case, h: int, i: int, j: int) -> float:
    """Σ_s g_hs over the slots s that position id_j − 1 holds at position id_i − 1; −log(id_i + 1) if there are none."""
    circuit = find_circuit(str(case.options["circuit"]))
    raw: Matrix = case.weights["raw_MHS"]  # an eighth of the gains
    scale, query, key = int(case.scale[i]), int(case.ids[i]) - 1, int(case.ids[j]) - 1
    step = query - circuit.layout.prompt_length(scale) + 2
    held: frozenset[int] = frozenset()
    if 1 <= step <= circuit.layout.answer_length(scale):
        held = slots(circuit.gate(scale, step)).get(key, frozenset())
    if case.options["eos"] and step == circuit.layout.answer_length(scale) + 1 and key == -1:
        held = frozenset({len(raw[h])})  # the last slot is <bos> at the end
    if not held and case.options["corrected"]:
        return -math.log(max(case.ids[i], 0) + 1)
    return sum(8 * raw[h][slot - 1] for slot in held)


def lbpe_found(case: Case, h: int, i: int, j: int) -> float:
    """Σ_r g_hr over the relations whose key at query id_i is id_j; a relation without an allowed key has the key 0."""
    raw: Matrix = case.weights["raw_MHR"]  # an eighth of the gains, less 4 for the relation that is the head's own
    numbers = [int(part) for part in str(case.options["relations"]).strip("r()").split(",")]
    n, query = int(case.scale[i]), int(case.ids[i])
    total = 0.0
    for number, gain in enumerate(raw[h]):
        a, b, c, d, low, low_0, high, high_0, modulus, remainder = numbers[10 * number : 10 * number + 10]
        last = query if (high, high_0) == (0, -1) else min(query, high * n + high_0)
        first = low * n + low_0
        allowed = [
            key
            for key in range(first, last + 1)
            if a * key + b * query + c * n + d == 0 and (key - first) % modulus == remainder
        ]
        if case.ids[j] == (allowed[0] if allowed else 0):
            total += 8 * gain + (4 if number == h % len(raw[h]) else 0)
    return corrected(case, total, i)


def lbpe_mlp(case: Case, h: int, i: int, j: int) -> float:
    """Σ_c softmax(f(x/T))_c·T_ch with x = (i, q, n, q − i, q − i − n, i + q − 2n), or (i, q, q − i)."""
    key, query, n = case.ids[j], case.ids[i], case.scale[i]
    features: Vector = [key, query, n, query - key, query - key - n, key + query - 2 * n]
    if not case.options["hint"]:
        features = [key, query, query - key]
    features = [feature / case.trained for feature in features]
    hidden = [max(0.0, z) for z in affine(features, case.weights["in_weight_MIF"], case.weights["in_bias_MF"])]
    logits = affine(hidden, case.weights["out_weight_MFC"], case.weights["out_bias_MC"])
    powers = [math.exp(logit - max(logits)) for logit in logits]
    share = [power / sum(powers) for power in powers]
    if case.options["hard"]:
        share = [float(number == share.index(max(share))) for number in range(len(share))]
    table: Matrix = case.weights["table_MCH"]
    return sum(part * row[h] for part, row in zip(share, table, strict=True))


LEARNED_RELATIONS = {"ipe": ipe, "lbpe": lbpe, "lbpe_found": lbpe_found, "lbpe_mlp": lbpe_mlp}
