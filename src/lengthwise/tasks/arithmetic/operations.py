"""Tasks on one number and a small one (successor, products, quotient, root), and on two numbers that are aligned."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..core.cited import excluded_by_communication
from ..core.family import Family, Group
from ..core.row_functions import batch_of, one_at, places, uniform
from ..core.task import AnswerTask, Task
from ..core.writing import ARITHMETIC, Order, Writing
from ..hard.base import HardAnswers
from . import numbers
from .decimal import BITS, DIGITS, AlignedPair, spelled


class Increment(AnswerTask):
    """The number that comes next."""

    writing = ARITHMETIC
    name = "increment"
    definition = "x in decimal, then x+1; no leading zeros, a uniform number of its last digits, 0 to n, are made 9s"
    length_means = "the number of digits of x"
    symbols = DIGITS
    min_length = 1
    citation = "after arXiv 2406.06467"
    facts = excluded_by_communication(
        "Unless x ends in 9, all its digits but the last are copied, so the answer needs them"
    )

    def answer_length(self, length: Array) -> Array:
        """Return one digit more than x has."""
        return length + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the next number."""
        return spelled(int("".join(prompt)) + 1)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform digits of which a uniform number at the end is replaced by 9s, and the number that comes next."""
        width = max_length + 1
        nines = draw.named("nines").integers(lengths_MB + 1, batch_of(draw, lengths_MB))[..., None]
        number = numbers.random_number(draw.named("x"), lengths_MB, width, xp)
        place = places(lengths_MB, width, xp)
        number = xp.where(place < nines, 9, number)
        following = numbers.add(number, xp.where(place == 0, 1, 0), 10, xp)
        size = numbers.num_digits(following, xp)
        return (
            numbers.written(number, lengths_MB, max_length, xp),
            numbers.written(following, size, width, xp),
            size,
        )


class MultiplyBy(AnswerTask):
    """The product of a long number and one of a few digits."""

    writing = ARITHMETIC
    symbols = (*DIGITS, "*", "=")
    citation = "arXiv 2405.20671"

    def __init__(self, num_digits: int) -> None:
        self.num_digits = num_digits
        self.name = f"mul_nx{num_digits}"
        self.definition = f"x*y= in decimal, then the product; y has {num_digits} digit{'s' if num_digits > 1 else ''}, no leading zeros"
        self.length_means = f"the number of symbols of x*y=: the digits of x, and {num_digits + 2}"
        self.min_length = num_digits + 3
        power = 10 ** (num_digits - 1)
        self.facts = excluded_by_communication(
            f"With y = {power} the digits of x are copied, so the answer needs all of them"
        )

    def answer_length(self, length: Array) -> Array:
        """Return as many digits as both numbers have."""
        return length - 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the product."""
        one, two = "".join(prompt).rstrip("=").split("*")
        return spelled(int(one) * int(two))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return x and y with their signs, the product and its length."""
        width, few_MB = max_length - 2, lengths_MB * 0 + self.num_digits
        many_MB = lengths_MB - 2 - self.num_digits
        one = numbers.random_number(draw.named("one"), many_MB, width, xp)
        two = numbers.random_number(draw.named("two"), few_MB, self.num_digits, xp)
        texts = (numbers.written(one, many_MB, width, xp), numbers.written(two, few_MB, self.num_digits, xp))
        parts = ((texts[0], many_MB), self.token("*"), (texts[1], few_MB), self.token("="))
        product = numbers.times(one, two, width, 10, xp)
        size = numbers.num_digits(product, xp)
        return (
            numbers.joined(parts, lengths_MB, max_length, xp)[0],
            numbers.written(product, size, width, xp),
            size,
        )


class Divide(AnswerTask):
    """The quotient by one digit, with the remainder."""

    writing = replace(ARITHMETIC, is_one_number=False)
    name = "divide"
    definition = (
        "x/d= in decimal, d from 1 to 9, then the quotient, r and the remainder, as in 17/5=3r2; no leading zeros"
    )
    length_means = "the number of symbols of x/d=: the digits of x, and 3"
    symbols = (*DIGITS, "/", "=", "r")
    min_length = 4
    citation = "after arXiv 2404.00560"
    facts = excluded_by_communication("With d = 1 the digits of x are copied, so the answer needs all of them")

    def answer_length(self, length: Array) -> Array:
        """Return the digits of x, and two symbols for the remainder."""
        return length - 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return quotient and remainder."""
        one, two = "".join(prompt).rstrip("=").split("/")
        return [*spelled(int(one) // int(two)), "r", *spelled(int(one) % int(two))]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return x and d with their signs, quotient and remainder, and the length of these."""
        width, sizes_MB = max_length - 3, lengths_MB - 3
        number = numbers.random_number(draw.named("x"), sizes_MB, width, xp)
        divisors = draw.named("d").integers(9, batch_of(draw, lengths_MB)) + 1
        quotient, remainders = numbers.divide(number, divisors, 10, xp)
        size, one = numbers.num_digits(quotient, xp), lengths_MB * 0 + 1
        text = numbers.written(number, sizes_MB, width, xp)
        prompt = ((text, sizes_MB), self.token("/"), (divisors[..., None], one), self.token("="))
        answer = (
            (numbers.written(quotient, size, width, xp), size),
            self.token("r"),
            (remainders[..., :1], one),
        )
        return (
            numbers.joined(prompt, lengths_MB, max_length, xp)[0],
            *numbers.joined(answer, lengths_MB, max_length - 1, xp),
        )


class SquareRoot(AnswerTask):
    """The square root of a binary number, rounded down."""

    writing = replace(ARITHMETIC, prompt_digits=lambda length: length)
    name = "isqrt"
    definition = "x in binary, then its square root rounded down; x uniform without leading zeros"
    length_means = "the number of bits of x"
    symbols = BITS
    min_length = 1
    citation = "arXiv 2207.02098"
    facts = excluded_by_communication(
        "Numbers whose second half is 0 have different roots if their first halves differ by two or more, so the answer "
        "needs almost all bits of the first half"
    )

    def answer_length(self, length: Array) -> Array:
        """Return half of the bits, rounded up."""
        return (length + 1) // 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the root."""
        return spelled(math.isqrt(int("".join(prompt), 2)), 2)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform numbers of this length and their roots."""
        number = numbers.random_number(draw.named("x"), lengths_MB, max_length, xp, 2)
        root = numbers.square_root(number, xp)
        sizes_MB = self.answer_length(lengths_MB)
        return (
            numbers.written(number, lengths_MB, max_length, xp),
            numbers.written(root, sizes_MB, root.shape[-1], xp),
        )


class CommonDivisor(AlignedPair):
    """The greatest common divisor of two binary numbers."""

    name = "gcd"
    definition = (
        "x,y= in binary with leading zeros to n bits, then their greatest common divisor; both are random multiples of a number "
        "whose length is uniform over 1, …, n−1"
    )
    sign = ","
    symbols = (*BITS, ",", "=")
    min_length = 6
    citation = "arXiv 2308.15594"
    facts = excluded_by_communication(
        "If x and y begin with 1 and are equally long, their greatest common divisor is y only if x = y, so the "
        "answer needs every digit of x"
    )

    def answer_length(self, length: Array) -> Array:
        """Return the bits of one number."""
        return length // 2 - 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the greatest common divisor."""
        one, two = self.halves(prompt)
        return spelled(math.gcd(int(one, 2), int(two, 2)), 2)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return two multiples of one number, their greatest common divisor and its length."""
        width, sizes_MB = max_length // 2 - 1, lengths_MB // 2 - 1
        shared_MB = draw.named("split").integers(sizes_MB - 1, batch_of(draw, lengths_MB)) + 1
        factors = [
            numbers.random_number(draw.named(name), size, width, xp, 2, is_positive=True)
            for name, size in (("shared", shared_MB), ("one", sizes_MB - shared_MB), ("two", sizes_MB - shared_MB))
        ]
        one, two = (numbers.times(factors[0], factor, width, 2, xp) for factor in factors[1:])
        divisor = numbers.greatest_common_divisor(one, two, xp)
        size = numbers.num_digits(divisor, xp)
        texts = [numbers.written(number, sizes_MB, width, xp) for number in (one, two)]
        return self.ask(texts, lengths_MB, max_length, xp), numbers.written(divisor, size, width, xp), size


class Compare(AlignedPair):
    """Which of two decimal numbers is larger."""

    writing = Writing(prompt=Order.MOST_FIRST, hints_count_places=True, prompt_digits=lambda length: length // 2 - 1)
    name = "compare"
    definition = (
        "x,y= of n digits each, then <, = or >: how x compares with y; they agree on a uniform number of digits, 0 to n"
    )
    sign = ","
    symbols = (*DIGITS, ",", "=", "<", ">")
    citation = "arXiv 2510.04130"
    facts = excluded_by_communication("The answers for all possible y reveal x, so the answer needs every digit of x")

    def answer_length(self, length: Array) -> Array:
        """Return 1: one sign."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sign."""
        one, two = map(int, self.halves(prompt[:-1]))
        return ["<" if one < two else ">" if one > two else "="]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform digits for x, and for y those of x up to a uniform place, another one there, uniform ones after."""
        width, sizes_MB = max_length // 2 - 1, lengths_MB // 2 - 1
        batch = batch_of(draw, lengths_MB)
        agreeing = draw.named("agreeing").integers(sizes_MB + 1, batch)
        one, other = (uniform(draw.named(name), 10, lengths_MB, width) for name in ("one", "two"))
        step = draw.named("step").integers(9, batch)[..., None] + 1
        place = places(lengths_MB, width, xp)
        shared = agreeing[..., None]
        two = xp.where(place < shared, one, xp.where(place == shared, (one + step) % 10, other))
        is_less = one_at(one, agreeing, xp) < one_at(two, agreeing, xp)
        sign = xp.where(is_less, self.token("<"), self.token(">"))
        sign = xp.where(agreeing == sizes_MB, self.token("="), sign)
        return self.ask((one, two), lengths_MB, max_length, xp), sign[..., None]

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": CloseNumbers(self)}


class Bitwise(AlignedPair):
    """A logical operation on each pair of bits."""

    symbols: tuple[str, ...]
    citation = "arXiv 2405.17399"

    def __init__(self, name: str, sign: str, neutral: int, operate: Callable[[Array, Array], Array]) -> None:
        self.name, self.sign = name, sign
        self.symbols = (*BITS, sign, "=")
        self.definition = (
            f"x{sign}y= of n uniform bits each, then the {name.removeprefix('bitwise_')} of the bits at each place"
        )
        self.operate = operate
        self.facts = excluded_by_communication(
            f"If y has only {neutral}s the answer is x, so the answer needs every bit of x"
        )
        super().__init__()

    def answer_length(self, length: Array) -> Array:
        """Return the number of bits of x."""
        return length // 2 - 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the bits, from tables of the three operations."""
        ones = {"|": ("01", "10", "11"), "^": ("01", "10"), "&": ("11",)}[self.sign]
        one, two = self.halves(prompt)
        return ["1" if left + right in ones else "0" for left, right in zip(one, two, strict=True)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform bits, and those of the answer."""
        one, two = (uniform(draw.named(name), 2, lengths_MB, max_length // 2 - 1) for name in ("one", "two"))
        return self.ask((one, two), lengths_MB, max_length, xp), self.operate(one, two)


class CloseNumbers(HardAnswers):
    """Numbers that are equal, or differ in the last digit, or by 1 with a carry."""

    kind = "boundary"

    def __init__(self, base: Compare) -> None:
        self.compare = base
        super().__init__(base, "x and y are equal, or differ in their last digit only, or by 1 with 9s at the end")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return close numbers, and how they compare."""
        width, sizes_MB = max_length // 2 - 1, lengths_MB // 2 - 1
        batch = batch_of(draw, lengths_MB)
        place = places(lengths_MB, width, xp)
        lower = uniform(draw.named("digits"), 10, lengths_MB, width)  # of the smaller number, the last digit first
        nines_MB = draw.named("nines").integers(sizes_MB, batch)
        carries_MB = draw.named("carries").integers(2, batch) == 1
        first_MB = xp.where(carries_MB, nines_MB, 0)[..., None]
        low_MB = draw.named("low").integers(9, batch)
        step_MB = xp.where(carries_MB, 1, draw.named("step").integers(9 - low_MB, batch) + 1)
        lower = xp.where(place < first_MB, 9, xp.where(place == first_MB, low_MB[..., None], lower))
        upper = xp.where(place < first_MB, 0, xp.where(place == first_MB, (low_MB + step_MB)[..., None], lower))
        order_MB = draw.named("order").integers(3, batch)  # <, > or =
        one = xp.where((order_MB == 1)[..., None], upper, lower)
        two = xp.where((order_MB == 0)[..., None], upper, lower)
        texts = [numbers.written(each, sizes_MB, width, xp) for each in (one, two)]
        signs = xp.asarray([self.token(sign) for sign in "<>="])
        return self.compare.ask(texts, lengths_MB, max_length, xp), signs[order_MB][..., None]


FAMILIES: tuple[Family, ...] = (
    Family(name="increment", group=Group.ARITHMETIC, make=Increment),
    Family(name="mul_nx1", group=Group.ARITHMETIC, scratchpad="mul_cot", make=lambda: MultiplyBy(1)),
    Family(name="mul_nx2", group=Group.ARITHMETIC, scratchpad="mul_cot", make=lambda: MultiplyBy(2)),
    Family(
        name="bitwise_or",
        group=Group.ARITHMETIC,
        make=lambda: Bitwise("bitwise_or", "|", 0, lambda one, two: one | two),
    ),
    Family(
        name="bitwise_xor",
        group=Group.ARITHMETIC,
        make=lambda: Bitwise("bitwise_xor", "^", 0, lambda one, two: one ^ two),
    ),
    Family(
        name="bitwise_and",
        group=Group.ARITHMETIC,
        make=lambda: Bitwise("bitwise_and", "&", 1, lambda one, two: one & two),
    ),
    Family(name="isqrt", group=Group.ARITHMETIC, make=SquareRoot),
    Family(name="gcd", group=Group.ARITHMETIC, make=CommonDivisor),
    Family(name="compare", group=Group.ARITHMETIC, make=Compare),
    Family(name="divide", group=Group.ARITHMETIC, scratchpad="div_cot", make=Divide),
)
