"""Small changes of words, many at once: what a word of a language is turned into a word outside it by.

Shapes: M models, K candidates for each word, B batch, N symbols. Words are [M, 1, B, N], lengths [M, 1, B], and the keys of
draws [M, K], so that every candidate has numbers of its own. What lies beyond the length of a word is arbitrary.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..core.row_functions import at, count, one_at, pick, places

_MOST_SHUFFLED = 8
MOST_CONTEXT = 3
"""How many symbols before a cut have to agree, at most."""
_ZONE = 12


class Zone(IntEnum):
    """Where a change is: anywhere, or within twelve symbols at the start or at the end, where it matters to many automata."""

    ANYWHERE = 0
    START = 1
    END = 2


def replace_one(words: Array, lengths: Array, zones: Sequence[Zone], number: int, draw: Draw, xp: Arrays) -> Array:
    """Return words with one symbol replaced by another out of so many."""
    place = xp.arange(words.shape[-1])
    spot, _ = _first_spot(lengths, xp.where(lengths < 1, 1, lengths), zones, draw.named("place"), place, xp)
    other = draw.named("symbol").integers(number - 1, (words.shape[-2],)) + 1
    is_spot = place == spot[..., None]
    return xp.where(is_spot, (words + other[..., None]) % number, words)


def swap_two(
    words: Array, lengths: Array, same_neighbours: Sequence[bool], zones: Sequence[Zone], draw: Draw, xp: Arrays
) -> Array:
    """Return words in which two different symbols have changed places.

    A candidate that is marked takes two with the same neighbours, which keeps the number of every pair of neighbours.
    """
    width = words.shape[-1]
    place = places(lengths, width, xp)
    inside = place < lengths[..., None]
    left = xp.where(place > 0, at(words, place - 1, xp), -1)
    right = xp.where(place + 1 < lengths[..., None], at(words, place + 1, xp), -1)
    one, near_one = _first_spot(lengths, xp.where(lengths < 1, 1, lengths), zones, draw.named("one"), place, xp)
    around = left * (1 << 31) + right
    symbol, own = (_at_spots(values, one, xp) for values in (words, around))
    is_free = xp.asarray([int(not same) for same in same_neighbours])[:, None, None] == 1
    marked = inside & near_one & (words != symbol[..., None]) & (is_free | (around == own[..., None]))
    other = xp.where(count(marked, xp) > 0, pick(marked, draw.named("other"), xp), one)
    where_one, where_other = (xp.arange(width) == spot[..., None] for spot in (one, other))
    swapped = xp.where(where_other, symbol[..., None], words)
    return xp.where(where_one, _at_spots(words, other, xp)[..., None], swapped)


def exchange_segments(
    words: Array, lengths: Array, contexts: Sequence[int], zones: Sequence[Zone], number: int, draw: Draw, xp: Arrays
) -> Array:
    """Return words in which two segments side by side have changed places.

    The three cuts come after the same symbols, as many as ``contexts`` says for each candidate: that keeps the number of every
    block of so many neighbours and one more. A context of −1 cuts at both ends, so that the word is rotated.
    """
    width = words.shape[-1]
    codes = _codes_before(words, lengths, contexts, number, xp)
    place = xp.arange(width + 1)
    first, near_first = _first_spot(lengths, lengths + 1, zones, draw.named("first"), place, xp)
    marked = near_first & (codes == _at_spots(codes, first, xp)[..., None]) & (place <= lengths[..., None])
    second, third = (pick(marked, draw.named(name), xp) for name in ("second", "third"))
    is_rotated = xp.asarray([int(size < 0) for size in contexts])[:, None] == 1
    second, third = xp.where(is_rotated, 0, second), xp.where(is_rotated, lengths, third)
    low, high = _smaller(second, third, xp), _larger(second, third, xp)
    start, end = _smaller(first, low, xp), _larger(first, high, xp)
    middle = first + second + third - start - end
    spot = places(start, width, xp)
    start, middle, end = (cut[..., None] for cut in (start, middle, end))
    moved = xp.where(spot < start + end - middle, spot + middle - start, spot + middle - end)
    index = xp.where((spot >= start) & (spot < end), moved, spot)
    return at(xp.broadcast(words, tuple(index.shape)), index, xp)


def shuffle_window(words: Array, lengths: Array, draw: Draw, xp: Arrays) -> Array:
    """Return words in which a window of up to eight symbols is in another order."""
    width, batch = words.shape[-1], (words.shape[-2],)
    start = draw.named("start").integers(xp.where(lengths < 1, 1, lengths), batch)
    end = _smaller(start + 2 + draw.named("size").integers(_MOST_SHUFFLED - 1, batch), lengths, xp)
    spot = places(start, width, xp)
    in_window = (spot >= start[..., None]) & (spot < end[..., None])
    keys = xp.where(in_window, start[..., None] * width + draw.named("order").permutation(width, batch), spot * width)
    return xp.gather_last(xp.broadcast(words, tuple(spot.shape)), xp.stable_argsort(keys))


def cross_words(
    words: Array, others: Array, lengths: Array, contexts: Sequence[int], number: int, draw: Draw, xp: Arrays
) -> Array:
    """Return words that go on as another one from some place on: as if an automaton had taken one wrong step there.

    The symbols before that place are the same in both words, as many as ``contexts`` says for each candidate.
    """
    codes, of_others = (_codes_before(each, lengths, contexts, number, xp) for each in (words, others))
    place = xp.arange(words.shape[-1] + 1)
    marked = (codes == of_others) & (place > 0) & (place < lengths[..., None])
    cut = pick(marked, draw.named("cut"), xp)
    return xp.where(xp.arange(words.shape[-1]) < cut[..., None], words, others)


def _first_spot(
    lengths: Array, number: Array, zones: Sequence[Zone], draw: Draw, place: Array, xp: Arrays
) -> tuple[Array, Array]:
    """Return a place out of so many for each candidate, in its zone, and which places are near enough to it."""
    zone = xp.asarray([int(each) for each in zones])[:, None]
    room = xp.where((zone == int(Zone.ANYWHERE)) | (number < _ZONE), number, _ZONE)
    spot = draw.integers(room, (lengths.shape[-1],))
    spot = xp.where(zone == int(Zone.END), number - 1 - spot, spot)
    distance = place - spot[..., None]
    is_near = (distance < _ZONE) & (distance > -_ZONE)
    return spot, is_near | (zone == int(Zone.ANYWHERE))[..., None]


def _codes_before(words: Array, lengths: Array, contexts: Sequence[int], number: int, xp: Arrays) -> Array:
    """Return a number for the symbols before every cut, from the one at 0 to the one at the end, [M, K, B, N + 1]."""
    place = places(lengths, words.shape[-1] + 1, xp)
    sizes = xp.asarray(list(contexts))[:, None, None]
    codes = place * 0
    for back in range(max(MOST_CONTEXT, *contexts)):
        symbols = xp.where(place > back, at(words, place - 1 - back, xp) + 1, 0)
        codes = codes + xp.where(sizes > back, symbols * (number + 1) ** back, 0)
    return codes


def _at_spots(values: Array, spots: Array, xp: Arrays) -> Array:
    """Return the values at one place for each candidate."""
    return one_at(xp.broadcast(values, (*spots.shape, values.shape[-1])), spots, xp)


def _smaller(one: Array, other: Array, xp: Arrays) -> Array:
    return xp.where(one < other, one, other)


def _larger(one: Array, other: Array, xp: Arrays) -> Array:
    return xp.where(one < other, other, one)
