"""Addition of binary numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...arrays import Array, Arrays
from ...seeds import Draw
from ...theory.communication import TwoHalves, words_over
from ..core.cited import excluded_by_communication
from ..core.family import Family, Group
from ..core.task import AnswerTask
from ..core.writing import ARITHMETIC
from .circuits import LEADING_ZEROS, addition_plain_problem


class Addition(AnswerTask):
    """The sum of two binary numbers, most significant digit first, without leading zeros."""

    writing = ARITHMETIC
    name = "addition"
    definition = "x+y= in binary, then their sum; no leading zeros, the length of x uniform"
    length_means = "the number of symbols of x+y="
    symbols = ("0", "1", "+", "=")
    min_length = 4
    citation = "arXiv 2410.02140"
    facts = excluded_by_communication("The sum needs every digit of both numbers")

    def answer_length(self, length: Array) -> Array:
        """Return one digit more than the longer number can have."""
        return length - 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum."""
        one, two = "".join(prompt).rstrip("=").split("+")
        return list(f"{int(one, 2) + int(two, 2):b}")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return ``x+y=`` and the sum, with the length of the sum."""
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        first_MB = draw.named("split").integers(lengths_MB - 3, batch) + 1
        second_MB = lengths_MB - 2 - first_MB
        width = max_length - 2
        one, two = (
            self._digits(draw.named(name), sizes, batch, width, xp)
            for name, sizes in (("one", first_MB), ("two", second_MB))
        )
        place = xp.broadcast(xp.arange(max_length), (*lengths_MB.shape, max_length))
        plus = xp.broadcast(first_MB[..., None], tuple(place.shape))
        last = xp.broadcast(lengths_MB[..., None] - 1, tuple(place.shape))
        text = xp.where(place < plus, _read(one, plus - 1 - place, xp), _read(two, last - 1 - place, xp))
        text = xp.where(place == plus, self.token("+"), xp.where(place == last, self.token("="), text))
        total, size_MB = _add(one, two, xp)
        place = xp.broadcast(xp.arange(width), (*lengths_MB.shape, width))
        return text, _read(total, xp.broadcast(size_MB[..., None], tuple(place.shape)) - 1 - place, xp), size_MB

    def _digits(self, draw: Draw, sizes_MB: Array, batch: tuple[int, ...], width: int, xp: Arrays) -> Array:
        """Return digits from the least significant one: random, the leading one 1 unless it stands alone, 0 beyond it."""
        bits = draw.integers(2, (*batch, width))
        place = xp.broadcast(xp.arange(width), tuple(bits.shape))
        leading = xp.broadcast(sizes_MB[..., None] - 1, tuple(bits.shape))
        bits = xp.where((place == leading) & (leading > 0), 1, bits)
        return xp.where(place <= leading, bits, 0)


def _read(digits: Array, places: Array, xp: Arrays) -> Array:
    """Return the digits at these places; at places that do not exist, anything."""
    last = digits.shape[-1] - 1
    return xp.gather_last(digits, xp.where(places < 0, 0, xp.where(places > last, last, places)))


def _add(one: Array, two: Array, xp: Arrays) -> tuple[Array, Array]:
    """Return the sum of numbers given by their digits, least significant first, and how many digits it has.

    A carry comes into a place exactly if, of the places below it, the last one whose two digits are equal has two ones.
    """
    width = one.shape[-1]
    place = xp.broadcast(xp.arange(width), tuple(one.shape))
    last_equal = xp.running_max_last(xp.where(one == two, place, -1))
    made = (xp.gather_last(one, xp.where(last_equal < 0, 0, last_equal)) == 1) & (last_equal >= 0)
    carry = xp.concat_last([xp.broadcast(xp.asarray(0) == 1, (*one.shape[:-1], 1)), made[..., :-1]])
    total = (one + two + xp.where(carry, 1, 0)) % 2
    top = xp.where(total == 1, place + 1, 1)
    return total, xp.running_max_last(top)[..., -1]


_HALVES = TwoHalves(
    name="addition",
    definition="the second half is the sum of two binary numbers in the first",
    first=lambda length: words_over("01")(2 * length),
    second=lambda length: words_over("01")(length + 1),
    answer=lambda first, second: (
        sum(int("".join(half), 2) for half in (first[: len(first) // 2], first[len(first) // 2 :]))
        == int("".join(second), 2)
    ),
    argument="first halves with different sums differ: 2^(n+1) − 1 rows.",
)

FAMILIES: tuple[Family, ...] = (
    Family(
        name="addition",
        group=Group.ARITHMETIC,
        scratchpad="add_cot",
        make=Addition,
        problem=lambda: replace(addition_plain_problem(2), assumed=LEADING_ZEROS),
        halves=_HALVES,
    ),
)
