"""Pairs of words that look alike, one in a language and one outside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...arrays import Array, Arrays
from ...languages.dfa import DFA
from ...languages.sampling import WordSampler
from ...languages.word_lengths import lengths_with_words
from ...seeds import Draw
from ..core.row_functions import at, batch_of, count, fold, one_at, places, running_count
from .changes import Zone, cross_words, exchange_segments, replace_one, shuffle_window, swap_two
from .likeness import NUM_SIGNS, differences, signs

MOST_CANDIDATES = 23
"""How many candidates are made for each word, at most."""
_EXCHANGES = (
    *((context, Zone.ANYWHERE) for context in (3, 2, 1, 0, -1)),
    *((context, zone) for context in (2, 1, 0) for zone in (Zone.START, Zone.END)),
)
_CROSS_CONTEXTS = (2, 1)
_SWAPS = (
    *((True, zone) for zone in Zone),
    *((False, zone) for zone in Zone),
)
_REPLACED = tuple(Zone)
_SHUFFLES = 1
_WEIGHTS = 8
_TIE_BITS = 20
_MOST_LOOPS = 2

Begun = tuple[Array, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairKinds:
    """How pairs are made: one word in ``pumped`` repeats a loop, and one in ``plain`` has any partner, not the most alike.

    0 stands for none. ``near`` leaves out changes of more than two symbols or segments.
    """

    pumped: int
    plain: int
    near: bool


class WordPairs:
    """Words of one language, each with a partner on the other side of a language that the first one is part of, or apart from.

    A word is uniform at its length. Candidates for its partner are made from it: a symbol replaced, two swapped, segments
    exchanged, a window shuffled, another word's end. Among those that are on the other side, the one that differs in the
    fewest signs is taken; how much each sign counts is drawn for each word, so that no sign tells all words apart.
    """

    def __init__(self, language: DFA, base: DFA, kinds: PairKinds) -> None:
        self.language, self.base = language, base
        self._kinds = kinds
        self._samplers: dict[tuple[int, int], WordSampler] = {}

    def draw(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array, Array]:
        """Return words, their partners, and whether there is one; at lengths without words, anything."""
        words = self._words(lengths_MB, draw.named("base"), max_length, xp)
        if self._kinds.pumped:
            words = self._pumped(words, lengths_MB, draw.named("pumped"), max_length, xp)
        if not max_length or len(self.language.alphabet) < 2:
            return words, words, lengths_MB < 0
        others = self._words(lengths_MB, draw.named("others"), max_length, xp)
        partners, is_found = self._partners(words, others, lengths_MB, draw.named("partners"), xp)
        return words, partners, is_found

    def _words(self, lengths_MB: Array, draw: Draw, max_length: int, xp: Arrays, begun: Begun | None = None) -> Array:
        """Return uniform words, or the rest of those that are begun; at lengths without any, anything."""
        have = lengths_with_words(self.base, max_length)
        if True not in have:
            return places(lengths_MB, max_length, xp) * 0
        key = (max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(self.base, max_length=max_length, xp=xp)
        possible = xp.where(xp.asarray(have)[lengths_MB] == 1, lengths_MB, have.index(True))
        words = self._samplers[key].sample(possible, draw, begun)
        return xp.where(words < 0, 0, words)

    def _pumped(self, words: Array, lengths_MB: Array, draw: Draw, max_length: int, xp: Arrays) -> Array:
        """Return some of the words with a loop of the automaton repeated, and a new end; the others as they are."""
        batch = batch_of(draw, lengths_MB)
        table, place = xp.asarray(self.base.transitions), xp.arange(max_length + 1)
        states = fold(words, table, 0, xp)
        start = draw.named("start").integers(xp.where(lengths_MB < 1, 1, lengths_MB), batch)
        again = (states == one_at(states, start, xp)[..., None]) & (place > start[..., None])
        again = again & (place <= lengths_MB[..., None])
        number = count(again, xp)
        bound = xp.where(number < 1, 1, xp.where(number < _MOST_LOOPS, number, _MOST_LOOPS))
        is_next = again & (running_count(again, xp) == draw.named("loop").integers(bound, batch)[..., None] + 1)
        size = xp.where(number < 1, 1, xp.where(is_next, place, 0).sum(-1) - start)
        room = (lengths_MB - start) // size
        turns = draw.named("turns").integers(xp.where(room < 1, 1, room), batch) + 1
        spot = places(lengths_MB, max_length, xp)
        begin = start[..., None]
        looped = at(words, xp.where(spot < begin, spot, begin + (spot - begin) % size[..., None]), xp)
        ends = self._words(lengths_MB, draw.named("end"), max_length, xp, (looped, start + turns * size))
        last = last_state(ends, lengths_MB, self.base, xp)
        is_word = xp.asarray([int(s in self.base.accepting) for s in range(self.base.num_states)])[last] == 1
        chosen = (draw.named("which").integers(self._kinds.pumped, batch) == 0) & is_word & (number > 0)
        return xp.where(chosen[..., None], ends, words)

    def _partners(self, words: Array, others: Array, lengths_MB: Array, draw: Draw, xp: Arrays) -> tuple[Array, Array]:
        """Return the best candidate for each word, and whether any is on the other side."""
        batch, number = batch_of(draw, lengths_MB), len(self.language.alphabet)
        weights = [draw.named("weights").at(sign).integers(_WEIGHTS, batch) + 1 for sign in range(NUM_SIGNS)]
        if self._kinds.plain:
            is_plain = draw.named("plain").integers(self._kinds.plain, batch) == 0
            weights = [xp.where(is_plain, 0, weight) for weight in weights]
        keys = tuple(draw.keys.shape)
        lengths = lengths_MB[..., None, :]
        made = list(self._candidates(words[..., None, :, :], others[..., None, :, :], lengths, draw, xp))
        size = sum(each.shape[-3] for each in made)
        shape = (*keys, size, *batch)
        candidates = xp.concat_last([each.reshape((*keys, -1)) for each in made]).reshape((*shape, words.shape[-1]))
        lengths = xp.broadcast(lengths, shape)
        accepts = xp.asarray([int(state in self.language.accepting) for state in range(self.language.num_states)])
        own_side, side = (
            accepts[last_state(each, of, self.language, xp)]
            for each, of in ((words, lengths_MB), (candidates, lengths))
        )
        own_signs = [each[..., None, :, :] for each in signs(words, lengths_MB, number, xp)]
        found = differences(own_signs, signs(candidates, lengths, number, xp), xp)
        cost = sum(weight[..., None, :] * differs for weight, differs in zip(weights, found, strict=True))
        ties = draw.named("ties").at(xp.arange(size)).integers(1 << _TIE_BITS, batch)
        none = NUM_SIGNS * _WEIGHTS + 1 << _TIE_BITS
        cost = xp.where(side != own_side[..., None, :], (cost << _TIE_BITS) + ties, none)
        best, partners = lengths_MB * 0 + none, words
        for number in range(size):
            is_better = cost[..., number, :] < best
            best = xp.where(is_better, cost[..., number, :], best)
            partners = xp.where(is_better[..., None], candidates[..., number, :, :], partners)
        return partners, best < none

    def _candidates(self, words: Array, others: Array, lengths: Array, draw: Draw, xp: Arrays) -> Iterator[Array]:
        """Yield the candidates of each kind, [M, K, B, N]."""
        number = len(self.language.alphabet)

        def kind(name: str, size: int) -> Draw:
            return draw.named(name).at(xp.arange(size))

        contexts, zones = zip(*_EXCHANGES, strict=True)
        yield exchange_segments(words, lengths, contexts, zones, number, kind("exchanged", len(zones)), xp)
        same_neighbours, zones = zip(*_SWAPS, strict=True)
        yield swap_two(words, lengths, same_neighbours, zones, kind("swapped", len(zones)), xp)
        yield replace_one(words, lengths, _REPLACED, number, kind("replaced", len(_REPLACED)), xp)
        if not self._kinds.near:
            yield shuffle_window(words, lengths, kind("shuffled", _SHUFFLES), xp)
            crossed = kind("crossed", len(_CROSS_CONTEXTS))
            yield cross_words(words, others, lengths, _CROSS_CONTEXTS, number, crossed, xp)


def last_state(words: Array, lengths: Array, language: DFA, xp: Arrays) -> Array:
    """Return the state at the end of each word; the states on the way are not kept."""
    table = xp.asarray(language.transitions)
    state = xp.broadcast(xp.asarray(0), tuple(words.shape[:-1]))
    for place in range(words.shape[-1]):
        state = xp.where(lengths > place, table[state, words[..., place]], state)
    return state
