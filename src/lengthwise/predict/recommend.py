"""Encodings ranked for a problem, each rank with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from ..encodings.cards import ENCODINGS
from ..encodings.names import find_encoding
from ..theory.claims import Answer, Asked
from ..theory.grades import Grade, grade
from ..theory.positions.opinion import Opinion
from ..theory.repairs import Repair, find_repairs
from .predict import Prediction, predict
from .resolve import Question
from .second import SecondOpinion, ideal_opinion, problem_of, second_opinions

BOUNDED = tuple(card.name for card in ENCODINGS.values() if card.at_least or card.at_most)
"""The encodings of which a lower or an upper bound is proved; of the others a verdict can only be UNKNOWN."""

RELATED = tuple(card.name for card in ENCODINGS.values() if card.relation and card.name not in BOUNDED)
"""The encodings of which nothing is proved, but which are functions of a position relation."""

_ORDER = {Answer.YES: 0, Answer.UNKNOWN: 1, Answer.NO: 2}


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
    """All encodings by rank, and what would help besides."""

    question: Question
    ranking: tuple[Recommendation, ...]
    repairs: tuple[Repair, ...]
    ideal: Opinion | None = None
    """What the conjecture on sequential complexity says of the positions that the task's own circuit prescribes."""


def recommend(
    what: str,
    *,
    encodings: Iterable[str] | None = None,
    asked: Asked = Asked.MEMBERSHIP,
    alphabet: Iterable[str] | None = None,
    regex: bool = False,
) -> Advice:
    """Rank encodings, by default those of which something is proved, for a task, a language, an expression or a file.

    A proved YES comes first, the smaller level in front; then what is open, an encoding with more proved bounds in front;
    a NO comes last. Among what is open, an encoding that the conjecture on sequential complexity favours comes first; where a
    task has a circuit, encodings of which only their relation is known are ranked too. Encodings that this does not tell apart
    keep the order in which they were given.

    >>> [row.prediction.encoding for row in recommend("(aa)*").ranking][:2]
    ['ape', 'sinusoidal']
    """
    has_circuit = not regex and problem_of(what) is not None
    names = (BOUNDED + RELATED if has_circuit else BOUNDED) if encodings is None else encodings
    rows = predict(what, encodings=names, asked=asked, alphabet=alphabet, regex=regex)
    pairs = [(row.encoding, row.verdict) for row in rows] if has_circuit else []
    second = {each.encoding: each for each in second_opinions(what, pairs)}
    graded = [(row, grade(row.verdict.certificate), second.get(row.encoding)) for row in rows]
    graded.sort(key=lambda parts: _key(*parts))
    ranking = tuple(
        Recommendation(rank=number, prediction=row, grade=each, why=_why(row, each), second=opinion)
        for number, (row, each, opinion) in enumerate(graded, start=1)
    )
    question = rows[0].question
    ideal = ideal_opinion(what) if has_circuit else None
    return Advice(question=question, ranking=ranking, repairs=_repairs(what, question, ranking), ideal=ideal)


def _key(row: Prediction, found: Grade | None, second: SecondOpinion | None) -> tuple[int, float, bool, int]:
    """Return what is sorted by: the answer, the level of a YES if it has one, the conjecture, and how many bounds lack a proof."""
    card = find_encoding(row.encoding)
    level = found.level if found is not None else inf
    favoured = second is not None and second.opinion.predicted is True
    return _ORDER[row.verdict.answer], level, not favoured, (card.at_least is None) + (card.at_most is None)


def _why(row: Prediction, found: Grade | None) -> str:
    answer = row.verdict.answer
    if answer is Answer.YES:
        graded = f" ({found.summary()})" if found is not None else ""
        return f"proved for {row.verdict.fragment.notation}{graded}: {row.verdict.reason}"
    if answer is Answer.NO:
        return f"predicted to fail: {row.verdict.reason}"
    return row.verdict.reason


def _repairs(what: str, question: Question, ranking: tuple[Recommendation, ...]) -> tuple[Repair, ...]:
    """Return repairs for the best encoding without a strong YES, among those whose class is known."""
    language = question.facts.language
    if language is None or question.facts.asked is not Asked.MEMBERSHIP:
        return ()
    for row in ranking:
        card = find_encoding(row.prediction.encoding)
        weak = row.prediction.verdict.answer is not Answer.YES or (row.grade is not None and row.grade.is_weak)
        if weak and card.at_least is not None:
            text = what if question.read_as == "regex" else None
            return tuple(find_repairs(language, card.at_least.fragment, text=text))
    return ()
