"""The atlas: every measured cell beside what both theories predict, and how the two stand to each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..encodings.core.choice import find_encoding
from ..evidence.measured import Measured, all_cells, own_cells
from ..evidence.success_rates import SuccessRate, success_rate
from ..predict.predict import Prediction, predict_question
from ..predict.resolve import Question
from ..tasks.core.catalog import find_packaged_task
from ..theory.claims import Answer
from .judging import Standing, explain_standing, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasCell:
    """A measured cell with its prediction."""

    measured: Measured
    prediction: Prediction
    family: str  # of the encoding

    @property
    def rate(self) -> SuccessRate | None:
        """The success rate of the fitted runs; None where none fitted."""
        cell = self.measured
        return success_rate(cell.num_generalized, cell.num_fitted) if cell.num_fitted else None

    @property
    def standing(self) -> Standing:
        """How prediction and measurement stand to each other; whether a run challenges a NO takes its hard sets, which are not kept."""
        return judge(self.prediction.verdict.answer, self.rate, challenged=False)

    @property
    def is_surprising(self) -> bool:
        """Whether prediction and measurement differ."""
        return self.standing in (Standing.DIFFERS, Standing.CHALLENGED)

    @property
    def remark(self) -> str:
        """What the standing means."""
        return explain_standing(self.standing, self.prediction.verdict.answer, self.rate)

    @property
    def certificate(self) -> str:
        """The certificate of the verdict in a few words; empty where there is none."""
        found = self.prediction.verdict.certificate
        return "" if found is None else found.summary()

    def to_json(self) -> dict[str, object]:
        """Return the cell as JSON data, in the shape that docs/reference/json.md documents."""
        row, rate = self.prediction, self.rate
        return self.measured.to_json() | {
            "encoding": self.measured.encoding,
            "family": self.family,
            "low": None if rate is None else round(rate.low, 3),
            "high": None if rate is None else round(rate.high, 3),
            "curve": list(self.measured.curve),
            "answer": str(row.verdict.answer),
            "counting": str(row.counting.answer),
            "fixed_precision": str(row.precision.answer),
            "theorem": row.verdict.theorem,
            "certificate": self.certificate or None,
            "standing": str(self.standing),
            "remark": self.remark,
            "command": self.measured.command(),
        }


def atlas_cells(measured: Iterable[Measured] | None = None) -> list[AtlasCell]:
    """Return measured cells beside their predictions: by default those of the package, then the user's own.

    Those where prediction and measurement differ come first.
    """
    given = [*all_cells(), *own_cells()] if measured is None else list(measured)
    by_problem: dict[str, list[Measured]] = {}
    for cell in given:
        by_problem.setdefault(cell.problem, []).append(cell)
    found = []
    for problem, cells in by_problem.items():
        task = find_packaged_task(problem)
        question = Question(
            what=problem, read_as="task", facts=task.facts, readout=task.objective.readout, task=task.name
        )
        names = list(dict.fromkeys(cell.encoding for cell in cells))
        rows = dict(zip(names, predict_question(question, names), strict=True))
        found += [
            AtlasCell(measured=cell, prediction=rows[cell.encoding], family=find_encoding(cell.encoding).card.family)
            for cell in cells
        ]
    return sorted(found, key=lambda cell: not cell.is_surprising)


def summary(cells: Sequence[AtlasCell]) -> str:
    """Say how many cells and runs there are, how many fitted, and how they stand to the predictions."""
    runs, fitted = (sum(getattr(cell.measured, name) for cell in cells) for name in ("num_runs", "num_fitted"))
    problems = len({cell.measured.problem for cell in cells})
    encodings = len({cell.measured.encoding for cell in cells})
    standings = Counter(cell.standing for cell in cells)
    told = ", ".join(f"{standing} {standings[standing]}" for standing in Standing if standings[standing])
    return (
        f"{len(cells):,} cells: {problems} problem{'s' * (problems != 1)} with {encodings} encodings, {runs:,} runs, of which "
        f"{fitted / runs:.0%} fitted the training lengths. Prediction and measurement: {told}."
    )


def success_by_answer(cells: Sequence[AtlasCell]) -> list[tuple[str, int, int, int]]:
    """Return, for every answer, the number of cells, of fitted runs, and of those that generalize."""
    rows = []
    for answer in Answer:
        own = [cell.measured for cell in cells if cell.prediction.verdict.answer is answer]
        rows.append(
            (str(answer), len(own), sum(cell.num_fitted for cell in own), sum(cell.num_generalized for cell in own))
        )
    return rows
