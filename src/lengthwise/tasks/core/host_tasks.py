"""Tasks that are made one instance at a time in plain Python, where arrays would not make sense.

Every instance still has a key of its own, so that any batch can be made again, on every array library.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from .random_numbers import Numbers as Numbers
from .task import AnswerTask


class HostTask(AnswerTask):
    """A task whose instances are made one by one; the answer is the oracle's."""

    host_only = True

    @abstractmethod
    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return a random prompt of this length."""

    def make_instances(self, keys: Sequence[int], lengths: Sequence[int]) -> Iterable[tuple[list[str], list[str]]]:
        """Yield a random prompt of each length, from its key, and the answer."""
        for key, length in zip(keys, lengths, strict=True):
            prompt = self.make(Numbers(key), length)
            yield prompt, self.answer(prompt)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return prompts, the oracle's answers and how long they are."""
        import numpy as np

        shape = tuple(lengths_MB.shape)
        keys = draw.bits31(tuple(shape[len(draw.keys.shape) :])).reshape(-1).tolist()
        ids = {symbol: number for number, symbol in enumerate(self.vocabulary)}
        width = int(self.answer_length(max_length))
        inputs, answers, sizes = [], [], []
        lengths = lengths_MB.reshape(-1).tolist()
        for length, (prompt, answer) in zip(lengths, self.make_instances(keys, lengths), strict=True):
            assert len(prompt) == length, f"{self.name} made a prompt of {len(prompt)} symbols instead of {length}"
            inputs.append([ids[symbol] for symbol in prompt] + [0] * (max_length - length))
            answers.append([ids[symbol] for symbol in answer] + [0] * (width - len(answer)))
            sizes.append(len(answer))
        made = ((inputs, (*shape, max_length)), (answers, (*shape, width)), (sizes, shape))
        return tuple(xp.asarray(np.asarray(values, dtype=np.int64).reshape(size)) for values, size in made)
