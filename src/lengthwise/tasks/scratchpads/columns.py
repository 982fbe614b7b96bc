"""Tasks whose answers show their work column by column: sums, products and quotients, with carries and remainders."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..arithmetic import numbers
from ..arithmetic.decimal import DIGITS, AlignedPair, padded_numbers, spelled
from ..core.cited import excluded_by_communication
from ..core.family import Family, Group
from ..core.row_functions import batch_of
from ..core.task import AnswerTask
from ..core.writing import NUMBERS

_TOLD = excluded_by_communication("The steps in the answer reveal every digit of x, so the answer needs all of them")


class AddTrace(AlignedPair):
    """The sum of two decimal numbers, column by column."""

    writing = NUMBERS
    name = "add_cot"
    definition = (
        "x+y= with leading zeros to n digits; then for each place, from the lowest, both digits, the carry into it and the digit "
        "of the sum; then = and the sum to n+1 digits; one number has n digits, the other 1 to n"
    )
    sign = "+"
    symbols = (*DIGITS, "+", "=")
    citation = "arXiv 2307.03381"
    facts = _TOLD

    def answer_length(self, length: Array) -> Array:
        """Return four for each place, one, and the digits of the sum."""
        return 5 * (length // 2 - 1) + 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the columns and the sum."""
        one, two = self.halves(prompt)
        trace, carry = [], 0
        for x, y in zip(reversed(one), reversed(two), strict=True):
            value = int(x) + int(y) + carry
            trace += [x, y, str(carry), str(value % 10)]
            carry = value // 10
        return [*trace, "=", *spelled(int(one) + int(two), size=len(one) + 1)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return two padded numbers, the columns and the sum."""
        width, sizes_MB = max_length // 2, lengths_MB // 2 - 1
        one, two = padded_numbers(draw, sizes_MB, width, xp)
        total = numbers.add(one, two, 10, xp)
        columns = (one, two, (total - one - two) % 10, total)
        parts = (
            _columns(columns, sizes_MB, xp),
            self.token("="),
            (numbers.written(total, sizes_MB + 1, width, xp), sizes_MB + 1),
        )
        answer_width = int(self.answer_length(max_length))
        texts = [numbers.written(number, sizes_MB, width, xp) for number in (one, two)]
        return (
            self.ask(texts, lengths_MB, max_length, xp),
            numbers.joined(parts, lengths_MB, answer_width, xp)[0],
        )


def _columns(columns: Sequence[Array], sizes_MB: Array, xp: Arrays) -> numbers.Part:
    """Return rows that take turns, and how many symbols these are."""
    woven = xp.stack_last(list(columns))
    return woven.reshape((*sizes_MB.shape, -1)), sizes_MB * len(columns)


class _ByDigit(AnswerTask):
    """A long number and one digit, column by column."""

    writing = NUMBERS
    sign: str
    smallest = 0
    """The smallest digit that may stand second."""
    min_length = 4
    citation = "after arXiv 2404.00560"
    facts = _TOLD

    def __init__(self) -> None:
        self.length_means = f"the number of symbols of x{self.sign}d=: the digits of x, and 3"

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return the number and the digit with their signs, the columns and the result."""
        width, sizes_MB = max_length - 2, lengths_MB - 3
        number = numbers.random_number(draw.named("x"), sizes_MB, width, xp)
        digit_MB = draw.named("d").integers(10 - self.smallest, batch_of(draw, lengths_MB)) + self.smallest
        text = numbers.written(number, sizes_MB, width, xp)
        prompt = ((text, sizes_MB), self.token(self.sign), (digit_MB[..., None], lengths_MB * 0 + 1), self.token("="))
        answer = self.trace(number, digit_MB, sizes_MB, xp)
        return (
            numbers.joined(prompt, lengths_MB, max_length, xp)[0],
            numbers.joined(answer, lengths_MB, int(self.answer_length(max_length)), xp)[0],
        )

    @abstractmethod
    def trace(self, number: Array, digit_MB: Array, sizes_MB: Array, xp: Arrays) -> tuple[numbers.Part, ...]:
        """Return the parts of the answer."""


class MultiplyTrace(_ByDigit):
    """The product with one digit, column by column."""

    name = "mul_cot"
    definition = (
        "x*d= without leading zeros; then for each place, from the lowest, the digit of x, the carry into it and the digit of the "
        "product; then = and the product to n+1 digits"
    )
    sign = "*"
    symbols = (*DIGITS, "*", "=")

    def answer_length(self, length: Array) -> Array:
        """Return three for each place, one, and the digits of the product."""
        return 4 * (length - 3) + 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the columns and the product."""
        one, two = "".join(prompt).rstrip("=").split("*")
        trace, carry = [], 0
        for x in reversed(one):
            value = int(x) * int(two) + carry
            trace += [x, str(carry), str(value % 10)]
            carry = value // 10
        return [*trace, "=", *spelled(int(one) * int(two), size=len(one) + 1)]

    def trace(self, number: Array, digit_MB: Array, sizes_MB: Array, xp: Arrays) -> tuple[numbers.Part, ...]:
        """Return the parts of the answer."""
        product = numbers.times_digit(number, digit_MB, 10, xp)
        columns = (number, (product - number * digit_MB[..., None]) % 10, product)
        result = numbers.written(product, sizes_MB + 1, number.shape[-1], xp)
        return _columns(columns, sizes_MB, xp), self.token("="), (result, sizes_MB + 1)


class DivideTrace(_ByDigit):
    """Long division by one digit."""

    name = "div_cot"
    definition = (
        "x/d= without leading zeros, d from 1 to 9; then for each place, from the highest, the remainder so far, the digit of x and "
        "the digit of the quotient; then = and the quotient to n digits, r and the remainder"
    )
    sign = "/"
    smallest = 1
    symbols = (*DIGITS, "/", "=", "r")

    def answer_length(self, length: Array) -> Array:
        """Return three for each place, one, the digits of the quotient, and two."""
        return 4 * (length - 3) + 3

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the columns, the quotient and the remainder."""
        one, two = "".join(prompt).rstrip("=").split("/")
        trace, rest = [], 0
        for x in one:
            value = 10 * rest + int(x)
            trace += [str(rest), x, str(value // int(two))]
            rest = value % int(two)
        return [*trace, "=", *spelled(int(one) // int(two), size=len(one)), "r", str(int(one) % int(two))]

    def trace(self, number: Array, digit_MB: Array, sizes_MB: Array, xp: Arrays) -> tuple[numbers.Part, ...]:
        """Return the parts of the answer."""
        quotient, remainders = numbers.divide(number, digit_MB, 10, xp)
        rows = [numbers.written(row, sizes_MB, number.shape[-1], xp) for row in (remainders[..., 1:], number, quotient)]
        rest = (remainders[..., :1], sizes_MB * 0 + 1)
        return _columns(rows, sizes_MB, xp), self.token("="), (rows[2], sizes_MB), self.token("r"), rest


FAMILIES: tuple[Family, ...] = (
    Family(name="add_cot", group=Group.SCRATCHPADS, make=AddTrace),
    Family(name="mul_cot", group=Group.SCRATCHPADS, make=MultiplyTrace),
    Family(name="div_cot", group=Group.SCRATCHPADS, make=DivideTrace),
)
