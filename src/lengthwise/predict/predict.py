"""The prediction: a question times an encoding's bounds gives a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..budget import time_budget
from ..crasp.fragments import Fragment, Readout, as_readout
from ..encodings.catalog import ENCODINGS, Bound
from ..encodings.core.choice import Choice, find_encoding
from ..errors import InvalidOptionError
from ..languages.regex import MAX_STATES
from ..theory.claims import Answer, Asked, as_asked
from ..theory.deciders import DECIDING, decide
from ..theory.facts import Facts
from ..theory.verdict import Verdict
from ..theory.windows import Caps
from .resolve import Question, resolve

if TYPE_CHECKING:
    from ..tables import Table
    from ..tasks.core.task import Task

DEFAULT_ENCODINGS = ("nope", "ape")
ADVISING = "looking for programs and advice"  # the work that a budget of CPU time names

_Decide = Callable[[Fragment], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One row: a question, an encoding, and the verdict."""

    question: Question
    encoding: str
    verdict: Verdict

    def __repr__(self) -> str:
        return f"<Prediction: {self.question.what} × {self.encoding}: {self.verdict.answer}>"

    def _repr_html_(self) -> str:
        return Predictions([self])._repr_html_()

    def to_json(self) -> dict[str, object]:
        """Return the row as JSON data, in the shape that docs/reference/json.md documents."""
        verdict = self.verdict
        return {
            "what": self.question.what,
            "read_as": self.question.read_as,
            "encoding": self.encoding,
            "fragment": str(verdict.fragment),
            "asked": str(verdict.asked),
            "readout": str(verdict.readout),
            "alphabet": list(verdict.alphabet),
            "answer": str(verdict.answer),
            "level": verdict.level,
            "theorem": verdict.theorem,
            "reason": verdict.reason,
            "certificate": verdict.certificate.to_json() if verdict.certificate else None,
            "grade": self._grade(),
            "second_opinion": self._second_opinion(),
        }

    def _second_opinion(self) -> dict[str, object] | None:
        """Return what the conjecture on sequential complexity says, as JSON data."""
        if self.question.read_as != "task":
            return None
        from .circuit_opinions import second_opinions

        found = second_opinions(self.question.what, [(self.encoding, self.verdict)])
        return found[0].to_json() if found else None

    def _grade(self) -> dict[str, object] | None:
        """Return what the program of a YES asks of a model, as JSON data."""
        from dataclasses import asdict

        from ..theory.grades import grade

        found = grade(self.verdict.certificate)
        return None if found is None else asdict(found)


class Predictions(list[Prediction]):
    """The predictions for one question, a row for each encoding."""

    @property
    def table(self) -> Table:
        """Encoding, answer and reason."""
        from ..tables import Table

        rows = [(row.encoding, str(row.verdict.answer), row.verdict.reason) for row in self]
        fields = ("fragment", "level", "theorem", "reason")
        records = [
            {"what": row.question.what, "encoding": row.encoding, "answer": str(row.verdict.answer)}
            | {name: getattr(row.verdict, name) for name in fields}
            for row in self
        ]
        kinds = {0: "name", 1: "answer", 2: "remark"}
        return Table(header=("encoding", "answer", "why"), rows=rows, kinds=kinds, records=records)

    def to_frame(self) -> Any:
        """Return a data frame of pandas or, where that is missing, of polars, with a row for each encoding."""
        return self.table.to_frame()

    def __str__(self) -> str:
        return self.table.to_text()

    def _repr_html_(self) -> str:
        return self.table.to_html()


def predict(
    what: str,
    *,
    encodings: Iterable[str] = DEFAULT_ENCODINGS,
    asked: str = Asked.MEMBERSHIP,
    readout: str | None = None,
    alphabet: Iterable[str] | None = None,
    regex: bool = False,
    max_states: int = MAX_STATES,
    caps: Caps | None = None,
) -> Predictions:
    """Return one prediction per encoding for a name, a regular expression or a file; one encoding may be a string.

    ``asked`` is an :class:`Asked` or ``"membership"`` or ``"next"``; ``readout`` a :class:`Readout` or ``"end"`` or ``"last"``.

    >>> for row in predict("(aa)*"):
    ...     print(row.encoding, row.verdict.answer)
    nope NO
    ape YES
    """
    names = [encodings] if isinstance(encodings, str) else list(encodings)
    if not names:
        raise InvalidOptionError(
            f"no encoding is named; a prediction needs at least one of {', '.join(ENCODINGS)}.",
            hint=f"name one, or leave the encodings out for {' and '.join(DEFAULT_ENCODINGS)}.",
        )
    asked, where = as_asked(asked), as_readout(readout)
    names = [find_encoding(name).name for name in names]
    with time_budget(
        (caps or Caps()).max_seconds, DECIDING, hint="use a smaller question, or more effort (--effort 10)."
    ):
        question = resolve(what, asked=asked, alphabet=alphabet, regex=regex, max_states=max_states)
        verdicts = _predict_question(question, names, where, caps)
    return Predictions(
        Prediction(question=question, encoding=name, verdict=verdict)
        for name, verdict in zip(names, verdicts, strict=True)
    )


def _predict_question(
    question: Question, names: list[str], readout: Readout | None, caps: Caps | None
) -> list[Verdict]:
    if question.readout is not None and readout not in (None, question.readout):
        raise InvalidOptionError(
            f"the {question.read_as} {question.what!r} is {question.readout.notation}; another readout was asked for.",
            hint="leave the readout out.",
        )
    return _predict_facts(question.facts, names, question.readout or readout, caps)


def predict_task(task: Task, encoding: str, switches: Sequence[str] = ()) -> Verdict:
    """Return the verdict for a task, read where its objective reads it.

    With a switch of the model on, no bound of the encoding is proved to hold any more, and the verdict is UNKNOWN.
    """
    verdict = _predict_facts(task.facts, [encoding], task.objective.readout)[0]
    if not switches:
        return verdict
    reason = f"the bounds of {encoding} are proved for models without {' and '.join(switches)}."
    return replace(verdict, answer=Answer.UNKNOWN, theorem="open", certificate=None, reason=reason)


def _predict_facts(
    facts: Facts, encodings: list[str], readout: Readout | None, caps: Caps | None = None
) -> list[Verdict]:
    decided: dict[Fragment, Verdict] = {}

    def verdict_for(fragment: Fragment) -> Verdict:
        if fragment not in decided:
            decided[fragment] = decide(facts, fragment, readout, caps=caps)
        return decided[fragment]

    return [_weigh(find_encoding(name), verdict_for) for name in encodings]


def _weigh(choice: Choice, verdict_for: _Decide) -> Verdict:
    """Return YES if the task is within ``at_least``, NO if it is outside ``at_most``, otherwise UNKNOWN with the gap."""
    inside = verdict_for(choice.at_least.fragment) if choice.at_least else None
    if inside is not None and inside.answer is Answer.YES:
        return inside
    outside = verdict_for(choice.at_most.fragment) if choice.at_most else None
    if outside is not None and outside.answer is Answer.NO:
        return outside if inside is not None else _with_assumption(outside, choice)
    if inside is not None:
        return inside  # at_least is undecided here; its reason says why
    bound = choice.at_most
    missing = f"no lower bound is proved for {choice.name}, so no YES can follow"
    reason = f"{missing}; {_upper(bound, outside)}{_expressible(choice, verdict_for)}"
    like = outside if outside is not None else verdict_for(Fragment.PERIODIC_LOCAL)
    return replace(like, answer=Answer.UNKNOWN, theorem="open", certificate=None, reason=reason)


def _with_assumption(verdict: Verdict, choice: Choice) -> Verdict:
    assert choice.at_most is not None
    bound = choice.at_most
    why = f"this assumes {bound.assumption} ({bound.citation})" if bound.assumption else bound.citation
    return replace(verdict, reason=f"{verdict.reason} For {choice.name}{' ' if bound.assumption else ': '}{why}.")


def _upper(bound: Bound | None, outside: Verdict | None) -> str:
    if bound is None or outside is None:
        return "no upper bound is proved either"
    if outside.answer is Answer.YES:
        return f"it is within its upper bound, {bound.fragment.notation}"
    return f"whether it is within its upper bound, {bound.fragment.notation}, is not settled here"


def _expressible(choice: Choice, verdict_for: _Decide) -> str:
    if choice.expressible is None:
        return f"; {choice.card.note}" if choice.card.note else "."
    answer = verdict_for(choice.expressible.fragment).answer
    if answer is Answer.YES:
        assumed = f", given {choice.expressible.assumption}" if choice.expressible.assumption else ""
        return f". Expressible: yes ({choice.expressible.citation}{assumed})."
    return f". Expressible: not known (only {choice.expressible.fragment.notation} is)."
