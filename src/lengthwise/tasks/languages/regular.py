"""Every regular language as a task: its legal next symbols, or its states, at every prefix of a word in it."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError
from ...languages.dfa import DFA
from ...languages.dfa_algebra import shortest_word
from ...languages.mixed_sampling import MixedWordSampler
from ...languages.next_symbols import live_states, next_symbol_set
from ...languages.sampling import WordSampler
from ...languages.word_lengths import lengths_with_words
from ...seeds import Draw
from ...theory.claims import Asked
from ...theory.facts import Facts
from ..core.row_functions import is_inside
from ..core.task import BOS, IGNORE, PAD, SEP, Batch, Objective, Task
from .next_symbols import END, NextSymbolsTask

"""The name of "the word may end here" in a set of next symbols."""

MAX_SYMBOLS = 62  # a set of next symbols is the bits of an int64


class RegularTask(Task):
    """Words of a language, uniform at each length."""

    length_means = "the number of symbols of the word"

    def __init__(self, language: DFA, name: str) -> None:
        if shortest_word(language) is None:
            raise InvalidOptionError(f"the language {name!r} is empty: it has no words to train on.", hint="check it.")
        self.language = language
        self.symbols = language.alphabet
        self.citation = "after arXiv 2009.11264 and arXiv 2410.02140"
        self._samplers: dict[tuple[int, int], WordSampler] = {}

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that have words."""
        has_words = lengths_with_words(self.language, high)
        return tuple(length for length in range(low, high + 1) if has_words[length])

    @property
    def min_length(self) -> int:  # type: ignore[override]
        """The length of the shortest word."""
        return len(shortest_word(self.language) or ())

    def _words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return words, [M, B, N] with -1 after the end, and the state before each place and after the last."""
        key = (max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(self.language, max_length=max_length, xp=xp)
        return self._samplers[key].sample_runs(lengths_MB, draw.named("words"))


class NextSymbols(NextSymbolsTask, RegularTask):
    """At every prefix of a word, the set of symbols that can follow, the end among them.

    An instance is ``<bos> w₁ … wₙ``; all its positions are scored. The last symbol is seen where the set is asked for.
    """

    def __init__(self, language: DFA, name: str) -> None:
        super().__init__(language, name)
        if len(self.symbols) > MAX_SYMBOLS:
            raise InvalidOptionError(
                f"the language {name!r} has {len(self.symbols)} symbols; next-symbol sets are limited to {MAX_SYMBOLS}.",
                hint=f"ask for its states instead: states({name}).",
            )
        self.name = name
        self.definition = "the legal next symbols, the end among them, at every prefix of a word"
        self.facts = Facts(language=language, asked=Asked.NEXT_SYMBOLS)
        live = live_states(language)
        self.sets = [
            sum(1 << symbol for symbol in next_symbol_set(language, live, state))
            for state in range(language.num_states)
        ]

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return, for every prefix, the symbols that some word in the language continues it with."""
        answers = []
        for end in range(len(prompt) + 1):
            prefix = tuple(prompt[:end])
            legal = [symbol for symbol in self.symbols if self._can_be_completed((*prefix, symbol))]
            answers.append(" ".join([*legal, *([END] if prefix in self.language else [])]))
        return answers

    def _can_be_completed(self, prefix: Sequence[str]) -> bool:
        return shortest_word(self.language, self.language.run(prefix)) is not None

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random words of these lengths with the sets at their prefixes."""
        words, states = self._words(draw, lengths_MB, max_length, xp)
        lengths_MB = xp.broadcast(lengths_MB, tuple(words.shape[:-1]))
        return _in_batch(words, xp.asarray(self.sets)[states], lengths_MB, self.token(BOS), self.token(PAD), xp)


class MixedNextSymbols:
    """Several such tasks at once: each key of a draw has its own, and gets the instances that its task makes."""

    def __init__(self, tasks: Sequence[NextSymbols], *, max_length: int, xp: Arrays) -> None:
        import numpy as np

        self._words = MixedWordSampler([task.language for task in tasks], max_length=max_length, xp=xp)
        bos, pad = ([task.token(name) for task in tasks] for name in (BOS, PAD))
        sets = [each for task in tasks for each in task.sets]  # in the order of the sampler's states
        self._bos, self._pad, self._sets = (xp.asarray(np.asarray(each, dtype=np.int64)) for each in (bos, pad, sets))

    def sample(self, which_M: Array, lengths_MB: Array, draw: Draw) -> Batch:
        """Return random words of these lengths, each of the task of its key, with the sets at their prefixes."""
        words, states = self._words.sample_runs(which_M, lengths_MB, draw.named("words"))
        bos, pad = (ids[which_M][..., None, None] for ids in (self._bos, self._pad))
        return _in_batch(words, self._sets[states], lengths_MB, bos, pad, draw.xp)


def _in_batch(
    words_MBN: Array, sets_MBL: Array, lengths_MB: Array, bos: Array | int, pad: Array | int, xp: Arrays
) -> Batch:
    """Return words behind ``<bos>``, with the sets at their prefixes as targets."""
    first = xp.broadcast(xp.asarray(bos), (*lengths_MB.shape, 1))
    tokens = xp.concat_last([first, xp.where(words_MBN < 0, pad, words_MBN)])
    targets = xp.where(is_inside(lengths_MB + 1, tokens.shape[-1], xp), sets_MBL, IGNORE)
    return Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=lengths_MB + 1, scale_MB=lengths_MB)


class States(RegularTask):
    """At every prefix of a word, the state of the minimal automaton, read where the last symbol is not seen.

    An instance is ``<bos> <sep> w₁ <sep> … wₙ <sep>``; the separators are scored.
    """

    objective = Objective.STATES

    def __init__(self, language: DFA, name: str) -> None:
        super().__init__(language, name)
        self.name = f"states({name})"
        self.definition = "the state of the minimal automaton at every prefix of a word, read at separators"
        self.facts = Facts(language=language)

    @property
    def num_outputs(self) -> int:
        """One output for every state."""
        return self.language.num_states

    def size(self, length: int) -> int:
        """Return twice the length, and ``<bos> <sep>``."""
        return 2 * length + 2

    def scored(self, length: int) -> range:
        """Return the places of the separators."""
        return range(1, 2 * length + 2, 2)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the state after every prefix."""
        return [str(self.language.run(prompt[:end])) for end in range(len(prompt) + 1)]

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random words of these lengths, spread by separators, with the states at their prefixes."""
        words, states = self._words(draw, lengths_MB, max_length, xp)
        shape = tuple(words.shape[:-1])
        lengths_MB = xp.broadcast(lengths_MB, shape)
        bos, sep, pad = (self.token(name) for name in (BOS, SEP, PAD))
        inside = is_inside(lengths_MB + 1, max_length + 1, xp)
        # <bos> <sep>, then each symbol and a separator: pairs, of which the second is scored
        symbols = xp.concat_last([xp.broadcast(xp.asarray(bos), (*shape, 1)), words])
        tokens = xp.stack_last([xp.where(inside, symbols, pad), xp.where(inside, sep, pad)])
        targets = xp.stack_last([xp.where(inside, IGNORE, IGNORE), xp.where(inside, states, IGNORE)])
        width = (*shape, 2 * max_length + 2)
        return Batch(
            tokens_MBL=tokens.reshape(width),
            targets_MBL=targets.reshape(width),
            sizes_MB=2 * lengths_MB + 2,
            scale_MB=lengths_MB,
        )

    def read_back(self, tokens: Sequence[int], targets: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the word of one instance and the states that its targets state."""
        words = [self.vocabulary[token] for token in tokens]
        prompt = [word for word in words if word not in (BOS, SEP, PAD)]
        return prompt, [str(target) for target in targets if target != IGNORE]
