"""The rows of a layout's steps, and the operand tuples that determine the next token of each.

A *step* (n, t) of a layout sees the tokens 0..q and is followed by the token q+1. Its *rows* are all (visible tokens → next
token) of scale n. A set of positions *determines* the step if no two rows agree on it and have different next tokens. A
*candidate* is an ordered tuple of positions whose set determines the step, together with the partial function that an operator
must then be: the keys met in some row, each with its next token. Our reconstruction of arXiv 2510.04130.

**Repeated operands.** A gate may read one position in several slots. This never matters for the least determining sets (a tuple of
that size with a repetition has a smaller set). For "arity at most K" it has a useful consequence: an operator of arity k < K
becomes one of arity K by reading its last operand K−k more times (any position at all, if k = 0), on every gate alike, and two
operators stay two. So the least number of operators of arity at most K is the least number of arity exactly K, and candidates of
that one arity are enough. Without repetition this fails: at scale 1 the first digit of a sum has two operands worth reading, and
could not share an operator of five slots.

**How determining sets are found.** A set determines a step iff it contains, for any two rows with different next tokens, a
position at which they differ: it hits every difference. Differences are met one at a time: the first set that hits all known ones
is tested on all rows, and either determines the step or yields a new difference that it misses. Supersets of a determining set
determine too, so that only minimal sets are tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...errors import CapExceededError, InvalidOptionError
from .layout import Layout

Codes = NDArray[np.int64]

MAX_ROWS = 1_000_000
"""Instances of one scale that are written out."""
MAX_POSITIONS = 62
"""Visible positions of one step: a set of positions is a machine word."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """One step with all its rows; tokens are numbered as in the alphabet. R rows, P = q+1 visible positions."""

    scale: int
    index: int  # t = 1, 2, …
    num_symbols: int
    tokens_RP: Codes
    next_R: Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """Operands that determine a step, and what an operator that reads them must do.

    ``entries`` are numbers, in order: the key read in base ``num_symbols``, then the next token as one more digit. ``ascending`` marks
    one of the orders of the same operands.
    """

    operands: tuple[int, ...]
    entries: Codes
    ascending: bool


def rows(layout: Layout, max_scale: int, *, max_rows: int = MAX_ROWS) -> tuple[Step, ...]:
    """Return the steps of all scales up to one, each with the rows of all inputs."""
    return tuple(chain.from_iterable(scale_rows(layout, scale, max_rows=max_rows) for scale in range(1, max_scale + 1)))


def scale_rows(layout: Layout, scale: int, *, max_rows: int = MAX_ROWS) -> tuple[Step, ...]:
    """Return the steps of one scale, each with the rows of all inputs."""
    layout.check_scale(scale)
    number = layout.num_instances(scale)
    if number > max_rows:
        raise CapExceededError(
            f"{layout.name} has {number:,} instances at scale {scale}, more than the cap of {max_rows:,}.",
            hint="ask for a smaller scale or a smaller alphabet, or raise max_rows.",
        )
    code = {symbol: place for place, symbol in enumerate(layout.alphabet)}
    start, length = layout.prompt_length(scale), layout.prompt_length(scale) + layout.answer_length(scale)
    if length - 1 > MAX_POSITIONS:
        raise CapExceededError(
            f"{layout.name} shows {length - 1} positions at scale {scale}, more than the cap of {MAX_POSITIONS}.",
            hint="ask for a smaller scale.",
        )
    flat = (code[token] for instance in layout.instances(scale) for token in chain(*instance))
    tokens_RL = np.fromiter(flat, dtype=np.int64, count=number * length).reshape(number, length)
    return tuple(
        Step(
            scale=scale,
            index=index,
            num_symbols=len(layout.alphabet),
            tokens_RP=tokens_RL[:, : start + index - 1],
            next_R=tokens_RL[:, start + index - 1],
        )
        for index in range(1, length - start + 1)
    )


def minimal_sets(step: Step, max_size: int, *, smallest: bool = False) -> list[tuple[int, ...]]:
    """Return the determining sets of at most that size of which no part determines the step; only the smallest if asked to."""
    num_positions = step.tokens_RP.shape[1]
    dense_PR, widths = _dense(step)
    found: list[int] = []
    differences: list[int] = []
    for size in range(min(max_size, num_positions) + 1):
        if smallest and found:
            break
        sets = np.array([_mask(chosen) for chosen in combinations(range(num_positions), size)], dtype=np.int64)
        for known in found:
            sets = sets[(sets & known) != known]
        for difference in differences:
            sets = sets[(sets & difference) != 0]
        while sets.size:
            first = int(sets[0])
            new = _missed(step, dense_PR, widths, _positions(first))
            if new is None:
                found.append(first)
                sets = sets[1:]
            else:
                differences.append(new)
                sets = sets[(sets & new) != 0]
    return [_positions(chosen) for chosen in found]


def candidates(step: Step, arity: int) -> list[Candidate]:
    """Return the candidates of exactly that arity, positions repeated where that makes up the number.

    Equal partial functions are kept once, and a candidate B is dropped if another one, A, is a part of it. This is sound:
    in any assignment A can stand for B, because whatever agrees with B on common keys agrees with A.
    """
    check_arity(step.num_symbols, arity)
    minimal = [_mask(chosen) for chosen in minimal_sets(step, arity)]
    sets = (
        chosen
        for size in range(min(1, arity), arity + 1)
        for chosen in combinations(range(step.tokens_RP.shape[1]), size)
    )
    return _ordered(step, (chosen for chosen in sets if _contains_one(_mask(chosen), minimal)), arity)


def least_candidates(step: Step, max_arity: int) -> tuple[int, list[Candidate]] | None:
    """Return the size of the smallest determining sets and the candidates of that arity, or None if they are larger than that."""
    sets = minimal_sets(step, max_arity, smallest=True)
    if not sets:
        return None
    check_arity(step.num_symbols, len(sets[0]))
    return len(sets[0]), _ordered(step, iter(sets), len(sets[0]))


def _ordered(step: Step, sets: Iterator[tuple[int, ...]], arity: int) -> list[Candidate]:
    """Return the candidates that read determining sets in all orders, with repetitions up to an arity; see :func:`candidates`."""
    dense_PR, widths = _dense(step)
    shapes: dict[tuple[int, bytes, bytes], tuple[int, ...]] = {}  # sets that hold the same keys are worth one
    for chosen in sets:
        keys_KS, values_K = _function(step, dense_PR, widths, chosen)
        shapes.setdefault((len(chosen), keys_KS.tobytes(), values_K.tobytes()), chosen)
    orders = {size: _surjections(arity, size) for size in range(arity + 1)}
    found: list[Candidate] = []
    for (size, keys, values), chosen in shapes.items():
        values_K = np.frombuffer(values, dtype=np.int64)
        keys_KS = np.frombuffer(keys, dtype=np.int64).reshape(len(values_K), size)
        ways, are_ascending = orders[size]
        for slots, ascending, entries in zip(
            ways, are_ascending, _entries(keys_KS, values_K, ways, step.num_symbols), strict=True
        ):
            operands = tuple(chosen[slot] for slot in slots)
            found.append(Candidate(operands=operands, entries=entries, ascending=ascending))
    return smallest(found)


def _contains_one(mask: int, sets: list[int]) -> bool:
    return any(mask & known == known for known in sets)


def check_arity(num_symbols: int, arity: int) -> None:
    """Raise an error unless keys of that arity can be numbered."""
    if arity < 0 or num_symbols ** (arity + 1) >= 2**62:
        raise InvalidOptionError(
            f"arity {arity} over {num_symbols} symbols is not allowed: keys must be numbers below 2^62.",
            hint="use a smaller arity.",
        )


def decode(entry: int, arity: int, num_symbols: int) -> tuple[tuple[int, ...], int]:
    """Return the key and the value that an entry stands for.

    >>> decode(2 * 9 + 1 * 3 + 0, 2, 3)
    ((2, 1), 0)
    """
    key, value = divmod(entry, num_symbols)
    return tuple(key // num_symbols ** (arity - 1 - slot) % num_symbols for slot in range(arity)), value


def _dense(step: Step) -> tuple[Codes, list[int]]:
    """Return, position by position, the tokens numbered among those that stand there, and how many those are."""
    columns, widths = [], []
    for column_R in step.tokens_RP.T:
        present, dense_R = np.unique(column_R, return_inverse=True)
        columns.append(dense_R)
        widths.append(len(present))
    return np.array(columns, dtype=np.int64).reshape(len(columns), -1), widths


def _keys(dense_PR: Codes, widths: list[int], chosen: tuple[int, ...]) -> Codes:
    """Return for every row a number that stands for its tokens at the chosen positions."""
    keys_R = np.zeros(dense_PR.shape[1], dtype=np.int64)
    for position in chosen:
        keys_R = keys_R * widths[position] + dense_PR[position]
    return keys_R


def _missed(step: Step, dense_PR: Codes, widths: list[int], chosen: tuple[int, ...]) -> int | None:
    """Return the positions at which two rows differ that only the chosen positions confuse, or None if they determine the step."""
    keys_R = _keys(dense_PR, widths, chosen)
    witness_K = np.zeros(prod(widths[position] for position in chosen), dtype=np.int64)
    witness_K[keys_R] = np.arange(len(keys_R))
    other_R = witness_K[keys_R]
    confused = np.flatnonzero(step.next_R != step.next_R[other_R])
    if not confused.size:
        return None
    confused = confused[:1000]
    differs = step.tokens_RP[confused] != step.tokens_RP[other_R[confused]]
    return _mask(
        np.flatnonzero(differs[differs.sum(axis=1).argmin()]).tolist()
    )  # the shortest difference excludes most


def _function(step: Step, dense_PR: Codes, widths: list[int], chosen: tuple[int, ...]) -> tuple[Codes, Codes]:
    """Return the keys that the chosen positions hold in some row, in order, and the next token of each."""
    keys_R = _keys(dense_PR, widths, chosen)
    witness_K = np.full(prod(widths[position] for position in chosen), -1, dtype=np.int64)
    witness_K[keys_R] = np.arange(len(keys_R))
    met = witness_K[witness_K >= 0]
    return np.ascontiguousarray(step.tokens_RP[met][:, list(chosen)]), step.next_R[met]


def _entries(keys_KS: Codes, values_K: Codes, orders: list[tuple[int, ...]], num_symbols: int) -> Codes:
    """Return a row of entries, in order, for each way to read the operands."""
    codes_OK = np.zeros((len(orders), len(values_K)), dtype=np.int64)
    for slot in zip(*orders, strict=True):
        codes_OK = codes_OK * num_symbols + keys_KS.T[list(slot)]
    return np.sort(codes_OK * num_symbols + values_K, axis=1)


def _surjections(slots: int, size: int) -> tuple[list[tuple[int, ...]], list[bool]]:
    """Return all ways to let so many slots read so many operands, each at least once, and which of them are ascending."""
    ways = [chosen for chosen in product(range(size), repeat=slots) if len(set(chosen)) == size]
    return ways, [list(chosen) == sorted(chosen) for chosen in ways]


def smallest(found: Sequence[Candidate], block: int = 256) -> list[Candidate]:
    """Return the candidates of which no other is a part, equal ones once, and then an ascending one if there is any."""
    distinct: dict[bytes, Candidate] = {}
    for candidate in found:
        name = candidate.entries.tobytes()
        if name not in distinct or (candidate.ascending and not distinct[name].ascending):
            distinct[name] = candidate
    waiting = sorted(distinct.values(), key=lambda candidate: len(candidate.entries))
    if len(waiting) < 2:
        return waiting
    used, places = np.unique(np.concatenate([candidate.entries for candidate in waiting]), return_inverse=True)
    ends = np.cumsum([len(candidate.entries) for candidate in waiting])
    kept: list[Candidate] = []
    kept_KE = np.zeros((0, len(used)), dtype=np.float32)
    for first in range(0, len(waiting), block):
        some = waiting[first : first + block]
        some_BE = np.zeros((len(some), len(used)), dtype=np.float32)
        for row, end in enumerate(ends[first : first + block]):
            some_BE[row, places[end - len(some[row].entries) : end]] = 1
        for parts_KE in (kept_KE, None):
            free = _free_of(some_BE, some_BE if parts_KE is None else parts_KE)
            some_BE, some = some_BE[free], [each for each, is_free in zip(some, free, strict=True) if is_free]
        kept.extend(some)
        kept_KE = np.concatenate([kept_KE, some_BE])
    return kept


def _free_of(whole_BE: NDArray[np.float32], part_KE: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which rows contain no row of the second array but equal ones."""
    sizes_K, sizes_B = part_KE.sum(axis=1), whole_BE.sum(axis=1)
    contained_BK = (whole_BE @ part_KE.T == sizes_K) & (sizes_K < sizes_B[:, None])
    free: NDArray[np.bool_] = ~contained_BK.any(axis=1)
    return free


def _mask(positions: tuple[int, ...] | list[int]) -> int:
    return sum(1 << position for position in positions)


def _positions(mask: int) -> tuple[int, ...]:
    return tuple(_bits(mask))


def _bits(mask: int) -> Iterator[int]:
    place = 0
    while mask:
        if mask & 1:
            yield place
        mask >>= 1
        place += 1
