"""All prompts of a task about a regular language, up to some length: what decides them all is no accident of the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, Arrays, numpy_arrays
from ...languages.dfa import DFA
from ...languages.next_symbols import live_states
from ...seeds import DATA, Draw, open_stream
from ..core.task import AnswerTask, Batch, Task
from ..hard.base import HardAnswers
from ..hard.regular import HardNextSymbols, HardStates, language_of, with_words
from ..hard.sources import WordSource

MOST_WORDS = 4000


def every_prompt(task: Task) -> Batch | None:
    """Return every legal prompt of a task about a regular language, up to a length; None for other tasks.

    Hard sets are asked the questions of their task, so that a rule decides them if it decides the task.
    """
    base = task.base if isinstance(task, HardAnswers | HardNextSymbols | HardStates) else task
    language = language_of(base)
    if language is None:
        return None
    rows = _words(language, only_live=not isinstance(base, AnswerTask))
    xp = numpy_arrays()
    lengths = xp.asarray([len(row) for row in rows])
    longest = int(lengths.max())
    drawn = with_words(base, "all", _GivenWords(rows), "every word")
    return drawn.sample(open_stream(DATA, seed=0), lengths, longest, xp)


def _words(language: DFA, *, only_live: bool) -> list[tuple[int, ...]]:
    """Return all words up to a length, of which no more than so many are; or those alone that begin a word of the language."""
    live = live_states(language) if only_live else frozenset(range(language.num_states))
    found: list[tuple[int, ...]] = [()]
    layer: list[tuple[tuple[int, ...], int]] = [((), 0)]
    while layer:
        layer = [
            ((*word, symbol), target)
            for word, state in layer
            for symbol, target in enumerate(language.transitions[state])
            if target in live
        ]
        if len(found) + len(layer) > MOST_WORDS or (layer and len(layer[0][0]) > 24):
            break
        found += [word for word, _ in layer]
    return found


class _GivenWords(WordSource):
    """These very words, in their order."""

    def __init__(self, words: Sequence[tuple[int, ...]]) -> None:
        self._rows = np.zeros((len(words), max(map(len, words))), dtype=np.int64)
        for number, word in enumerate(words):
            self._rows[number, : len(word)] = word

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return all lengths: nothing is drawn."""
        return tuple(range(low, high + 1))

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the words."""
        return self._rows
