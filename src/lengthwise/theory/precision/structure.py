"""What the deciders read off a minimal automaton: components with their periods, and pairs of states read side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd

from ...budget import checkpoint
from ...errors import CapExceededError
from ...languages.components import strong_components
from ...languages.dfa import DFA
from ...languages.dfa_algebra import Word
from ...languages.walks import shortest_walk

MAX_PAIRS = 250_000

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The strongly connected components, numbered so that no edge leads to a smaller number.

    ``of_state[q]`` is the component of a state; ``periods[c]`` the greatest common divisor of the lengths of its cycles,
    0 where there is none; ``phases[q]`` the distance from the first state of its component, modulo the period.
    """

    of_state: tuple[int, ...]
    periods: tuple[int, ...]
    phases: tuple[int, ...]


def find_components(language: DFA) -> Components:
    """Return the components of an automaton, with periods and phases."""
    of_state = [0] * language.num_states
    distances = [0] * language.num_states
    periods = []
    for number, members in enumerate(strong_components(language.transitions)):
        for state in members:
            of_state[state] = number
        inside = set(members)
        queue = [members[0]]
        met = {members[0]}
        for state in queue:
            for target in language.transitions[state]:
                if target in inside and target not in met:
                    met.add(target)
                    distances[target] = distances[state] + 1
                    queue.append(target)
        edges = ((state, target) for state in members for target in language.transitions[state] if target in inside)
        periods.append(gcd(*(distances[state] + 1 - distances[target] for state, target in edges)))
    phases = (distance % (periods[of_state[state]] or 1) for state, distance in enumerate(distances))
    return Components(of_state=tuple(of_state), periods=tuple(periods), phases=tuple(phases))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRanks:
    """Either a pair of states that some word keeps, or for every pair the number of pairs on a longest chain from it."""

    kept: Pair | None
    ranks: tuple[tuple[int, int, int], ...]


def rank_pairs(language: DFA, groups: Iterable[list[int]]) -> PairRanks:
    """Follow the pairs of states of one group under every letter, as long as they stay in the group and apart.

    A group is a list of states; two states of a group that move to different groups, or to one state, are done.
    """
    group_of: dict[int, int] = {}
    pairs: list[Pair] = []
    for number, group in enumerate(groups):
        group_of |= dict.fromkeys(group, number)
        if len(pairs) + len(group) * (len(group) - 1) // 2 > MAX_PAIRS:
            raise CapExceededError(
                f"this looks at more than {MAX_PAIRS:,} pairs of states, the cap.", hint="use a smaller language."
            )
        pairs += [(one, two) for place, one in enumerate(group) for two in group[place + 1 :]]
    numbers = {pair: number for number, pair in enumerate(pairs)}
    edges = []
    for one, two in pairs:
        checkpoint()
        after = zip(language.transitions[one], language.transitions[two], strict=True)
        edges.append(sorted({numbers.get((min(pair), max(pair)), -1) for pair in after} - {-1}))
    order = strong_components(edges)
    kept = [part[0] for part in order if len(part) > 1 or part[0] in edges[part[0]]]
    if kept:
        return PairRanks(kept=pairs[min(kept)], ranks=())
    ranks = [0] * len(pairs)
    for (number,) in reversed(order):
        ranks[number] = 1 + max((ranks[target] for target in edges[number]), default=0)
    return PairRanks(kept=None, ranks=tuple((*pair, rank) for pair, rank in zip(pairs, ranks, strict=True)))


def walk(language: DFA, start: int, goal: int, *, at_least: int = 0) -> Word:
    """Return a shortest word from one state to another, which must be reachable."""

    def steps(state: int) -> Iterator[tuple[str, int]]:
        checkpoint()
        return zip(language.alphabet, language.transitions[state], strict=True)

    return tuple(shortest_walk(start, goal, steps, at_least=at_least))


def walk_of_length_divisible_by(language: DFA, start: int, goal: int, divisor: int) -> Word:
    """Return a shortest word from one state to another whose length a number divides; there must be one."""

    def steps(place: Pair) -> Iterator[tuple[str, Pair]]:
        checkpoint()
        state, length = place
        after = (length + 1) % divisor
        for symbol, target in zip(language.alphabet, language.transitions[state], strict=True):
            yield symbol, (target, after)

    return tuple(shortest_walk((start, 0), (goal, 0), steps))


def word_that_keeps(language: DFA, pair: Pair) -> Word:
    """Return a shortest non-empty word that leads each of two states back to itself; there must be one."""

    def steps(place: Pair) -> Iterator[tuple[str, Pair]]:
        checkpoint()
        left, right = (language.transitions[state] for state in place)
        return zip(language.alphabet, zip(left, right, strict=True), strict=True)

    return tuple(shortest_walk(pair, pair, steps, at_least=1))
