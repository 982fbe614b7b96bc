"""Whether a language is star-free, LTL[S]: no word may move states around a cycle.

The maps of states that words make are enumerated with the shortest words first, and each is checked as it appears. So a
NO is usually found long before all maps are known; a YES needs all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...budget import checkpoint
from ...errors import CapExceededError
from ...languages.dfa import DFA
from ...languages.dfa_algebra import Word
from ...languages.semigroup import Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A word that moves a state around a cycle of ``length`` states, at least two."""

    state: int
    word: Word
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Aperiodic:
    """How many maps words make, and an exponent n with xⁿ = xⁿ⁺¹ for all of them."""

    size: int
    exponent: int


def find_counter(language: DFA, *, max_elements: int, max_cells: int) -> Counter | Aperiodic:
    """Return a word that counts modulo some number, or the size and exponent of the semigroup if there is none."""
    letters: list[Transformation] = list(zip(*language.transitions, strict=True))
    words: dict[Transformation, tuple[int, ...]] = {}
    exponent = 1
    queue: list[Transformation] = []

    def meet(element: Transformation, word: tuple[int, ...]) -> Counter | None:
        nonlocal exponent
        if element in words:
            return None
        checkpoint()
        if len(queue) == max_elements or (len(queue) + 1) * len(element) > max_cells:
            raise CapExceededError(
                f"words make more than {len(queue):,} maps of the {len(element)} states, the cap.",
                hint="use a smaller language.",
            )
        words[element] = word
        queue.append(element)
        settled, found = _settle(element)
        if found is not None:
            return Counter(state=found[0], word=language.decode(word), length=found[1])
        exponent = max(exponent, settled)
        return None

    for symbol, letter in enumerate(letters):
        if (counter := meet(letter, (symbol,))) is not None:
            return counter
    for element in queue:
        for symbol, letter in enumerate(letters):
            product = tuple(map(letter.__getitem__, element))
            if (counter := meet(product, (*words[element], symbol))) is not None:
                return counter
    return Aperiodic(size=len(queue), exponent=exponent)


def _settle(element: Transformation) -> tuple[int, tuple[int, int] | None]:
    """Return the least n ≥ 1 with xⁿ = xⁿ⁺¹, or a state on a cycle of at least two states with its length."""
    longest = 1
    for state in range(len(element)):
        path = {state: 0}
        while (target := element[state]) not in path:
            path[target] = len(path)
            state = target
        if target != state:
            return 0, (target, len(path) - path[target])
        longest = max(longest, path[target])
    return longest, None
