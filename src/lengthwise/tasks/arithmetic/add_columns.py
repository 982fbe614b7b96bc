"""Sums of numbers whose digits stand in columns, all from the least significant digit on."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ..arithmetic import numbers
from ..arithmetic.decimal import DIGITS, AddPlain
from ..core.family import Family, Group
from ..core.row_functions import batch_of, is_inside, uniform
from ..core.stretched import StretchedTask
from ..core.task import SEP, Batch
from .circuits import DEFAULT_BASE, addition_problem


class AddColumns(StretchedTask):
    """The sum of two numbers, all from the least significant digit on: that of every column needs what stands in it, and before."""

    min_length = 1
    citation = "after arXiv 2510.04130"
    facts = AddPlain.facts

    def __init__(self, base: int = DEFAULT_BASE, sizes: str = "equal") -> None:
        self.base, self.is_equal = base, sizes == "equal"
        self.name = shortest_name("add_columns", [base, sizes], [DEFAULT_BASE, "equal"])
        self.symbols = (*DIGITS[:base], "+")
        second = (
            "of n uniform digits each" if self.is_equal else "one of n uniform digits, the other, either, of 1 to n"
        )
        self.definition = (
            f"x+y in base {base}, {second}; then the n+1 digits of the sum, all from the least significant one on"
        )
        self.length_means = (
            "the number of digits of x and of y" if self.is_equal else "the number of digits of the longer"
        )

    def input_length(self, length: Array) -> Array:
        """Return the symbols of x+y, if both are equally long."""
        return 2 * length + 1

    def answer_length(self, length: Array) -> Array:
        """Return one digit more than the longer number has."""
        return length + 1

    def scored(self, length: int) -> range:
        """Return the places of the separator and of the answer; where numbers differ in size, all that there can be."""
        return range((2 * length if self.is_equal else length + 1) + 2, self.size(length) - 1)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum, backwards, with zeros at its end."""
        one, two = "".join(prompt).split("+")
        total = int(one[::-1], self.base) + int(two[::-1], self.base)
        told = []
        for _ in range(max(len(one), len(two)) + 1):
            total, digit = divmod(total, self.base)
            told.append(str(digit))
        return told

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return two numbers, their sum and how many symbols the numbers take."""
        width = max_length + 1
        batch = batch_of(draw, lengths_MB)
        sizes = [lengths_MB, lengths_MB]
        if not self.is_equal:
            shorter = draw.named("shorter").integers(lengths_MB, batch) + 1
            is_first = draw.named("first").integers(2, batch) == 1
            sizes = [xp.where(is_first, shorter, lengths_MB), xp.where(is_first, lengths_MB, shorter)]
        rows = [
            xp.where(is_inside(size, width, xp), uniform(draw.named(name), self.base, lengths_MB, width), 0)
            for name, size in zip(("one", "two"), sizes, strict=True)
        ]
        parts = ((rows[0], sizes[0]), self.token("+"), (rows[1], sizes[1]))
        prompt, size = numbers.joined(parts, lengths_MB, 2 * max_length + 1, xp)
        return prompt, numbers.add(rows[0], rows[1], self.base, xp), size

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for the digits of one significance, the least significant having role 1."""
        tokens = batch.tokens_MBL
        place = xp.broadcast(xp.arange(tokens.shape[-1]), tuple(tokens.shape))
        is_sign = (tokens == self.token("+")) | (tokens == self.token(SEP))
        return place - xp.running_max_last(xp.where(is_sign, place, 0))


_BASE = Parameter(name="base", default=DEFAULT_BASE, meaning="the base", low=2, high=10)
_SIZES = Parameter(name="sizes", default="equal", meaning="how long the numbers are", words=("equal", "unequal"))

FAMILIES: tuple[Family, ...] = (
    Family(
        name="add_columns",
        group=Group.ARITHMETIC,
        make=AddColumns,
        parameters=(_BASE, _SIZES),
        problem=lambda base, sizes: addition_problem(base) if sizes == "equal" else None,
    ),
)
