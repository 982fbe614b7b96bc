"""Repeated n-grams: a short block again and again, with one symbol changed, so that what came before tells little."""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..copying import RepeatCopy
from ..pieces import at, batch_of, one_at, places, reverse
from ..rearranging import MarkedReversal, Palindrome, Reverse
from ..retrieval import Induction
from ..task import Task
from .base import HardAnswers

KIND = "repeats"
MOST = 3
"""The length of the longest block that is repeated."""


def repeats(task: Task) -> Task | None:
    """Return the instances of a task that repeat a block, or None where a task copies and looks up nothing.

    Tasks whose tokens are all different by definition have no such instances.
    """
    match task:
        case RepeatCopy() | Reverse():
            return RepeatedBlocks(task)
        case Palindrome():
            return RepeatedPalindromes(task)
        case Induction():
            return RepeatedContexts(task)
    return None


def repeated(draw: Draw, number: int, lengths_MB: Array, width: int, xp: Arrays) -> Array:
    """Return a block of 1 to 3 symbols out of so many, again and again."""
    batch = batch_of(draw, lengths_MB)
    period_MB = draw.named("period").integers(MOST, batch) + 1
    block = draw.named("block").integers(number, (*batch, MOST))
    return at(block, places(lengths_MB, width, xp) % period_MB[..., None], xp)


class RepeatedBlocks(HardAnswers):
    """Words to copy, or to write backwards, that repeat a block with one symbol changed."""

    kind = KIND

    def __init__(self, base: RepeatCopy | Reverse) -> None:
        self.is_reverse = isinstance(base, Reverse)
        super().__init__(base, "a block of 1 to 3 symbols again and again, with one symbol changed at a uniform place")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return such words and what is to be written."""
        words = repeated(draw, 2, lengths_MB, max_length, xp)
        spot_MB = draw.named("spot").integers(lengths_MB, batch_of(draw, lengths_MB))
        words = xp.where(places(lengths_MB, max_length, xp) == spot_MB[..., None], 1 - words, words)
        return words, reverse(words, lengths_MB, xp) if self.is_reverse else words


class RepeatedPalindromes(HardAnswers):
    """Words whose halves repeat a block: palindromes, and words that are not, for one symbol."""

    kind = KIND

    def __init__(self, base: Palindrome) -> None:
        self.has_mark = isinstance(base, MarkedReversal)
        super().__init__(base, "each half repeats a block of 1 to 3 symbols; half of the words have one symbol changed")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return palindromes of repeated blocks, of which half have one symbol changed, and whether they have not."""
        batch = batch_of(draw, lengths_MB)
        place = places(lengths_MB, max_length, xp)
        mirrored = lengths_MB[..., None] - 1 - place
        letters = repeated(draw, 2, lengths_MB, max_length, xp)
        words = at(letters, xp.where(place < mirrored, place, mirrored), xp)
        half_MB = lengths_MB // 2
        spot_MB = draw.named("spot").integers(half_MB * 2, batch)
        spot_MB = xp.where(spot_MB < half_MB, spot_MB, spot_MB + lengths_MB % 2)  # never the one in the middle
        changed_MB = draw.named("changed").integers(2, batch) == 1
        words = xp.where((place == spot_MB[..., None]) & changed_MB[..., None], 1 - words, words)
        if self.has_mark:
            words = xp.where(place == half_MB[..., None], self.token("#"), words)
        return words, xp.where(changed_MB, self.token("n"), self.token("y"))[..., None]


class RepeatedContexts(HardAnswers):
    """A letter to look up in a block that is repeated; what follows it there is, half of the time, not of the block."""

    kind = KIND

    def __init__(self, base: Induction) -> None:
        super().__init__(
            base,
            "the other letters are a block of 1 to 3 letters again and again; half of the time the answer is no letter of it",
        )

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return repeated blocks with the letter that is asked for at the end and somewhere before, and what follows it."""
        batch, number = batch_of(draw, lengths_MB), len(self.symbols)
        names = draw.named("letters").permutation(number, batch)  # the key, what it may be followed by, and the block's
        block = repeated(draw, MOST, lengths_MB, max_length, xp) + 2
        spot_MB = draw.named("spot").integers(lengths_MB - 2, batch)
        changed_MB = draw.named("changed").integers(2, batch) == 1
        place = places(lengths_MB, max_length, xp)
        is_key = (place == spot_MB[..., None]) | (place == lengths_MB[..., None] - 1)
        is_changed = (place == spot_MB[..., None] + 1) & changed_MB[..., None]
        words = at(names, xp.where(is_key, 0, xp.where(is_changed, 1, block)), xp)
        return words, one_at(words, spot_MB + 1, xp)[..., None]
