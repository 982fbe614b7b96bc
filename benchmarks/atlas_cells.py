"""The cells of the atlas as rows to fit and to score: counts of runs, the split of the language, and what theory says.

Read from the pieces of ``benchmarks/atlas/runs`` by ``atlas_fit.py`` and ``atlas_score.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from atlas_pieces import TRAIN_LENGTH

from lengthwise.encodings.core.choice import find_encoding
from lengthwise.predict.predict import Prediction, predict_question
from lengthwise.predict.resolve import Question
from lengthwise.report.judging import CHALLENGING, FITTED, GENERALIZED
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Answer

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "atlas" / "sample.json"
RUNS = HERE / "atlas" / "runs"
APART = ("transfer", "design")  # parts in other settings, which nothing is fitted to
BEYOND = (5, 10)  # larger multiples, at which it is estimated too
AT = 3  # success is judged at this multiple of the training length


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A task with an encoding and a training length: what theory says, and how its runs came out."""

    task: str
    cluster: str  # the language, whatever is asked of it; a task of the catalogue is its own
    split: str
    kind: str
    encoding: str
    train_length: int
    answer: Answer
    answers: tuple[Answer, Answer]  # by counting, by fixed precision
    level: int | None
    features: dict[str, float]
    num_runs: int = 0
    num_fitted: int = 0
    num_generalized: int = 0
    beyond: tuple[tuple[int, int, int], ...] = ()  # multiple, right there, fitted runs that were tested there
    challengers: tuple[str, ...] = ()  # ids of runs that are right at the longest lengths and on hard sets

    @property
    def key(self) -> tuple[str, str, int]:
        """What a cell is found by."""
        return self.task, self.encoding, self.train_length


def read_sample(path: Path = SAMPLE) -> dict[str, dict[str, Any]]:
    """Return the rows of the sample by their language."""
    return {row["language"]: row for row in json.loads(path.read_text(encoding="utf-8"))}


def language_of(task: str) -> str:
    """Return the language that a task asks about; a task of the catalogue is returned as it is."""
    return task[len("accepts(") : -1] if task.startswith("accepts(") else task


def bare_cells(
    task: str, encodings: Iterable[str], train_length: int, sample: dict[str, dict[str, Any]]
) -> Iterator[Cell]:
    """Yield the cells of a task without runs: everything that is known before training."""
    found = find_task(task)
    question = Question(what=task, read_as="task", facts=found.facts, readout=found.objective.readout, task=found.name)
    cluster = language_of(task)
    row = sample.get(cluster, {"split": "fit", "kind": "task"})
    for prediction in predict_question(question, list(encodings)):
        yield Cell(
            task=task,
            cluster=cluster,
            split=row["split"],
            kind=row["kind"],
            encoding=prediction.encoding,
            train_length=train_length,
            answer=prediction.verdict.answer,
            answers=(prediction.counting.answer, prediction.precision.answer),
            level=prediction.verdict.level,
            features=with_length(prediction, train_length),
        )


def with_length(prediction: Prediction, train_length: int) -> dict[str, float]:
    """Return the features of a prediction, with how much shorter than usual the training lengths are."""
    shorter = {"shorter training": TRAIN_LENGTH / train_length - 1} if train_length != TRAIN_LENGTH else {}
    return prediction.features | shorter


@cache
def task_revision(task: str) -> int:
    """Return today's revision of a task."""
    return find_task(task).revision


def read_pieces(folder: Path = RUNS) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield the head and the runs of every piece whose encoding is of today's revision."""
    for path in sorted(folder.glob("*.jsonl")):
        head, *runs = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if find_encoding(head["settings"]["encoding"]).card.revision == head["settings"]["encoding_revision"]:
            yield head, [run for run in runs if task_revision(run["task"]) == run["task_revision"]]


def read_cells(folder: Path = RUNS, *, splits: Iterable[str], part: str = "") -> list[Cell]:
    """Return the measured cells of some splits: those in the setting of the atlas or, with ``part``, those of this part."""
    rows, wanted = read_sample(), set(splits)
    runs: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for head, piece in read_pieces(folder):
        if not head["piece"].startswith(part) or (not part and head["piece"].startswith(APART)):
            continue
        for run in piece:
            if rows.get(language_of(run["task"]), {"split": "fit"})["split"] in wanted:
                runs.setdefault((run["task"], head["settings"]["encoding"], run["train_length"]), []).append(run)
    encodings: dict[tuple[str, int], list[str]] = {}
    for task, encoding, length in runs:
        encodings.setdefault((task, length), []).append(encoding)
    cells = []
    for (task, length), names in encodings.items():
        cells += [_measured(cell, runs[cell.key]) for cell in bare_cells(task, names, length, rows)]
    return cells


def _measured(cell: Cell, runs: list[dict[str, Any]]) -> Cell:
    fitted = [run for run in runs if run["fit"] >= FITTED and run["bins"][AT - 1] is not None]
    good = [run for run in fitted if run["bins"][AT - 1] >= GENERALIZED]
    far = {at: [share for run in fitted for share in run["bins"][at - 1 : at] if share is not None] for at in BEYOND}
    return replace(
        cell,
        num_runs=len(runs),
        num_fitted=len(fitted),
        num_generalized=len(good),
        beyond=tuple((at, sum(share >= GENERALIZED for share in tested), len(tested)) for at, tested in far.items()),
        challengers=tuple(run["id"] for run in good if is_right_throughout(run)),
    )


def is_right_throughout(run: dict[str, Any]) -> bool:
    """Return whether a run is right at its longest lengths, and at the longest of every hard set."""
    tested = [run["bins"], *run["hard"].values()]
    last = [next((share for share in reversed(shares) if share is not None), 0.0) for shares in tested]
    return all(share >= CHALLENGING for share in last)
