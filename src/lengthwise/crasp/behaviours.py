"""What expressions do on the words at hand, as vectors: their positions, a table of vectors, and ways to combine them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import CapExceededError
from ..languages.alphabet import Alphabet
from .fragments import Readout

Rows = npt.NDArray[Any]
"""Vectors, one a row: truths as packed bits in uint64, counts as small integers."""
Numbers = npt.NDArray[np.int64]
Word = tuple[str, ...]

CHUNK_BYTES = 1 << 22
MAX_BYTES = 1_200_000_000
MAX_POSITIONS = 30_000
_EMPTY = -1
_ALL = 2**64 - 1


class NoMoreRoom(Exception):
    """A cap on classes or memory was reached; the text names it."""


# Positions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trie:
    """The positions of the words at hand, shared where words begin alike; parents stand before their children.

    ``parents`` is −1 at the first position. ``symbols`` numbers the alphabet, −1 at the end marker. ``reads`` says where
    each word is read. The number of positions is filled up to a multiple of 64 with copies of the first.
    """

    parents: Numbers
    symbols: Numbers
    positions: Numbers
    reads: dict[Word, int]

    def back(self, rows: Rows, distance: int) -> Rows:
        """Return the values from a distance back, 0 where there is no such position."""
        at = np.arange(len(self.parents))
        for _ in range(distance):
            at = np.where(at < 0, -1, self.parents[at])
        return np.where(at < 0, rows.dtype.type(0), np.take(rows, at, axis=-1))

    def count_at(self, rows: Rows, distances: Sequence[int]) -> Rows:
        """Return the sums over the positions at these distances back."""
        total = self.back(rows, distances[0])
        for distance in distances[1:]:
            total += self.back(rows, distance)
        return total

    def running_sum(self, rows: Rows) -> Rows:
        """Return the sums over all positions up to each one."""
        total = rows.copy()
        for position in range(2, int(self.positions.max()) + 1):
            at = np.flatnonzero(self.positions == position)
            total[:, at] += np.take(total, self.parents[at], axis=-1)
        return total


def plant(words: Sequence[Word], alphabet: Alphabet, readout: Readout) -> Trie:
    """Return the positions of these words, each with an end marker if that is where they are read."""
    numbers = {symbol: number for number, symbol in enumerate(alphabet)}
    prefixes = {word[:end] for word in words for end in range(1, len(word) + 1)}
    require_positions(len(prefixes))
    ends = words if readout is Readout.END_MARKER else ()
    nodes = [(len(word), False, [numbers[symbol] for symbol in word], word) for word in prefixes]
    nodes += [(len(word) + 1, True, [numbers[symbol] for symbol in word], word) for word in ends]
    nodes.sort()
    inside = {word: place for place, (_, is_end, _, word) in enumerate(nodes) if not is_end}
    reads = {word: place for place, (_, is_end, _, word) in enumerate(nodes) if is_end} if ends else inside
    nodes += nodes[:1] * (-len(nodes) % 64)
    return Trie(
        parents=np.array([inside.get(word if is_end else word[:-1], -1) for _, is_end, _, word in nodes]),
        symbols=np.array([-1 if is_end else symbols[-1] for _, is_end, symbols, _ in nodes]),
        positions=np.array([position for position, *_ in nodes]),
        reads={word: reads[word] for word in words},
    )


def require_positions(number: int) -> None:
    """Raise if words have more different prefixes than we are ready for."""
    if number > MAX_POSITIONS:
        raise CapExceededError(
            f"the words have more than {MAX_POSITIONS:,} different prefixes, the cap.", hint="use shorter words."
        )


def pack(truths: Rows) -> Rows:
    """Return truths as bits, 64 to a number; their last axis is a multiple of that."""
    return np.packbits(truths, axis=-1).view(np.uint64)


def unpack(rows: Rows) -> Rows:
    """Return packed truths as booleans."""
    return np.unpackbits(rows.view(np.uint8), axis=-1).view(np.bool_)


# Classes


class ClassTable:
    """Vectors, each kept once, in the order in which they came, and how each was made.

    A hash table with open addressing, over whole arrays at a time. A hash only says where to look: vectors are the same
    when all their entries are.
    """

    def __init__(self, width: int, dtype: npt.DTypeLike) -> None:
        self.rows: Rows = np.empty((1024, width), dtype)
        self.forms = np.empty(1024, np.int32)
        self.parts = np.empty((1024, 3), np.int32)
        self._size = 0
        self._reset(1 << 12)

    def __len__(self) -> int:
        return self._size

    def add(self, rows: Rows) -> Numbers:
        """Keep the vectors that are new; return which they are, in their order."""
        if 2 * (self._size + len(rows)) > len(self._slots):
            self._reset(4 * (self._size + len(rows)))
        slots = self._find(rows.view(np.uint64), claim=True)
        new = np.flatnonzero(self._slots[slots] == -2 - np.arange(len(rows)))
        end = self._size + len(new)
        room = (MAX_BYTES - self._slots.nbytes) // (self.rows[:1].nbytes + 16)
        if end > room:
            raise NoMoreRoom(f"the cap of {MAX_BYTES / 1e9:g} GB on memory")
        if end > len(self.rows):  # in place, as two copies may not fit: nobody may hold a view of these arrays
            for array in (self.rows, self.forms, self.parts):
                array.resize((min(room, 3 * end // 2), *array.shape[1:]), refcheck=False)
        self._slots[slots[new]] = np.arange(self._size, end)
        self.rows[self._size : end] = rows[new]
        self._size = end
        return new

    def numbers(self, rows: Rows) -> Numbers:
        """Return the class of each of these vectors, −1 where it is in none."""
        return self._slots[self._find(rows.view(np.uint64), claim=False)].astype(np.int64)

    def widen(self, dtype: npt.DTypeLike) -> None:
        """Hold larger numbers from now on."""
        self.rows = self.rows[: max(1, self._size)].astype(dtype)
        self._reset(len(self._slots))

    def _reset(self, num_slots: int) -> None:
        """Make the slots anew, this many at least."""
        bits = (num_slots - 1).bit_length()
        self._shift = np.uint64(64 - bits)
        self._slots = np.full(1 << bits, _EMPTY, np.int32)
        self._factors = _odd_numbers(self.rows[:1].view(np.uint64).shape[1])
        step = max(1, CHUNK_BYTES // self.rows[:1].nbytes)
        for start in range(0, self._size, step):
            words = self.rows[start : min(start + step, self._size)].view(np.uint64)
            self._slots[self._find(words, claim=True)] = start + np.arange(len(words))

    def _find(self, words: Rows, *, claim: bool) -> Numbers:
        """Return for each vector the slot that holds its equal, or an empty one.

        To claim is to write −2 − i into the empty slot, where i is the first of these vectors that wants it. Equal
        vectors walk the same slots in step, so the first of them wins.
        """
        slots = (words @ self._factors >> self._shift).astype(np.int64)
        stored = self.rows.view(np.uint64)
        pending = np.arange(len(words))
        while len(pending):
            wanted = slots[pending]
            if claim:
                free = pending[self._slots[wanted] == _EMPTY]
                self._slots[slots[free][::-1]] = -2 - free[::-1]  # where several write, the last one stays
            held = self._slots[wanted]
            same = held == _EMPTY
            old, fresh = held >= 0, held < _EMPTY
            same[old] = (stored[held[old]] == words[pending[old]]).all(axis=1)
            same[fresh] = (words[-2 - held[fresh]] == words[pending[fresh]]).all(axis=1)
            pending = pending[~same]
            slots[pending] = (slots[pending] + 1) % len(self._slots)
        return slots


def _odd_numbers(number: int) -> Rows:
    """Return fixed odd numbers of 64 bits without a pattern, by splitmix64."""
    found = []
    for place in range(1, number + 1):
        mixed = place * 0x9E3779B97F4A7C15 & _ALL
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ mixed >> shift) * factor & _ALL
        found.append(mixed ^ mixed >> 31 | 1)
    return np.array(found, np.uint64)


# Candidates


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Expressions of one form (or of a few in a row) over all choices of parts, and their vectors in that order."""

    rows: Rows
    form: int
    parts: tuple[Operand, ...] = ()
    num_forms: int = 1

    def origin(self, chosen: Any) -> tuple[Any, list[Any]]:
        """Return the forms of the chosen candidates and, for each part, which row of its source it is."""
        shape = (*(len(part.which) for part in self.parts), self.num_forms)
        *places, forms = np.unravel_index(chosen, shape)
        found = []
        for part, at in zip(self.parts, places, strict=True):
            found.append(part.which.start + at if isinstance(part.which, range) else part.which[at])
        return self.form + forms, found


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """What a part of a candidate can be: classes that are kept, or candidates themselves; an interval or a selection."""

    source: ClassTable | Candidates
    which: range | Numbers

    def __getitem__(self, some: slice) -> Operand:
        return Operand(self.source, self.which[some])

    @property
    def rows(self) -> Rows:
        """The vectors; not for keeping, as they may be a view of a table."""
        which = self.which
        return self.source.rows[which.start : which.stop] if isinstance(which, range) else self.source.rows[which]

    def along(self, axis: int, number: int) -> Rows:
        """Return the vectors laid out along one axis of several."""
        return self.rows.reshape(*(len(self.which) if each == axis else 1 for each in range(number)), -1)


def boxes(shape: Sequence[int], limit: int) -> Iterator[tuple[slice, ...]]:
    """Cut an array of this shape into slices, with about ``limit`` entries each, that follow its order."""
    if not prod(shape):
        return
    axis, inner = len(shape), 1
    while axis > 1 and inner * shape[axis - 1] <= limit:
        axis -= 1
        inner *= shape[axis]
    step = max(1, limit // inner)
    whole = [slice(0, each) for each in shape[axis:]]
    for outer in product(*map(range, shape[: axis - 1])):
        for start in range(0, shape[axis - 1], step):
            yield (*(slice(at, at + 1) for at in outer), slice(start, min(start + step, shape[axis - 1])), *whole)
