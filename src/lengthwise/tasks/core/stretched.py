"""Tasks whose input has another number of symbols than their length says."""

from __future__ import annotations

from abc import abstractmethod

from ...arrays import Array, Arrays
from ...seeds import Draw
from .task import AnswerTask, Batch


class StretchedTask(AnswerTask):
    """A task whose input has another number of symbols than its length says."""

    @abstractmethod
    def input_length(self, length: Array) -> Array:
        """Return how many symbols an input of this length has, at most; for one length or an array."""

    def size(self, length: int) -> int:
        """Return how many tokens an instance of this length has, at most."""
        return int(self.input_length(length) + self.answer_length(length) + 3)

    def scored(self, length: int) -> range:
        """Return the places of the separator and of the answer, where the next token is asked for."""
        return range(int(self.input_length(length)) + 1, self.size(length) - 1)

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances of these lengths, wide enough for ``max_length``."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        inputs, answers, *shorter = self.draw_inputs(draw, lengths_MB, max_length, xp)
        input_MB = shorter[0] if shorter else self.input_length(lengths_MB)
        answer_MB = self.answer_length(lengths_MB)
        framed = self._frame(inputs, input_MB, answers, answer_MB, self.size(max_length), xp)
        return Batch(
            tokens_MBL=framed.tokens_MBL,
            targets_MBL=framed.targets_MBL,
            sizes_MB=framed.sizes_MB,
            scale_MB=lengths_MB,
        )
