"""Repeated n-grams: a short block again and again, with one symbol changed, so that what came before tells little.

Tasks whose tokens are all different by definition have no such instances.
"""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..core.row_functions import at, batch_of, places, reverse
from ..core.task import AnswerTask
from .base import HardAnswers

REPEATS = "repeats"
MOST_REPEATED = 3
"""The length of the longest block that is repeated."""


def repeated(draw: Draw, number: int, lengths_MB: Array, width: int, xp: Arrays) -> Array:
    """Return a block of 1 to 3 symbols out of so many, again and again."""
    batch = batch_of(draw, lengths_MB)
    period_MB = draw.named("period").integers(MOST_REPEATED, batch) + 1
    block = draw.named("block").integers(number, (*batch, MOST_REPEATED))
    return at(block, places(lengths_MB, width, xp) % period_MB[..., None], xp)


class RepeatedBlocks(HardAnswers):
    """Words to copy, or to write backwards, that repeat a block with one symbol changed."""

    kind = REPEATS

    def __init__(self, base: AnswerTask, *, is_reverse: bool = False) -> None:
        self.is_reverse = is_reverse
        super().__init__(base, "a block of 1 to 3 symbols again and again, with one symbol changed at a uniform place")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return such words and what is to be written."""
        words = repeated(draw, 2, lengths_MB, max_length, xp)
        spot_MB = draw.named("spot").integers(lengths_MB, batch_of(draw, lengths_MB))
        words = xp.where(places(lengths_MB, max_length, xp) == spot_MB[..., None], 1 - words, words)
        return words, reverse(words, lengths_MB, xp) if self.is_reverse else words
