"""The conjecture, counted: where SRC_φ says that a relation suffices, do trained models generalize, and only there?

Our reconstruction of arXiv 2510.04130. Only cells count in which a run fits the scales of training and in which the conjecture
says something. Encodings that are a formula in the distance are counted apart: the conjecture speaks of labels, each with a
parameter of its own, and a formula says something of labels that training never saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...report.numbers import percent
from ...tables import Table
from .outcomes import GridOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How often prediction and measurement met, by answer."""

    title: str
    yes_yes: int
    yes_no: int
    no_yes: int
    no_no: int

    @property
    def cells(self) -> int:
        """How many cells count."""
        return self.yes_yes + self.yes_no + self.no_yes + self.no_no

    @property
    def agree(self) -> int:
        """In how many of them the two agree."""
        return self.yes_yes + self.no_no

    @property
    def always_no(self) -> int:
        """In how many of them the constant answer "no" would agree: what a prediction has to beat."""
        return self.yes_no + self.no_no


def count_agreement(outcomes: Iterable[GridOutcome]) -> list[Count]:
    """Return the counts for encodings with labels, for formulas in the distance, for those with a plain softmax, and for all."""
    known = [each for each in outcomes if each.agrees is not None]
    plain = [each for each in known if each.cell.part == "plain"]
    others = [each for each in known if each.cell.part != "plain"]
    groups = {
        "labels (nope, ape, rpe, t5, ipe, lbpe)": [each for each in others if not each.cell.is_smooth],
        "formulas in the distance (rope, alibi)": [each for each in others if each.cell.is_smooth],
        "ipe and lbpe with a plain softmax": plain,
        "all": known,
    }
    return [_count(title, group) for title, group in groups.items() if group or title == "all"]


def _count(title: str, group: Sequence[GridOutcome]) -> Count:
    pairs = [(each.opinion.predicted, each.measured) for each in group if each.opinion is not None]
    return Count(
        title=title,
        yes_yes=pairs.count((True, True)),
        yes_no=pairs.count((True, False)),
        no_yes=pairs.count((False, True)),
        no_no=pairs.count((False, False)),
    )


def count_table(counts: Iterable[Count]) -> Table:
    """Return a row for every count."""
    header = ["encodings", "cells", "agree", "always no", "yes/yes", "no/no", "predicted only", "measured only"]
    rows = [
        [
            count.title,
            str(count.cells),
            f"{count.agree} of {count.cells}",
            f"{count.always_no} of {count.cells}",
            *map(str, (count.yes_yes, count.no_no, count.yes_no, count.no_yes)),
        ]
        for count in counts
    ]
    return Table(header=header, rows=rows, kinds=dict.fromkeys(range(1, len(header)), "number"))


def exceptions(outcomes: Iterable[GridOutcome]) -> list[str]:
    """Return a sentence for every cell in which the two do not agree."""
    return [_tell(each) for each in outcomes if each.agrees is False]


def _tell(each: GridOutcome) -> str:
    assert each.opinion is not None
    last = len(each.bins) - 1
    at_longest = (
        f"{percent(each.median(last))} % at {each.bins[last]}, {each.solved(last)} of {each.num_fitted} fitted runs"
    )
    what = f"{each.cell.task_title} × {each.cell.encoding_title}"
    reason = each.opinion.reason.removesuffix(".")
    if each.opinion.predicted:
        return f"{what}: predicted to generalize ({reason}), measured not to: {at_longest}."
    return f"{what}: predicted not to generalize ({reason}), measured to: {at_longest}."


def unknowns(outcomes: Iterable[GridOutcome]) -> list[str]:
    """Return a sentence each for the cells in which no run fitted, that lack a stage, and that were not run."""
    told = list(outcomes)
    cells = {
        "No run fitted": [each for each in told if each.trial is not None and not each.num_fitted],
        "Too few runs fit, and a further stage was not run": [each for each in told if each.lacks_a_stage],
        "Not run": [each for each in told if each.trial is None],
    }
    return [f"{what}: {'; '.join(_by_task(found))}." for what, found in cells.items() if found]


def _by_task(outcomes: Sequence[GridOutcome]) -> list[str]:
    tasks = dict.fromkeys(each.cell.task_title for each in outcomes)
    return [
        f"{task} × {', '.join(each.cell.encoding_title for each in outcomes if each.cell.task_title == task)}"
        for task in tasks
    ]
