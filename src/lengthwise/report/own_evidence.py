"""The runs of a store as the user's own measurements, which predictions then show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..encodings.core.choice import encoding_files, find_packaged_encoding
from ..evidence.measured import problem_key
from ..evidence.own import add_rows
from ..experiment.plan import make_runs
from ..experiment.settings import flat_settings, show_setting
from ..experiment.spec import Spec
from ..tasks.core.catalog import find_packaged_task, task_files
from .measured import report
from .statistics import Cell

_OF_THE_TASK = (
    "test_length",
    "room",
    "success_at",
)  # what follows from the training length unless somebody says otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of the cells of a store; ``left_out`` has the reason for those that were not added."""

    num_cells: int
    num_runs: int
    new_runs: int
    left_out: dict[str, int]


def add_store(store: str | Path) -> Added:
    """Add the runs of a store to the user's own measurements.

    Cells of files are left out, because such a file can change without its name changing; so are languages too large to be looked up.
    """
    found = report(store)
    rows, left_out = [], {cause: len(runs) for cause, runs in found.left_out.items()}
    for cell in found.cells:
        cause = _obstacle(cell)
        if cause:
            left_out[cause] = left_out.get(cause, 0) + cell.num_runs
        else:
            rows.append(_row(cell))
    runs = sum(len(row["runs"]) for row in rows)
    return Added(num_cells=len(rows), num_runs=runs, new_runs=add_rows(rows) if rows else 0, left_out=left_out)


def _obstacle(cell: Cell) -> str:
    if task_files(cell.task) or encoding_files(cell.encoding):
        return "the task or the encoding is a file of your own, which can change"
    return (
        ""
        if problem_key(find_packaged_task(cell.task))
        else "the language has too many states or symbols to be looked up"
    )


def _row(cell: Cell) -> dict[str, Any]:
    task = find_packaged_task(cell.task)
    return {
        "key": problem_key(task),
        "problem": task.name,
        "asked": None if task.facts.language is None else str(task.facts.asked),
        "task_revision": task.revision,
        "encoding": cell.encoding,
        "encoding_revision": find_packaged_encoding(cell.encoding).revision,
        "setting": _setting(cell),
        "runs": {run.id: [run.fitted, run.generalizes, run.by_bin[cell.success]] for run in cell.runs},
    }


def _setting(cell: Cell) -> dict[str, Any]:
    settings = cell.settings
    layers, length = settings["layers"], settings["train_length"]
    text = json.dumps([settings, cell.success_at], sort_keys=True)
    return {
        "name": f"own_{sha256(text.encode()).hexdigest()[:8]}",
        "summary": f"{layers} layer{'s' * (layers != 1)}, {settings['heads']} heads, width {settings['width']}, trained to length {length}",
        "train_length": length,
        "at": cell.success_at,
        "hardware": "; ".join(cell.origins),
        "date": "added from a store",
        "command": "lengthwise run",
        "source": "",
        "options": options_of(settings, cell.task, cell.encoding),
    }


def options_of(settings: Any, task: str, encoding: str) -> str:
    """Return the options of ``lengthwise run`` for settings that are not the default ones."""
    spec = Spec(tasks=(task,), encodings=(encoding,), train_length=settings["train_length"])
    usual = flat_settings(make_runs([spec])[0].settings) | {"train_length": Spec(tasks=(task,)).train_length}
    changed = {
        name: value
        for name, value in settings.items()
        if name not in _OF_THE_TASK and value is not None and value != usual.get(name)
    }
    return " ".join(f"--set {name}={show_setting(value)}" for name, value in changed.items())
