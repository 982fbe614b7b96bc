"""How many operators a circuit needs under a position relation, by scale (SRC_φ), and what the relation allows.

SRC_φ(C, n) is the number of different (operator, labels of its operands) over the gates of C up to scale n: each is something to
learn, and one that first appears past the training scales was never learned. Our reconstruction of arXiv 2510.04130; that length
generalization is possible exactly when this number does not grow is that paper's conjecture, not a theorem.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ...errors import InvalidOptionError
from .circuits import COMPARED_SCALES, Circuit, needs_hint
from .reachability import first_met
from .relations import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A gate at which a position that is no operand carries an operand's label."""

    scale: int
    step: int
    operand: int
    other: int
    label: Hashable

    def __str__(self) -> str:
        return (
            f"scale {self.scale}, step {self.step}: position {self.other} is no operand, but carries the label "
            f"{self.label} of operand {self.operand}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """What a circuit costs under a relation, at scales 1 to the last."""

    circuit: str
    relation: str
    by_scale: tuple[int, ...]
    covered_from: int  # the smallest scale that meets every row that the last scale meets
    conflict: Conflict | None
    needs_hint: bool  # the wiring depends on the scale
    has_hint: bool  # the relation is given the scale

    @property
    def max_scale(self) -> int:
        """The last scale."""
        return len(self.by_scale)

    @property
    def aligned_from(self) -> int:
        """The smallest scale from which the number does not grow up to the last."""
        return self.by_scale.index(self.by_scale[-1]) + 1

    @property
    def growth(self) -> str:
        """``invariant`` when the number is the same in the second half of the scales, else ``growing``."""
        return "invariant" if self.aligned_from <= self.max_scale // 2 else "growing"

    @property
    def separable(self) -> bool:
        """Whether no position that is no operand carries an operand's label at any gate."""
        return self.conflict is None

    @property
    def lacks_hint(self) -> bool:
        """Whether the wiring depends on the scale and the relation does not see it (fact T5)."""
        return self.needs_hint and not self.has_hint

    @property
    def smallest_scale(self) -> int | None:
        """The smallest training scale from which the circuit is aligned and covered up to the last, if half the last is enough.

        Near the last scale every number looks constant, so that a scale past the half is no evidence.
        """
        least = max(self.aligned_from, self.covered_from)
        return least if least <= self.max_scale // 2 else None

    @property
    def predicted(self) -> bool:
        """Whether the relation supports the circuit from some scale on: separable, aligned, covered, and a hint where one is needed."""
        return self.separable and not self.lacks_hint and self.smallest_scale is not None


def measure_complexity(circuit: Circuit, relation: Relation, max_scale: int = COMPARED_SCALES) -> Complexity:
    """Return what a circuit costs under a relation at scales 1 to ``max_scale``."""
    return measure_complexities(circuit, (relation,), max_scale)[0]


def measure_complexities(
    circuit: Circuit, relations: Sequence[Relation], max_scale: int = COMPARED_SCALES
) -> tuple[Complexity, ...]:
    """Return the same for several relations; which rows are met does not depend on them and is found once."""
    if max_scale < 1:
        raise InvalidOptionError(f"the number of scales must be at least 1; found {max_scale}.", hint="use 8.")
    covered_from = max(first_met(circuit, max_scale).values())
    scaled = needs_hint(circuit, max_scale=max_scale)
    return tuple(
        Complexity(
            circuit=circuit.name,
            relation=relation.name,
            by_scale=src(circuit, relation, max_scale),
            covered_from=covered_from,
            conflict=find_conflict(circuit, relation, max_scale),
            needs_hint=scaled,
            has_hint=relation.needs_scale,
        )
        for relation in relations
    )


def src(circuit: Circuit, relation: Relation, max_scale: int) -> tuple[int, ...]:
    """Return SRC_φ(C, n) for n = 1, …, ``max_scale``.

    >>> from lengthwise.tasks.core.problems import find_circuit
    >>> from lengthwise.theory.positions.relations import RELATIONS
    >>> src(find_circuit("shift"), RELATIONS["relative"], 8)
    (1, 2, 4, 5, 7, 8, 10, 11)
    """
    seen: set[tuple[str, tuple[Hashable, ...]]] = set()
    by_scale = [0] * max_scale
    for scale, step, gate in circuit.gates(max_scale):
        query = circuit.query(scale, step)
        seen.add((gate.operator, tuple(relation(place, query, scale) for place in gate.operands)))
        by_scale[scale - 1] = len(seen)
    return tuple(by_scale)


def find_conflict(circuit: Circuit, relation: Relation, max_scale: int) -> Conflict | None:
    """Return the first gate at which a visible position that is no operand carries an operand's label, if there is one.

    Without one the relation is *separable* for the circuit up to this scale. As in the definition, one gate is looked at at a time,
    and two operands of a gate may share a label.
    """
    for scale, step, gate in circuit.gates(max_scale):
        query = circuit.query(scale, step)
        held = {relation(place, query, scale): place for place in reversed(gate.operands)}
        operands = set(gate.operands)
        for other in range(query + 1):
            label = relation(other, query, scale)
            if other not in operands and label in held:
                return Conflict(scale=scale, step=step, operand=held[label], other=other, label=label)
    return None


def is_separable(circuit: Circuit, relation: Relation, max_scale: int) -> bool:
    """Say whether no visible position that is no operand carries an operand's label, at any gate up to a scale."""
    return find_conflict(circuit, relation, max_scale) is None


def is_aligned(circuit: Circuit, relation: Relation, trained: int, tested: int) -> bool:
    """Say whether SRC_φ is the same at the tested scale as at the trained one."""
    _check_scales(trained, tested)
    by_scale = src(circuit, relation, tested)
    return by_scale[trained - 1] == by_scale[tested - 1]


def is_covered(circuit: Circuit, trained: int, tested: int) -> bool:
    """Say whether every (operator, operand symbols) that is met up to the tested scale was met up to the trained one."""
    _check_scales(trained, tested)
    return max(first_met(circuit, tested).values()) <= trained


def supports(circuit: Circuit, relation: Relation, trained: int, tested: int) -> bool:
    """Say whether a relation supports a circuit from one scale to another: separable, aligned and covered."""
    _check_scales(trained, tested)
    return (
        is_aligned(circuit, relation, trained, tested)
        and is_separable(circuit, relation, tested)
        and is_covered(circuit, trained, tested)
    )


def _check_scales(trained: int, tested: int) -> None:
    if not 1 <= trained <= tested:
        raise InvalidOptionError(
            f"the trained scale {trained} must be from 1 to the tested scale {tested}.", hint="train on smaller scales."
        )
