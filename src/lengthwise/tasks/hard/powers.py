"""Power words: a short word again and again, which is what cycles of an automaton are about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...languages.dfa import DFA
from ...languages.next_symbols import live_states
from ..core.task import AnswerTask, Task
from .regular import language_of, with_words
from .sources import Entry, Table, TableSource

KIND = "powers"
LONGEST = 4
"""The length of the longest word that is repeated."""
MOST = 400
"""How many words are repeated, at most: over large alphabets only the shorter ones are."""


def powers(task: Task) -> Task | None:
    """Return the power words of a task about a regular language."""
    language = language_of(task)
    if language is None:
        return None
    source = PowerWords(language, only_live=not isinstance(task, AnswerTask))
    longest = source.longest_root
    definition = f"words u u u … cut at the length, for the words u of 1 to {longest} symbols"
    return with_words(task, KIND, source, definition) if source.lengths(1, LONGEST) else None


def roots(num_symbols: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Yield the words up to a length that repeat no shorter word.

    >>> list(roots(2, 2))
    [(0,), (1,), (0, 1), (1, 0)]
    """
    for length in range(1, longest + 1):
        for word in product(range(num_symbols), repeat=length):
            if not any(word == word[:part] * (length // part) for part in range(1, length) if length % part == 0):
                yield word


class PowerWords(TableSource):
    """Prefixes of uuu…; ``only_live`` leaves out those that no word of the language begins with."""

    def __init__(self, language: DFA, *, only_live: bool) -> None:
        super().__init__()
        self._language = language
        self._live = live_states(language) if only_live else frozenset(range(language.num_states))
        number = len(language.alphabet)
        sizes = [sum(number**size for size in range(1, longest + 1)) for longest in range(1, LONGEST + 1)]
        self.longest_root = max(1, sum(size <= MOST for size in sizes))

    def make_table(self, max_length: int) -> Table:
        """Return a row for each root, and its prefixes that count; the empty word counts too."""
        language = self._language
        rows, entries = [], []
        for number, root in enumerate(roots(len(language.alphabet), self.longest_root)):
            rows.append((root * (max_length // len(root) + 1))[:max_length])
            state = 0
            for length in range(max_length + 1):
                if state not in self._live:
                    break
                entries.append(Entry(row=number, length=length, is_inside=state in language.accepting))
                if length < max_length:
                    state = language.transitions[state][rows[-1][length]]
        return Table(rows=tuple(rows), entries=tuple(entries))
