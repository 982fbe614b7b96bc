"""Words of a language that need not be regular, and at each of their prefixes the set of symbols that can follow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..core.row_functions import is_inside, places
from ..core.task import BOS, IGNORE, PAD, Batch, shuffled
from .next_symbols import NextSymbolsTask


class WordsTask(NextSymbolsTask):
    """Words of a language that is given by what can follow a prefix."""

    length_means = "the number of symbols of the word"

    @abstractmethod
    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return the symbols that some word goes on with after this prefix, in their order, then the end: the oracle."""

    @abstractmethod
    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words as symbol ids, [M, B, N]; what lies beyond the length of a word is arbitrary."""

    @abstractmethod
    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the set after each prefix, from the empty one on, [M, B, N + 1]."""

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return, for every prefix, what can follow."""
        return [" ".join(self.following(prompt[:end])) for end in range(len(prompt) + 1)]

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random words of these lengths with the sets at their prefixes."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        words = self.draw_words(draw.named("words"), lengths_MB, max_length, xp)
        bos = xp.broadcast(xp.asarray([self.token(BOS)]), (*lengths_MB.shape, 1))
        tokens = xp.concat_last([bos, xp.where(is_inside(lengths_MB, max_length, xp), words, self.token(PAD))])
        scored = is_inside(lengths_MB + 1, max_length + 1, xp)
        targets = xp.where(scored, self.sets_after(words, lengths_MB, xp), IGNORE)
        return Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=lengths_MB + 1, scale_MB=lengths_MB)


def after_each_prefix(steps_MBN: Array, xp: Arrays) -> Array:
    """Return the sum of the steps of every prefix, from the empty one on, [M, B, N + 1]."""
    zero = xp.broadcast(xp.asarray([0]), (*steps_MBN.shape[:-1], 1))
    return xp.running_sum(xp.concat_last([zero, steps_MBN]), -1)


def set_of(bits: Sequence[Array | bool], xp: Arrays) -> Array:
    """Return a set as a number: bit k says whether it holds symbol k; at least one of them is an array."""
    total = 0
    for place, bit in enumerate(bits):
        total = total + (xp.where(bit, 1 << place, 0) if hasattr(bit, "shape") else int(bit) << place)
    return total


def balanced(draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
    """Return balanced words of 0, which opens, and 1, which closes, of even lengths: each is exactly as likely.

    Of m openings and m + 1 closings in a random order, exactly one rotation closes too much only with its very last
    symbol, and all rotations differ (the cycle lemma). It starts after the first place where most is closed.
    """
    width = max_length + 1
    sizes = lengths_MB + 1
    inside = is_inside(sizes, width, xp)
    place = places(lengths_MB, width, xp)
    symbols = shuffled(xp.where(place < lengths_MB[..., None] // 2, 0, 1), inside, draw.named("brackets"), xp)
    closed = xp.running_sum(xp.where(inside, 2 * symbols - 1, 0), -1)
    # the first place where the most is closed: the largest of one number that puts the count first and early places next
    best = xp.running_max_last(xp.where(inside, (closed + width) * width + (width - 1 - place), 0))[..., -1:]
    start = width - 1 - best % width + 1
    turned = xp.gather_last(symbols, xp.where(inside, (place + start) % sizes[..., None], 0))
    return turned[..., :max_length]
