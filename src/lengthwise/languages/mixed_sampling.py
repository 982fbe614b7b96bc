"""Uniform sampling of words of several languages at once, as many operations as one language takes.

Shapes: M keys, B words of a key, L the length, S states, V symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ..arrays import Array, Arrays
from ..seeds import Draw
from .dfa import DFA
from .sampling import Tables, threshold_table


class MixedWordSampler:
    """Words of several languages at once: each key of a draw has its own, and its words are those of a :class:`WordSampler`."""

    def __init__(self, languages: Sequence[DFA], *, max_length: int, xp: Arrays) -> None:
        import numpy as np  # here, since whoever asks for a verdict does not need it

        num_symbols = max(len(language.alphabet) for language in languages)
        starts = [0, *accumulate(language.num_states for language in languages)]
        thresholds = np.full((max_length + 1, starts[-1], num_symbols - 1), 2**31, dtype=np.int64)
        targets = np.zeros((starts[-1], num_symbols), dtype=np.int64)
        for first, language in zip(starts, languages, strict=False):
            own, num_own = slice(first, first + language.num_states), len(language.alphabet)
            thresholds[:, own, : num_own - 1] = threshold_table(language, max_length)
            targets[own, :num_own] = np.asarray(language.transitions) + first
        self._starts = xp.asarray(np.asarray(starts[:-1], dtype=np.int64))
        self._tables = Tables(thresholds=xp.asarray(thresholds), targets=xp.asarray(targets))

    def sample_runs(self, which_M: Array, lengths_MB: Array, draw: Draw) -> tuple[Array, Array]:
        """Return words and states as :meth:`WordSampler.sample_runs`, of the language of each key.

        States are numbered one language after the other. Lengths must have words.
        """
        start = draw.xp.broadcast(self._starts[which_M][..., None], tuple(lengths_MB.shape))
        return self._tables.sample(start, lengths_MB, draw)
