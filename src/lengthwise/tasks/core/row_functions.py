"""What samplers are made of: small functions on rows of whole numbers, for any array library.

Rows lie along the last axis, N places wide, of which each row uses as many as its length says; what lies beyond is
arbitrary. Nothing here looks at a number.
"""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...seeds import Draw


def batch_of(draw: Draw, lengths_MB: Array) -> tuple[int, ...]:
    """Return the axes of an array of lengths that are not those of the draw's keys."""
    return tuple(lengths_MB.shape[len(draw.keys.shape) :])


def places(lengths_MB: Array, width: int, xp: Arrays) -> Array:
    """Return 0, 1, …, width − 1 in every row, [M, B, N]."""
    return xp.broadcast(xp.arange(width), (*lengths_MB.shape, width))


def along(values_MB: Array, width: int, xp: Arrays) -> Array:
    """Return one number for each row, repeated along it, [M, B, N]."""
    return xp.broadcast(values_MB[..., None], (*values_MB.shape, width))


def is_inside(lengths_MB: Array, width: int, xp: Arrays) -> Array:
    """Return whether a place is within the length of its row, [M, B, N]."""
    return places(lengths_MB, width, xp) < lengths_MB[..., None]


def uniform(draw: Draw, number: int, lengths_MB: Array, width: int) -> Array:
    """Return rows of symbols drawn uniformly from 0, …, number − 1."""
    return draw.integers(number, (*batch_of(draw, lengths_MB), width))


def at(values_MBN: Array, index_MBN: Array, xp: Arrays) -> Array:
    """Return the values at these places; where there is no such place, those at the nearest one."""
    last = values_MBN.shape[-1] - 1
    return xp.gather_last(values_MBN, xp.where(index_MBN < 0, 0, xp.where(index_MBN > last, last, index_MBN)))


def one_at(values_MBN: Array, index_MB: Array, xp: Arrays) -> Array:
    """Return one value of each row."""
    return at(values_MBN, index_MB[..., None], xp)[..., 0]


def reverse(values_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
    """Return every row backwards, within its length."""
    width = values_MBN.shape[-1]
    return at(values_MBN, lengths_MB[..., None] - 1 - places(lengths_MB, width, xp), xp)


def behind(first_MBN: Array, first_lengths_MB: Array, second_MBN: Array, width: int, xp: Arrays) -> Array:
    """Return rows that begin with the first and go on with the second, [M, B, width]."""
    place = places(first_lengths_MB, width, xp)
    start = first_lengths_MB[..., None]
    return xp.where(place < start, at(first_MBN, place, xp), at(second_MBN, place - start, xp))


def keep(values_MBN: Array, kept_MBN: Array, xp: Arrays) -> tuple[Array, Array]:
    """Return the values that are kept, moved to the front in their order, and how many there are."""
    order = xp.stable_argsort(xp.where(kept_MBN, 0, 1))
    return xp.gather_last(values_MBN, order), xp.where(kept_MBN, 1, 0).sum(-1)


def sort(values_MBN: Array, lengths_MB: Array, largest: int, xp: Arrays) -> Array:
    """Return every row in ascending order, within its length; no value is above ``largest``."""
    inside = is_inside(lengths_MB, values_MBN.shape[-1], xp)
    return xp.gather_last(values_MBN, xp.stable_argsort(xp.where(inside, values_MBN, largest + 1)))


def running_count(marked_MBN: Array, xp: Arrays) -> Array:
    """Return how many places up to and with each one are marked."""
    return xp.running_sum(xp.where(marked_MBN, 1, 0), -1)


def count(marked_MBN: Array, xp: Arrays) -> Array:
    """Return how many places of each row are marked, [M, B]."""
    return xp.where(marked_MBN, 1, 0).sum(-1)


def pick(marked_MBN: Array, draw: Draw, xp: Arrays) -> Array:
    """Return a random one of the marked places of each row, and 0 where none is marked."""
    number = count(marked_MBN, xp)
    nth = draw.integers(xp.where(number < 1, 1, number), batch_of(draw, number))
    is_it = marked_MBN & (running_count(marked_MBN, xp) == nth[..., None] + 1)
    return xp.where(is_it, xp.arange(marked_MBN.shape[-1]), 0).sum(-1)


def last_marked(marked_MBN: Array, xp: Arrays) -> Array:
    """Return the last marked place up to and with each one, −1 where there is none."""
    place = xp.broadcast(xp.arange(marked_MBN.shape[-1]), tuple(marked_MBN.shape))
    return xp.running_max_last(xp.where(marked_MBN, place, -1))


def count_symbols(values_MBN: Array, inside_MBN: Array, number: int, xp: Arrays) -> Array:
    """Return how often each of the symbols 0, …, number − 1 occurs, [M, B, number].

    The counts of several symbols are added up at once, each in bits of its own of one number.
    """
    bits = values_MBN.shape[-1].bit_length()
    per_number = 63 // bits
    counts = []
    for start in range(0, number, per_number):
        group = range(start, min(number, start + per_number))
        ones = [1 << bits * (symbol - start) if symbol in group else 0 for symbol in range(number + 1)]
        sums = xp.asarray(ones)[xp.where(inside_MBN, values_MBN, number)].sum(-1)
        counts += [sums >> bits * (symbol - start) & (1 << bits) - 1 for symbol in group]
    return xp.stack_last(counts)


def fold(values_MBN: Array, table: Array, start: int, xp: Arrays) -> Array:
    """Return the states that a table of transitions passes through, [M, B, N + 1]; ``table`` is [states, symbols]."""
    state = xp.broadcast(xp.asarray(start), tuple(values_MBN.shape[:-1]))
    states = [state]
    for place in range(values_MBN.shape[-1]):
        state = table[state, values_MBN[..., place]]
        states.append(state)
    return xp.stack_last(states)
