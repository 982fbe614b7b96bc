"""What idealized inference is asked and what it answers: a target on all words, and a row for each n.

As we understand arXiv 2410.02140, its learner takes, for each n, from the hypotheses that agree with the target on all
inputs of length at most n/2, one whose complexity R is smallest. A task is learned in the limit if, from some n on, the
choice is right on all inputs of length at most n while R stays bounded. Here the hypotheses are so few, or so well ordered,
that this can be done as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import numpy_arrays
from ...crasp.batched import BatchedProgram
from ...crasp.comparison import all_words
from ...crasp.fragments import Readout
from ...crasp.syntax import Program
from ...errors import CapExceededError, InvalidOptionError
from ...languages.alphabet import Alphabet, make_alphabet, show_word
from ...languages.dfa import DFA

Truths = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Word = tuple[str, ...]
Source = DFA | Program | Callable[..., bool]

MAX_CHECKED = 70_000
"""How many words a choice is tried on, about: up to length 15 for two symbols."""
_LONGEST = 40  # for one symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A set of words: an automaton, a program that accepts, or a predicate on strings (or tuples, if a symbol is long)."""

    source: Source
    alphabet: Alphabet

    @property
    def min_length(self) -> int:
        """The length of the shortest word that the target speaks of."""
        source = self.source
        return int(isinstance(source, Program) and source.readout is Readout.LAST_SYMBOL and source.start is None)

    def words(self, length: int) -> Iterator[Word]:
        """Yield all words of a length, in order."""
        yield from product(self.alphabet, repeat=length)

    def labels(self, length: int) -> Truths:
        """Return which words of a length are in the set, in their order."""
        source = self.source
        words = list(self.words(length))
        if isinstance(source, DFA):
            return np.array([word in source for word in words], bool)
        if isinstance(source, Program):
            return np.asarray(BatchedProgram(source).accepts(words, numpy_arrays()), bool)
        plain = all(len(symbol) == 1 for symbol in self.alphabet)
        return np.array([bool(source("".join(word) if plain else word)) for word in words], bool)

    @property
    def check_length(self) -> int:
        """The longest length up to which there are few enough words to try a choice on all of them."""
        length, number = 0, 1
        while length < _LONGEST and number + len(self.alphabet) ** (length + 1) <= MAX_CHECKED:
            length += 1
            number += len(self.alphabet) ** length
        return length


def make_target(source: Source, alphabet: Iterable[str] | None = None) -> Target:
    """Return a target; only a predicate needs an alphabet."""
    if isinstance(source, Program) and source.is_generator:
        raise InvalidOptionError(
            "the program says which symbols come next, and inference is about words that are accepted.",
            hint="name a language, or a program with 'accept := …'.",
        )
    if isinstance(source, DFA | Program):
        return Target(source=source, alphabet=source.alphabet)
    if alphabet is None:
        raise InvalidOptionError("a predicate needs an alphabet; found none.", hint="for example alphabet='ab'.")
    return Target(source=source, alphabet=make_alphabet(alphabet))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is chosen for one n.

    ``agreeing`` counts the hypotheses that agree on inputs up to n/2: all of a finite class, else those of the smallest R.
    ``tied`` have the smallest R, and behave in ``behaviours`` different ways on short words; ``has_right`` says that one of
    these is the target's own. ``first_wrong`` is a shortest word about which the choice errs, None if there is none up to
    the length ``checked``. Without an agreeing hypothesis, there is no choice.
    """

    n: int
    chosen: str | None
    complexity: float | None = None
    agreeing: int = 0
    tied: int = 0
    behaviours: int = 0
    has_right: bool = False
    first_wrong: Word | None = None
    checked: int = 0

    @property
    def trained(self) -> int:
        """The longest input that was to be agreed with."""
        return self.n // 2

    @property
    def right_to(self) -> int:
        """The longest length up to which the choice is right on all inputs, as far as it was checked; −1 without one."""
        if self.chosen is None:
            return -1
        return self.checked if self.first_wrong is None else len(self.first_wrong) - 1

    @property
    def generalizes(self) -> bool:
        """Whether the choice is right on all inputs up to length n."""
        return self.right_to >= self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """The rows for n = 2, 4, 6, …, over one class of hypotheses."""

    hypotheses: str
    """The class, in words."""
    order: str
    """What decides between hypotheses of one complexity."""
    counted: str
    """What is counted as agreeing."""
    compared: int
    """Tied hypotheses behave differently if they do so on a word up to this length."""
    rows: tuple[Row, ...]

    @property
    def settled_from(self) -> int | None:
        """The first n from which the choice stays the same to the end, for two rows at least; None if it does not settle."""
        last = self.rows[-1]
        settled = [row.n for row in self.rows]
        while settled and self.rows[len(settled) - 1].chosen == last.chosen:
            settled.pop()
        first = len(settled)
        return self.rows[first].n if last.chosen is not None and first < len(self.rows) - 1 else None

    @property
    def generalizes_from(self) -> int | None:
        """The first n from which every choice is right on all inputs up to length n; None if the last is not."""
        wrong = [number for number, row in enumerate(self.rows) if not row.generalizes]
        first = wrong[-1] + 1 if wrong else 0
        return self.rows[first].n if first < len(self.rows) else None

    @property
    def conclusion(self) -> str:
        """What the table shows, in a sentence or two; evidence about the limit, never a proof."""
        last = self.rows[-1]
        if last.chosen is None:
            gone = next(row for row in self.rows if row.chosen is None)
            return (
                f"From n = {gone.n} on no hypothesis of the class agrees with all inputs up to length {gone.trained}: what "
                "agrees, if anything does, is more complex than all of these."
            )
        if self.settled_from is None:
            return f"The choice does not settle up to n = {last.n}; its complexity goes from {self._complexities}."
        right = (
            f"and is right on all inputs up to length {last.right_to}, as far as was checked."
            if last.first_wrong is None
            else f"but errs on {show_word(last.first_wrong)!r}, which is longer than anything that was to be agreed with."
        )
        return f"The choice is the same from n = {self.settled_from} to {last.n}, {right}"

    @property
    def _complexities(self) -> str:
        known = [row.complexity for row in self.rows if row.complexity is not None]
        return f"{known[0]:g} to {known[-1]:g}"


def even_numbers(last: int) -> range:
    """Return 2, 4, …, up to a number, which is at least 2."""
    if type(last) is not int or last < 2:
        raise InvalidOptionError(f"n goes up to a whole number of at least 2; found {last!r}.", hint="use 12.")
    return range(2, last + 1, 2)  # not a list: the caller has yet to say whether so many are few enough


def first_wrong_word(target: Target, accepts: Callable[[int], Truths], last: int) -> Word | None:
    """Return a shortest word, up to a length, about which a hypothesis errs; ``accepts`` tells for all words of a length."""
    for length in range(target.min_length, last + 1):
        wrong = np.flatnonzero(accepts(length) != target.labels(length))
        if len(wrong):
            for number, word in enumerate(target.words(length)):
                if number == wrong[0]:
                    return word
    return None


def require_few_words(target: Target, length: int) -> None:
    """Raise if there are too many words up to a length."""
    if length > target.check_length:
        raise CapExceededError(
            f"all words up to length {length} over {len(target.alphabet)} symbols are too many; the cap is length "
            f"{target.check_length}.",
            hint="use a smaller n.",
        )


def numbered_words(target: Target, length: int) -> Numbers:
    """Return all words of a length as rows of symbol numbers, in order."""
    rows: list[Any] = list(all_words(len(target.alphabet), length))
    return np.concatenate(rows) if length else np.zeros((1, 0), np.int64)
