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
from ...languages.semigroup import PackedMap, followed_by, pack_map


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
    letters = [pack_map(letter) for letter in zip(*language.transitions, strict=True)]
    words: dict[PackedMap, tuple[int, ...]] = {}
    exponent = 1
    queue: list[PackedMap] = []

    def add(element: PackedMap, word: tuple[int, ...]) -> Counter | None:
        nonlocal exponent
        checkpoint()
        if len(queue) == max_elements or (len(queue) + 1) * len(element) > max_cells:
            raise CapExceededError(
                f"words make more than {len(queue):,} maps of the {len(element)} states, the cap.",
                hint="use a smaller language.",
            )
        words[element] = word
        queue.append(element)
        settled = _settles_after(element)
        if settled is None:
            state, length = _cycle(element)
            return Counter(state=state, word=language.decode(word), length=length)
        exponent = max(exponent, settled)
        return None

    for symbol, letter in enumerate(letters):
        if letter not in words and (counter := add(letter, (symbol,))) is not None:
            return counter
    multiply = [followed_by(letter) for letter in letters]
    for element in queue:
        for symbol, times in enumerate(multiply):
            product = times(element)
            if product not in words and (counter := add(product, (*words[element], symbol))) is not None:
                return counter
    return Aperiodic(size=len(queue), exponent=exponent)


def _settles_after(element: PackedMap) -> int | None:
    """Return the least n ≥ 1 with xⁿ = xⁿ⁺¹; None if there is none."""
    times, power = followed_by(element), element
    for exponent in range(1, len(element) + 1):
        following = times(power)
        if following == power:
            return exponent
        power = following
    return None


def _cycle(element: PackedMap) -> tuple[int, int]:
    """Return the first state met on a cycle of at least two states, from the least state that leads to one, and its length."""
    for start in range(len(element)):
        path = {start: 0}
        state = start
        while (target := element[state]) not in path:
            path[target] = len(path)
            state = target
        if target != state:
            return target, len(path) - path[target]
    raise AssertionError("the powers of this map settle")
