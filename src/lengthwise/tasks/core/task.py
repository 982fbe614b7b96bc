"""What a task is: symbols, an oracle in plain Python, and a sampler that any array library can run.

Shapes: M models in a stack (absent when the draw has a single key), B batch, L tokens, N input symbols.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...arrays import Array, Arrays
from ...crasp.fragments import Readout
from ...seeds import Draw
from ...theory.facts import Facts
from .special_tokens import BOS as BOS
from .special_tokens import EOS as EOS
from .special_tokens import PAD as PAD
from .special_tokens import SEP as SEP
from .special_tokens import SPECIALS as SPECIALS
from .writing import NO_NUMBERS, Writing

IGNORE = -100
"""The target of a position that is not scored."""


class Objective(StrEnum):
    """What a model is asked for, and where."""

    ANSWER = "answer"  # the tokens after a separator, then the end
    NEXT_SYMBOLS = "next_symbols"  # at every prefix, the set of legal next symbols, the end among them
    STATES = "states"  # at every prefix, the state of the automaton, read at separators that hide the last symbol

    @property
    def readout(self) -> Readout:
        """Where the answer is read, which a verdict about it must share."""
        return Readout.LAST_SYMBOL if self is Objective.NEXT_SYMBOLS else Readout.END_MARKER


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Instances side by side, padded on the right.

    A target is a class, or for NEXT_SYMBOLS a set as the bits of a number. ``sizes_MB`` counts the tokens of each
    instance without padding; ``scale_MB`` is its length as the theory speaks of it.
    """

    tokens_MBL: Array
    targets_MBL: Array
    sizes_MB: Array
    scale_MB: Array


class Task(ABC):
    """A problem at every length. ``symbols`` are its own; the vocabulary adds ``<bos> <sep> <eos> <pad>``."""

    name: str
    definition: str
    length_means: str
    objective: Objective
    symbols: tuple[str, ...]
    min_length: int
    facts: Facts
    citation: str
    writing: Writing = NO_NUMBERS
    """Where numbers are written, for formats."""
    revision: int = 1
    attempts: int = 1
    """How many candidates the sampler draws for each instance."""
    decided_by: tuple[str, ...] = ()
    """The simple rules (tasks/audit/rules.py), by name, that are right on every input: the task asks for just that."""
    host_only: bool = False
    """Whether instances are made one by one in plain Python, outside of any array program."""

    def __repr__(self) -> str:
        return f"<Task: {self.name}>"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All tokens, by id."""
        return (*self.symbols, *SPECIALS)

    @property
    def num_outputs(self) -> int:
        """How many outputs a model needs."""
        return len(self.vocabulary)

    @property
    def digits(self) -> tuple[int, ...]:
        """The tokens that are decimal digits."""
        return tuple(number for number, symbol in enumerate(self.symbols) if symbol in tuple("0123456789"))

    def roles(self, batch: Batch, xp: Arrays) -> Array | None:  # noqa: ARG002
        """Return a role for every token, [M, B, L], tokens that belong together having one role; None if there are none.

        Roles count from 1, and 0 is for tokens apart. Only what comes before a token may decide its role.
        """
        return None

    def hard_sets(self) -> dict[str, Task]:
        """Return hard instances of this task that are its own, by kind; those of regular languages are made for all."""
        return {}

    def token(self, symbol: str) -> int:
        """Return the id of a symbol or special token."""
        return self.vocabulary.index(symbol)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths from ``low`` to ``high`` that have instances."""
        return tuple(range(max(low, self.min_length), high + 1))

    @abstractmethod
    def size(self, length: int) -> int:
        """Return how many tokens an instance of this length has."""

    @abstractmethod
    def scored(self, length: int) -> range:
        """Return the places of an instance of this length that may be scored."""

    @abstractmethod
    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the right answer, in plain Python: the oracle."""

    @abstractmethod
    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances of these lengths, wide enough for ``max_length``."""

    @abstractmethod
    def read_back(self, tokens: Sequence[int], targets: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the prompt of one instance and the answer that its targets state, for comparison with the oracle."""


class AnswerTask(Task):
    """A task whose instance is ``<bos> input <sep> answer <eos>``; answer and end are scored."""

    objective = Objective.ANSWER

    @abstractmethod
    def answer_length(self, length: Array) -> Array:
        """Return how many symbols the answer to an input of this length has, at most; for one length or an array."""

    @abstractmethod
    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return inputs and their answers as symbol ids; what lies beyond an instance's own length is arbitrary.

        Where answers can be shorter than ``answer_length`` says, the third result is how long each is.
        """

    def size(self, length: int) -> int:
        """Return how many tokens an instance of this length has."""
        return int(length + self.answer_length(length) + 3)

    def scored(self, length: int) -> range:
        """Return the places of the separator and of the answer, where the next token is asked for."""
        return range(length + 1, length + 2 + int(self.answer_length(length)))

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances of these lengths, wide enough for ``max_length``."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        inputs_MBN, answers_MBA, *shorter = self.draw_inputs(draw, lengths_MB, max_length, xp)
        answer_lengths_MB = shorter[0] if shorter else self.answer_length(lengths_MB)
        return self._frame(inputs_MBN, lengths_MB, answers_MBA, answer_lengths_MB, self.size(max_length), xp)

    def _frame(
        self, inputs_MBN: Array, lengths_MB: Array, answers_MBA: Array, answer_lengths_MB: Array, width: int, xp: Arrays
    ) -> Batch:
        """Return the batch of ``<bos> input <sep> answer <eos>`` for ragged inputs and answers."""
        shape = (*lengths_MB.shape, width)
        place = xp.broadcast(xp.arange(width), shape)
        sep_at = xp.broadcast(lengths_MB[..., None] + 1, shape)
        eos_at = xp.broadcast(sep_at + answer_lengths_MB[..., None] + 1, shape)

        def spread(values: Array, start: Array) -> Array:
            """Return values laid out from ``start`` on; elsewhere anything."""
            if not values.shape[-1]:
                return xp.broadcast(xp.asarray(0), shape)
            index = place - start
            index = xp.where(index < 0, 0, xp.where(index < values.shape[-1], index, values.shape[-1] - 1))
            return xp.gather_last(values, index)

        tokens = xp.where(place <= eos_at, self.token(EOS), self.token(PAD))
        tokens = xp.where(place < eos_at, spread(answers_MBA, sep_at + 1), tokens)
        tokens = xp.where(place == sep_at, self.token(SEP), tokens)
        tokens = xp.where(place < sep_at, spread(inputs_MBN, xp.broadcast(xp.asarray(1), shape)), tokens)
        tokens = xp.where(place == 0, self.token(BOS), tokens)
        following = xp.gather_last(tokens, xp.where(place < width - 1, place + 1, place))
        targets = xp.where((place >= sep_at) & (place < eos_at), following, IGNORE)
        return Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=eos_at[..., 0] + 1, scale_MB=lengths_MB)

    def read_back(self, tokens: Sequence[int], targets: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the input of one instance and the answer that its targets state."""
        words = [self.vocabulary[token] for token in tokens]
        prompt = words[1 : words.index(SEP)]
        answer = [self.vocabulary[target] for target in targets if target != IGNORE]
        return prompt, answer


class SameLengthTask(AnswerTask):
    """A task whose answers are as long as its inputs."""

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length


class OneSymbolTask(AnswerTask):
    """A task whose answer is one symbol."""

    def answer_length(self, length: Array) -> Array:
        """Return 1."""
        return length * 0 + 1


def copying_roles(batch: Batch, xp: Arrays) -> Array:
    """Return roles for ``<bos> x₁ … xₙ <sep> y₁ … yₙ <eos>``: x and y of one number have one role, the separator 0."""
    shape = tuple(batch.tokens_MBL.shape)
    place = xp.broadcast(xp.arange(shape[-1]), shape)
    length = xp.broadcast(batch.scale_MB[..., None], shape)
    return xp.where(place <= length, place, place - length - 1)


def shuffled(values_MBN: Array, valid_MBN: Array, draw: Draw, xp: Arrays) -> Array:
    """Return each row with its valid entries, which come first, in a random order."""
    num_places = values_MBN.shape[-1]
    keys = draw.permutation(num_places, tuple(values_MBN.shape[len(draw.keys.shape) : -1]))
    return xp.gather_last(values_MBN, xp.stable_ranks(xp.where(valid_MBN, keys, num_places)))
