"""What a limit transformer knows of positions: vectors p_i that are added to the input, functions φ(j, i) of key and query.

Both come as data, for which PERIODIC and LOCAL can be read off, and as arbitrary functions, for which they can only be
refuted, or found to hold as far as one has looked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidOptionError

Vector = NDArray[np.float64]


class Positions(ABC):
    """Vectors p_0, p_1, p_2, …, all of one width."""

    @abstractmethod
    def at(self, position: int) -> Vector:
        """Return the vector of a position."""

    def rows(self, positions: NDArray[np.int64]) -> Vector:
        """Return the vectors of these positions, one below the other."""
        return np.stack([self.at(int(each)) for each in positions])


@dataclass(frozen=True, slots=True)
class PeriodicPositions(Positions):
    """p_i is row i modulo the number of rows."""

    table: Vector

    def __post_init__(self) -> None:
        if self.table.ndim != 2 or not self.table.shape[0]:
            raise InvalidOptionError(
                f"positions are a table with one row or more; found an array of shape {self.table.shape}.",
                hint="give np.zeros((1, width)) for no positions.",
            )

    def at(self, position: int) -> Vector:
        """Return the vector of a position."""
        row: Vector = self.table[position % len(self.table)]
        return row

    def rows(self, positions: NDArray[np.int64]) -> Vector:
        """Return the vectors of these positions, one below the other."""
        rows: Vector = self.table[positions % len(self.table)]
        return rows


@dataclass(frozen=True, slots=True)
class AnyPositions(Positions):
    """p_i is whatever a function says."""

    function: Callable[[int], Vector]

    def at(self, position: int) -> Vector:
        """Return the vector of a position."""
        return self.function(position)


class Relation(ABC):
    """A positional function φ(j, i), j the key and i ≥ j the query."""

    @abstractmethod
    def at(self, key: int, query: int) -> float:
        """Return the value for a key and a query."""

    def block(self, keys: NDArray[np.int64], queries: NDArray[np.int64]) -> Vector:
        """Return the values for all pairs, a row for each query."""
        return np.array([[self.at(int(j), int(i)) for j in keys] for i in queries], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class LocalRelation(Relation):
    """φ(j, i) by the distance i − j: some distances have a value, all others 0."""

    values: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        distances = [distance for distance, _ in self.values]
        if len(set(distances)) < len(distances) or any(type(each) is not int or each < 0 for each in distances):
            raise InvalidOptionError(
                f"distances are different whole numbers from 0 on; found {distances}.", hint="name each of them once."
            )

    def at(self, key: int, query: int) -> float:
        """Return the value for a key and a query."""
        return dict(self.values).get(query - key, 0.0)

    def block(self, keys: NDArray[np.int64], queries: NDArray[np.int64]) -> Vector:
        """Return the values for all pairs, a row for each query."""
        distance = queries[:, None] - keys[None, :]
        found = np.zeros(distance.shape)
        for each, value in self.values:
            found[distance == each] = value
        return found

    @property
    def reach(self) -> int:
        """The largest distance with a value other than 0."""
        return max((distance for distance, value in self.values if value), default=0)


@dataclass(frozen=True, slots=True)
class AnyRelation(Relation):
    """φ(j, i) is whatever a function says."""

    function: Callable[[int, int], float]

    def at(self, key: int, query: int) -> float:
        """Return the value for a key and a query."""
        return self.function(key, query)


NO_RELATION = LocalRelation()
