"""How many layers a prediction asks for, where the encoding has exactly the programs of plain C-RASP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..crasp.fragments import Fragment, Readout
from ..encodings.core.choice import find_encoding
from ..theory.claims import Answer, Asked
from ..theory.depth.bounds import DepthBounds, DepthLimits, bound_depth
from ..theory.depth.problem import DepthQuestion
from ..theory.verdict import AnyVerdict
from .predict import Prediction, predict_task

if TYPE_CHECKING:
    from ..tasks.core.task import Task

MAX_SECONDS = 2.0
"""CPU time for the bounds of one row; automata of up to eight states take far less, nearly always."""

ASSUMED = (
    "Depth is how deeply counts are nested. A program of depth k is a transformer with k layers whose numbers are rounded to a "
    "fixed precision outside the sums of attention (arXiv 2506.16055). The bounds are our own, proved in docs/concepts/depth.md "
    "and not peer reviewed. They say what can be expressed; we know of no learning theorem for a fixed number of layers."
)


def question_of(verdict: AnyVerdict) -> DepthQuestion:
    """Return the question about depth that belongs to a verdict."""
    if verdict.asked is Asked.NEXT_SYMBOLS:
        return DepthQuestion.NEXT_SYMBOLS
    return DepthQuestion.LAST_SYMBOL if verdict.readout is Readout.LAST_SYMBOL else DepthQuestion.END_MARKER


def predict_for_model(task: Task, encoding: str, switches: Sequence[str], layers: int) -> AnyVerdict:
    """Return the verdict for a task and a model with so many layers: NO where every solution needs more of them."""
    verdict = predict_task(task, encoding, switches)
    language = task.facts.language
    if verdict.answer is not Answer.YES or language is None or switches or not has_plain_programs(encoding):
        return verdict
    bounds = bound_depth(language, question_of(verdict), DepthLimits(seconds=MAX_SECONDS))
    if bounds.answer_for(layers) != "NO":
        return verdict
    reason = f"A solution exists, but it needs at least {bounds.at_least} layers, and this model has {layers}."
    return replace(verdict, answer=Answer.NO, theorem="depth_at_least", certificate=None, reason=reason)


def has_plain_programs(encoding: str) -> bool:
    """Return whether an encoding has exactly the programs of plain C-RASP, so that bounds on their depth apply."""
    choice = find_encoding(encoding)
    return all(bound is not None and bound.fragment is Fragment.PLAIN for bound in (choice.at_least, choice.at_most))


def layers_needed(row: Prediction, *, effort: int = 1) -> DepthBounds | None:
    """Return bounds on the number of layers, or None where nothing is said.

    That is so for other answers than YES, for what is not known as a regular language, and for encodings that may have more
    than the programs of plain C-RASP, or fewer.
    """
    language = row.question.facts.language
    if language is None or row.verdict.answer is not Answer.YES or not has_plain_programs(row.encoding):
        return None
    return bound_depth(language, question_of(row.verdict), DepthLimits(seconds=MAX_SECONDS * effort))


def answer_with(bounds: DepthBounds, layers: int) -> tuple[Answer, str]:
    """Return the answer for a model with this number of layers, and one sentence on why."""
    with_layers = f"{layers} layer{'s' * (layers != 1)}"
    found = bounds.answer_for(layers)
    if found == "NO":
        return Answer.NO, (
            f"a program exists, but none of depth {layers}: predicted not to length-generalize with {with_layers}."
        )
    if found == "YES":
        return Answer.YES, f"a program of depth {bounds.at_most} exists."
    return Answer.UNKNOWN, f"whether a program of depth {layers} exists is open: {bounds.summary()}."


def layers_to_json(bounds: DepthBounds | None, layers: int | None) -> dict[str, object] | None:
    """Return the bounds as JSON data, with the answer for a number of layers if one is asked for."""
    if bounds is None:
        return None
    data: dict[str, object] = {
        "question": str(bounds.question),
        "at_least": bounds.at_least,
        "at_most": bounds.at_most,
        "certificates": [each.to_json() for each in (bounds.lower, bounds.upper) if each is not None],
        "stopped": bounds.stopped or None,
    }
    if layers is not None:
        answer, reason = answer_with(bounds, layers)
        data |= {"layers": layers, "answer": str(answer), "reason": reason}
    return data
