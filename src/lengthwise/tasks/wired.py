"""Tasks written as the circuits of theory/positions are wired: what an answer reads stands at places that the length gives.

``<sep>`` takes the place of the circuits' `=`, and the length is their scale n, which need not be the number of symbols of
the input. Sums of numbers that are not equally long are the exception: there no place is given by the length alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..errors import InvalidOptionError
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from . import numbers
from .decimal import BITS, DIGITS, AddPlain
from .family import Family, Group, Parameter, shortest_name
from .ordering import RearrangedTask
from .pieces import at, batch_of, is_inside, places, running_count, uniform
from .scratchpads import random_bits
from .task import SEP, AnswerTask, Batch

FILLER = "_"
DEFAULT_COLUMNS, DEFAULT_OFFSET, DEFAULT_BASE = 3, 128, 10
_CITATION = "after arXiv 2510.04130"


class SwapPairs(RearrangedTask):
    """The two symbols of every pair exchanged."""

    name = "swap_pairs"
    definition = (
        "random symbols out of a and b, the two of every pair exchanged; the last of an odd number stays where it is"
    )
    length_means = "the number of symbols to rearrange"
    citation = _CITATION

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the pairs backwards, one after the other."""
        return [symbol for start in range(0, len(prompt), 2) for symbol in reversed(prompt[start : start + 2])]

    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:
        """Return the other place of the pair, if there is one."""
        other = place + 1 - 2 * (place % 2)
        return xp.where(other < length, other, place)


class StretchedTask(AnswerTask):
    """A task whose input has another number of symbols than its length says."""

    @abstractmethod
    def input_length(self, length: Array) -> Array:
        """Return how many symbols an input of this length has, at most; for one length or an array."""

    def size(self, length: int) -> int:
        """Return how many tokens an instance of this length has, at most."""
        return int(self.input_length(length) + self.answer_length(length) + 3)

    def scored(self, length: int) -> range:
        """Return the places of the separator and of the answer, where the next token is asked for."""
        return range(int(self.input_length(length)) + 1, self.size(length) - 1)

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances of these lengths, wide enough for ``max_length``."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        inputs, answers, *shorter = self.draw_inputs(draw, lengths_MB, max_length, xp)
        input_MB = shorter[0] if shorter else self.input_length(lengths_MB)
        answer_MB = self.answer_length(lengths_MB)
        framed = self._frame(inputs, input_MB, answers, answer_MB, self.size(max_length), xp)
        return Batch(
            tokens_MBL=framed.tokens_MBL,
            targets_MBL=framed.targets_MBL,
            sizes_MB=framed.sizes_MB,
            scale_MB=lengths_MB,
        )


class Transpose(StretchedTask):
    """A grid written row by row, then column by column."""

    symbols = ("a", "b")
    min_length = 1
    citation = _CITATION
    facts = RearrangedTask.facts

    def __init__(self, columns: int = DEFAULT_COLUMNS) -> None:
        self.columns = columns
        self.name = shortest_name("transpose", [columns], [DEFAULT_COLUMNS])
        self.definition = (
            f"a grid of {columns} columns, written row by row in random symbols out of a and b; then column by column"
        )
        self.length_means = f"the number of rows; the grid has {columns} times as many symbols"

    def input_length(self, length: Array) -> Array:
        """Return the number of symbols of the grid."""
        return length * self.columns

    def answer_length(self, length: Array) -> Array:
        """Return the number of symbols of the grid."""
        return length * self.columns

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the columns, one after the other."""
        return [symbol for column in range(self.columns) for symbol in prompt[column :: self.columns]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return fair coin flips, and the same column by column."""
        width = max_length * self.columns
        grid = uniform(draw.named("grid"), 2, lengths_MB, width)
        return grid, at(grid, self.sources(places(lengths_MB, width, xp), lengths_MB[..., None]), xp)

    def sources(self, place: Array, rows: Array) -> Array:
        """Return for places of the answer, from 0 on, which place of the input they repeat."""
        return place % rows * self.columns + place // rows

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a symbol and its repetition; the separator has none, the end one of its own."""
        rows = batch.scale_MB[..., None]
        size = rows * self.columns
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        number = place - size - 2
        source = xp.where(number < size, self.sources(xp.where(number < 0, 0, number), rows), number)
        return xp.where(place <= size, place, xp.where(number < 0, 0, source + 1))


class AlignedParityTrace(StretchedTask):
    """The parity of the bits so far, where the separator always stands at one place."""

    symbols = (*BITS, FILLER)
    min_length = 1
    length_means = "the number of bits, without what fills the input up"
    citation = "arXiv 2510.04130"
    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.PERIODIC_LOCAL,
                answer=Answer.UNKNOWN,
                theorem="open",
                reason="all inputs are filled up to one size, so that there are finitely many, of which no theorem here speaks.",
            ),
        )
    )

    def __init__(self, offset: int = DEFAULT_OFFSET) -> None:
        self.offset = offset
        self.name = shortest_name("parity_cot_aligned", [offset], [DEFAULT_OFFSET])
        self.definition = (
            f"bits, filled up with {FILLER} to {offset} symbols; then, after each bit, the number of 1s so far modulo 2; the "
            "number of 1s is uniform"
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; more bits than there is room for cannot be written."""
        if high > self.offset:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: its inputs have {self.offset} symbols.",
                hint=f"use lengths up to {self.offset}, or larger inputs: parity_cot_aligned({high}).",
            )
        return super().lengths(low, high)

    def input_length(self, length: Array) -> Array:
        """Return the size of every input."""
        return length * 0 + self.offset

    def answer_length(self, length: Array) -> Array:
        """Return the number of bits."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the parities of all prefixes."""
        bits = [symbol for symbol in prompt if symbol != FILLER]
        return [str(bits[:end].count("1") % 2) for end in range(1, len(bits) + 1)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits with a uniform number of 1s, filled up, and their parities."""
        bits = random_bits(draw, lengths_MB, max_length, xp)
        filled = xp.where(is_inside(lengths_MB, max_length, xp), bits, self.token(FILLER))
        return at_or(filled, self.token(FILLER), self.offset, xp), running_count(bits == 1, xp) % 2

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a bit and the parity up to it; what fills the input up has none."""
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        told = xp.where(place <= batch.scale_MB[..., None], place, 0)
        return xp.where(place <= self.offset, told, place - self.offset - 1)


def at_or(values_MBN: Array, other: int, width: int, xp: Arrays) -> Array:
    """Return rows that are wider, with something else behind their end, [M, B, width]."""
    place = xp.broadcast(xp.arange(width), (*values_MBN.shape[:-1], width))
    return xp.where(place < values_MBN.shape[-1], at(values_MBN, place, xp), other)


class AddColumns(StretchedTask):
    """The sum of two numbers, all from the least significant digit on: that of every column needs what stands in it, and before."""

    min_length = 1
    citation = _CITATION
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


_COLUMNS = Parameter(name="columns", default=DEFAULT_COLUMNS, meaning="the number of columns", low=2, high=100)
_OFFSET = Parameter(
    name="offset", default=DEFAULT_OFFSET, meaning="the number of symbols of every input", low=1, high=10_000
)
_BASE = Parameter(name="base", default=DEFAULT_BASE, meaning="the base", low=2, high=10)
_SIZES = Parameter(name="sizes", default="equal", meaning="how long the numbers are", words=("equal", "unequal"))

FAMILIES: tuple[Family, ...] = (
    Family(name="swap_pairs", group=Group.COPYING, make=SwapPairs),
    Family(name="transpose", group=Group.COPYING, make=Transpose, parameters=(_COLUMNS,)),
    Family(name="add_columns", group=Group.ARITHMETIC, make=AddColumns, parameters=(_BASE, _SIZES)),
    Family(name="parity_cot_aligned", group=Group.SCRATCHPADS, make=AlignedParityTrace, parameters=(_OFFSET,)),
)
