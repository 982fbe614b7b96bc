"""What a reference is computed for: one model and one row of tokens as plain lists; and causal attention, written out.

Letters as in the formulas: head h, query place i, key place j, channel c, head width d, δ = id_i − id_j.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Vector = list[float]
Matrix = list[Vector]
Cube = list[Matrix]

Score = Callable[[int, int, int], float]
"""From head h, query place i and key place j to a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Queries q[h][i][c], keys k[h][j][c] and values v[h][j][c] of one row, and all that positions may depend on.

    ``x[i]`` is the stream that enters attention, ``ids[i]`` the position id, ``first[i]`` the place where the instance
    of token i begins, ``size[i]`` the number of its tokens, ``scale[i]`` its scale, and ``trained`` the number of tokens of
    the longest training instance.
    ``weights`` are the encoding's parameters by attribute name, without the axis of models; those of a wrapped encoding
    have names that begin with ``base.``. Options that are not given have the default of the encoding. A wrapper may have
    queries ``told`` other ids than keys, and ask for distances without their sign. ``queries`` are the places whose
    outputs are asked for, () for all.
    """

    q: Cube
    k: Cube
    v: Cube
    x: Matrix
    ids: list[float]
    first: list[int]
    size: list[int]
    scale: list[int]
    trained: int
    weights: Mapping[str, Any]
    options: Mapping[str, float | str]
    told: list[float] | None = None
    unsigned: bool = False
    queries: tuple[int, ...] = ()

    @property
    def num_heads(self) -> int:
        """H."""
        return len(self.q)

    @property
    def head_width(self) -> int:
        """The number of channels of a head, d."""
        return len(self.q[0][0])

    def number(self, name: str, default: float) -> float:
        """Return an option that is a number."""
        value = self.options.get(name, default)
        assert not isinstance(value, str)
        return value

    def whole(self, name: str, default: int) -> int:
        """Return an option that is a whole number."""
        return int(self.number(name, default))

    def longest_trained(self) -> int:
        """Return N: the option ``trained``, or the longest training instance where it is 0."""
        return self.whole("trained", 0) or self.trained

    def seen(self, i: int) -> range:
        """Return the places that place i sees: those of its own instance up to itself."""
        return range(self.first[i], i + 1)

    def asking(self) -> tuple[int, ...]:
        """Return the places whose outputs are asked for."""
        return self.queries or tuple(range(len(self.ids)))

    def asked(self, i: int) -> float:
        """The id of place i as a query: that of the place, unless it is told another."""
        return self.ids[i] if self.told is None else self.told[i]

    def delta(self, i: int, j: int) -> float:
        """δ = id_i − id_j, or |id_i − id_j| where distances have no sign."""
        return abs(self.asked(i) - self.ids[j]) if self.unsigned else self.asked(i) - self.ids[j]

    def similarity(self, h: int, i: int, j: int) -> float:
        """s_ij = q_i·k_j/√d."""
        return dot(self.q[h][i], self.k[h][j]) / math.sqrt(self.head_width)


def attend(
    case: Case,
    score: Score,
    *,
    weigh: Callable[[Vector], Vector] | None = None,
    value: Callable[[int, int, int], Vector] | None = None,
) -> Cube:
    """out_i = Σ_j α_ij v_j over the places j that i sees, with α_i = softmax of the scores of i, for the places that ask.

    ``weigh`` replaces the softmax: from the scores of the places seen, in order, to their weights. ``value`` replaces
    v_j: from h, i, j to what is passed on.
    """
    weigh = softmax if weigh is None else weigh
    out: Cube = []
    for h in range(case.num_heads):
        rows: Matrix = []
        for i in case.asking():
            weights = weigh([score(h, i, j) for j in case.seen(i)])
            values = [case.v[h][j] if value is None else value(h, i, j) for j in case.seen(i)]
            rows.append(mixture(weights, values))
        out.append(rows)
    return out


def plain(case: Case) -> Cube:
    """Return attention with scores q_i·k_j/√d and nothing else."""
    return attend(case, case.similarity)


def softmax(scores: Vector) -> Vector:
    """e^{s_j} / Σ_l e^{s_l}."""
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def mixture(weights: Vector, vectors: Matrix) -> Vector:
    """Σ_t weight_t · vector_t."""
    return [sum(w * vector[c] for w, vector in zip(weights, vectors, strict=True)) for c in range(len(vectors[0]))]


def dot(a: Vector, b: Vector) -> float:
    """Σ_c a_c b_c."""
    return sum(a_c * b_c for a_c, b_c in zip(a, b, strict=True))


def plus(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return [a_c + b_c for a_c, b_c in zip(a, b, strict=True)]


def affine(vector: Vector, matrix: Matrix, shift: Vector) -> Vector:
    """Σ_c vector_c · matrix_c + shift: the rows of the matrix belong to the inputs."""
    return plus(mixture(vector, matrix), shift)


def sigmoid(z: float) -> float:
    """1 / (1 + e^{−z})."""
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def softplus(z: float) -> float:
    """log(1 + e^z)."""
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))
