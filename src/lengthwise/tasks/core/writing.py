"""How a task writes numbers, which formats must know: the order of digits, and what an answer is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ...arrays import Array

DIGITS = tuple("0123456789")


class Order(StrEnum):
    """How the digits of a number follow each other."""

    MOST_FIRST = "most significant first"
    LEAST_FIRST = "least significant first"

    @property
    def reversed(self) -> Order:
        """The other order."""
        return Order.LEAST_FIRST if self is Order.MOST_FIRST else Order.MOST_FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Where a task writes numbers, a number being an unbroken run of digits.

    ``prompt`` and ``answer`` are the orders of their digits, None where digits form no numbers of several places.
    """

    prompt: Order | None = None
    answer: Order | None = None
    is_one_number: bool = False
    """Whether the answer is one number without a sign, and nothing else."""
    hints_count_places: bool = False
    """Whether index hints count the places of digits, not those of symbols in the text."""
    prompt_digits: Callable[[Array], Array] | None = None
    """How many digits a number of the prompt can have, for one length or an array; None if not more than the answer."""


NO_NUMBERS = Writing()
NUMBERS = Writing(prompt=Order.MOST_FIRST, answer=Order.MOST_FIRST)
ONE_NUMBER = Writing(answer=Order.MOST_FIRST, is_one_number=True)
ARITHMETIC = Writing(prompt=Order.MOST_FIRST, answer=Order.MOST_FIRST, is_one_number=True, hints_count_places=True)
