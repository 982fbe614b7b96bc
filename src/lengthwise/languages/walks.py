"""Shortest walks over states, pairs of states or elements, and the words that are read on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from .alphabet import show_word
from .dfa import DFA

Place = TypeVar("Place", bound=Hashable)

LONGEST_SHOWN = 60


def shortest_walk(
    start: Place, goal: Place, steps: Callable[[Place], Iterable[tuple[str, Place]]], *, at_least: int = 0
) -> list[str]:
    """Return the symbols of a shortest walk to a goal that can be reached; ``at_least`` 1 asks for a step if start is goal.

    Only the last step to each place is kept, so that long walks take little memory.
    """
    if at_least == 0 and start == goal:
        return []
    before: dict[Place, tuple[str, Place]] = {}
    queue = [start]
    for place in queue:
        for symbol, target in steps(place):
            if target not in before:
                before[target] = (symbol, place)
                queue.append(target)
        if goal in before:
            break
    word: list[str] = []
    place = goal
    while True:
        symbol, place = before[place]
        word.append(symbol)
        if place == start:
            return word[::-1]


def steps_of(alphabet: Sequence[str], targets: Sequence[Sequence[int]]) -> Callable[[int], Iterable[tuple[str, int]]]:
    """Return the steps of a graph that has one edge per symbol, such as an automaton or a Cayley graph."""
    return lambda place: zip(alphabet, targets[place], strict=True)


def show_path(language: DFA, start: int, goal: int, *, at_least: int = 0) -> str:
    """Return a shortest word from one state to another, as text."""
    steps = steps_of(language.alphabet, language.transitions)
    return show_briefly(shortest_walk(start, goal, steps, at_least=at_least))


def show_briefly(word: Sequence[str]) -> str:
    """Return a word as text, or its length when it is too long for a sentence."""
    return show_word(word) if len(word) <= LONGEST_SHOWN else f"a word of {len(word):,} symbols"
