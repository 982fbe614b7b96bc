"""The limit transformer as data: finitely many layers, heads and numbers, for words of every length.

As we understand arXiv 2410.02140, with N tokens, of which the first is the beginning-of-word token:

    y_i      = E[x_i] + p_i
    a_ij     = (K y_j) · (Q y_i) + φ(j, i)                                  for every key j ≤ i and every head
    Y_i      = y_i + Σ_heads Σ_j N^a_ij V y_j / Σ_j N^a_ij                  since exp(a log N) = N^a
    y_i      ← Y_i + B ψ(A Y_i + b)                                         ψ is ReLU or Heaviside, unit by unit
    output_i = U y_i

There is no layer norm. All numbers have finitely many bits; logits and N^a can be rounded to ``fraction_bits``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidOptionError
from .positions import NO_RELATION, AnyPositions, AnyRelation, LocalRelation, PeriodicPositions, Positions, Relation

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One head: keys and queries [k, d], values [d, d], and its positional function."""

    keys: Matrix
    queries: Matrix
    values: Matrix
    relation: Relation = NO_RELATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Heads, then a hidden layer: A [f, d], b [f], B [d, f], and which units are Heaviside steps, the others ReLU."""

    heads: tuple[Head, ...]
    into: Matrix
    shift: Matrix
    out_of: Matrix
    is_step: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitTransformer:
    """Embeddings [V, d], positions, layers, and the readout [outputs, d]."""

    embeddings: Matrix
    positions: Positions
    layers: tuple[Layer, ...]
    readout: Matrix
    fraction_bits: int | None = None

    def __post_init__(self) -> None:
        width = self.width
        self._require("the readout", self.readout.shape[1:], (width,))
        self._require("a position", self.positions.at(0).shape, (width,))
        for layer in self.layers:
            hidden = len(layer.shift)
            self._require("a hidden layer", layer.into.shape, (hidden, width))
            self._require("a hidden layer's way back", layer.out_of.shape, (width, hidden))
            self._require("the choice of activations", layer.is_step.shape, (hidden,))
            for head in layer.heads:
                self._require("keys and queries", head.keys.shape, (len(head.queries), width))
                self._require("queries", head.queries.shape[1:], (width,))
                self._require("values", head.values.shape, (width, width))
        for matrix in self.parameters():
            if not np.isfinite(matrix).all():
                raise InvalidOptionError("a parameter is not a finite number.", hint="give finite numbers.")

    @staticmethod
    def _require(what: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        if found != wanted:
            raise InvalidOptionError(
                f"{what} of shape {found} does not fit; {wanted} is needed.",
                hint="every part has the width of the stream.",
            )

    @property
    def width(self) -> int:
        """The width of the stream."""
        return int(self.embeddings.shape[1])

    def parameters(self) -> Iterator[Matrix]:
        """Yield every matrix, and the positions and relations that are data."""
        yield self.embeddings
        if isinstance(self.positions, PeriodicPositions):
            yield self.positions.table
        for layer in self.layers:
            yield from (layer.into, layer.shift, layer.out_of)
            for head in layer.heads:
                yield from (head.keys, head.queries, head.values)
                if isinstance(head.relation, LocalRelation):
                    yield np.array([value for _, value in head.relation.values])
        yield self.readout

    @property
    def num_parameters(self) -> int:
        """How many parameters there are that are not 0."""
        return sum(int(np.count_nonzero(matrix)) for matrix in self.parameters())

    @property
    def precision(self) -> int:
        """How many bits a parameter takes: a sign, and all bits between the largest and the finest one in use."""
        finest, largest = 0, 1
        for matrix in self.parameters():
            for value in {float(each) for each in matrix.flat if each}:
                numerator, denominator = value.as_integer_ratio()
                finest = max(finest, denominator.bit_length() - 1)
                largest = max(largest, frexp(abs(numerator) / denominator)[1])
        return 1 + largest + finest

    @property
    def reach(self) -> int | None:
        """The largest distance at which a positional function is not 0; None if that is not known."""
        relations = [head.relation for layer in self.layers for head in layer.heads]
        if any(isinstance(each, AnyRelation) for each in relations):
            return None
        return max((each.reach for each in relations if isinstance(each, LocalRelation)), default=0)

    @property
    def period(self) -> int | None:
        """The period of the positions; None if that is not known."""
        if isinstance(self.positions, AnyPositions) or not isinstance(self.positions, PeriodicPositions):
            return None
        table = self.positions.table
        rows = len(table)
        return next(each for each in range(1, rows + 1) if not rows % each and (table == np.roll(table, each, 0)).all())

    def facts(self) -> dict[str, int | None]:
        """Return what it is, in numbers."""
        return {
            "layers": len(self.layers),
            "heads": max((len(layer.heads) for layer in self.layers), default=0),
            "width": self.width,
            "hidden_units": max((len(layer.shift) for layer in self.layers), default=0),
            "precision_bits": self.precision,
            "period": self.period,
            "largest_distance": self.reach,
            "parameters": self.num_parameters,
        }

    def __str__(self) -> str:
        facts = self.facts()
        shown = {key: "unknown" if value is None else f"{value:,}" for key, value in facts.items()}
        return (
            f"limit transformer: layers {shown['layers']}, heads {shown['heads']}, width {shown['width']}, "
            f"{shown['precision_bits']} bits a parameter, period {shown['period']}, "
            f"largest distance {shown['largest_distance']}, {shown['parameters']} parameters that are not 0"
        )
