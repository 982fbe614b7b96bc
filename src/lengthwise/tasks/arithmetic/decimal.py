"""Sums, differences and products of written numbers.

The most significant digit comes first unless a task says otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from ...arrays import Array, Arrays
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ..core.cited import excluded_by_communication
from ..core.family import Family, Group
from ..core.row_functions import along, at, batch_of, places, uniform
from ..core.task import AnswerTask, Batch
from ..core.writing import ARITHMETIC, Order
from . import numbers
from .circuits import LEADING_ZEROS, addition_plain_problem

DIGITS = tuple("0123456789")
BITS = ("0", "1")


def spelled(value: int, base: int = 10, size: int = 0) -> list[str]:
    """Return a number in base 10 or 2 as symbols, with leading zeros up to a size."""
    return list(f"{value:b}".zfill(size) if base == 2 else str(value).zfill(size))


class SplitPair(AnswerTask):
    """Two numbers without leading zeros, the length of the first uniform, and what is made of them."""

    writing = ARITHMETIC
    sign: str
    base = 10
    min_length = 4

    def __init__(self) -> None:
        self.symbols = (*(BITS if self.base == 2 else DIGITS), self.sign, "=")
        self.length_means = f"the number of symbols of x{self.sign}y="

    def answer_length(self, length: Array) -> Array:
        """Return as many as both numbers have together."""
        return length - 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the result."""
        one, two = "".join(prompt).rstrip("=").split(self.sign)
        return spelled(self.value(int(one, self.base), int(two, self.base)), self.base)

    @abstractmethod
    def value(self, one: int, two: int) -> int:
        """Return the result, in plain Python."""

    @abstractmethod
    def result(self, one: Array, two: Array, xp: Arrays) -> tuple[Array, Array | None]:
        """Return the digits of the result, and 1 where it is negative; None if it never is."""

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return two numbers with their signs, the result and its length."""
        first_MB = draw.named("split").integers(lengths_MB - 3, batch_of(draw, lengths_MB)) + 1
        sizes = (first_MB, lengths_MB - 2 - first_MB)
        width = max_length - 2
        one, two = (
            numbers.random_number(draw.named(name), size, width, xp, self.base)
            for name, size in zip(("one", "two"), sizes, strict=True)
        )
        one, two = self.changed(one, two, xp.where(sizes[0] < sizes[1], sizes[0], sizes[1]), draw, xp)
        texts = [self.write(number, size, width, xp) for number, size in zip((one, two), sizes, strict=True)]
        parts = ((texts[0], sizes[0]), self.token(self.sign), (texts[1], sizes[1]), self.token("="))
        prompt, _ = numbers.joined(parts, lengths_MB, max_length, xp)
        result, negative = self.result(one, two, xp)
        size = numbers.num_digits(result, xp)
        answer = self.write(result, size, width, xp)
        if negative is None:
            return prompt, answer, size
        minus = (along(lengths_MB * 0 + self.token(self.sign), 1, xp), negative)
        return prompt, *numbers.joined((minus, (answer, size)), lengths_MB, width, xp)

    def changed(
        self,
        one: Array,
        two: Array,
        sizes_MB: Array,  # noqa: ARG002
        draw: Draw,  # noqa: ARG002
        xp: Arrays,  # noqa: ARG002
    ) -> tuple[Array, Array]:
        """Return both numbers, the smaller of which has so many digits, after a change of their digits; here there is none."""
        return one, two

    def write(self, number: Array, sizes_MB: Array, width: int, xp: Arrays) -> Array:
        """Return the digits of a number in the order in which they are written."""
        return numbers.written(number, sizes_MB, width, xp)


UNIFORM_DIGITS, LONG_CARRIES = "uniform", "carries"
_CARRIES = "in half of the instances some digits below the leading ones add up to 9 and get a carry from below"


def _addition_name(written: str, drawn: str) -> str:
    return shortest_name("add_decimal", [written, drawn], ["plain", LONG_CARRIES])


class AddPlain(SplitPair):
    """The sum of two decimal numbers."""

    written = "plain"
    how = "x+y= in decimal, then the sum; no leading zeros, the length of x uniform"
    sign = "+"
    revision = 2
    citation = "arXiv 2307.03381"
    facts = excluded_by_communication(
        "If all other numbers are 0, the answer is the first one, so the answer needs every digit of it"
    )

    def __init__(self, drawn: str = LONG_CARRIES) -> None:
        super().__init__()
        self.drawn, self.name = drawn, _addition_name(self.written, drawn)
        self.definition = self.how if drawn == UNIFORM_DIGITS else f"{self.how}; {_CARRIES}"

    def changed(self, one: Array, two: Array, sizes_MB: Array, draw: Draw, xp: Arrays) -> tuple[Array, Array]:
        """Return numbers with long carries, unless all digits are to be uniform."""
        if self.drawn == UNIFORM_DIGITS:
            return one, two
        return numbers.with_carries(one, two, sizes_MB - 1, draw.named("carries"), xp)

    def value(self, one: int, two: int) -> int:
        """Return the sum."""
        return one + two

    def result(self, one: Array, two: Array, xp: Arrays) -> tuple[Array, None]:
        """Return the sum."""
        return numbers.add(one, two, 10, xp), None


class AddAllReversed(AddPlain):
    """The sum of two decimal numbers, all written from the least significant digit on."""

    writing = replace(ARITHMETIC, prompt=Order.LEAST_FIRST, answer=Order.LEAST_FIRST)
    written = "all_reversed"
    how = (
        "x+y= in decimal, then the sum, all from the least significant digit on; no needless zeros, length of x uniform"
    )
    citation = "arXiv 2405.17399"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum, backwards."""
        one, two = "".join(prompt).rstrip("=").split("+")
        return spelled(int(one[::-1]) + int(two[::-1]))[::-1]

    def write(self, number: Array, sizes_MB: Array, width: int, xp: Arrays) -> Array:
        """Return the digits from the least significant one on."""
        return at(number, places(sizes_MB, width, xp), xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for the digits of one significance, the least significant having role 1."""
        tokens = batch.tokens_MBL
        place = xp.broadcast(xp.arange(tokens.shape[-1]), tuple(tokens.shape))
        start = xp.running_max_last(
            xp.where((place > 0) & (tokens >= 10) & (place <= batch.scale_MB[..., None] + 1), place, 0)
        )
        return place - start


class AlignedPair(AnswerTask):
    """Two rows of n symbols, written x∘y=; the length is 2n + 2."""

    writing = ARITHMETIC
    sign: str
    min_length = 4

    def __init__(self) -> None:
        self.length_means = f"the number of symbols of x{self.sign}y=: twice that of x, and 2"

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: x and y are equally long."""
        return tuple(length for length in super().lengths(low, high) if length % 2 == 0)

    def ask(self, texts: Sequence[Array], lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return the prompt for two rows as they are written."""
        size_MB = lengths_MB // 2 - 1
        parts = ((texts[0], size_MB), self.token(self.sign), (texts[1], size_MB), self.token("="))
        return numbers.joined(parts, lengths_MB, max_length, xp)[0]

    def halves(self, prompt: Sequence[str]) -> tuple[str, str]:
        """Return x and y, as the oracle reads them."""
        one, two = "".join(prompt).rstrip("=").split(self.sign)
        return one, two


def padded_numbers(draw: Draw, sizes_MB: Array, width: int, xp: Arrays) -> tuple[Array, Array]:
    """Return two decimal numbers, of which one has so many digits and the other, either of them, a uniform number up to it."""
    batch = batch_of(draw, sizes_MB)
    shorter = draw.named("shorter").integers(sizes_MB, batch) + 1
    is_first = draw.named("first").integers(2, batch) == 1
    one = numbers.random_number(draw.named("one"), xp.where(is_first, shorter, sizes_MB), width, xp)
    two = numbers.random_number(draw.named("two"), xp.where(is_first, sizes_MB, shorter), width, xp)
    return one, two


class AddPadded(AlignedPair):
    """The sum of two decimal numbers with leading zeros."""

    written = "padded"
    how = (
        "x+y= in decimal with leading zeros to n digits, then the sum to n+1; one number has n digits, the other 1 to n"
    )
    sign = "+"
    symbols = (*DIGITS, "+", "=")
    citation = "arXiv 2307.03381"
    facts = AddPlain.facts
    revision = 2

    def __init__(self, drawn: str = LONG_CARRIES) -> None:
        super().__init__()
        self.drawn, self.name = drawn, _addition_name(self.written, drawn)
        self.definition = self.how if drawn == UNIFORM_DIGITS else f"{self.how}; {_CARRIES}"

    def answer_length(self, length: Array) -> Array:
        """Return one digit more than each number has."""
        return length // 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum with leading zeros."""
        one, two = self.halves(prompt)
        return spelled(int(one) + int(two), size=len(one) + 1)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return two padded numbers and their sum."""
        width, sizes_MB = max_length // 2, lengths_MB // 2 - 1
        one, two = padded_numbers(draw, sizes_MB, width, xp)
        if self.drawn != UNIFORM_DIGITS:
            shorter = [numbers.num_digits(number, xp) for number in (one, two)]
            smaller = xp.where(shorter[0] < shorter[1], shorter[0], shorter[1])
            one, two = numbers.with_carries(one, two, smaller - 1, draw.named("carries"), xp)
        texts = [numbers.written(number, sizes_MB, width, xp) for number in (one, two)]
        return self.ask(texts, lengths_MB, max_length, xp), self.write(
            numbers.add(one, two, 10, xp), sizes_MB + 1, width, xp
        )

    def write(self, number: Array, sizes_MB: Array, width: int, xp: Arrays) -> Array:
        """Return the digits of the sum in the order in which they are written."""
        return numbers.written(number, sizes_MB, width, xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for the digits of one significance, the most significant digit of the sum having role 1."""
        tokens = batch.tokens_MBL
        place = xp.broadcast(xp.arange(tokens.shape[-1]), tuple(tokens.shape))
        size = batch.scale_MB[..., None] // 2 - 1
        answer = place - (2 * size + 3)
        within = xp.where(place <= size, place, place - size - 1) + 1
        return xp.where(answer > 0, self.answer_role(answer, size, xp), xp.where(tokens < 10, within, 0))

    def answer_role(self, place: Array, size: Array, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the role of the digits of the answer, by their place from 1 on."""
        return place


class AddReversed(AddPadded):
    """The sum of two decimal numbers with leading zeros, the sum alone from its least significant digit on."""

    writing = replace(ARITHMETIC, answer=Order.LEAST_FIRST)
    written = "reversed"
    how = (
        "x+y= in decimal with leading zeros to n digits, then the n+1 digits of the sum, backwards; one number has n digits, "
        "the other 1 to n"
    )
    citation = "arXiv 2405.20671"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum backwards."""
        return super().answer(prompt)[::-1]

    def write(self, number: Array, sizes_MB: Array, width: int, xp: Arrays) -> Array:
        """Return the digits from the least significant one on."""
        return at(number, places(sizes_MB, width, xp), xp)

    def answer_role(self, place: Array, size: Array, xp: Arrays) -> Array:
        """Return the role of the digits of the answer, by their place from 1 on."""
        return xp.where(place <= size + 1, size + 2 - place, 0)


ADDITIONS: dict[str, type[AddPlain] | type[AddPadded]] = {
    "plain": AddPlain,
    "padded": AddPadded,
    "reversed": AddReversed,
    "all_reversed": AddAllReversed,
}


class AddMulti(AnswerTask):
    """The sum of several decimal numbers with leading zeros."""

    writing = ARITHMETIC
    citation = "arXiv 2410.15787"
    symbols = (*DIGITS, "+", "=")
    facts = AddPlain.facts

    def __init__(self, operands: int) -> None:
        self.operands = operands
        self.name = shortest_name("add_multi", [operands], [3])
        self.definition = f"the sum of {operands} numbers of n uniform digits, written with leading zeros"
        self.length_means = f"the number of symbols of x+…+y=: {operands} times n + 1"
        self.min_length = 2 * operands

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: all numbers are equally long."""
        return tuple(length for length in super().lengths(low, high) if length % self.operands == 0)

    def answer_length(self, length: Array) -> Array:
        """Return the digits of each number, and those that carries may add."""
        return length // self.operands - 1 + len(str(self.operands - 1))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum with leading zeros."""
        values = "".join(prompt).rstrip("=").split("+")
        return spelled(sum(map(int, values)), size=len(values[0]) + len(str(self.operands - 1)))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform digits with a sign after each number, and the sum."""
        sizes_MB, width = lengths_MB // self.operands - 1, int(self.answer_length(max_length))
        place = places(lengths_MB, max_length, xp)
        digits = uniform(draw.named("digits"), 10, lengths_MB, max_length)
        period = along(sizes_MB + 1, max_length, xp)
        signs = xp.where(place == lengths_MB[..., None] - 1, self.token("="), self.token("+"))
        prompt = xp.where(place % period == period - 1, signs, digits)
        significance = places(lengths_MB, width, xp)
        sums = significance * 0
        for number in range(self.operands):
            last = (number + 1) * (sizes_MB[..., None] + 1) - 2
            sums = sums + xp.where(significance < sizes_MB[..., None], at(prompt, last - significance, xp), 0)
        total = numbers.carried(sums, 10, 9 * self.operands, xp)
        return prompt, numbers.written(total, self.answer_length(lengths_MB), width, xp)


class Subtract(SplitPair):
    """The difference of two decimal numbers, which may be negative."""

    writing = replace(ARITHMETIC, is_one_number=False)
    name = "subtract"
    definition = (
        "x-y= in decimal, then the difference, with a minus if negative; no leading zeros, the length of x uniform"
    )
    sign = "-"
    citation = "arXiv 2305.19466"
    facts = AddPlain.facts

    def value(self, one: int, two: int) -> int:
        """Return the difference."""
        return one - two

    def result(self, one: Array, two: Array, xp: Arrays) -> tuple[Array, Array]:
        """Return the difference without its sign, and where it is negative."""
        return numbers.distance(one, two, 10, xp)


class Multiply(SplitPair):
    """The product of two numbers."""

    sign = "*"
    facts = excluded_by_communication("With y = 1 the answer is x, so the answer needs every digit of x")

    def __init__(self, name: str, base: int, citation: str) -> None:
        self.name, self.base, self.citation = name, base, citation
        written = {2: "binary", 10: "decimal"}[base]
        self.definition = f"x*y= in {written}, then the product; no leading zeros, the length of x uniform"
        super().__init__()

    def value(self, one: int, two: int) -> int:
        """Return the product."""
        return one * two

    def result(self, one: Array, two: Array, xp: Arrays) -> tuple[Array, None]:
        """Return the product."""
        return numbers.times(one, two, one.shape[-1], self.base, xp), None


FAMILIES: tuple[Family, ...] = (
    Family(
        name="add_decimal",
        group=Group.ARITHMETIC,
        scratchpad="add_cot",
        make=lambda written, drawn: ADDITIONS[written](drawn),
        parameters=(
            Parameter(name="format", default="plain", meaning="how numbers are written", words=tuple(ADDITIONS)),
            Parameter(
                name="digits",
                default=LONG_CARRIES,
                meaning="how digits are drawn",
                words=(LONG_CARRIES, UNIFORM_DIGITS),
            ),
        ),
        problem=lambda written, _: (
            replace(addition_plain_problem(), assumed=LEADING_ZEROS) if written == "plain" else None
        ),
    ),
    Family(
        name="add_multi",
        group=Group.ARITHMETIC,
        make=AddMulti,
        parameters=(Parameter(name="operands", default=3, meaning="how many numbers are added", low=2, high=100),),
    ),
    Family(name="subtract", group=Group.ARITHMETIC, make=Subtract),
    Family(
        name="mul_nxm",
        group=Group.ARITHMETIC,
        scratchpad="mul_cot",
        make=lambda: Multiply("mul_nxm", 10, "arXiv 2405.20671"),
    ),
    Family(
        name="multiply_binary",
        group=Group.ARITHMETIC,
        make=lambda: Multiply("multiply_binary", 2, "arXiv 2207.02098"),
    ),
)
