"""Where hard words of regular languages come from: tables of them, or samplers for what is inside and what is outside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...arrays import Array, Arrays
from ...languages.dfa import DFA
from ...languages.sampling import WordSampler
from ...languages.word_lengths import lengths_with_words
from ...seeds import Draw
from ..core.row_functions import batch_of, places


class WordSource(ABC):
    """Words of a language and words outside it, by length."""

    @abstractmethod
    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths from ``low`` to ``high`` that have words."""

    @abstractmethod
    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words as symbol numbers, [M, B, N]: inside and outside with equal chances, where there are both.

        What lies beyond the length of a word is arbitrary.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The first ``length`` symbols of a row of a table; ``is_inside`` says whether they are a word of the language."""

    row: int
    length: int
    is_inside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of symbol numbers, and which of their prefixes count."""

    rows: tuple[tuple[int, ...], ...]
    entries: tuple[Entry, ...]


class TableSource(WordSource):
    """Words that are looked up: a table is made once for each greatest length, with the words up to it."""

    def __init__(self) -> None:
        self._tables: dict[int, Table] = {}
        self._arrays: dict[tuple[int, int], tuple[Array, ...]] = {}

    @abstractmethod
    def make_table(self, max_length: int) -> Table:
        """Return all words up to a length."""

    def table(self, max_length: int) -> Table:
        """Return the table of all words up to a length."""
        if max_length not in self._tables:
            self._tables[max_length] = self.make_table(max_length)
        return self._tables[max_length]

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths from ``low`` to ``high`` that have words."""
        found = {entry.length for entry in self.table(high).entries}
        return tuple(length for length in sorted(found) if low <= length <= high)

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words from the table: first inside or outside, then one of these."""
        rows, chosen, starts, numbers = self._arranged(max_length, xp)
        batch = batch_of(draw, lengths_MB)
        side_MB = draw.named("side").integers(2, batch)
        place_MB = draw.named("word").integers(numbers[lengths_MB, side_MB], batch)
        words: Array = rows[chosen[starts[lengths_MB, side_MB] + place_MB]]
        return words[..., :max_length]

    def _arranged(self, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return the rows, the rows of all entries by length and side, and where these begin and how many they are.

        A side without entries has those of the other; a length without any has the first entry, which nobody asks for.
        """
        key = (max_length, id(xp))
        if key not in self._arrays:
            import numpy as np

            table = self.table(max_length)
            sides: dict[tuple[int, int], list[int]] = {}
            for entry in table.entries:
                sides.setdefault((entry.length, int(entry.is_inside)), []).append(entry.row)
            chosen: list[int] = []
            starts, numbers = np.zeros((2, max_length + 1, 2), dtype=np.int64)
            numbers += 1
            for (length, side), members in sides.items():
                for place in (side, *(() if (length, 1 - side) in sides else (1 - side,))):
                    starts[length, place], numbers[length, place] = len(chosen), len(members)
                chosen += members
            rows = np.zeros((len(table.rows), max(1, max_length)), dtype=np.int64)
            for place, row in enumerate(table.rows):
                rows[place, : len(row)] = row
            self._arrays[key] = tuple(
                xp.asarray(each) for each in (rows, np.asarray(chosen, dtype=np.int64), starts, numbers)
            )
        return self._arrays[key]


class SampledSource(WordSource):
    """Uniform words of one language, which lies inside, and of another, which lies outside."""

    def __init__(self, inside: DFA, outside: DFA) -> None:
        self._sides = (outside, inside)
        self._samplers: dict[tuple[int, int, int], WordSampler] = {}

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths from ``low`` to ``high`` that have words on either side."""
        outside, inside = (lengths_with_words(side, high) for side in self._sides)
        return tuple(length for length in range(low, high + 1) if outside[length] or inside[length])

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words: a coin says from which side, at lengths where both have some."""
        has = [lengths_with_words(side, max_length) for side in self._sides]
        coin = draw.named("side").integers(2, batch_of(draw, lengths_MB)) == 1
        any_out, any_in = (xp.asarray(each)[lengths_MB] == 1 for each in has)
        outside, inside = (self._words(side, has[side], draw, lengths_MB, max_length, xp) for side in (0, 1))
        return xp.where((any_in & (coin | ~any_out))[..., None], inside, outside)

    def _words(self, side: int, has: list[bool], draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words of one side; at lengths without any, anything."""
        if True not in has:
            return places(lengths_MB, max_length, xp) * 0
        key = (side, max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(self._sides[side], max_length=max_length, xp=xp)
        possible = xp.where(xp.asarray(has)[lengths_MB] == 1, lengths_MB, has.index(True))
        words = self._samplers[key].sample(possible, draw.named("inside" if side else "outside"))
        return xp.where(words < 0, 0, words)


def table_of_words(language: DFA, words: Iterable[Sequence[str]]) -> Table:
    """Return a table of these words, each once."""
    rows = tuple(dict.fromkeys(tuple(language.encode(word)) for word in words))
    entries = tuple(
        Entry(row=number, length=len(row), is_inside=language.decode(row) in language)
        for number, row in enumerate(rows)
    )
    return Table(rows=rows, entries=entries)
