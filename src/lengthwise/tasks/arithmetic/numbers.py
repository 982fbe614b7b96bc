"""Arithmetic on rows of digits, for any array library: sums, differences, products, quotients, roots, divisors.

A number is a row of digits along the last axis, the least significant one first, with 0 beyond its own digits. Rows are as
wide as results need, so that nothing overflows. Nothing here looks at a number.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..core.row_functions import along, at, batch_of, places, uniform

_LIMB = 30  # bits that are computed with at once, so that sums and shifts stay within int64

Part = tuple[Array, Array] | int
"""A piece of text: rows with their lengths, or one symbol."""


def random_number(
    draw: Draw, sizes_MB: Array, width: int, xp: Arrays, base: int = 10, *, is_positive: bool = False
) -> Array:
    """Return numbers of so many uniform digits, of which the leading one is not 0, except for the number 0 if allowed."""
    digits = uniform(draw.named("digits"), base, sizes_MB, width)
    leading = draw.named("leading").integers(base - 1, batch_of(draw, sizes_MB))[..., None] + 1
    place = places(sizes_MB, width, xp)
    last = along(sizes_MB - 1, width, xp)
    fixed = (place == last) & (last > (-1 if is_positive else 0))
    return xp.where(place <= last, xp.where(fixed, leading, digits), 0)


def with_carries(one: Array, two: Array, sizes_MB: Array, draw: Draw, xp: Arrays) -> tuple[Array, Array]:
    """Return decimal numbers of which half have a run of carries: digits that add up to 9, above two that add up to 10 or more.

    Where the run begins is uniform among the lower places, so many of them, and so is its length up to the last one.
    """
    batch, place = batch_of(draw, sizes_MB), xp.arange(one.shape[-1])
    room = xp.where(sizes_MB < 1, 1, sizes_MB)
    start = draw.named("start").integers(room, batch)
    end = (start + 1 + draw.named("size").integers(room - start, batch))[..., None]
    is_chosen = ((draw.named("chosen").integers(2, batch) == 1) & (sizes_MB > 0))[..., None]
    is_start = is_chosen & (place == start[..., None])
    is_above = is_chosen & (place > start[..., None]) & (place < end)
    first = draw.named("first").integers(9, batch)[..., None] + 1
    second = 10 - first + draw.named("second").integers(first, (*batch, 1))
    one = xp.where(is_start, first, one)
    return one, xp.where(is_start, second, xp.where(is_above, 9 - one, two))


def num_digits(number: Array, xp: Arrays) -> Array:
    """Return how many digits a number has, at least one, [M, B]."""
    place = xp.broadcast(xp.arange(number.shape[-1]), tuple(number.shape))
    return xp.running_max_last(xp.where(number > 0, place + 1, 1))[..., -1]


def written(number: Array, sizes_MB: Array, width: int, xp: Arrays) -> Array:
    """Return so many digits of a number as they are written, the most significant one first, [M, B, width]."""
    return at(number, sizes_MB[..., None] - 1 - places(sizes_MB, width, xp), xp)


def joined(parts: Sequence[Part], lengths_MB: Array, width: int, xp: Arrays) -> tuple[Array, Array]:
    """Return the parts one behind the other, [M, B, width], and the length of all together; beyond it is anything."""
    place = places(lengths_MB, width, xp)
    start = lengths_MB * 0
    text = place * 0
    for part in parts:
        values, size = (part, 1) if isinstance(part, int) else (at(part[0], place - start[..., None], xp), part[1])
        text = xp.where(place >= start[..., None], values, text)
        start = start + size
    return text, start


def shifted(number: Array, by: int, width: int, xp: Arrays) -> Array:
    """Return a number times the base to a power, [M, B, width]; digits that have no place are dropped."""
    kept = number[..., : max(width - by, 0)]
    above = width - kept.shape[-1] - min(by, width)
    parts = [_zeros(number, min(by, width), xp), kept, _zeros(number, above, xp)]
    return xp.concat_last([part for part in parts if part.shape[-1]])


def widened(number: Array, width: int, xp: Arrays) -> Array:
    """Return a number with room for so many digits."""
    return shifted(number, 0, width, xp)


def add(one: Array, two: Array, base: int, xp: Arrays) -> Array:
    """Return the sum."""
    return carried(one + two, base, 2 * base - 2, xp)


def carried(values: Array, base: int, largest: int, xp: Arrays) -> Array:
    """Return the digits of a number whose places hold values from 0 to ``largest``.

    All places pass on their carries at once until none holds more than two digits can add up to; then a carry is 0 or 1.
    """
    width = values.shape[-1]
    while largest > 2 * base - 2:
        values = values % base + shifted(values // base, 1, width, xp)
        largest = base - 1 + largest // base
    return (values + _carries(values >= base, values == base - 1, xp)[0]) % base


def subtract(one: Array, two: Array, base: int, xp: Arrays) -> tuple[Array, Array]:
    """Return the first number minus the second, and 1 where the second is larger, else 0, [M, B].

    There the digits are those of the difference plus the base to the power of the width.
    """
    values = one - two
    borrows, last = _carries(values < 0, values == 0, xp)
    return (values - borrows) % base, last


def distance(one: Array, two: Array, base: int, xp: Arrays) -> tuple[Array, Array]:
    """Return how far apart two numbers are, and 1 where the second is larger, else 0, [M, B]."""
    forwards, is_negative = subtract(one, two, base, xp)
    backwards, _ = subtract(two, one, base, xp)
    return xp.where(is_negative[..., None] == 1, backwards, forwards), is_negative


def times_digit(number: Array, digits_MB: Array, base: int, xp: Arrays) -> Array:
    """Return a number times one digit."""
    return carried(number * digits_MB[..., None], base, (base - 1) ** 2, xp)


def times(one: Array, two: Array, width: int, base: int, xp: Arrays) -> Array:
    """Return the product, [M, B, width]: the first number times every digit of the second, added up."""
    total = _zeros(one, width, xp)
    for place in range(min(two.shape[-1], width)):
        total = total + shifted(one, place, width, xp) * two[..., place : place + 1]
    return carried(total, base, max((base - 1) ** 2 * min(one.shape[-1], two.shape[-1]), 1), xp)


def divide(number: Array, divisors_MB: Array, base: int, xp: Arrays) -> tuple[Array, Array]:
    """Return the quotient by a small divisor, and what is left after dividing each place and those above it.

    So the first entry of the remainders is that of the whole number; they have one entry more than the number, a 0.
    """
    rest = divisors_MB * 0
    quotient, remainders = [], [rest]
    for place in reversed(range(number.shape[-1])):
        value = rest * base + number[..., place]
        rest = value % divisors_MB
        quotient.append(value // divisors_MB)
        remainders.append(rest)
    return xp.stack_last(quotient[::-1]), xp.stack_last(remainders[::-1])


def square_root(number: Array, xp: Arrays) -> Array:
    """Return the square root of a binary number, rounded down, [M, B, half as wide, rounded up].

    Two bits come down at a time; the root r so far gets a further 1 if 4r + 1 can be taken from what is left.
    """
    half = -(-number.shape[-1] // 2)
    number = widened(number, 2 * half, xp)
    width = half + 2  # what is left is at most twice the root, and two bits come to it
    rest = root = _zeros(number, width, xp)
    one = _zeros(number, 1, xp) + 1
    for place in reversed(range(half)):
        rest = xp.concat_last([number[..., 2 * place : 2 * place + 2], rest[..., :-2]])
        trial = xp.concat_last([one, one - 1, root[..., :-2]])
        less, too_much = subtract(rest, trial, 2, xp)
        rest = xp.where(too_much[..., None] == 1, rest, less)
        root = xp.concat_last([1 - too_much[..., None], root[..., :-1]])
    return root[..., :half]


def greatest_common_divisor(one: Array, two: Array, xp: Arrays) -> Array:
    """Return the greatest common divisor of binary numbers, not both 0, of one width.

    Halve what is even, both if both are; of two odd numbers take the smaller from the larger. Every step takes a bit away.
    """
    num_bits = one.shape[-1]
    twos = one[..., 0] * 0
    a, b = _packed(one, xp), _packed(two, xp)
    for _ in range(2 * num_bits):
        a_odd, b_odd = a[..., 0] % 2 == 1, b[..., 0] % 2 == 1
        far, is_negative = distance(a, b, 2**_LIMB, xp)
        both_odd = a_odd & b_odd
        from_a, from_b = both_odd & (is_negative == 0), both_odd & (is_negative == 1)
        twos = twos + xp.where(a_odd | b_odd, 0, 1)
        a = _halved(xp.where(from_a[..., None], far, a), from_a | ~a_odd, xp)
        b = _halved(xp.where(from_b[..., None], far, b), from_b | ~b_odd, xp)
    odd = _unpacked(a + b, num_bits, xp)  # one of them is 0
    place = xp.broadcast(xp.arange(num_bits), tuple(odd.shape))
    return xp.where(place >= twos[..., None], at(odd, place - twos[..., None], xp), 0)


def _zeros(like: Array, width: int, xp: Arrays) -> Array:
    return xp.broadcast(xp.asarray(0), (*like.shape[:-1], width))


def _carries(makes: Array, passes: Array, xp: Arrays) -> tuple[Array, Array]:
    """Return the carry into each place and out of the last: what the last place below that does not pass one on makes."""
    place = xp.broadcast(xp.arange(makes.shape[-1]), tuple(makes.shape))
    decided = xp.running_max_last(xp.where(passes, -1, 2 * place + xp.where(makes, 1, 0)))
    out = xp.where(decided < 0, 0, decided % 2)
    return shifted(out, 1, out.shape[-1], xp), out[..., -1]


def _packed(bits: Array, xp: Arrays) -> Array:
    """Return a binary number in the base 2**30."""
    num_limbs = -(-bits.shape[-1] // _LIMB)
    rows = widened(bits, num_limbs * _LIMB, xp).reshape((*bits.shape[:-1], num_limbs, _LIMB))
    return (rows << xp.arange(_LIMB)).sum(-1)


def _unpacked(limbs: Array, num_bits: int, xp: Arrays) -> Array:
    """Return a number in the base 2**30 as bits."""
    bits = limbs[..., None] >> xp.arange(_LIMB) & 1
    return bits.reshape((*limbs.shape[:-1], -1))[..., :num_bits]


def _halved(limbs: Array, where_MB: Array, xp: Arrays) -> Array:
    """Return half of a number in the base 2**30 where it is said so."""
    above = xp.concat_last([limbs[..., 1:], _zeros(limbs, 1, xp)])
    return xp.where(where_MB[..., None], (limbs >> 1) + (above % 2 << _LIMB - 1), limbs)
