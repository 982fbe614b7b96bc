"""Tasks that are made one instance at a time in plain Python, where arrays would not make sense.

Every instance still has a key of its own, so that any batch can be made again, on every array library.
"""

from __future__ import annotations

from abc import abstractmethod

from ..arrays import Array, Arrays
from ..seeds import Draw
from .task import AnswerTask

_MULTIPLIER, _INCREMENT, _MASK = 6364136223846793005, 1442695040888963407, 2**64 - 1  # of a linear congruence


class Numbers:
    """Random numbers for one instance, from its key."""

    def __init__(self, key: int) -> None:
        self._state = key & _MASK

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound − 1; its probability is within bound / 2**31 of uniform."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        mixed = (self._state ^ (self._state >> 33)) * 0xFF51AFD7ED558CCD & _MASK
        return ((mixed >> 33) * bound) >> 31

    def shuffle(self, values: list[int]) -> list[int]:
        """Return the values in a random order."""
        left = list(values)
        for last in range(len(left) - 1, 0, -1):
            other = self.below(last + 1)
            left[last], left[other] = left[other], left[last]
        return left


class HostTask(AnswerTask):
    """A task whose instances are made one by one; the answer is the oracle's."""

    host_only = True

    @abstractmethod
    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return a random prompt of this length."""

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return prompts, the oracle's answers and how long they are."""
        import numpy as np

        shape = tuple(lengths_MB.shape)
        keys = draw.bits31(tuple(shape[len(draw.keys.shape) :])).reshape(-1).tolist()
        ids = {symbol: number for number, symbol in enumerate(self.vocabulary)}
        width = int(self.answer_length(max_length))
        inputs, answers, sizes = [], [], []
        for key, length in zip(keys, lengths_MB.reshape(-1).tolist(), strict=True):
            prompt = self.make(Numbers(key), length)
            answer = self.answer(prompt)
            assert len(prompt) == length, f"{self.name} made a prompt of {len(prompt)} symbols instead of {length}"
            inputs.append([ids[symbol] for symbol in prompt] + [0] * (max_length - length))
            answers.append([ids[symbol] for symbol in answer] + [0] * (width - len(answer)))
            sizes.append(len(answer))
        made = ((inputs, (*shape, max_length)), (answers, (*shape, width)), (sizes, shape))
        return tuple(xp.asarray(np.asarray(values, dtype=np.int64).reshape(size)) for values, size in made)
