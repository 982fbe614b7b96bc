"""Tasks about a regular language with words from elsewhere: the labels are those of the task."""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...languages.dfa import DFA
from ...languages.dfa_algebra import shortest_path
from ...seeds import Draw
from ..arithmetic.modular import SumModulo
from ..core.row_functions import fold, is_inside, one_at
from ..core.task import AnswerTask, Task
from ..counting.counts import CountMod
from ..counting.majorities import Parity
from ..languages.acceptance import Accepts
from ..languages.regular import NextSymbols, RegularTask, States
from .base import HardAnswers, describe_as_hard
from .sources import WordSource


def language_of(task: Task) -> DFA | None:
    """Return the language that a task is about, if words of it, and others, are its inputs; hard sets have none."""
    kinds = Accepts | Parity | NextSymbols | States | CountMod | SumModulo
    return task.facts.language if isinstance(task, kinds) else None


def with_words(task: Task, kind: str, source: WordSource, definition: str) -> Task:
    """Return a task about a regular language with words from this source."""
    match task:
        case Accepts():
            return HardWords(task, kind, source, definition)
        case Parity() | CountMod() | SumModulo():
            return HardWords(task, kind, source, definition)
        case NextSymbols():
            return HardNextSymbols(task, kind, source, definition)
        case States():
            return HardStates(task, kind, source, definition)
    raise AssertionError(f"{task.name!r} is not about a regular language")


class HardWords(HardAnswers):
    """What the task answers to a hard word: one symbol, which the state of its language decides."""

    def __init__(self, base: AnswerTask, kind: str, source: WordSource, definition: str) -> None:
        self.kind = kind
        language = base.facts.language
        assert language is not None
        self.language, self._source = language, source
        super().__init__(base, definition)
        self._symbols = [self.token(symbol) for symbol in language.alphabet]
        self._answers = [self.token(base.answer(word)[0]) for word in words_to_states(language)]

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that have hard words."""
        known = self._source.lengths(low, high)
        return tuple(length for length in self.base.lengths(low, high) if length in known)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return hard words and what is answered to them."""
        words = self._source.draw_words(draw, lengths_MB, max_length, xp)
        table = xp.asarray(self.language.transitions)
        last = one_at(fold(words, table, 0, xp), lengths_MB, xp)
        return xp.asarray(self._symbols)[words], xp.asarray(self._answers)[last][..., None]


def words_to_states(language: DFA) -> list[tuple[str, ...]]:
    """Return a shortest word that leads to each state."""
    words = [shortest_path(language, 0, goal.__eq__) for goal in range(language.num_states)]
    found = [word for word in words if word is not None]
    assert len(found) == language.num_states, "every state of a minimal automaton is reached"
    return found


class _HardRegular(RegularTask):
    """Hard words of a regular language, each of which begins a word of it."""

    def __init__(self, base: NextSymbols | States, kind: str, source: WordSource, definition: str) -> None:
        super().__init__(base.language, base.name)
        self.base, self._source = base, source
        describe_as_hard(self, base, kind, definition)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that have hard words."""
        return self._source.lengths(low, high)

    def _words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return words with −1 after their end, and the states before each place and after the last."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        words = self._source.draw_words(draw.named("words"), lengths_MB, max_length, xp)
        states = fold(words, xp.asarray(self.language.transitions), 0, xp)
        return xp.where(is_inside(lengths_MB, max_length, xp), words, -1), states


class HardNextSymbols(_HardRegular, NextSymbols):
    """What can follow at every prefix of a hard word."""


class HardStates(_HardRegular, States):
    """The state at every prefix of a hard word."""
