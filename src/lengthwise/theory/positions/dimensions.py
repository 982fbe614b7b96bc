"""How large the sets of targets are that position encodings can extrapolate: Theorems T2 and T3, computed.

Targets up to N are the points of R^T with T = T_N (with a scale hint: the entries of all scales up to N). The sets in
question are finite unions of linear subspaces, and the Hausdorff dimension of such a union is the largest dimension among
them. Counting the grid points {0, …, m − 1}^T of a set shows the same number: it is a polynomial in m of that degree.
Proofs: docs/concepts/pola.md; our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import perm

from ...errors import CapExceededError, InvalidOptionError
from .learners import LabelFunction, as_relation, label_of
from .pola import extrapolation_error, is_guaranteed
from .relations import Relation
from .targets import Entry, Target, check_scale, check_scales, entries, num_entries

Blocks = tuple[int, ...]
"""A partition of things 0, 1, …: the block of each, numbered in order of appearance."""

MAX_PARTITIONED = 10  # things; they have 115,975 partitions
MAX_CHECKED_SCALE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions:
    """T2 for two scales: the dimensions of all targets and of those that some relation extrapolates, and their share."""

    trained: int
    tested: int
    hint: bool
    all_targets: int
    extrapolated: int
    num_subspaces: int  # maximal ones, for tables that may start anywhere
    num_subspaces_from_zero: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoUniversal:
    """T3, checked for every relation on T_N: how many maximal subspaces there are, and the most that one relation covers."""

    trained: int
    tested: int
    from_zero: bool
    num_relations: int
    num_subspaces: int
    most_covered: int
    num_covering: int  # relations that cover a subspace

    @property
    def holds(self) -> bool:
        """Whether no relation covers all that some relation covers."""
        return self.most_covered < self.num_subspaces


def dimension_at_most(complexity: int, scale: int, *, hint: bool = False) -> int:
    """Return dim_H{f : LRC(f, N) ≤ r} = min(r, |T_N|).

    >>> dimension_at_most(3, 5), dimension_at_most(99, 5)
    (3, 15)
    """
    check_scale(None, scale, hinted=hint)
    if complexity < 1:
        raise InvalidOptionError(f"complexity {complexity} is below 1, the least there is.", hint="give at least 1.")
    return min(complexity, num_entries(scale, hinted=hint))


def measure_dimensions(trained: int, tested: int, *, hint: bool = False) -> Dimensions:
    """Return T2: targets that some relation extrapolates have dimension N₀(N₀+1)/2, all targets N(N+1)/2.

    A maximal subspace is a choice, for each entry beyond N₀, of the training entry (or from zero: 0) that it equals.

    >>> measured = measure_dimensions(5, 12)
    >>> measured.extrapolated, measured.all_targets
    (15, 78)
    """
    check_scales(None, trained, tested, hinted=hint)
    shown, every = num_entries(trained, hinted=hint), num_entries(tested, hinted=hint)
    return Dimensions(
        trained=trained,
        tested=tested,
        hint=hint,
        all_targets=every,
        extrapolated=shown,
        num_subspaces=shown ** (every - shown),
        num_subspaces_from_zero=(shown + 1) ** (every - shown),
    )


def count_at_most(complexity: int, scale: int, num_values: int, *, hint: bool = False) -> int:
    """Return how many targets with entries among m values have LRC at most r: Σ_{k≤r} S(|T_N|, k)·m(m−1)…(m−k+1)."""
    places = num_entries(scale, hinted=hint)
    kinds = _stirling(places)
    return sum(kinds[k] * perm(num_values, k) for k in range(1, min(complexity, places) + 1))


def count_extrapolated(trained: int, tested: int, num_values: int, *, hint: bool = False) -> int:
    """Return how many targets with entries among m values some relation extrapolates: LRC is the same at both scales.

    Σ_k S(|T_{N₀}|, k)·m(m−1)…(m−k+1)·k^(|T_N|−|T_{N₀}|): k values in training, and one of those at every other entry.
    """
    check_scales(None, trained, tested, hinted=hint)
    shown, every = num_entries(trained, hinted=hint), num_entries(tested, hinted=hint)
    kinds = _stirling(shown)
    return sum(kinds[k] * perm(num_values, k) * k ** (every - shown) for k in range(1, shown + 1))


def share_extrapolated(trained: int, tested: int, num_values: int, *, hint: bool = False) -> Fraction:
    """Return which part of all targets with entries among m values some relation extrapolates."""
    every = num_entries(tested, hinted=hint)
    return Fraction(count_extrapolated(trained, tested, num_values, hint=hint), num_values**every)


def dimension_of_relation(
    relation: Relation | LabelFunction, trained: int, tested: int, *, from_zero: bool = False
) -> int | None:
    """Return the dimension of the targets that one relation extrapolates: the number of labels seen in training.

    They form one subspace. None if the relation guarantees nothing, because a label up to N is not seen up to N₀; tables that
    start at zero have it as 0 instead.
    """
    relation = as_relation(relation, tested)
    check_scales(None, trained, tested, hinted=relation.needs_scale)
    seen: set[Hashable] = set()
    later: set[Hashable] = set()
    for entry in entries(tested, hinted=relation.needs_scale):
        (seen if entry[2] <= trained else later).add(label_of(relation, entry))
    return len(seen) if from_zero or later <= seen else None


def covered_subspace(
    relation: Relation | LabelFunction, trained: int, tested: int, *, from_zero: bool = False
) -> dict[Entry, Entry | None] | None:
    """Return the one maximal subspace that a relation covers, or None if it covers none.

    The subspace maps each entry beyond N₀ to the training entry that it equals, or to None where it is 0. It is covered if
    no two training entries share a label and, unless tables start at zero, every label is seen in training.
    """
    relation = as_relation(relation, tested)
    check_scales(None, trained, tested, hinted=relation.needs_scale)
    seen: dict[Hashable, Entry] = {}
    chosen: dict[Entry, Entry | None] = {}
    for entry in entries(tested, hinted=relation.needs_scale):
        label = label_of(relation, entry)
        if entry[2] > trained:
            chosen[entry] = seen.get(label)
        elif seen.setdefault(label, entry) != entry:
            return None
    return chosen if from_zero or None not in chosen.values() else None


def check_no_universal(trained: int, tested: int, *, from_zero: bool = False) -> NoUniversal:
    """Check T3 for every relation up to N, which is every partition of T_N, and every maximal subspace, by definition.

    A subspace is covered if its generic target is extrapolated: the one with distinct, non-zero values in training. With
    N₀ = 1 and tables that start anywhere there is a single maximal subspace, the constant targets, which NoPE covers; in
    all other cases no relation is universal.
    """
    check_scales(None, trained, tested, hinted=False)
    if tested > MAX_CHECKED_SCALE:
        raise CapExceededError(
            f"test scale {tested} has too many relations to check them all; at most {MAX_CHECKED_SCALE} can be.",
            hint="ask covered_subspace about single relations instead.",
        )
    places = list(entries(tested, hinted=False))
    num_shown = num_entries(trained, hinted=False)
    choices = range(0 if from_zero else 1, num_shown + 1)
    targets = [
        _table_target(places, [*range(1, num_shown + 1), *chosen])
        for chosen in product(choices, repeat=len(places) - num_shown)
    ]
    covered = []
    for blocks in partitions(len(places)):
        relation = _partition_relation(places, blocks)
        if from_zero:
            extrapolated = (extrapolation_error(target, relation, trained, tested)[0] == 0 for target in targets)
        else:
            extrapolated = (is_guaranteed(target, relation, trained, tested) for target in targets)
        covered.append(sum(extrapolated))
    return NoUniversal(
        trained=trained,
        tested=tested,
        from_zero=from_zero,
        num_relations=len(covered),
        num_subspaces=len(targets),
        most_covered=max(covered),
        num_covering=sum(map(bool, covered)),
    )


def _table_target(places: list[Entry], values: list[int]) -> Target:
    table = {(i, j): Fraction(value) for (i, j, _), value in zip(places, values, strict=True)}
    return Target(name="generic", formula="generic", entry=lambda i, j, n: table[i, j])  # noqa: ARG005


def _partition_relation(places: list[Entry], blocks: Blocks) -> Relation:
    table = {(i - 1, j - 1): block for (i, j, _), block in zip(places, blocks, strict=True)}
    return Relation(
        name="partition",
        formula="a partition",
        needs_scale=False,
        label=lambda key, query, scale: table[key, query],  # noqa: ARG005
    )


def partitions(num_things: int) -> Iterator[Blocks]:
    """Yield all partitions of so many things.

    >>> list(partitions(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if num_things > MAX_PARTITIONED:
        raise CapExceededError(
            f"{num_things} entries have too many partitions to go through; at most {MAX_PARTITIONED} are.",
            hint="choose a test scale of at most 4.",
        )

    def grow(blocks: Blocks, num_blocks: int) -> Iterator[Blocks]:
        if len(blocks) == num_things:
            yield blocks
            return
        for block in range(num_blocks + 1):
            yield from grow((*blocks, block), max(num_blocks, block + 1))

    return grow((), 0)


def _stirling(num_things: int) -> list[int]:
    """Return S(n, k) for k = 0, …, n: in how many ways n things fall into k blocks."""
    row = [1]
    for _ in range(num_things):
        row = [0, *(k * row[k] + row[k - 1] if k < len(row) else row[k - 1] for k in range(1, len(row) + 1))]
    return row
