"""Counts by how they are computed, their sizes, and what deciding their signs asks of rounding."""

from __future__ import annotations

from functools import cached_property

from .circuit import Decision


class Split:
    """The terms of a count: averages, truths near by, choices, and a constant. It is complete before anything is asked."""

    def __init__(self) -> None:
        self.averages: dict[int, int] = {}
        self.near: dict[tuple[int, int], int] = {}
        self.gates: dict[tuple[int, Split], int] = {}
        self.constant = 0

    def add(self, table: dict, key: object, factor: int) -> None:  # type: ignore[type-arg]
        """Add a term; terms that cancel out disappear."""
        table[key] = table.get(key, 0) + factor
        if not table[key]:
            del table[key]

    @cached_property
    def is_averaged(self) -> bool:
        """Whether any part of it grows with the word."""
        return bool(self.averages) or any(inside.is_averaged for _, inside in self.gates)

    @cached_property
    def near_weight(self) -> float:
        """The size of all looking back together."""
        return float(sum(abs(factor) for (distance, _), factor in self.near.items() if distance)) + sum(
            size * inside.near_weight for size, inside in self._insides
        )

    @cached_property
    def bound(self) -> float:
        """A bound on the count divided by m, and on the count itself if it is not averaged."""
        return self._own + self._gate_bound

    @cached_property
    def decision(self) -> Decision:
        """What deciding the sign of this count asks of rounding."""
        if not self.is_averaged:
            return Decision(averaged=False, small=self.bound)
        near = float(sum(map(abs, self.near.values())))
        cancelled = min(self._own, self._gate_bound) if self.averages else 0.0  # an average that a choice can balance
        return Decision(
            averaged=True,
            spread=self._spread,
            constant=self._constant,
            small=near if self.averages else near + abs(self.constant),
            terms=self._num_terms,
            gated=self._gated + cancelled,
            gated_sums=self._gated_sums + 2 * self._num_terms * self._gate_bound,
            nested=self._nested,
        )

    @cached_property
    def _insides(self) -> tuple[tuple[int, Split], ...]:
        """The size of the factor of every choice, and what passes it."""
        return tuple((abs(factor), inside) for (_, inside), factor in self.gates.items())

    @cached_property
    def _own(self) -> float:
        """A bound on what passes no choice."""
        factors = (*self.averages.values(), *self.near.values(), self.constant)
        return float(sum(map(abs, factors)))

    @cached_property
    def _gate_bound(self) -> float:
        """A bound on what passes a choice."""
        return float(sum(size * inside.bound for size, inside in self._insides))

    @cached_property
    def _spread(self) -> float:
        """A bound on what one token adds to the sums that are averaged."""
        up = sum(factor for factor in self.averages.values() if factor > 0)
        down = -sum(factor for factor in self.averages.values() if factor < 0)
        return float(max(up, down)) + sum(size * inside._spread for size, inside in self._insides)

    @cached_property
    def _constant(self) -> float:
        """A bound on what token 0 adds to these sums."""
        return float(abs(self.constant)) + sum(size * inside._constant for size, inside in self._insides)

    @cached_property
    def _num_terms(self) -> int:
        """How many numbers are added up: the average or the constant, the half, truths near by, choices."""
        return 2 + len(self.near) + len(self.gates)

    @cached_property
    def _gated(self) -> float:
        """The sizes at which counts are kept on their way through choices: before each, and after it."""
        return float(sum(size * (inside._own + inside._gated + inside.bound) for size, inside in self._insides))

    @cached_property
    def _gated_sums(self) -> float:
        """The sizes of the sums behind choices: each term times how often it is rounded while they are made."""
        total = 0.0
        for size, inside in self._insides:
            in_unit = (
                5 * (inside._num_terms + 2) * inside.bound
            )  # the count, and twice a power of 2 of at most its bound
            total += size * (in_unit + 2 * sum(map(abs, inside.near.values())) + inside._gated_sums)
        return total

    @cached_property
    def _nested(self) -> int:
        return max((1 + inside._nested for _, inside in self._insides), default=0)
