"""What tasks on clauses share: lengths of whole clauses, names that are all different, and what theory says of either."""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError
from ...theory.facts import Facts
from .cited import answered_at_fixed_alphabet
from .row_functions import at, behind, places
from .task import OneSymbolTask

NAMES = 100
"""How many names for persons, nodes and gates there are."""

FIXED_NAMES = Facts(cited=(answered_at_fixed_alphabet("a fixed number of names limits the length"),))
"""For tasks with names: how many there are bounds the length."""


class ClauseTask(OneSymbolTask):
    """A task whose inputs are clauses of one size and a rest: lengths are ``min_length`` and whole clauses more.

    The answer is one symbol unless a task says otherwise.
    """

    clause: int
    """How many symbols one more step of the problem takes."""
    max_length: int | None = None
    """The length at which names run out."""

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths with a whole number of clauses, for which there are names enough."""
        if self.max_length is not None and high > self.max_length:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: its names suffice for length {self.max_length}.",
                hint=f"use lengths up to {self.max_length}.",
            )
        return tuple(length for length in super().lengths(low, high) if (length - self.min_length) % self.clause == 0)


def clauses(columns: list[Array], num_MB: Array, tail: list[Array], width: int, xp: Arrays) -> Array:
    """Return rows of clauses, given by their columns [M, B, C], and behind so many of them the tail, one [M, B] each."""
    shape = tuple(columns[0].shape[:-1])
    flat = xp.stack_last(columns).reshape((*shape, columns[0].shape[-1] * len(columns)))
    if not tail:
        return at(flat, places(num_MB, width, xp), xp)
    return behind(flat, num_MB * len(columns), xp.stack_last(tail), width, xp)


def constant(number: int, shape: tuple[int, ...], xp: Arrays) -> Array:
    """Return an array of one number."""
    return xp.broadcast(xp.asarray(number), shape)
