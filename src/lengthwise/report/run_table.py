"""The table of runs and lengths: what exports hold, one row for each run, kind of instances and tested length.

The columns are said once, here. Exports, data frames and the page about stores follow this list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

from ..errors import UnreadableFileError
from ..experiment.grid import TABLES
from ..experiment.settings import SETTINGS, flat_settings, show_setting
from ..experiment.spec import Spec
from ..experiment.store import Result
from ..model.shape import Shape
from ..train.settings import Training
from .statistics import is_fitted

Row = dict[str, Any]

TYPES: dict[str, type] = {"text": str, "integer": int, "number": float, "true or false": bool}
"""What a column may hold, and what that is in Python; any value may be missing where its column says so."""

RANDOM = "random"
"""The kind of the usual test instances."""

LARGEST_NUMBER = 1e300
"""A number from here on is missing in the table: JSON has neither infinity nor what is no number."""

_LARGEST = 2**63 - 1
"""What a column of whole numbers can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the table; ``kind`` is a key of ``TYPES``."""

    name: str
    kind: str
    meaning: str
    may_be_missing: bool = False


def _setting_kind(name: str) -> str:
    """Return the kind of a setting, from the class that declares it; a list of lengths becomes text."""
    if name == "test_length":
        return "text"
    owner = {"": Spec, "model": Shape, "training": Training}.get(TABLES[name])
    hint = float if owner is None else get_type_hints(owner)[name]
    return next(kind for kind, of_python in TYPES.items() if hint in (of_python, of_python | None))


_MEANINGS = {
    "train_length": "longest training length",
    "test_length": "longest test length, or the listed test lengths with commas",
    "room": "longest input that the encoding has positions for, where its training depends on that",
}


def _setting_column(name: str) -> Column:
    where = f"[{TABLES[name]}]" if TABLES[name] else "the spec"
    return Column(
        name=name,
        kind=_setting_kind(name),
        meaning=_MEANINGS.get(name, f"setting of {where}"),
        may_be_missing=name == "room",
    )


COLUMNS: tuple[Column, ...] = (
    Column(name="run", kind="text", meaning="id of the run"),
    Column(name="task", kind="text", meaning="the task"),
    Column(name="encoding", kind="text", meaning="the position encoding"),
    Column(name="seed", kind="integer", meaning="the seed"),
    Column(
        name="kind",
        kind="text",
        meaning="kind of instances: `random`, `fit`, `generated`, `forced`, or a kind of hard instances",
    ),
    Column(name="length", kind="integer", meaning="length of the instances"),
    Column(name="multiple", kind="number", meaning="this length divided by the training length"),
    Column(name="instances", kind="integer", meaning="how many instances of this kind and length were tested"),
    Column(name="matches", kind="integer", meaning="how many of them the model got right as a whole"),
    Column(name="exact_match", kind="number", meaning="matches divided by instances"),
    Column(name="fitted", kind="true or false", meaning="whether the run fits the training lengths"),
    Column(name="predicted", kind="text", meaning="the prediction stored before training", may_be_missing=True),
    *map(_setting_column, SETTINGS),
    Column(name="steps_trained", kind="integer", meaning="steps that the run took; `steps` is the most it might take"),
    Column(name="loss", kind="number", meaning="training loss at the end", may_be_missing=True),
    Column(name="seconds", kind="number", meaning="share of the run in the time its stack trained"),
    Column(name="task_revision", kind="integer", meaning="revision of the task"),
    Column(name="encoding_revision", kind="integer", meaning="revision of the encoding"),
    Column(name="trainer_revision", kind="integer", meaning="revision of the trainer"),
    Column(name="lengthwise", kind="text", meaning="version of lengthwise", may_be_missing=True),
    Column(name="torch", kind="text", meaning="version of torch"),
    Column(name="hardware", kind="text", meaning="processor or GPU"),
    Column(name="device", kind="text", meaning="`cpu` or the GPU's number", may_be_missing=True),
    Column(name="finished", kind="text", meaning="when the run finished, in UTC (ISO 8601)", may_be_missing=True),
)


def table_rows(results: Iterable[Result]) -> Iterator[Row]:
    """Yield the rows of runs in their order: random instances first, then the other kinds, lengths increasing."""
    for result in results:
        same = _of_the_run(result)
        template = {column.name: same.get(column.name) for column in COLUMNS}
        train_length = result.settings["train_length"]
        for kind, scores in ((RANDOM, result.scores), *result.other_scores.items()):
            for length, instances, matches in sorted(scores):
                yield template | {
                    "kind": kind,
                    "length": length,
                    "multiple": length / train_length,
                    "instances": instances,
                    "matches": matches,
                    "exact_match": matches / instances,
                }


def run_values(result: Result) -> Row:
    """Return the columns that are the same in all rows of a run, by name."""
    same = _of_the_run(result)
    return {column.name: same[column.name] for column in COLUMNS if column.name in same}


def _of_the_run(result: Result) -> Row:
    settings, origin = result.settings, result.provenance
    values: Row = {
        "run": result.id,
        "task": result.task,
        "encoding": result.encoding,
        "seed": result.seed,
        "fitted": is_fitted(result),
        "predicted": None if result.description is None else str(result.description.verdict.answer),
        **flat_settings(settings),
        "steps_trained": result.steps,
        "loss": result.losses[-1][1] if result.losses else None,
        "seconds": result.seconds,
        **{name: settings[name] for name in ("task_revision", "encoding_revision", "trainer_revision")},
        **{name: origin.get(name) for name in ("lengthwise", "torch", "hardware", "device", "finished")},
    }
    values["test_length"] = show_setting(settings["test_length"])
    return {column.name: _checked(result, column, values[column.name]) for column in COLUMNS if column.name in values}


def _checked(result: Result, column: Column, value: Any) -> Any:
    """Return a value in the type of its column; raise if a store holds another one, as only a changed store does."""
    kind = type(value)
    if column.kind == "number" and kind in (int, float):
        if abs(value) < LARGEST_NUMBER:
            return float(value)
        value = None
    if value is None and column.may_be_missing:
        return None
    if kind is not TYPES[column.kind] or value is None or (kind is int and abs(value) > _LARGEST):
        raise UnreadableFileError(
            f"run {result.id!r} cannot be written as a table: its {column.name} is {value!r:.60}, and must be "
            f"{column.kind}.",
            hint="somebody has changed the store; do not trust it.",
        )
    return value


def columns_as_markdown() -> str:
    """Return the list of columns as a table in Markdown, for the page about stores."""
    lines = [
        f"| `{column.name}` | {column.kind}{' or missing' if column.may_be_missing else ''} | {column.meaning} |"
        for column in COLUMNS
    ]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *lines])
