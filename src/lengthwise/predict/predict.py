"""The prediction: a question times an encoding's bounds gives a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..encodings.cards import ENCODINGS, Bound, Card
from ..errors import lookup
from ..languages.regex import MAX_STATES
from ..theory.claims import Answer, Fragment, Readout
from ..theory.deciders import decide
from ..theory.verdict import Verdict
from .resolve import Question, resolve

DEFAULT_ENCODINGS = ("nope", "ape")

_Decide = Callable[[Fragment], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One row: a question, an encoding, and the verdict."""

    question: Question
    encoding: str
    verdict: Verdict

    def to_json(self) -> dict[str, object]:
        """Return the row as JSON data, in the shape that docs/reference/json.md documents."""
        verdict = self.verdict
        return {
            "what": self.question.what,
            "read_as": self.question.read_as,
            "encoding": self.encoding,
            "fragment": str(verdict.fragment),
            "readout": str(verdict.readout),
            "alphabet": list(verdict.alphabet),
            "answer": str(verdict.answer),
            "level": verdict.level,
            "theorem": verdict.theorem,
            "reason": verdict.reason,
            "certificate": verdict.certificate.to_json() if verdict.certificate else None,
        }


def predict(
    what: str,
    *,
    encodings: Iterable[str] = DEFAULT_ENCODINGS,
    readout: Readout = Readout.END_MARKER,
    alphabet: Iterable[str] | None = None,
    regex: bool = False,
    max_states: int = MAX_STATES,
) -> list[Prediction]:
    """Return one prediction per encoding for a name, a regular expression or a file.

    >>> for row in predict("(aa)*"):
    ...     print(row.encoding, row.verdict.answer)
    nope NO
    ape YES
    """
    cards = [lookup("encoding", name, ENCODINGS) for name in encodings]
    question = resolve(what, alphabet=alphabet, regex=regex, max_states=max_states)
    decided: dict[Fragment, Verdict] = {}

    def verdict_for(fragment: Fragment) -> Verdict:
        if fragment not in decided:
            decided[fragment] = decide(question.facts, fragment, readout)
        return decided[fragment]

    return [
        Prediction(question=question, encoding=card.name, verdict=_weigh(card, verdict_for, question, readout))
        for card in cards
    ]


def _weigh(card: Card, verdict_for: _Decide, question: Question, readout: Readout) -> Verdict:
    """Return YES if the task is within ``at_least``, NO if it is outside ``at_most``, otherwise UNKNOWN with the gap."""
    inside = verdict_for(card.at_least.fragment) if card.at_least else None
    if inside is not None and inside.answer is Answer.YES:
        return inside
    outside = verdict_for(card.at_most.fragment) if card.at_most else None
    if outside is not None and outside.answer is Answer.NO:
        return outside if inside is not None else _with_assumption(outside, card)
    if inside is not None:
        return inside  # at_least is undecided here; its reason says why
    bound = card.at_most
    fragment = bound.fragment if bound else Fragment.PERIODIC_LOCAL
    return Verdict(
        answer=Answer.UNKNOWN,
        fragment=fragment,
        readout=readout,
        alphabet=question.facts.language.alphabet,
        theorem="open",
        certificate=None,
        reason=f"no lower bound is proved for {card.name}, so no YES can follow; {_upper(bound, outside)}{_expressible(card, verdict_for)}",
    )


def _with_assumption(verdict: Verdict, card: Card) -> Verdict:
    assert card.at_most is not None
    return replace(
        verdict,
        reason=f"{verdict.reason} For {card.name} this assumes {card.at_most.assumption} ({card.at_most.citation}).",
    )


def _upper(bound: Bound | None, outside: Verdict | None) -> str:
    if bound is None or outside is None:
        return "no upper bound is proved either"
    if outside.answer is Answer.YES:
        return f"it is within its upper bound, {bound.fragment.notation}"
    return f"whether it is within its upper bound, {bound.fragment.notation}, is not settled here"


def _expressible(card: Card, verdict_for: _Decide) -> str:
    if card.expressible is None:
        return f"; {card.note}" if card.note else "."
    answer = verdict_for(card.expressible.fragment).answer
    if answer is Answer.YES:
        return f". Expressible: yes ({card.expressible.citation})."
    return f". Expressible: not known (only {card.expressible.fragment.notation} is)."
