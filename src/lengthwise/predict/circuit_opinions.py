"""A second opinion beside the verdict: what the conjecture on sequential complexity says of a task and an encoding.

Our reconstruction of arXiv 2510.04130. It is formed where a task is a problem of circuits, written in the same
order, and where the encoding is a function of a position relation. The token that begins an instance and the end of the answer
are left aside; sums are those of numbers that are filled up to one length, which the tasks' are not. It is a conjecture about
circuits with fixed wiring, so it may differ from the verdict, which is about programs that count and compare.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..encodings.core.choice import find_encoding
from ..tasks.core.problems import problem_of
from ..theory.claims import Answer
from ..theory.positions.opinion import IDEAL, SCALES, Opinion, form_opinions
from ..theory.positions.relations import RELATIONS, Relation, with_scale
from ..theory.verdict import AnyVerdict

RANDOM_START = "This is said of positions that always start at 0, not at a random one in training."
"""What an opinion on ape assumes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """The opinion for an encoding, and where it differs from the verdict, why that can be."""

    encoding: str
    opinion: Opinion
    disagreement: str
    assumed: str = ""

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data."""
        found = self.opinion.complexity
        return {
            "problem": self.opinion.problem,
            "relation": self.opinion.relation,
            "formula": self.opinion.formula,
            "by_scale": None if found is None else list(found.by_scale),
            "predicted": self.opinion.predicted,
            "reason": self.opinion.reason,
            "disagreement": self.disagreement or None,
            "assumed": self.assumed or None,
        }


def relation_of(encoding: str) -> Relation | None:
    """Return the relation that an encoding is a function of, or None where its card names none.

    Options that change the relation itself are not followed: then there is none.
    """
    choice = find_encoding(encoding)
    if choice.card.takes_hint and choice.bases:
        base = relation_of(choice.bases[0].name)
        return None if base is None else with_scale(base, signed=not choice.bases[0].card.unsigned)
    name = choice.card.relation
    if (
        choice.bases
        or not name
        or (name not in ("relative", "absolute", "constant") and choice.name != choice.card.name)
    ):
        return None
    return RELATIONS[name]


def second_opinions(
    task: str, verdicts: Iterable[tuple[str, AnyVerdict]], max_scale: int = SCALES
) -> list[SecondOpinion]:
    """Return the opinions for those of the encodings that have a relation, each beside its verdict."""
    problem = problem_of(task)
    related = [(encoding, verdict, relation_of(encoding)) for encoding, verdict in verdicts]
    known = [(encoding, verdict, relation) for encoding, verdict, relation in related if relation is not None]
    if problem is None or not known:
        return []
    opinions = form_opinions(problem, [relation for *_, relation in known], max_scale)
    return [
        SecondOpinion(
            encoding=encoding,
            opinion=opinion,
            disagreement=explain_difference(verdict.answer, opinion),
            assumed=" ".join(part for part in (problem.assumed, RANDOM_START if encoding == "ape" else "") if part),
        )
        for (encoding, verdict, _), opinion in zip(known, opinions, strict=True)
    ]


def ideal_opinion(task: str, max_scale: int = SCALES) -> Opinion | None:
    """Return the opinion on the relation that the task's circuit itself prescribes, None where there is no problem."""
    problem = problem_of(task)
    return None if problem is None else form_opinions(problem, [IDEAL], max_scale)[0]


def explain_difference(answer: Answer, opinion: Opinion) -> str:
    """Return which assumptions differ where verdict and opinion do, and nothing where they agree or the verdict is open."""
    if answer is Answer.UNKNOWN or opinion.predicted is None or (answer is Answer.YES) is opinion.predicted:
        return ""
    if answer is Answer.NO:
        return (
            "the verdict bounds what the encoding computes with fixed precision at all lengths; the opinion only asks whether "
            "what is to be read can be found by its label"
        )
    if opinion.complexity is None or "no circuit" in opinion.reason:
        return (
            "the verdict's program counts and compares over the whole input; a circuit reads a bounded number of tokens at places "
            "fixed by the scale and the step"
        )
    return "the verdict's program finds tokens by what they are; the opinion lets them be found by position alone"
