"""The prediction: a question times an encoding's bounds gives a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..budget import time_budget
from ..crasp.fragments import Readout, as_readout
from ..encodings.catalog import ENCODINGS
from ..encodings.core.choice import find_encoding
from ..errors import InvalidOptionError
from ..evidence.measured import SHIPPED_PREDICTOR, Measured, measured_cells
from ..languages.regex import MAX_STATES
from ..theory.claims import Answer, Asked, as_asked
from ..theory.deciders import DECIDING
from ..theory.verdict import AnyVerdict
from ..theory.windows import Caps
from .resolve import Question, resolve
from .theories import Theory, Verdicts, aside, holds_far_only, settled, weigh

if TYPE_CHECKING:
    from pathlib import Path

    from ..evidence.chance import Chance, Predictor
    from ..tables import Table
    from ..tasks.core.task import Task

DEFAULT_ENCODINGS = ("nope", "ape")
ADVISING = "looking for programs and advice"  # the work that a budget of CPU time names


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One row: a question, an encoding, and what two theories of arithmetic say."""

    question: Question
    encoding: str
    counting: AnyVerdict
    precision: AnyVerdict
    is_far: bool  # whether the answer by fixed precision holds far beyond ordinary lengths only
    predictor: Predictor | None = None  # what chances are estimated with, if anything

    @property
    def verdict(self) -> AnyVerdict:
        """The verdict that counts: by counting where that settles it, else by fixed precision if that does."""
        return settled(self.counting, self.precision, is_far=self.is_far)

    @property
    def theory(self) -> Theory:
        """The theory that the verdict rests on."""
        return Theory.COUNTING if self.verdict is self.counting else Theory.PRECISION

    @property
    def differs(self) -> bool:
        """Whether both theories answer, and not alike."""
        answers = {self.counting.answer, self.precision.answer}
        return Answer.UNKNOWN not in answers and len(answers) == 2

    @property
    def aside(self) -> str:
        """What the other theory says where it says something else, as a sentence; else empty."""
        return aside(self)

    @property
    def measured(self) -> Measured | None:
        """What training found for this problem and encoding; for a language, the same question first, then the user's own runs."""
        asked = self.question.facts.asked
        found = measured_for(self.question).get(self.encoding, [])
        return min(found, key=lambda cell: cell.asked not in (None, asked), default=None)

    @property
    def chance(self) -> Chance | None:
        """How likely training finds a solution: measured for this very question, else estimated where there is a predictor."""
        from ..evidence.chance import measured_chance

        cell = self.measured
        if cell is not None and cell.asked in (None, self.question.facts.asked):
            return measured_chance(cell)
        return None if self.predictor is None else self.predictor.estimate(self.features)

    @property
    def estimate(self) -> str:
        """The chance as a sentence where it is estimated; else empty."""
        chance = self.chance if self.predictor else None
        return chance.sentence() if chance and chance.source == "estimated" else ""

    @property
    def features(self) -> dict[str, float]:
        """What a chance is estimated from."""
        from .features import features_of

        return features_of(
            self.question.facts,
            self.verdict.readout,
            self.encoding,
            self.counting,
            self.precision,
            is_far=self.is_far,
        )

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
            "fragment": None if verdict.is_by_weights else str(verdict.fragment),
            "asked": str(verdict.asked),
            "readout": str(verdict.readout),
            "alphabet": list(verdict.alphabet),
            "answer": str(verdict.answer),
            "level": verdict.level,
            "theorem": verdict.theorem,
            "reason": verdict.reason,
            "assumption": verdict.assumption,
            "theory": str(self.theory),
            "theories": {
                str(theory): {
                    "answer": str(found.answer),
                    "class": None if found.is_by_weights else found.fragment.notation,
                    "theorem": found.theorem,
                    "reason": found.reason,
                    "assumption": found.assumption,
                }
                for theory, found in ((Theory.COUNTING, self.counting), (Theory.PRECISION, self.precision))
            },
            "certificate": verdict.certificate.to_json() if verdict.certificate else None,
            "grade": self._grade(),
            "second_opinion": self._second_opinion(),
            "measured": None if self.measured is None else self.measured.to_json(),
            "chance": None if (chance := self.chance) is None else chance.to_json(),
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


def measured_for(question: Question) -> dict[str, list[Measured]]:
    """Return what training found for a problem, by the name of the encoding."""
    return measured_cells(language=question.facts.language, task=question.task or None)


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
    predictor: str | Path | None = None,
) -> Predictions:
    """Return one prediction per encoding for a name, a regular expression or a file; one encoding may be a string.

    ``asked`` is an :class:`Asked` or ``"membership"`` or ``"next"``; ``readout`` a :class:`Readout` or ``"end"`` or ``"last"``.
    ``predictor`` is the file that chances are estimated with; by default the one of the package, if it has one.

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
        return Predictions(predict_question(question, names, where, caps, find_predictor(predictor)))


def find_predictor(path: str | Path | None) -> Predictor | None:
    """Return the predictor of a file, or that of the package; None where there is none, which costs no import."""
    if path is None and not SHIPPED_PREDICTOR.is_file():
        return None
    from ..evidence.chance import read_predictor

    return read_predictor(path or SHIPPED_PREDICTOR)


def predict_question(
    question: Question,
    names: Iterable[str],
    readout: Readout | None = None,
    caps: Caps | None = None,
    predictor: Predictor | None = None,
) -> list[Prediction]:
    """Return one prediction per encoding for a question that is resolved already."""
    if question.readout is not None and readout not in (None, question.readout):
        raise InvalidOptionError(
            f"the {question.read_as} {question.what!r} is {question.readout.notation}; another readout was asked for.",
            hint="leave the readout out.",
        )
    verdicts = Verdicts(question.facts, question.readout or readout, caps)
    predictions = []
    for name in names:
        choice = find_encoding(name)
        counting, precision = (weigh(choice, theory, verdicts) for theory in Theory)
        predictions.append(
            Prediction(
                question=question,
                encoding=name,
                counting=counting,
                precision=precision,
                is_far=holds_far_only(precision, choice, verdicts),
                predictor=predictor,
            )
        )
    return predictions


def predict_task(task: Task, encoding: str, switches: Sequence[str] = ()) -> AnyVerdict:
    """Return the verdict for a task, read where its objective reads it; the theory that settles it comes first.

    ``token_shift`` has bounds of its own. With another switch of the model on, no bound of the encoding is proved to hold any
    more, and the verdict is UNKNOWN.
    """
    others = [name for name in switches if name != SHIFT]
    verdicts = Verdicts(task.facts, task.objective.readout, None)
    choice = find_encoding(encoding)
    shifted = SHIFT in switches
    counting, precision = (weigh(choice, theory, verdicts, shifted=shifted) for theory in Theory)
    is_far = holds_far_only(precision, choice, verdicts, shifted=shifted)
    verdict = settled(counting, precision, is_far=is_far)
    if not others:
        return verdict
    reason = f"The bounds of {encoding} are proved for models without {' and '.join(others)}."
    return replace(verdict, answer=Answer.UNKNOWN, theorem="open", certificate=None, reason=reason, assumption="")


SHIFT = "token_shift"
"""The switch of a model whose attention also sees the previous token; its effect on bounds is known."""
