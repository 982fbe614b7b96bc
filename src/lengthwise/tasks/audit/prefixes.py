"""Batches as an audit reads them: what is seen where a token is asked for, and what is right there.

Shapes: B instances, N symbols of a prompt, P prefixes that are looked at, Q scored positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.task import IGNORE, SPECIALS, Batch, Objective, Task

Numbers = NDArray[np.int64]

MOST_INDEX = 8
"""Positions of an answer have numbers up to this one, which all later ones have; the last position has the next."""
NUM_INDEXES = MOST_INDEX + 2


@dataclass(frozen=True, kw_only=True)
class Prefixes:
    """Prompts, or prefixes of words, as numbers of ``alphabet``; a symbol that is not in it is −2, and −1 is no symbol.

    Row ``row_P`` of ``symbols_BN`` is seen up to its first ``seen_P`` symbols.
    """

    alphabet: tuple[str, ...]
    symbols_BN: Numbers
    row_P: Numbers
    seen_P: Numbers

    def total(self, marked_BN: NDArray[np.bool_]) -> Numbers:
        """Return how many symbols that are seen are marked."""
        return self.running(marked_BN, np.add)

    def running(self, values_BN: NDArray[np.bool_] | Numbers, combine: np.ufunc) -> Numbers:
        """Return the values of all symbols that are seen, combined; 0 for the empty prefix."""
        empty = np.zeros((len(values_BN), 1), dtype=np.int64)
        all_BN = combine.accumulate(np.concatenate([empty, values_BN], axis=1), axis=1)
        return np.asarray(all_BN[self.row_P, self.seen_P], dtype=np.int64)

    def from_start(self, number: int) -> Numbers:
        """Return the symbol at this place, counted from 0; −1 where fewer are seen."""
        return self._at(np.full_like(self.seen_P, number))

    def from_end(self, number: int) -> Numbers:
        """Return the symbol at this place from the end, the last being number 0; −1 where fewer are seen."""
        return self._at(self.seen_P - 1 - number)

    @cached_property
    def counts_PV(self) -> Numbers:  # noqa: N802
        """How often each symbol of the alphabet is seen."""
        counts = [self.total(self.symbols_BN == symbol) for symbol in range(len(self.alphabet))]
        return np.stack(counts, axis=1) if counts else np.zeros((len(self.row_P), 0), dtype=np.int64)

    def _at(self, places_P: Numbers) -> Numbers:
        is_seen = (places_P >= 0) & (places_P < self.seen_P)
        padded = np.concatenate([self.symbols_BN, np.full((len(self.symbols_BN), 1), -1)], axis=1)
        return np.where(is_seen, padded[self.row_P, np.where(is_seen, places_P, -1)], -1)


@dataclass(frozen=True, kw_only=True)
class Questions:
    """Everything that a batch asks for: the right target at every scored position, and what is seen there.

    ``index_Q`` is the position within the answer, capped; where every prefix of a word is asked about, it is 0.
    ``window_Q3`` are the last three tokens, answer included.
    """

    prefixes: Prefixes
    num_instances: int
    instance_Q: Numbers
    prefix_Q: Numbers
    index_Q: Numbers
    target_Q: Numbers
    window_Q3: Numbers


def seen_symbols(task: Task, batch: Batch) -> tuple[str, ...]:
    """Return the symbols that occur in the prompts of a batch, in the order of the task's."""
    symbols_BN, *_ = _prompts(task, batch)
    return tuple(task.vocabulary[token] for token in np.unique(symbols_BN[symbols_BN >= 0]).tolist())


def read_questions(task: Task, batch: Batch, alphabet: Sequence[str]) -> Questions:
    """Return everything that a batch of one model asks for."""
    tokens_BN, num_seen_BL, first_B = _prompts(task, batch)
    numbers = np.full(len(task.vocabulary) + 1, -2, dtype=np.int64)
    numbers[[task.token(symbol) for symbol in alphabet]] = np.arange(len(alphabet))
    numbers[-1] = -1
    instance_Q, place_Q = np.nonzero(batch.targets_MBL != IGNORE)
    if task.objective is Objective.ANSWER:
        row_P = np.arange(len(tokens_BN))
        seen_P, prefix_Q = num_seen_BL[row_P, first_B], instance_Q
        nth_Q = place_Q - first_B[instance_Q]
        most = {length: len(task.scored(length)) for length in np.unique(batch.scale_MB).tolist()}
        is_end_Q = nth_Q == np.array([most[length] - 1 for length in batch.scale_MB.tolist()])[instance_Q]
        index_Q = np.where(is_end_Q, MOST_INDEX + 1, np.minimum(nth_Q, MOST_INDEX))
    else:
        row_P, seen_P = instance_Q, num_seen_BL[instance_Q, place_Q]
        prefix_Q, index_Q = np.arange(len(instance_Q)), np.zeros_like(instance_Q)
    back_Q3 = place_Q[:, None] - np.arange(3)
    window_Q3 = np.where(back_Q3 >= 0, batch.tokens_MBL[instance_Q[:, None], np.maximum(back_Q3, 0)], -1)
    return Questions(
        prefixes=Prefixes(alphabet=tuple(alphabet), symbols_BN=numbers[tokens_BN], row_P=row_P, seen_P=seen_P),
        num_instances=len(tokens_BN),
        instance_Q=instance_Q,
        prefix_Q=prefix_Q,
        index_Q=index_Q,
        target_Q=batch.targets_MBL[instance_Q, place_Q],
        window_Q3=window_Q3,
    )


def _prompts(task: Task, batch: Batch) -> tuple[Numbers, Numbers, Numbers]:
    """Return the tokens of prompts without special ones, [B, N] with −1 after the end, and what says where they end.

    That is how many are seen at each position, [B, L], and the first position that is scored, [B]. Before a position that
    asks for an answer lies the whole prompt; of words, every prefix is asked about.
    """
    tokens_BL = np.asarray(batch.tokens_MBL)
    first_B = np.argmax(batch.targets_MBL != IGNORE, axis=1)
    is_symbol_BL = ~np.isin(tokens_BL, [task.token(special) for special in SPECIALS])
    if task.objective is Objective.ANSWER:
        is_symbol_BL &= np.arange(tokens_BL.shape[1]) <= first_B[:, None]
    order_BL = np.argsort(~is_symbol_BL, axis=1, kind="stable")
    packed = np.take_along_axis(np.where(is_symbol_BL, tokens_BL, -1), order_BL, axis=1)
    num_seen_BL = np.cumsum(is_symbol_BL, axis=1, dtype=np.int64)
    width = int(num_seen_BL[:, -1].max(initial=0))
    return packed[:, :width], num_seen_BL, first_B
