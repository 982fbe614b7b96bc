"""Simple rules. What a rule looks at in a prompt is its key: it answers alike wherever keys are alike.

Every rule is written twice: as ``key``, for many prefixes at once, and as a machine that reads one symbol after the other,
which is the slow and obvious version, and which proofs about all words need. Rules about every symbol, or every pair, are
made for small alphabets only. Shapes: P prefixes that are looked at, V symbols, B instances, N symbols of a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .prefixes import Numbers, Prefixes

MOST_SINGLE = 12
"""Up to so many symbols, there are rules about each of them."""
MOST_PAIRED = 6
"""Up to so many symbols, there are rules about each pair of them."""
MOST_ORDERED = 4
"""Up to so many symbols, one rule compares the counts of all of them."""
_BITS = 62
_RUNS, _LONGEST, _PLACES = 8, 4, 4


def _itself(memory: Hashable) -> Hashable:
    return memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule in plain words, its keys, and its machine: a memory, how a symbol changes it, and what is read from it."""

    name: str
    key: Callable[[Prefixes], Numbers]
    start: Hashable
    step: Callable[[Any, int], Hashable]
    read: Callable[[Any], Hashable] = _itself


def rules_for(alphabet: Sequence[str]) -> list[Rule]:
    """Return the rules for prompts over these symbols."""
    return [*_end_rules(), *_count_rules(alphabet), *_neighbour_rules(len(alphabet))]


def _end_rules() -> Iterator[Rule]:
    """Yield rules about the length and both ends."""
    yield from (_length_modulo(modulus) for modulus in (2, 3, 4))
    yield from (_first(number) for number in (1, 2, 3))
    yield from (_last(number) for number in (1, 2, 3))
    yield Rule(
        name="first and last symbol",
        key=lambda seen: _digits([seen.from_start(0), seen.from_end(0)], len(seen.alphabet), lowest=-2),
        start=(),
        step=lambda ends, symbol: (*(ends or (symbol,))[:1], symbol),
    )


def _count_rules(alphabet: Sequence[str]) -> Iterator[Rule]:
    """Yield rules about how often symbols occur."""
    number = len(alphabet)
    if number and 3**number < 2**_BITS:
        yield _capped_counts("set of symbols", 1, number)
        yield _capped_counts("which symbols occur once, and which more often", 2, number)
        yield Rule(
            name="all counts modulo 2",
            key=lambda seen: _digits(list(seen.counts_PV.T % 2), 1),
            start=frozenset(),
            step=lambda odd, symbol: odd ^ {symbol} if symbol >= 0 else odd,
        )
    if number:
        yield _by_counts("most frequent symbol", number, lambda counts: counts.index(max(counts)), _most_frequent)
    if 1 < number <= MOST_SINGLE:
        for symbol, shown in enumerate(alphabet):
            yield _parity(symbol, shown)
            yield _against_half(symbol, shown)
            yield _first_place(symbol, shown)
    if number <= MOST_PAIRED:
        for one, other in combinations(range(number), 2):
            yield _comparison(one, other, alphabet)
    if 2 < number <= MOST_ORDERED:
        pairs = list(combinations(range(number), 2))
        yield _by_counts(
            "order of all counts",
            number,
            lambda counts: tuple((counts[one] > counts[other]) - (counts[one] < counts[other]) for one, other in pairs),
            lambda seen: _digits([_compare(seen, one, other) for one, other in pairs], 1, lowest=-1),
        )


def _neighbour_rules(number: int) -> Iterator[Rule]:
    """Yield rules about neighbours and runs."""
    for size, shown in ((2, "pairs"), (3, "triples")):
        if number**size <= _BITS:
            yield _windows(f"set of {shown} of neighbours", size, np.bitwise_or, frozenset.union)
    if number**2 <= _BITS:
        yield _windows("all counts of pairs of neighbours modulo 2", 2, np.bitwise_xor, frozenset.symmetric_difference)
    yield Rule(
        name="number of runs modulo 2",
        key=lambda seen: seen.total(_begins_run(seen)) % 2,
        start=(None, 0),
        step=lambda runs, symbol: (symbol, (runs[1] + (symbol != runs[0])) % 2),
        read=lambda runs: runs[1],
    )
    yield Rule(
        name=f"number of runs, up to {_RUNS}",
        key=lambda seen: np.minimum(seen.total(_begins_run(seen)), _RUNS),
        start=(None, 0),
        step=lambda runs, symbol: (symbol, min(runs[1] + (symbol != runs[0]), _RUNS)),
        read=lambda runs: runs[1],
    )
    yield Rule(
        name=f"longest run, up to {_LONGEST}",
        key=_longest_run,
        start=(None, 0, 0),
        step=_lengthen_run,
        read=lambda run: run[2],
    )


# Rules about the length and both ends


def _length_modulo(modulus: int) -> Rule:
    return Rule(
        name=f"length modulo {modulus}",
        key=lambda seen: seen.seen_P % modulus,
        start=0,
        step=lambda length, _: (length + 1) % modulus,
    )


def _first(number: int) -> Rule:
    return Rule(
        name="first symbol" if number == 1 else f"first {number} symbols",
        key=lambda seen: _digits([*map(seen.from_start, range(number))], len(seen.alphabet), lowest=-2),
        start=(),
        step=lambda first, symbol: (*first, symbol)[:number],
    )


def _last(number: int) -> Rule:
    return Rule(
        name="last symbol" if number == 1 else f"last {number} symbols",
        key=lambda seen: _digits([*map(seen.from_end, range(number))], len(seen.alphabet), lowest=-2),
        start=(),
        step=lambda last, symbol: (*last, symbol)[-number:],
    )


def _digits(parts: Sequence[Numbers], largest: int, *, lowest: int = 0) -> Numbers:
    """Return one number for several, each of which is from ``lowest`` to ``largest``."""
    key = np.zeros_like(parts[0])
    for part in parts:
        key = key * (largest - lowest + 1) + (part - lowest)
    return key


# Rules about counts; a symbol that training does not have is −2 and counts for nothing


def _capped_counts(name: str, cap: int, number: int) -> Rule:
    return Rule(
        name=name,
        key=lambda seen: _digits(list(np.minimum(seen.counts_PV, cap).T), cap),
        start=(0,) * number,
        step=lambda counts, symbol: tuple(min(n + (k == symbol), cap) for k, n in enumerate(counts)),
    )


def _by_counts(name: str, number: int, read: Callable[[Any], Hashable], key: Callable[[Prefixes], Numbers]) -> Rule:
    """Return a rule that compares all counts with each other: its memory is how far each is above the smallest."""

    def step(counts: tuple[int, ...], symbol: int) -> tuple[int, ...]:
        after = [n + (k == symbol) for k, n in enumerate(counts)]
        return tuple(n - min(after) for n in after)

    return Rule(name=name, key=key, start=(0,) * number, step=step, read=read)


def _most_frequent(seen: Prefixes) -> Numbers:
    return np.asarray(np.argmax(seen.counts_PV, axis=1))


def _parity(symbol: int, shown: str) -> Rule:
    return Rule(
        name=f"number of {shown} modulo 2",
        key=lambda seen: seen.counts_PV[:, symbol] % 2,
        start=0,
        step=lambda parity, read: parity ^ (read == symbol),
    )


def _against_half(symbol: int, shown: str) -> Rule:
    return Rule(
        name=f"number of {shown} against half the length",
        key=lambda seen: np.sign(2 * seen.counts_PV[:, symbol] - seen.seen_P),
        start=0,
        step=lambda excess, read: excess + (1 if read == symbol else -1),
        read=_sign,
    )


def _first_place(symbol: int, shown: str) -> Rule:
    """Return the rule about where a symbol is first; its memory is how long it has not come, and whether it has."""
    return Rule(
        name=f"position of the first {shown}, up to {_PLACES}",
        key=lambda seen: _place_of_first(seen, symbol),
        start=(0, False),
        step=lambda place, read: place if place[1] else (place[0], True) if read == symbol else _one_more(place),
        read=lambda place: place[0] if place[1] else _PLACES + 1,
    )


def _one_more(place: tuple[int, bool]) -> tuple[int, bool]:
    return min(place[0] + 1, _PLACES), False


def _place_of_first(seen: Prefixes, symbol: int) -> Numbers:
    """Return where a symbol is first, counted from 0 and capped; one more than the cap where it is not seen."""
    at_last = np.ones((len(seen.symbols_BN), 1), dtype=np.bool_)
    place_P = np.argmax(np.concatenate([seen.symbols_BN == symbol, at_last], axis=1), axis=1)[seen.row_P]
    return np.where(place_P < seen.seen_P, np.minimum(place_P, _PLACES), _PLACES + 1)


def _comparison(one: int, other: int, alphabet: Sequence[str]) -> Rule:
    return Rule(
        name=f"number of {alphabet[one]} against number of {alphabet[other]}",
        key=lambda seen: _compare(seen, one, other),
        start=0,
        step=lambda difference, symbol: difference + (symbol == one) - (symbol == other),
        read=_sign,
    )


def _compare(seen: Prefixes, one: int, other: int) -> Numbers:
    """Return 1 where there is more of the first, −1 where there is more of the second."""
    return np.asarray(np.sign(seen.counts_PV[:, one] - seen.counts_PV[:, other]))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


# Rules about neighbours


def _windows(
    name: str, size: int, combine: np.ufunc, unite: Callable[[frozenset[Any], frozenset[Any]], frozenset[Any]]
) -> Rule:
    """Return a rule about all windows of so many neighbours; its memory is the last symbols, and the windows combined."""

    def step(memory: tuple[tuple[int, ...], frozenset[Any]], symbol: int) -> Hashable:
        window = (*memory[0], symbol)
        is_full = len(window) == size and min(window) >= 0
        return window[-(size - 1) :], unite(memory[1], frozenset([window] if is_full else []))

    return Rule(
        name=name,
        key=lambda seen: seen.running(_window_bits(seen, size), combine),
        start=((), frozenset()),
        step=step,
        read=lambda memory: memory[1],
    )


def _window_bits(seen: Prefixes, size: int) -> Numbers:
    """Return a bit for the window that ends at each place; 0 where there is none, or one with a symbol that is new."""
    number, (rows, width) = len(seen.alphabet), seen.symbols_BN.shape
    bits_BN = np.zeros((rows, width), dtype=np.int64)
    if width >= size and number:
        parts = [seen.symbols_BN[:, place : width - size + 1 + place] for place in range(size)]
        is_known = np.minimum.reduce(parts) >= 0
        bits_BN[:, size - 1 :] = np.where(is_known, np.int64(1) << np.where(is_known, _digits(parts, number - 1), 0), 0)
    return bits_BN


def _begins_run(seen: Prefixes) -> NDArray[np.bool_]:
    before_BN = np.roll(seen.symbols_BN, 1, axis=1)
    before_BN[:, :1] = -3
    return np.asarray(seen.symbols_BN != before_BN)


def _longest_run(seen: Prefixes) -> Numbers:
    place_BN = np.broadcast_to(np.arange(seen.symbols_BN.shape[1]), seen.symbols_BN.shape)
    begun_BN = np.maximum.accumulate(np.where(_begins_run(seen), place_BN, 0), axis=1)
    return seen.running(np.minimum(place_BN - begun_BN + 1, _LONGEST), np.maximum)


def _lengthen_run(run: tuple[int | None, int, int], symbol: int) -> Hashable:
    last, current, longest = run
    current = min(current + 1, _LONGEST) if symbol == last else 1
    return symbol, current, max(longest, current)
