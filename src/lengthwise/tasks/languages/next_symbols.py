"""What tasks share that ask at every prefix of a word for the symbols that can follow."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.task import EOS, IGNORE, PAD, Objective, Task

END = EOS
"""How the end is named in a set of symbols."""


class NextSymbolsTask(Task):
    """At every prefix of a word, the set of symbols that can follow, the end among them.

    An instance is ``<bos> w₁ … wₙ``; all its positions are scored. A set is the bits of a number: those of the symbols
    in their order, then that of the end.
    """

    objective = Objective.NEXT_SYMBOLS

    @property
    def num_outputs(self) -> int:
        """One output for every symbol, and one for the end."""
        return len(self.symbols) + 1

    def size(self, length: int) -> int:
        """Return one more than the length, for ``<bos>``."""
        return length + 1

    def scored(self, length: int) -> range:
        """Return all places."""
        return range(length + 1)

    def read_back(self, tokens: Sequence[int], targets: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the word of one instance and the sets that its targets state."""
        prompt = [self.vocabulary[token] for token in tokens[1:] if self.vocabulary[token] != PAD]
        names = [*self.symbols, END]
        sets = [
            " ".join(name for bit, name in enumerate(names) if target >> bit & 1)
            for target in targets
            if target != IGNORE
        ]
        return prompt, sets
