"""What a hard set shares with its task: everything but how instances are drawn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from ...theory.claims import Answer
from ...theory.facts import Facts
from ..core.row_functions import is_inside, places
from ..core.task import AnswerTask, Batch, Task, shuffled
from ..languages.words import WordsTask


def hard_name(task: Task, kind: str) -> str:
    """Return the name of a hard set.

    >>> from lengthwise.tasks.counting.majorities import Parity
    >>> hard_name(Parity(), "boundary")
    'hard(parity, boundary)'
    """
    return f"hard({task.name}, {kind})"


def describe_as_hard(hard: Task, base: Task, kind: str, definition: str) -> None:
    """Give a hard set its name and, for the rest, what its task says of itself."""
    hard.name = hard_name(base, kind)
    hard.definition = f"hard instances of {base.name}: {definition}"
    hard.length_means, hard.citation, hard.revision = base.length_means, base.citation, base.revision
    hard.writing = base.writing
    hard.facts = facts_for_some(base.facts)


def facts_for_some(facts: Facts) -> Facts:
    """Return what still holds where only some instances are asked: a program goes on working, but no NO is kept."""
    return Facts(
        program=facts.program, how=facts.how, cited=tuple(each for each in facts.cited if each.answer is Answer.YES)
    )


class HardAnswers(AnswerTask):
    """Hard instances of a task with answers; only ``draw_inputs`` is its own."""

    kind: str

    def __init__(self, base: AnswerTask, definition: str) -> None:
        self.base = base
        self.symbols, self.min_length = base.symbols, base.min_length
        describe_as_hard(self, base, self.kind, definition)

    def has(self, length: int) -> bool:  # noqa: ARG002
        """Return whether there is a hard instance of a length that the task has."""
        return True

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return those of the task's lengths that have hard instances."""
        return tuple(length for length in self.base.lengths(low, high) if self.has(length))

    def size(self, length: int) -> int:
        """Return how many tokens an instance of the task has."""
        return self.base.size(length)

    def scored(self, length: int) -> range:
        """Return the places that the task scores."""
        return self.base.scored(length)

    def answer_length(self, length: Array) -> Array:
        """Return how long the task's answer is."""
        return self.base.answer_length(length)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the task's answer."""
        return self.base.answer(prompt)

    def roles(self, batch: Batch, xp: Arrays) -> Array | None:
        """Return the roles that the task gives."""
        return self.base.roles(batch, xp)


class HardWords(WordsTask):
    """Hard instances of a language that need not be regular; only ``draw_words`` is its own."""

    kind: str

    def __init__(self, base: WordsTask, definition: str) -> None:
        self.base = base
        self.symbols, self.min_length = base.symbols, base.min_length
        describe_as_hard(self, base, self.kind, definition)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the task's lengths."""
        return self.base.lengths(low, high)

    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return what the task says can follow."""
        return self.base.following(prefix)

    @abstractmethod
    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return hard words, or prefixes of words, as symbol ids."""

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the task's sets."""
        return self.base.sets_after(words_MBN, lengths_MB, xp)


def in_any_order(first_MB: Array, values: tuple[Array, Array], lengths_MB: Array, draw: Draw, xp: Arrays) -> Array:
    """Return rows in which so many places have the first value and all others the second, in a random order."""
    one, other = values
    width = one.shape[-1]
    mixed = xp.where(places(lengths_MB, width, xp) < first_MB[..., None], one, other)
    return shuffled(mixed, is_inside(lengths_MB, width, xp), draw, xp)
