"""A second opinion beside the verdict: what the conjecture on sequential complexity says of a task and an encoding.

Our reconstruction of arXiv 2510.04130. It is formed where a task is a problem of the circuit library, written in the same
order, and where the encoding is a function of a position relation. The token that begins an instance and the end of the answer
are left aside; sums are those of numbers that are filled up to one length, which the tasks' are not. It is a conjecture about
circuits with fixed wiring, so it may differ from the verdict, which is about programs that count and compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..encodings.names import find_encoding
from ..theory.claims import Answer
from ..theory.positions.opinion import IDEAL, SCALES, Opinion, find_problem, form_opinions
from ..theory.positions.relations import RELATIONS, Relation, with_scale
from ..theory.verdict import Verdict

PROBLEMS = {
    "repeat_copy": "copy(ab)",
    "unique_copy": "copy",
    "shift": "shift",
    "reverse": "reverse(ab)",
    "reverse_unique": "reverse",
    "odds_first": "odds_first(ab)",
    "parity": "parity",
    "parity_cot": "parity_cot",
    "sort": "sort",
    "bucket_sort": "sort(abcde)",
    "addition": "addition_plain(2)",
    "add_decimal": "addition_plain",
    "add_columns": "addition",
    "swap_pairs": "swap_pairs(ab)",
    "transpose": "transpose(3, ab)",
    "copy_every": "copy_every_marked",
    "parity_cot_aligned": "parity_cot_aligned(128)",
}
"""The problem of the circuit library that a task is; tasks with parameters are there as they are without them."""

NOTES = {
    "addition": "This is said of summands of n digits with leading zeros; the task's have none.",
    "add_decimal": "This is said of summands of n digits with leading zeros; the task's have none.",
    "ape": "This is said of positions that always start at 0, not at a random one in training.",
}
"""What an opinion assumes of a task or an encoding."""

UNSIGNED = ("alibi", "learned_alibi", "t5", "shaw")
"""What sees the size of a distance only, where a scale hint makes it negative."""

_NUMBERED = re.compile(r"(shift|transpose|add_columns|copy_every|parity_cot_aligned)\((\d+)\)")
_WITH_NUMBER = {
    "shift": "shift({}, ab)",
    "transpose": "transpose({}, ab)",
    "add_columns": "addition({})",
    "copy_every": "copy_every_marked({})",
    "parity_cot_aligned": "parity_cot_aligned({})",
}


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


def problem_of(task: str) -> str | None:
    """Return the name of the circuit library's problem that a task is, or None.

    >>> problem_of("shift(3)"), problem_of("majority")
    ('shift(3, ab)', None)
    """
    numbered = _NUMBERED.fullmatch("shift(1)" if task == "shift" else task)
    return PROBLEMS.get(task) if numbered is None else _WITH_NUMBER[numbered[1]].format(numbered[2])


def relation_of(encoding: str) -> Relation | None:
    """Return the relation that an encoding is a function of, or None where its card names none.

    Options that change the relation itself are not followed: then there is none.
    """
    choice = find_encoding(encoding)
    if choice.card.name == "scale_hint":
        base = relation_of(choice.bases[0].name)
        return None if base is None else with_scale(base, signed=choice.bases[0].card.name not in UNSIGNED)
    name = choice.card.relation
    if (
        choice.bases
        or not name
        or (name not in ("relative", "absolute", "constant") and choice.name != choice.card.name)
    ):
        return None
    return RELATIONS[name]


def second_opinions(task: str, verdicts: Iterable[tuple[str, Verdict]], max_scale: int = SCALES) -> list[SecondOpinion]:
    """Return the opinions for those of the encodings that have a relation, each beside its verdict."""
    name = problem_of(task)
    related = [(encoding, verdict, relation_of(encoding)) for encoding, verdict in verdicts]
    known = [(encoding, verdict, relation) for encoding, verdict, relation in related if relation is not None]
    if name is None or not known:
        return []
    opinions = form_opinions(find_problem(name), [relation for *_, relation in known], max_scale)
    return [
        SecondOpinion(
            encoding=encoding,
            opinion=opinion,
            disagreement=explain_difference(verdict.answer, opinion),
            assumed=" ".join(NOTES[each] for each in (task, encoding) if each in NOTES),
        )
        for (encoding, verdict, _), opinion in zip(known, opinions, strict=True)
    ]


def ideal_opinion(task: str, max_scale: int = SCALES) -> Opinion | None:
    """Return the opinion on the relation that the task's circuit itself prescribes, None where there is no problem."""
    name = problem_of(task)
    return None if name is None else form_opinions(find_problem(name), [IDEAL], max_scale)[0]


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
