"""Simple rules: what each of them looks at in a prompt, as one number, its key.

A rule answers alike wherever its keys are alike. Rules about every symbol, or every pair, are made only for small
alphabets. Shapes: P prefixes that are looked at, V symbols, B instances, N symbols of a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .prefixes import Numbers, Prefixes

MOST_SINGLE = 12
"""Up to so many symbols, there are rules about each of them."""
MOST_PAIRED = 6
"""Up to so many symbols, there are rules about each pair of them."""
MOST_ORDERED = 4
"""Up to so many symbols, one rule compares the counts of all of them."""
_BITS = 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a rule looks at, in plain words, and as a number for every prefix."""

    name: str
    key: Callable[[Prefixes], Numbers]


def rules_for(alphabet: Sequence[str]) -> list[Rule]:
    """Return the rules for prompts over these symbols."""
    return [*_length_rules(), *_end_rules(), *_count_rules(alphabet), *_order_rules(alphabet)]


def _length_rules() -> Iterator[Rule]:
    for modulus in (2, 3, 4):
        yield Rule(name=f"length modulo {modulus}", key=lambda seen, modulus=modulus: seen.seen_P % modulus)


def _end_rules() -> Iterator[Rule]:
    """Yield rules about the first and the last symbols."""
    for number in (1, 2, 3):
        ends = "symbol" if number == 1 else f"{number} symbols"
        yield Rule(name=f"first {ends}", key=lambda seen, number=number: _joined(seen, range(number), ()))
        yield Rule(name=f"last {ends}", key=lambda seen, number=number: _joined(seen, (), range(number)))
    yield Rule(name="first and last symbol", key=lambda seen: _joined(seen, (0,), (0,)))


def _joined(seen: Prefixes, first: Sequence[int], last: Sequence[int]) -> Numbers:
    """Return one number for some of the first symbols and some of the last."""
    return _combine([*map(seen.from_start, first), *map(seen.from_end, last)], len(seen.alphabet), lowest=-2)


def _combine(parts: Sequence[Numbers], largest: int, *, lowest: int = 0) -> Numbers:
    """Return one number for each row of numbers from ``lowest`` to ``largest``."""
    key = np.zeros_like(parts[0])
    for part in parts:
        key = key * (largest - lowest + 1) + (part - lowest)
    return key


def _count_rules(alphabet: Sequence[str]) -> Iterator[Rule]:
    """Yield rules about how often symbols occur."""
    number = len(alphabet)
    if number <= _BITS:
        yield Rule(name="set of symbols", key=lambda seen: _combine_all(np.minimum(seen.counts_PV, 1), 1))
        yield Rule(name="all counts modulo 2", key=lambda seen: _combine_all(seen.counts_PV % 2, 1))
    if 3**number < 2**_BITS:
        yield Rule(name="which symbols occur once, and which more often", key=_capped_counts)
    if number:
        yield Rule(name="most frequent symbol", key=lambda seen: np.argmax(seen.counts_PV, axis=1))
    if 1 < number <= MOST_SINGLE:
        for symbol, shown in enumerate(alphabet):
            yield Rule(
                name=f"number of {shown} modulo 2", key=lambda seen, symbol=symbol: seen.counts_PV[:, symbol] % 2
            )
            yield Rule(
                name=f"number of {shown} against half the length",
                key=lambda seen, symbol=symbol: np.sign(2 * seen.counts_PV[:, symbol] - seen.seen_P),
            )
            yield Rule(
                name=f"position of the first {shown}, up to 4",
                key=lambda seen, symbol=symbol: _first_place(seen, symbol, 4),
            )
    if number <= MOST_PAIRED:
        for one, other in combinations(range(number), 2):
            yield Rule(
                name=f"number of {alphabet[one]} against number of {alphabet[other]}",
                key=lambda seen, one=one, other=other: _compare(seen, one, other),
            )
    if 2 < number <= MOST_ORDERED:
        yield Rule(
            name="order of all counts",
            key=lambda seen: _combine(
                [_compare(seen, *pair) for pair in combinations(range(len(seen.alphabet)), 2)], 1, lowest=-1
            ),
        )


def _combine_all(values_PV: Numbers, largest: int) -> Numbers:
    return _combine(list(values_PV.T), largest) if values_PV.shape[1] else np.zeros(len(values_PV), dtype=np.int64)


def _capped_counts(seen: Prefixes) -> Numbers:
    return _combine_all(np.minimum(seen.counts_PV, 2), 2)


def _compare(seen: Prefixes, one: int, other: int) -> Numbers:
    """Return 1 where there is more of the first, −1 where there is more of the second."""
    return np.asarray(np.sign(seen.counts_PV[:, one] - seen.counts_PV[:, other]))


def _first_place(seen: Prefixes, symbol: int, most: int) -> Numbers:
    """Return where a symbol is first, counted from 0 and capped; one more than the cap if it is nowhere."""
    place_B = np.argmax(np.concatenate([seen.symbols_BN == symbol, np.ones((len(seen.symbols_BN), 1), bool)], 1), 1)
    place_P = place_B[seen.row_P]
    return np.where(place_P < seen.seen_P, np.minimum(place_P, most), most + 1)


def _order_rules(alphabet: Sequence[str]) -> Iterator[Rule]:
    """Yield rules about neighbours."""
    number = len(alphabet)
    for size, name in ((2, "pairs"), (3, "triples")):
        if number**size <= _BITS:
            yield Rule(
                name=f"set of {name} of neighbours", key=lambda seen, size=size: _windows(seen, size, np.bitwise_or)
            )
    if number**2 <= _BITS:
        yield Rule(
            name="all counts of pairs of neighbours modulo 2", key=lambda seen: _windows(seen, 2, np.bitwise_xor)
        )
    yield Rule(name="number of runs modulo 2", key=lambda seen: seen.total(_changes(seen)) % 2)
    yield Rule(name="number of runs, up to 8", key=lambda seen: np.minimum(seen.total(_changes(seen)), 8))
    yield Rule(name="longest run, up to 4", key=_longest_run)


def _windows(seen: Prefixes, size: int, combine: np.ufunc) -> Numbers:
    """Return all windows of so many neighbours, each as a bit, combined; bit 63 is for symbols that are new."""
    number, (rows, width) = len(seen.alphabet), seen.symbols_BN.shape
    bits_BN = np.zeros((rows, width), dtype=np.int64)
    if width >= size:
        parts = [seen.symbols_BN[:, place : width - size + 1 + place] for place in range(size)]
        window = _combine(parts, number - 1)
        is_known = np.minimum.reduce(parts) >= 0
        bits_BN[:, size - 1 :] = np.where(is_known, np.int64(1) << np.where(is_known, window, 0), 0)
    return seen.running(bits_BN, combine)


def _changes(seen: Prefixes) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return the places where a run begins."""
    before = np.concatenate([np.full((len(seen.symbols_BN), 1), -3), seen.symbols_BN[:, :-1]], axis=1)
    return np.asarray(seen.symbols_BN != before[:, : seen.symbols_BN.shape[1]])


def _longest_run(seen: Prefixes) -> Numbers:
    place_BN = np.broadcast_to(np.arange(seen.symbols_BN.shape[1]), seen.symbols_BN.shape)
    if not place_BN.shape[1]:
        return np.zeros_like(seen.seen_P)
    begun_BN = np.maximum.accumulate(np.where(_changes(seen), place_BN, 0), axis=1)
    return seen.running(np.minimum(place_BN - begun_BN + 1, 4), np.maximum)
