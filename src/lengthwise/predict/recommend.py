"""Encodings ranked for a problem, each rank with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from ..budget import time_budget
from ..crasp.fragments import Fragment
from ..encodings.catalog import ENCODINGS
from ..encodings.core.card import has_bounds
from ..encodings.core.choice import find_encoding
from ..tables import Table, wrap_paragraph
from ..tasks.core.problems import problem_of
from ..theory.certificates import ReductionCertificate
from ..theory.claims import Answer, Asked
from ..theory.grades import Grade, grade
from ..theory.positions.opinion import Opinion
from ..theory.repairs import Repair, find_repairs
from ..theory.windows import Caps
from .circuit_opinions import SecondOpinion, ideal_opinion, second_opinions
from .predict import ADVISING, Prediction, measured_for, predict
from .resolve import Question

if TYPE_CHECKING:
    from pathlib import Path

BOUNDED = tuple(card.name for card in ENCODINGS.values() if has_bounds(card))
"""The encodings with a proved bound in either theory; for the others a verdict can only be UNKNOWN."""

RELATED = tuple(card.name for card in ENCODINGS.values() if card.relation and card.name not in BOUNDED)
"""The encodings without a proved bound that are functions of a position relation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """One encoding with its rank, its verdict and why it stands there."""

    rank: int
    prediction: Prediction
    grade: Grade | None
    why: str
    second: SecondOpinion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """All encodings by rank, and what else would help."""

    question: Question
    ranking: tuple[Recommendation, ...]
    repairs: tuple[Repair, ...]
    ideal: Opinion | None = None
    """What the conjecture on sequential complexity says of the positions that the task's own circuit prescribes."""
    alternatives: tuple[str, ...] = ()
    """What helps beyond these encodings, where every one of them is predicted to fail; no theorem here covers it."""
    stopped: str = ""
    """Where the search for repairs ran out of CPU time: the cap, in a sentence."""

    @property
    def table(self) -> Table:
        """Rank, encoding, answer and reason."""
        rows = [
            (str(row.rank), row.prediction.encoding, str(row.prediction.verdict.answer), row.why)
            for row in self.ranking
        ]
        kinds = {0: "number", 1: "name", 2: "answer", 3: "remark"}
        return Table(header=("rank", "encoding", "answer", "why"), rows=rows, kinds=kinds)

    def to_frame(self) -> Any:
        """Return a data frame of pandas or, where that is missing, of polars, with a row for each encoding."""
        return self.table.to_frame()

    def __str__(self) -> str:
        suggestions = [*(repair.sentence() for repair in self.repairs), *self.alternatives]
        return "\n".join([self.table.to_text(), *(wrap_paragraph(each, 100, "    ", "  - ") for each in suggestions)])

    def __repr__(self) -> str:
        return f"<Advice: {self.question.what}, {len(self.ranking)} encodings>"

    def _repr_html_(self) -> str:
        return self.table.to_html()

    def to_json(self) -> dict[str, object]:
        """Return the ranking and the repairs as JSON data, in the shape that docs/reference/json.md documents."""
        ideal = self.ideal
        return {
            "ranking": [{"rank": row.rank, "why": row.why} | row.prediction.to_json() for row in self.ranking],
            "ideal": None if ideal is None else {"predicted": ideal.predicted, "reason": ideal.reason},
            "repairs": [
                {
                    "kind": repair.kind,
                    "advice": repair.advice,
                    "answer": str(repair.verdict.answer),
                    "fragment": str(repair.verdict.fragment),
                    "level": repair.verdict.level,
                    "alphabet": list(repair.language.alphabet),
                }
                for repair in self.repairs
            ],
        }


def recommend(
    what: str,
    *,
    encodings: Iterable[str] | None = None,
    asked: str = Asked.MEMBERSHIP,
    alphabet: Iterable[str] | None = None,
    regex: bool = False,
    caps: Caps | None = None,
    predictor: str | Path | None = None,
) -> Advice:
    """Rank encodings for a task, a language, an expression or a file: by default those with a proved bound or a measurement.

    With a ``predictor``, given by its file or that of the package, all encodings have a chance and are ranked.

    A proved YES comes first, then a proved YES that fewer than half of the fitted runs found, then what at least half found
    without a proof. Then comes what is open, and a NO comes last. Within a group, one that more runs found comes first, then one
    with a higher estimated chance, then one of both theories, then the smaller level, then one with a published proof. Among what
    is open, an encoding that the conjecture on sequential complexity favours comes first; where a task has a circuit, encodings of
    which only their relation is known are ranked too. Encodings that this does not tell apart keep the order in which they were
    given.

    >>> [row.prediction.encoding for row in recommend("(aa)*").ranking][:1]
    ['ape']
    """
    has_circuit = not regex and problem_of(what) is not None
    known = BOUNDED + RELATED if has_circuit else BOUNDED
    names = known if encodings is None else encodings
    ask = partial(predict, what, asked=asked, alphabet=alphabet, regex=regex, caps=caps, predictor=predictor)
    rows = ask(encodings=names)
    if encodings is None:
        candidates = ENCODINGS if rows[0].predictor else measured_for(rows[0].question)
        others = [name for name in candidates if name not in known]
        if others:
            rows += ask(encodings=others)
    pairs = [(row.encoding, row.verdict) for row in rows] if has_circuit else []
    second = {each.encoding: each for each in second_opinions(what, pairs)}
    with time_budget((caps or Caps()).max_advice_seconds, ADVISING) as budget:
        ranking = _rank(rows, second)
        repairs = _repairs(what, rows[0].question, ranking)
        stopped = budget.error().message if budget.is_spent else ""
    ideal = ideal_opinion(what) if has_circuit else None
    return Advice(
        question=rows[0].question,
        ranking=ranking,
        repairs=repairs,
        ideal=ideal,
        alternatives=tuple(find_alternatives(rows)),
        stopped=stopped,
    )


def find_alternatives(rows: Sequence[Prediction]) -> list[str]:
    """Return what to try for a regular language that no encoding asked about is predicted to learn."""
    if rows[0].question.facts.language is None or any(row.verdict.answer is Answer.YES for row in rows):
        return []
    certificates = [row.verdict.certificate for row in rows]
    is_parity = any(isinstance(found, ReductionCertificate) and found.target == "PARITY" for found in certificates)
    return [_PARITY] * is_parity + [_STATE]


_PARITY = (
    "for parity, the tasks parity_cot and parity_cot_aligned write the running parity after the input; "
    "'lengthwise complexity parity_cot' shows which positions they need."
)
_STATE = (
    "use a layer that carries a state itself: a recurrent layer, or PaTH attention (encoding path), which has weights for parity "
    "in closed form."
)


def _rank(rows: Sequence[Prediction], second: Mapping[str, SecondOpinion]) -> tuple[Recommendation, ...]:
    grades: dict[int, Grade | None] = {}  # encodings of one class share a certificate
    for row in rows:
        if id(row.verdict.certificate) not in grades:
            grades[id(row.verdict.certificate)] = grade(row.verdict.certificate)
    graded = [(row, grades[id(row.verdict.certificate)], second.get(row.encoding)) for row in rows]
    graded.sort(key=lambda parts: _key(*parts))
    return tuple(
        Recommendation(rank=number, prediction=row, grade=each, why=_why(row, each), second=opinion)
        for number, (row, each, opinion) in enumerate(graded, start=1)
    )


class Standing(IntEnum):
    """Groups of encodings, the best first."""

    PROVED = 0
    MISSED = 1  # proved, but found by fewer than half of the fitted runs
    MEASURED = 2  # found by at least half of the fitted runs, without a proof
    OPEN = 3
    FAILING = 4  # neither proved nor found
    REFUTED = 5

    @classmethod
    def of(cls, row: Prediction) -> Standing:
        """Return the group of an encoding."""
        answer, is_found = row.verdict.answer, row.measured.is_found if row.measured else None
        if answer is Answer.NO:
            return cls.REFUTED
        if answer is Answer.YES:
            return cls.MISSED if is_found is False else cls.PROVED
        return cls.OPEN if is_found is None else cls.MEASURED if is_found else cls.FAILING


def _key(
    row: Prediction, found: Grade | None, second: SecondOpinion | None
) -> tuple[Standing, float, float, bool, float, bool, bool]:
    """Return what is sorted by: group, share of runs that found it, chance, both theories, level, the conjecture, the proof."""
    cell = row.measured
    share = cell.num_generalized / cell.num_fitted if cell and cell.num_fitted else -1.0
    chance = row.chance if row.predictor and share < 0 else None
    estimated = chance.generalize if chance and chance.generalize is not None else -1.0
    level = found.level if found is not None else inf
    favoured = second is not None and second.opinion.predicted is True
    both = row.counting.answer is row.precision.answer is Answer.YES
    least = find_encoding(row.encoding).at_least
    published = least is not None and least.status == "published"
    return Standing.of(row), -share, -estimated, not both, level, not favoured, not published


def _why(row: Prediction, found: Grade | None) -> str:
    answer = row.verdict.answer
    if answer is Answer.YES and row.verdict.is_by_weights:
        told = row.verdict.reason
    elif answer is Answer.YES:
        level = f", level {found.level}" if found is not None and found.level else ""
        told = f"proved to have a solution ({row.verdict.fragment.notation}{level}). {row.verdict.reason}"
    elif answer is Answer.NO:
        told = f"predicted to fail. {row.verdict.reason}"
    else:
        told = row.verdict.reason
    measured = row.measured.sentence(row.question.facts.asked) if row.measured else ""
    return " ".join(filter(None, (told, row.aside, measured, row.estimate)))


def _repairs(what: str, question: Question, ranking: tuple[Recommendation, ...]) -> tuple[Repair, ...]:
    """Return repairs for the best encoding without a strong YES, among those whose class is known."""
    language = question.facts.language
    if language is None or question.facts.asked is not Asked.MEMBERSHIP:
        return ()
    for row in ranking:
        card = find_encoding(row.prediction.encoding)
        weak = row.prediction.verdict.answer is not Answer.YES or (row.grade is not None and row.grade.is_weak)
        if weak and card.at_least is not None and isinstance(card.at_least.fragment, Fragment):
            text = what if question.read_as == "regex" else None
            return tuple(find_repairs(language, card.at_least.fragment, text=text))
    return ()
