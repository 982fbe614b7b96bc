"""What the conjecture on sequential complexity says of a problem and a position relation, with its reason.

The conjecture: length generalization is possible exactly when the number of operators does not grow with the scale. An opinion
is for a relation and says YES when the relation supports the problem's circuit from some scale on (it is
separable, aligned and covered, and sees the scale where the wiring depends on it), NO otherwise. Our reconstruction of
arXiv 2510.04130; a conjecture, not a theorem, and about the wiring of one circuit.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from .circuits import Circuit, ideal
from .complexity import Complexity, measure_complexities
from .problem import NoCircuit, Problem
from .relations import Relation

IDEAL = "ideal"
"""Stands for the relation that a circuit itself prescribes."""

SCALES = 8
_FEWEST_STEPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """Whether a relation is predicted to extrapolate a problem, and why."""

    problem: str
    relation: str
    formula: str
    predicted: bool | None
    """None where there are too few scales to say."""
    reason: str
    complexity: Complexity | None


def form_opinions(
    problem: Problem, relations: Sequence[Relation | str], max_scale: int = SCALES
) -> tuple[Opinion, ...]:
    """Return one opinion per relation; the word ``ideal`` stands for the circuit's own.

    >>> from lengthwise.tasks.core.problems import find_problem
    >>> from lengthwise.theory.positions.relations import RELATIONS
    >>> relative, best = form_opinions(find_problem("copy"), [RELATIONS["relative"], "ideal"])
    >>> relative.predicted, best.predicted
    (False, True)
    """
    circuit, limit = problem.circuit, problem.limit
    if circuit is None:
        assert limit is not None
        return tuple(_excluded(problem, limit, relation) for relation in relations)
    last = min(max_scale, circuit.cap)
    meant = [ideal(circuit, max_scale=last) if isinstance(each, str) else each for each in relations]
    measured = measure_complexities(circuit, meant, last)
    return tuple(
        Opinion(
            problem=problem.name,
            relation=relation.name,
            formula=relation.formula,
            predicted=False if limit is not None else _predicted(circuit, complexity),
            reason=_limit_reason(limit)
            if limit is not None
            else _reason(circuit, complexity) + _assumed(circuit, relation, complexity),
            complexity=complexity,
        )
        for relation, complexity in zip(meant, measured, strict=True)
    )


def _excluded(problem: Problem, limit: NoCircuit, relation: Relation | str) -> Opinion:
    return Opinion(
        problem=problem.name,
        relation=relation if isinstance(relation, str) else relation.name,
        formula="" if isinstance(relation, str) else relation.formula,
        predicted=False,
        reason=_limit_reason(limit),
        complexity=None,
    )


def _limit_reason(limit: NoCircuit) -> str:
    return f"no circuit of bounded arity: at scale n, {limit.bound} visible tokens decide one token: {limit.argument}"


def _assumed(circuit: Circuit, relation: Relation, found: Complexity) -> str:
    """Return what a yes assumes where the labels of two operators are the same: they do not say which one is meant."""
    by_labels: dict[tuple[Hashable, ...], str] = {}
    for scale, step, gate in circuit.gates(found.max_scale) if found.predicted else ():
        query = circuit.query(scale, step)
        labels = tuple(relation(place, query, scale) for place in gate.operands)
        if by_labels.setdefault(labels, gate.operator) != gate.operator:
            return " Labels alone do not tell its operators apart: this assumes that the step does."
    return ""


def _predicted(circuit: Circuit, found: Complexity) -> bool | None:
    """Return what the numbers say, None where they are too few: a short answer, or rows that are first met late."""
    if found.conflict is None and found.growth == "invariant" and not found.lacks_hint:
        if _is_short(circuit, found) or found.smallest_scale is None:
            return None
        return True
    return False


def _is_short(circuit: Circuit, found: Complexity) -> bool:
    """Say whether even the last scale has so few steps that their wiring shows nothing."""
    return circuit.layout.answer_length(found.max_scale) < _FEWEST_STEPS


def _reason(circuit: Circuit, found: Complexity) -> str:
    """Return why a relation supports a circuit, or the first thing that keeps it from that."""
    if found.conflict is not None:
        at = found.conflict
        return (
            f"at scale {at.scale} position {at.other}, which is not to be read, has the same label as position {at.operand}, "
            "which is."
        )
    if found.growth == "growing":
        return (
            f"{found.by_scale[-1]} pairs of operator and labels up to scale {found.max_scale}, and the number grows: some were never "
            "trained."
        )
    if found.lacks_hint:
        return "which position is to be read depends on the scale, which is not seen."
    if _is_short(circuit, found):
        return f"up to scale {found.max_scale} too few tokens are written to say."
    if found.smallest_scale is None:
        return f"some rows of an operator are first met at scale {found.covered_from}: {found.max_scale} scales are too few to say."
    number = found.by_scale[-1]
    pairs = "pair" if number == 1 else "pairs"
    return f"{number} {pairs} of operator and labels at every scale, all met in training from scale {found.smallest_scale} on."
