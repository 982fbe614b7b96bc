"""Uniform sampling of the words of a given length in a language; for the words outside it, pass ``~language``.

:func:`sample_word` is exact and slow: it draws a rank and unranks it. :class:`WordSampler` is its fast,
vectorised counterpart with a stated error. Shapes: L the length, B the batch, S states, V symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, cast

from ..arrays import Array, Arrays, numpy_arrays
from ..errors import InvalidOptionError, NoSuchWordError
from ..seeds import Draw
from .alphabet import show_word
from .dfa import DFA
from .dfa_algebra import Word, require_countable, word_counts
from .word_lengths import lengths_with_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PADDING = -1
"""What follows the last symbol of a word that is shorter than the array it stands in."""


def unrank(language: DFA, length: int, rank: int) -> Word:
    """Return the word with this rank among the words of this length, in the order of the alphabet.

    >>> unrank(DFA(alphabet="ab", transitions=[[0, 1], [1, 1]], accepting=[1]), 2, 0)
    ('a', 'b')
    """
    _require_length(length)
    counts = word_counts(language, length)
    num_words = counts[length][0]
    if not num_words:
        raise no_such_word(language, length)
    if type(rank) is not int or not 0 <= rank < num_words:
        raise InvalidOptionError(
            f"rank {rank!r} is out of range; the words of length {length} have ranks 0 to {num_words - 1}.",
            hint="choose a rank in this range.",
        )
    return _unrank(language, counts, length, rank)


def _unrank(language: DFA, counts: list[list[int]], length: int, rank: int) -> Word:
    state = 0
    symbols = []
    for remaining in reversed(range(length)):
        for symbol, target in enumerate(language.transitions[state]):
            if rank < counts[remaining][target]:
                symbols.append(symbol)
                state = target
                break
            rank -= counts[remaining][target]
    return language.decode(symbols)


def rank(language: DFA, word: Iterable[str]) -> int:
    """Return how many words of the same length come before this word; the inverse of :func:`unrank`."""
    symbols = tuple(word)
    if symbols not in language:
        raise NoSuchWordError(
            f"the word {show_word(symbols)} is not in the language, so it has no rank.",
            hint="for words outside a language, pass ~language.",
        )
    counts = word_counts(language, len(symbols))
    state = before = 0
    for remaining, symbol in zip(reversed(range(len(symbols))), language.encode(symbols), strict=True):
        row = language.transitions[state]
        before += sum(counts[remaining][target] for target in row[:symbol])
        state = row[symbol]
    return before


def sample_word(language: DFA, length: int, draw: Draw) -> Word:
    """Return a word of this length, exactly uniform; ``draw`` has one key. The oracle of :class:`WordSampler`."""
    _require_length(length)
    counts = word_counts(language, length)
    if not counts[length][0]:
        raise no_such_word(language, length)
    return _unrank(language, counts, length, draw.big_integer(counts[length][0]))


def sample_words(language: DFA, lengths_B: Sequence[int] | Array, draw: Draw) -> Array:
    """Return words of these lengths as a :class:`WordSampler` gives them, as wide as the longest."""
    longest = max(_lengths_as_list(lengths_B), default=0)
    return WordSampler(language, max_length=longest, xp=draw.xp).sample(lengths_B, draw)


class WordSampler:
    """Tables for sampling words of a language up to ``max_length``, made once and used step after step.

    With r symbols to go, state s continues with symbol k when the 31 random bits u satisfy
    ``thresholds[r, s, k - 1] <= u < thresholds[r, s, k]``. The k-th threshold is 2**31 * C / N rounded to the
    nearest integer, where N counts the words of length r accepted from s and C those that begin with one of the
    symbols up to k. The last one is always 2**31 and is not stored.

    *Only words of the language come out.* A symbol that no accepted word begins with leaves C as it is, so its
    interval is empty. Hence a state from which no word of the length at hand is left is never entered.

    *A sample of length n is within n * (V - 1) * 2**-32 of uniform in total variation*, for ideal bits u. At
    one position, let e(k) be the error of threshold k over 2**31: it is at most 2**-32, and 0 at both ends.
    Symbol k has probability wrong by e(k) - e(k - 1), so the distance, half the sum of these in absolute value, is
    at most the sum of |e(k)| over the V - 1 inner thresholds. Exact choices would give a uniform word; replacing
    them by rounded ones, a position at a time, adds up the n distances.
    """

    def __init__(self, language: DFA, *, max_length: int, xp: Arrays | None = None) -> None:
        _require_length(max_length)
        self.language = language
        self.max_length = max_length
        self.xp = numpy_arrays() if xp is None else xp
        have = lengths_with_words(language, max_length)
        self._missing = frozenset(length for length in range(max_length + 1) if not have[length])
        self.thresholds = self.xp.asarray(threshold_table(language, max_length))
        self._tables = Tables(thresholds=self.thresholds, targets=self.xp.asarray(language.transitions))

    def sample(self, lengths_B: Sequence[int] | Array, draw: Draw, begun: tuple[Array, Array] | None = None) -> Array:
        """Return the symbol numbers of one word per length, [B, max_length], with ``PADDING`` after its end.

        A draw with stacked keys gives [M, B, max_length]; lengths may then be [B] or [M, B]. A word depends on
        its key, its row and its length only, neither on the other lengths nor on ``max_length``. Lengths in an array
        are checked only where looking at them is cheap; a length without words then gives anything.

        ``begun`` are symbols for the first places of each word, as wide as the sampler, and how many they are; the rest is
        uniform among the words that begin so, and anything if there are none.
        """
        return self.sample_runs(lengths_B, draw, begun)[0]

    def sample_runs(
        self, lengths_B: Sequence[int] | Array, draw: Draw, begun: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """Return words as :meth:`sample` does, and the state before each symbol and after the last, [B, max_length + 1].

        States beyond the end of a word are arbitrary.
        """
        if self.xp.may_look or not hasattr(lengths_B, "dtype"):
            self._require_words(_lengths_as_list(lengths_B))
        lengths = self.xp.asarray(lengths_B)
        num_words = lengths.shape[-1]
        keys_shape = tuple(draw.keys.shape)
        if tuple(lengths.shape) not in ((num_words,), (*keys_shape, num_words)):
            raise InvalidOptionError(
                f"lengths of shape {tuple(lengths.shape)} do not fit a draw with keys of shape {keys_shape}.",
                hint="give one length per word, either for all keys together or for each key.",
            )
        lengths = self.xp.broadcast(lengths, (*keys_shape, num_words))
        start = self.xp.broadcast(self.xp.asarray(0), tuple(lengths.shape))  # not one number, which would be looked at
        return self._tables.sample(start, lengths, draw, begun)

    def _require_words(self, lengths: list[int]) -> None:
        for length in sorted(set(lengths)):
            if length > self.max_length:
                raise InvalidOptionError(
                    f"length {length} is too long for this sampler, made for lengths up to {self.max_length}.",
                    hint=f"make the sampler with max_length={length}.",
                )
            if length in self._missing:
                raise no_such_word(self.language, length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What words are sampled with, of one automaton or of several whose states are numbered one after the other.

    ``thresholds``, [L + 1, S, V - 1], goes by symbols to go and states, as :class:`WordSampler` says; ``targets``, [S, V],
    are the next states.
    """

    thresholds: Array
    targets: Array

    def sample(
        self, start_MB: Array, lengths_MB: Array, draw: Draw, begun: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """Return a word of each length from each state on, [M, B, L], and the states before its symbols and after them."""
        xp = draw.xp
        longest, num_states = self.thresholds.shape[0] - 1, self.thresholds.shape[1]
        if not longest:
            return xp.broadcast(start_MB[..., None], (*lengths_MB.shape, 1))[..., :0], start_MB[..., None]
        bits = draw.at(xp.arange(longest)).bits31((lengths_MB.shape[-1],))
        to_go = lengths_MB[..., None] - xp.arange(longest)
        is_within = to_go > 0
        rows = xp.where(is_within, to_go, 0) * num_states
        is_begun = None if begun is None else xp.arange(longest) < begun[1][..., None]
        thresholds = self.thresholds.reshape(((longest + 1) * num_states, self.thresholds.shape[2]))
        symbols, states = [], [start_MB]
        for place in range(longest):  # few operations: a GPU takes as long to start a small one as a large one
            bounds = thresholds[rows[..., place] + states[-1]]
            symbol = (bits[..., place, :, None] >= bounds).sum(-1)
            if begun is not None and is_begun is not None:
                symbol = xp.where(is_begun[..., place], begun[0][..., place], symbol)
            symbols.append(symbol)
            states.append(self.targets[states[-1], symbol])
        return xp.where(is_within, xp.stack_last(symbols), PADDING), xp.stack_last(states)


def threshold_table(language: DFA, max_length: int) -> NDArray[np.int64]:
    """Return the inner thresholds, [L + 1, S, V - 1], by symbols to go and states; rows that are never read hold zeros."""
    import numpy as np

    require_countable(language, max_length)
    num_inner = len(language.alphabet) - 1
    with _EXTENDING:
        known = _known_rows(language)
        while len(known) <= max_length:  # rows of shorter words are the first of those of longer ones
            row = np.zeros((language.num_states, num_inner), dtype=np.int64)
            counts = [int(state in language.accepting) for state in range(language.num_states)]
            if known:
                shorter = known[-1].counts
                counts = [sum(shorter[target] for target in targets) for targets in language.transitions]
                for state, (targets, num_words) in enumerate(zip(language.transitions, counts, strict=True)):
                    if num_words:
                        inner = accumulate(shorter[target] for target in targets[:-1])
                        row[state] = [(2**32 * below + num_words) // (2 * num_words) for below in inner]
            known.append(_Row(counts, row))  # both at once: an interruption leaves what is right
        return np.stack([each.thresholds for each in known[: max_length + 1]])


class _Row(NamedTuple):
    """For each state, the number of words of a length that are accepted from there, and the thresholds."""

    counts: list[int]
    thresholds: NDArray[np.int64]


_EXTENDING = Lock()


@lru_cache(maxsize=2048)
def _known_rows(language: DFA) -> list[_Row]:
    """Return the rows that are made so far, by length."""
    del language  # the list is found again by it
    return []


def no_such_word(language: DFA, length: int) -> NoSuchWordError:
    """Return the error for a length without words; it names the nearest lengths that have some."""
    below, above = nearest_lengths(language, length)
    if below is not None and above is not None:
        hint = f"the nearest lengths with words are {below} and {above}."
    elif below is not None:
        hint = f"its longest words have length {below}."
    elif above is not None:
        hint = f"its shortest words have length {above}."
    else:
        hint = "the language is empty: it has no words of any length."
    return NoSuchWordError(f"the language has no word of length {length}.", hint=hint)


def nearest_lengths(language: DFA, length: int) -> tuple[int | None, int | None]:
    """Return the nearest length below and the nearest above that have words, each None if there is none.

    The search goes from 0 to ``length`` plus the number of states, which is enough: from a longer word one could
    cut a cycle, of at most so many symbols, and the rest would still be longer than ``length``.
    """
    below = None
    reached = {0}
    for current in range(length + language.num_states + 1):
        if current != length and reached & language.accepting:
            if current > length:
                return below, current
            below = current
        reached = {target for state in reached for target in language.transitions[state]}
    return below, None


def _require_length(length: object) -> None:
    if type(length) is not int or length < 0:
        raise InvalidOptionError(
            f"length {length!r} is not allowed; a length is an int of at least 0.", hint="choose a length such as 8."
        )


def _lengths_as_list(lengths: Sequence[int] | Array) -> list[int]:
    """Return lengths as plain ints, checked."""
    given: list[int]
    if isinstance(lengths, (list, tuple, range)):
        given = list(lengths)
    elif getattr(lengths, "shape", ()):
        given = cast(Array, lengths).reshape(-1).tolist()
    else:
        raise InvalidOptionError(
            f"lengths {lengths!r} are not allowed; they are a list, one length per word.",
            hint="for one word, use sample_word.",
        )
    if set(map(type, given)) <= {int} and min(given, default=0) >= 0:
        return given
    for length in given:
        _require_length(length)
    return given
