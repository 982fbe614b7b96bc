"""Every problem of the circuit library under the usual relations, beside the verdicts that theory gives for it.

Where a problem is a task of the catalogue, the verdicts are the task's. Others contain copying with repeats: fix a part of the
prompt and the answer is the rest of it, so that a program for one would pass on as many bits as copying does. Our reconstruction
of arXiv 2510.04130 on one side, C-RASP on the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..tasks.catalog import find_task
from ..theory.positions.layouts import LAYOUTS
from ..theory.positions.opinion import IDEAL, SCALES, Opinion, find_problem, form_opinions
from ..theory.positions.relations import RELATIONS
from ..theory.verdict import Verdict
from .predict import predict_task
from .second import PROBLEMS, explain_difference

COLUMNS = {"nope": "constant", "ape": "absolute", "rpe": "relative", "rpe_scaled": "relative_scaled", "ipe": IDEAL}
"""What is compared, and the relation of each."""

COPYING: Mapping[str, str] = {
    "copy_every": "its answer copies every k-th symbol",
    "copy_every_marked": "its answer copies every k-th symbol",
    "swap_pairs": "its answer holds every symbol of an arbitrary word",
    "transpose": "its answer holds every symbol of an arbitrary grid",
    "addition": "with 0 as the other summand it is copying with repeats",
    "addition_padded": "with 0 as the other summand it is copying with repeats",
    "mul_1xn": "times 1 it is copying with repeats",
    "mul_nxn": "times 1 it is copying with repeats",
    "div_1": "divided by 1 it is copying with repeats",
    "div_1_cot": "divided by 1 it is copying with repeats, each digit followed by 0",
    "increment": "after a first digit without a carry it is copying with repeats",
}

_NOTHING = {
    "running_max": "no program and no theorem here says whether it is in C-RASP",
    "parity_cot_aligned": "with a fixed offset there are only finitely many lengths, so that C-RASP says nothing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A problem with an opinion for every column, and verdicts for nope and ape where there are some."""

    problem: str
    opinions: tuple[Opinion, ...]
    verdicts: Mapping[str, Verdict]
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
    """Return one row for every problem of the library, in its default form."""
    return [_compare(name, max_scale) for name in LAYOUTS]


def _compare(name: str, max_scale: int) -> Compared:
    relations = [each if each == IDEAL else RELATIONS[each] for each in COLUMNS.values()]
    opinions = form_opinions(find_problem(name), relations, max_scale)
    task = next((task for task, problem in PROBLEMS.items() if problem.split("(")[0] == name), None)
    source = "repeat_copy" if name in COPYING else task
    verdicts = {} if source is None else {each: predict_task(find_task(source), each) for each in ("nope", "ape")}
    by_column = dict(zip(COLUMNS, opinions, strict=True))
    differences = {each: explain_difference(verdict.answer, by_column[each]) for each, verdict in verdicts.items()}
    told = [f"{each}: {why}" for each, why in differences.items() if why]
    if len(told) == 2 and len(set(differences.values())) == 1:
        told = [f"both: {next(iter(differences.values()))}"]
    if task is not None:
        told += _told_of_others(name, task, verdicts)
    why = COPYING.get(name) or _NOTHING.get(name, "")
    return Compared(
        problem=name, opinions=opinions, verdicts=verdicts, note="; ".join([*told, *([why] if why else [])])
    )


def _told_of_others(name: str, task: str, verdicts: Mapping[str, Verdict]) -> list[str]:
    """Return the verdicts of further tasks that are the same problem with other symbols, where they differ."""
    told = []
    for other, problem in PROBLEMS.items():
        if problem.split("(")[0] != name or other == task:
            continue
        for each, verdict in verdicts.items():
            found = predict_task(find_task(other), each)
            if found.answer is not verdict.answer:
                told.append(f"{other}, {each}: {found.answer}")
    return told
