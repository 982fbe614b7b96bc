"""Programs of the depth of an upper bound, beside the automaton: on all words up to a length, and on random ones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import NO_SYMBOL, BatchedProgram
from lengthwise.crasp.syntax import ACCEPT, Program
from lengthwise.languages.dfa import DFA
from lengthwise.languages.next_symbols import live_states, next_symbol_set
from lengthwise.theory.depth.problem import DepthQuestion

_TOGETHER = 8_192  # words
Letters = NDArray[np.int64]  # a row for each word, by the numbers of its letters


def all_words(language: DFA, longest: int) -> Iterator[Letters]:
    """Yield all words up to a length, in batches of words of one length."""
    letters = len(language.alphabet)
    for length in range(longest + 1):
        powers = letters ** np.arange(length)[::-1]
        for first in range(0, letters**length, _TOGETHER):
            numbers = np.arange(first, min(letters**length, first + _TOGETHER))
            yield numbers[:, None] // powers[None, :] % letters


def random_words(language: DFA, shortest: int, seed: int, number: int = 40) -> Iterator[Letters]:
    """Yield random words of up to 60 letters, each alone; every other one stays where it may still be completed, while it can."""
    rng = Random(seed)
    live = live_states(language)
    for index in range(number):
        state, word = 0, []
        for _ in range(rng.randint(shortest, 60)):
            ways = [letter for letter, target in enumerate(language.transitions[state]) if index % 2 or target in live]
            word.append(rng.choice(ways or range(len(language.alphabet))))
            state = language.transitions[state][word[-1]]
        yield np.array([word], dtype=np.int64)


def wrong_words(program: Program, language: DFA, question: DepthQuestion, words: Letters) -> int:
    """Return on how many words of a batch the program and the automaton differ."""
    states = np.zeros(len(words), dtype=np.int64)
    table = np.array(language.transitions)
    for letters in words.T:
        states = table[states, letters]
    live = live_states(language)
    if question is DepthQuestion.NEXT_SYMBOLS:
        sets = [next_symbol_set(language, live, state) for state in range(language.num_states)]
        expected = {
            output.name: np.array([number in each for each in sets])[states]
            for number, output in enumerate(program.outputs)
        }
        asked = np.isin(states, sorted(live))
    else:
        expected = {ACCEPT: np.isin(states, sorted(language.accepting))}
        asked = np.full(len(words), question is DepthQuestion.END_MARKER or words.shape[1] > 0)
    if not asked.any():
        return 0
    tokens = np.array([program.symbols.index(letter) for letter in language.alphabet])[words]
    before = [program.symbols.index(program.start)] if program.start is not None else []
    after = [NO_SYMBOL] if question is DepthQuestion.END_MARKER else []
    sides = (np.tile(np.array(side, dtype=np.int64), (len(words), 1)) for side in (before, after))
    framed = np.concatenate([next(sides), tokens.reshape(words.shape), next(sides)], axis=1)
    found = BatchedProgram(program).run(framed, numpy_arrays())
    differ = np.zeros(len(words), dtype=bool)
    for name, truths in expected.items():
        differ |= found[name][:, -1] != truths
    return int((differ & asked).sum())
