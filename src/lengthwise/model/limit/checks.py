"""PERIODIC and LOCAL, checked: a yes, with what it rests on, or a counterexample.

- PERIODIC: there is a Δ > 0 with p_i = p_{i+Δ} for all i.
- LOCAL: every φ depends on i − j alone, and is 0 from some distance on.

For positions and relations that are data the answer is a proof. For arbitrary functions, only what was looked at is known;
of what is found against them, only a broken translation is a proof, since a longer period or distance might still fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .positions import LocalRelation, PeriodicPositions, Positions, Relation
from .transformer import LimitTransformer


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Whether a property holds, whether that is proved, and why; a counterexample names its positions."""

    holds: bool
    is_proved: bool
    reason: str
    counterexample: tuple[int, ...] | None = None


def check_periodic(transformer: LimitTransformer, *, largest_period: int = 64, positions: int = 256) -> Check:
    """Return whether the positions repeat; of an arbitrary function, periods and positions up to these bounds are tried."""
    return check_positions(transformer.positions, largest_period=largest_period, positions=positions)


def check_positions(found: Positions, *, largest_period: int = 64, positions: int = 256) -> Check:
    """Return whether positions repeat."""
    if isinstance(found, PeriodicPositions):
        rows = len(found.table)
        told = "all p_i are equal." if rows == 1 else f"p_i takes the {rows} rows of a table in turn."
        return Check(holds=True, is_proved=True, reason=told)
    vectors = [found.at(each) for each in range(positions)]
    worst: tuple[int, int] | None = None
    for period in range(1, largest_period + 1):
        broken = next(
            (i for i in range(positions - period) if not np.array_equal(vectors[i], vectors[i + period])), None
        )
        if broken is None:
            told = f"p_i = p_(i+{period}) for all i below {positions - period}; beyond, nothing is known."
            return Check(holds=True, is_proved=False, reason=told)
        if worst is None or broken > worst[0]:
            worst = (broken, broken + period)
    assert worst is not None
    told = f"no period up to {largest_period} fits; the one that fits longest breaks at p_{worst[0]} ≠ p_{worst[1]}."
    return Check(holds=False, is_proved=False, reason=told, counterexample=worst)


def check_local(transformer: LimitTransformer, *, reach: int = 64, positions: int = 256) -> Check:
    """Return whether every positional function is translation invariant and 0 beyond some distance.

    Of arbitrary functions, pairs below ``positions`` are tried, and distances above ``reach`` must give 0.
    """
    proved = True
    for number, layer in enumerate(transformer.layers, start=1):
        for place, head in enumerate(layer.heads, start=1):
            check = check_relation(head.relation, reach=reach, positions=positions)
            proved = proved and check.is_proved
            if not check.holds:
                told = f"layer {number}, head {place}: {check.reason}"
                return Check(holds=False, is_proved=check.is_proved, reason=told, counterexample=check.counterexample)
    if proved:
        told = f"every φ is 0 beyond distance {transformer.reach}, and depends on the distance alone."
        told = told if transformer.reach else "every φ is 0."
        return Check(holds=True, is_proved=True, reason=told)
    told = f"all pairs below {positions} agree; beyond, nothing is known."
    return Check(holds=True, is_proved=False, reason=told)


def check_relation(found: Relation, *, reach: int = 64, positions: int = 256) -> Check:
    """Return whether a positional function is translation invariant and 0 beyond some distance."""
    if isinstance(found, LocalRelation):
        return Check(holds=True, is_proved=True, reason=f"a table of distances, the largest {found.reach}.")
    for distance in range(positions):
        first = found.at(0, distance)
        for key in range(1, positions - distance):
            value = found.at(key, key + distance)
            if value != first:
                told = (
                    f"φ is not translation invariant: φ(0, {distance}) = {first:g}, but "
                    f"φ({key}, {key + distance}) = {value:g}."
                )
                return Check(
                    holds=False, is_proved=True, reason=told, counterexample=(0, distance, key, key + distance)
                )
        if distance > reach and first:
            told = f"φ is not 0 beyond distance {reach}: φ(0, {distance}) = {first:g}."
            return Check(holds=False, is_proved=False, reason=told, counterexample=(0, distance))
    told = f"all pairs below {positions} agree; beyond, nothing is known."
    return Check(holds=True, is_proved=False, reason=told)
