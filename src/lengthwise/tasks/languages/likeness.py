"""How much two words look alike to someone who looks superficially: what the rules of a shortcut audit look at.

Words are the last axis, N symbols wide, of which each uses as many as its length says.
"""

from __future__ import annotations

from ...arrays import Array, Arrays
from ..core.row_functions import at, count, count_symbols, places

NUM_SIGNS = 6
"""How many signs there are."""
_FIRST, _LAST = 5, 3
_MOST_PAIRED, _MOST_IN_TRIPLES = 7, 3  # up to so many symbols, the audit looks at pairs and triples of neighbours
_RUNS = 8
_SCATTER = 0x9E3779B97F4A7C15


def signs(words: Array, lengths: Array, number: int, xp: Arrays) -> list[Array]:
    """Return six signs of a word, as numbers along a last axis.

    They are: its beginning, its end, how often each symbol occurs, which pairs and triples of neighbours occur, which
    pairs occur an odd number of times, and how many runs there are and how long the longest is.
    """
    place = places(lengths, words.shape[-1], xp)
    inside = place < lengths[..., None]
    known = xp.where(inside, words, -1)
    before = _shifted(known, -1, xp)
    sets, odd = [], [lengths * 0]
    if number <= _MOST_PAIRED:
        pairs = count_symbols(before * number + known, inside & (place > 0), number**2, xp)
        sets.append(xp.where(pairs > 0, 1, 0))
        odd = [pairs % 2]
    if number <= _MOST_IN_TRIPLES:
        codes = (_shifted(before, -1, xp) * number + before) * number + known
        sets.append(xp.where(count_symbols(codes, inside & (place > 1), number**3, xp) > 0, 1, 0))
    first = at(known, xp.broadcast(xp.arange(_FIRST), (*lengths.shape, _FIRST)), xp) if words.shape[-1] else known
    last = at(known, lengths[..., None] - 1 - xp.arange(_LAST), xp) if words.shape[-1] else known
    bags = xp.asarray([_signed(pow(_SCATTER, symbol + 1, 2**64)) for symbol in range(number)])
    bag = xp.where(inside, bags[xp.where(inside, words, 0)], 0).sum(-1)[..., None]
    return [
        first,
        last,
        bag,
        xp.concat_last(sets) if sets else bag * 0,
        odd[0] if number <= _MOST_PAIRED else bag * 0,
        _runs(known, before, inside, xp),
    ]


def _runs(known: Array, before: Array, inside: Array, xp: Arrays) -> Array:
    """Return the number of runs, and the length of the longest from 0 to 4, both capped."""
    goes_on = xp.where(inside & (known == before), 1, 0)
    two = goes_on * _shifted(goes_on, 0, xp)
    three = two * _shifted(two, 0, xp)
    longest = sum(xp.where(count(each, xp) > 0, 1, 0) for each in (inside, goes_on == 1, two == 1, three == 1))
    number = count(inside & (goes_on == 0), xp)
    return xp.stack_last([xp.where(number < _RUNS, number, _RUNS), longest])


def _shifted(values: Array, first: int, xp: Arrays) -> Array:
    """Return every row one place further right, with this number at its first place."""
    edge = xp.broadcast(xp.asarray([first]), (*values.shape[:-1], 1))
    return xp.concat_last([edge, values[..., :-1]])


def differences(some: list[Array], others: list[Array], xp: Arrays) -> list[Array]:
    """Return, for each sign, 1 where it differs and 0 where it is the same."""
    return [xp.where((one != other).any(-1), 1, 0) for one, other in zip(some, others, strict=True)]


def _signed(number: int) -> int:
    number %= 2**64
    return number - 2**64 if number >= 2**63 else number
