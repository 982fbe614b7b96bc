"""Every problem of the circuit library under the usual relations, beside the verdicts that theory gives for it.

Where a problem is a task of the catalogue, the verdicts are the task's. Others contain copying with repeats: fix a part of the
prompt and the answer is the rest of it, so that a program for one would pass on as many bits as copying does. Our reconstruction
of arXiv 2510.04130 on one side, C-RASP on the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..names import read_call
from ..tasks.core.catalog import TASKS, find_task
from ..tasks.core.problems import PROBLEMS, find_problem, problem_of
from ..theory.positions.opinion import IDEAL, SCALES, Opinion, form_opinions
from ..theory.positions.problem import Problem
from ..theory.positions.relations import RELATIONS
from ..theory.verdict import AnyVerdict
from .circuit_opinions import explain_difference
from .predict import predict_task

COLUMNS = {"nope": "constant", "ape": "absolute", "rpe": "relative", "rpe_scaled": "relative_scaled", "ipe": IDEAL}
"""What is compared, and the relation of each."""

COPYING_TASK = "repeat_copy"
"""Whose verdicts stand for problems that contain copying with repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A problem with an opinion for every column, and verdicts for nope and ape where there are some."""

    problem: str
    opinions: tuple[Opinion, ...]
    verdicts: Mapping[str, AnyVerdict]
    note: str

    def to_json(self) -> dict[str, object]:
        """Return the row as JSON data."""
        return {
            "problem": self.problem,
            "opinions": {
                column: {
                    "predicted": opinion.predicted,
                    "reason": opinion.reason,
                    "by_scale": None if opinion.complexity is None else list(opinion.complexity.by_scale),
                }
                for column, opinion in zip(COLUMNS, self.opinions, strict=True)
            },
            "verdicts": {
                name: {"answer": str(verdict.answer), "reason": verdict.reason}
                for name, verdict in self.verdicts.items()
            },
            "note": self.note,
        }


def compare_problems(max_scale: int = SCALES) -> list[Compared]:
    """Return one row for every problem of circuits, in its default form."""
    tasks: dict[str, list[str]] = {}
    for task in TASKS:
        problem = problem_of(task)
        if problem is not None:
            tasks.setdefault(_family(problem), []).append(task)
    return [_compare(name, tasks.get(name, []), max_scale) for name in PROBLEMS]


def _compare(name: str, tasks: Sequence[str], max_scale: int) -> Compared:
    """Return the row of a problem; the first of the tasks that it is gives the verdicts, unless copying does."""
    problem = find_problem(name)
    relations = [relation if relation == IDEAL else RELATIONS[relation] for relation in COLUMNS.values()]
    opinions = form_opinions(problem, relations, max_scale)
    source = COPYING_TASK if problem.copying else next(iter(tasks), None)
    verdicts = {} if source is None else {name: predict_task(find_task(source), name) for name in ("nope", "ape")}
    by_column = dict(zip(COLUMNS, opinions, strict=True))
    differences = {name: explain_difference(verdict.answer, by_column[name]) for name, verdict in verdicts.items()}
    notes = [f"{encoding}: {why}" for encoding, why in differences.items() if why]
    if len(notes) == 2 and len(set(differences.values())) == 1:
        notes = [f"both: {next(iter(differences.values()))}"]
    notes += _differing_tasks(tasks[1:], verdicts)
    why = problem.copying or problem.unsettled
    return Compared(
        problem=name, opinions=opinions, verdicts=verdicts, note="; ".join([*notes, *([why] if why else [])])
    )


def _differing_tasks(others: Sequence[str], verdicts: Mapping[str, AnyVerdict]) -> list[str]:
    """Return the verdicts of further tasks that are the same problem with other symbols, where they differ."""
    return [
        f"{task}, {encoding}: {found}"
        for task in others
        for encoding, verdict in verdicts.items()
        if (found := predict_task(find_task(task), encoding).answer) is not verdict.answer
    ]


def _family(problem: Problem) -> str:
    call = read_call(problem.name)
    assert call is not None
    return call.name
