"""What the conjecture on sequential complexity says beside the verdicts on a task."""

from __future__ import annotations

from collections.abc import Sequence

from ..predict.circuit_opinions import ideal_opinion, second_opinions
from ..predict.predict import Prediction
from ..tasks.core.problems import problem_of
from ..theory.positions.opinion import IDEAL
from .text import paragraph, table

PREDICTED = {True: "yes", False: "no", None: "open"}


def opinion_lines(rows: Sequence[Prediction]) -> list[str]:
    """Return the second opinion beside the verdicts on a task, or nothing where there is none."""
    if rows[0].question.read_as != "task":
        return []
    task = rows[0].question.what
    found = second_opinions(task, [(row.encoding, row.verdict) for row in rows])
    best = ideal_opinion(task)
    if not found or best is None:
        return []
    answers = {row.encoding: str(row.verdict.answer) for row in rows}
    lines = []
    for second in found:
        differs = (
            f"Unlike the verdict, {answers[second.encoding]}: {second.disagreement}." if second.disagreement else ""
        )
        reason = "" if best.complexity is None else second.opinion.reason
        why = "\n".join(filter(None, (reason, second.assumed, differs)))
        lines.append((second.encoding, PREDICTED[second.opinion.predicted], why))
    shown = "ideal" if best.relation == IDEAL else "ideal, with the scale"
    lines.append((shown, PREDICTED[best.predicted], best.reason))
    problem = problem_of(task)
    assert problem is not None
    title = f"Second opinion, a conjecture (our reconstruction of arXiv 2510.04130; lengthwise complexity {problem.name!r}):"
    return [paragraph(title), "", *table(("positions", "works", "why"), lines).split("\n"), ""]
