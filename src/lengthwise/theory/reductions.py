"""NO by reduction: the language hides a flip-flop or a modular counter, which C-RASP[periodic, local] does not have.

If {w : u·h(w)·z in L} is not in the class for words u, z and words h(a) of one length, then L is not, because the class is
closed under quotients and under such substitutions. The same holds for {w : a can follow u·h(w)·z}, because a program for
next symbols that may use windows gives one for membership, and one for "can still become a word".

A *flip-flop* {0,1,2}*02* needs two states, and words of one length that set the first, set the second, and keep both. A
*counter modulo a prime* needs a cycle of states, and words of one length that turn it and that keep it. Both are found by
walking from a tuple of states, one letter at a time, until all goals can be reached in the same number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..budget import checkpoint
from ..crasp.fragments import Fragment
from ..errors import CapExceededError
from ..languages.components import strong_components
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, shortest_path
from ..languages.next_symbols import live_states
from ..languages.semigroup import transition_semigroup
from .certificates import ReductionCertificate
from .claims import Asked

MAX_STEPS = 100_000  # tuples of states walked over, in all tries together
MAX_IMAGE = 120  # letters in an image
MAX_SUFFIX_STEPS = 256
MAX_ELEMENTS = 5_000  # of the semigroup, for counters modulo 3 and more

FLIP_FLOP = "{0,1,2}*02*"
PARITY = "PARITY"

States = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gadget:
    """States, and for every symbol of the target a word that moves them as it should; the words have one length."""

    states: States
    images: dict[str, tuple[int, ...]]

    @property
    def length(self) -> int:
        return len(next(iter(self.images.values())))


class _Budget:
    """Steps that are left."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.left = steps


def find_reduction(
    language: DFA, fragment: Fragment, asked: Asked, *, max_steps: int = MAX_STEPS
) -> ReductionCertificate | None:
    """Return a reduction of a known non-member to the language, or None when the search finds none."""
    budget = _Budget(max_steps)
    for search, finish in ((_flip_flops, _finish_flip_flop), (_counters, _finish_counter)):
        best = _shortest(search(language, budget))
        found = best and finish(language, best, asked)
        if found:
            target, start, images, suffix, reads = found
            prefix = shortest_path(language, 0, start.__eq__)
            assert prefix is not None
            return ReductionCertificate(
                language=language,
                fragment=fragment,
                target=target,
                images=tuple((symbol, language.decode(word)) for symbol, word in images.items()),
                prefix=prefix,
                suffix=suffix,
                asked=asked,
                reads=reads,
            )
    return None


def target_language(target: str) -> DFA:
    """Return the language that a reduction's target names."""
    if target == FLIP_FLOP:
        return DFA(alphabet="012", transitions=[[1, 0, 0], [1, 0, 1]], accepting=[1])
    prime, residues = (2, [0]) if target == PARITY else _read_counter(target)
    turns = [[(residue + 1) % prime, residue] for residue in range(prime)]
    return DFA(alphabet="ab", transitions=turns, accepting=residues)


def _read_counter(target: str) -> tuple[int, list[int]]:
    prime, residues = target.removeprefix("MOD(").removesuffix(")").split("; ")
    return int(prime), [int(residue) for residue in residues.split(", ")]


def _shortest(gadgets: Iterator[_Gadget]) -> _Gadget | None:
    return min(gadgets, key=lambda gadget: gadget.length, default=None)


def _flip_flops(language: DFA, budget: _Budget) -> Iterator[_Gadget]:
    """Yield pairs of states with words that set one, set the other, and keep both; ever shorter ones."""
    longest = MAX_IMAGE
    steps = _Steps(language)
    for component in strong_components(language.transitions):
        for one in component:
            for two in component:
                if one >= two:
                    continue
                goals = {"0": (one, one), "1": (two, two), "2": (one, two)}
                images = _images(steps, (one, two), goals, longest, budget)
                if images is not None:
                    yield _Gadget(states=(one, two), images=images)
                    longest = len(images["0"]) - 1
                if budget.left < 0:
                    return


def _counters(language: DFA, budget: _Budget) -> Iterator[_Gadget]:
    """Yield cycles of states, as many as a prime, with words that turn them and that keep them; ever shorter ones."""
    longest = MAX_IMAGE
    steps = _Steps(language)
    budget.left = max(budget.left, budget.steps // 2)
    for cycle in _prime_cycles(language):
        goals = {"a": (*cycle[1:], cycle[0]), "b": cycle}
        images = _images(steps, cycle, goals, longest, budget)
        if images is not None:
            yield _Gadget(states=cycle, images=images)
            longest = len(images["a"]) - 1
        if budget.left < 0:
            return


def _prime_cycles(language: DFA) -> Iterator[States]:
    """Yield the cycles of prime length that words make of states: all pairs, and longer ones from the semigroup."""
    for component in strong_components(language.transitions):
        yield from ((one, two) for one in component for two in component if one < two)
    try:
        semigroup = transition_semigroup(language, cap=MAX_ELEMENTS)
    except CapExceededError:
        return
    met: set[States] = set()
    for element in semigroup.elements:
        checkpoint()
        for cycle in _cycles(element):
            length = len(cycle)
            for prime in _prime_divisors(length):
                step = length // prime
                for first in range(step):
                    part = tuple(cycle[(first + step * turn) % length] for turn in range(prime))
                    least = part.index(min(part))
                    part = (*part[least:], *part[:least])
                    if prime > 2 and part not in met:
                        met.add(part)
                        yield part


def _cycles(element: States) -> Iterator[States]:
    done: set[int] = set()
    for start in range(len(element)):
        path: list[int] = []
        state = start
        while state not in done:
            done.add(state)
            path.append(state)
            state = element[state]
        if state in path:
            cycle = path[path.index(state) :]
            if len(cycle) > 1:
                yield tuple(cycle)


def _prime_divisors(number: int) -> list[int]:
    return [each for each in range(2, number + 1) if number % each == 0 and all(each % d for d in range(2, each))]


class _Steps:
    """Where every letter leads tuples of states. Tuples are numbered as they are met, so that each is moved once."""

    def __init__(self, language: DFA) -> None:
        self._columns = list(zip(*language.transitions, strict=True))
        self.num_letters = len(self._columns)
        self._numbers: dict[States, int] = {}
        self._met: list[States] = []
        self._after: list[list[int]] = []

    def number(self, states: States) -> int:
        found = self._numbers.setdefault(states, len(self._met))
        if found == len(self._met):
            self._met.append(states)
            self._after.append([])
        return found

    def after(self, number: int) -> list[int]:
        """Return for every letter the tuple that it leads to."""
        targets = self._after[number]
        if not targets:
            states = self._met[number]
            targets += [self.number(tuple([column[state] for state in states])) for column in self._columns]
        return targets


def _images(
    steps: _Steps, start: States, goals: Mapping[str, States], longest: int, budget: _Budget
) -> dict[str, tuple[int, ...]] | None:
    """Return words of one least length that lead the states to each of the goals, or None."""
    layers: list[dict[int, int]] = []  # for each tuple that so many letters lead to, the first one before it
    layer = {steps.number(start): -1}
    numbers = {symbol: steps.number(goal) for symbol, goal in goals.items()}
    needed = set(numbers.values())
    met: set[frozenset[int]] = set()  # a layer that comes again brings nothing new
    for _ in range(longest):
        following: dict[int, int] = {}
        checkpoint()
        for states in layer:
            for target in steps.after(states):
                if target not in following:
                    following[target] = states
        budget.left -= len(layer) * steps.num_letters
        layers.append(following)
        if needed <= following.keys():
            return {symbol: _walk_back(steps, layers, goal) for symbol, goal in numbers.items()}
        reached = frozenset(following)
        if budget.left < 0 or reached in met:
            return None
        met.add(reached)
        layer = following
    return None


def _walk_back(steps: _Steps, layers: list[dict[int, int]], goal: int) -> tuple[int, ...]:
    word = []
    for layer in reversed(layers):
        before = layer[goal]
        word.append(steps.after(before).index(goal))
        goal = before
    return tuple(reversed(word))


_Found = tuple[str, int, dict[str, tuple[int, ...]], Word, str | None]  # target, start, images, suffix, reads


def _finish_flip_flop(language: DFA, gadget: _Gadget, asked: Asked) -> _Found | None:
    """Say which of the two states is the one after a 0: there must be a suffix that only it reads to a yes."""
    one, two = gadget.states
    swapped = {"0": gadget.images["1"], "1": gadget.images["0"], "2": gadget.images["2"]}
    for reads, yes in _readings(language, asked).items():
        for inside, outside, images in ((one, two, gadget.images), (two, one, swapped)):
            suffix = _suffix(language, (inside, outside), lambda truths: truths == (True, False), yes)
            if suffix is not None:
                return FLIP_FLOP, outside, images, suffix, reads
    return None


def _finish_counter(language: DFA, gadget: _Gadget, asked: Asked) -> _Found | None:
    """Say at which residues a suffix leads to a yes; the cycle starts at one of them."""
    prime = len(gadget.states)
    for reads, yes in _readings(language, asked).items():
        suffix = _suffix(language, gadget.states, lambda truths: len(set(truths)) == 2, yes)
        if suffix is None:
            continue
        truths = [language.run(suffix, state) in yes for state in gadget.states]
        first = truths.index(True)
        residues = [turn for turn in range(prime) if truths[(first + turn) % prime]]
        target = PARITY if prime == 2 else f"MOD({prime}; {', '.join(map(str, residues))})"
        return target, gadget.states[first], gadget.images, suffix, reads
    return None


def _readings(language: DFA, asked: Asked) -> dict[str | None, frozenset[int]]:
    """Return what may be read off a state, each with the states where it is so: that the word may end, or go on."""
    readings: dict[str | None, frozenset[int]] = {None: language.accepting}
    if asked is Asked.NEXT_SYMBOLS:
        live = live_states(language)
        for number, symbol in enumerate(language.alphabet):
            readings[symbol] = frozenset(state for state in live if language.transitions[state][number] in live)
    return readings


def _suffix(
    language: DFA, states: States, is_goal: Callable[[tuple[bool, ...]], bool], yes: frozenset[int]
) -> Word | None:
    """Return a short word after which the states say yes and no as they should, or None."""
    words: dict[States, tuple[int, ...]] = {states: ()}
    queue = [states]
    for here in queue:
        if is_goal(tuple(state in yes for state in here)):
            return language.decode(words[here])
        if len(queue) > MAX_SUFFIX_STEPS:
            continue
        for symbol in range(len(language.alphabet)):
            after = tuple(language.transitions[state][symbol] for state in here)
            if after not in words:
                words[after] = (*words[here], symbol)
                queue.append(after)
    return None
