"""Runs of an experiment as runs of the trainer; with torch, which planning does without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..encodings.core.choice import encoding_files, find_encoding
from ..errors import TrainingFailedError
from ..tasks.core.catalog import find_task
from ..tasks.core.task import Task
from ..train.groups import TrainingRun, make_training_runs
from ..train.stack import Stack
from .plan import Run


def training_runs(runs: Sequence[Run]) -> list[TrainingRun]:
    """Return what the trainer needs of each run; runs of one task share it."""
    for name, revision in {(run.encoding, run.encoding_revision) for run in runs}:
        if encoding_files(name):
            _require_same(name, find_encoding(name).revision, revision)
    tasks: dict[str, Task] = {}
    cells: dict[tuple[object, ...], list[int]] = {}
    for number, run in enumerate(runs):
        if run.task not in tasks:
            tasks[run.task] = find_task(run.task)
        _require_same(run.task, tasks[run.task].revision, run.task_revision)
        cell = (run.task, run.encoding, run.model, run.training, run.bins, run.hard, run.room, run.generate)
        cells.setdefault(cell, []).append(number)
    made: dict[int, TrainingRun] = {}
    for members in cells.values():
        first = runs[members[0]]
        of_cell = make_training_runs(
            task=tasks[first.task],
            encoding=first.encoding,
            shape=first.model,
            training=first.training,
            bins=first.bins,
            seeds=[runs[number].seed for number in members],
            rates=[runs[number].learning_rate for number in members],
            hard=first.hard,
            room=first.room,
            generate=first.generate,
        )
        made |= dict(zip(members, of_cell, strict=True))
    return [made[number] for number in range(len(runs))]


def _require_same(name: str, found: int, planned: int) -> None:
    """Raise if the revision of a task or an encoding is not the one that its runs are stored under."""
    if found != planned:
        raise TrainingFailedError(
            f"{name} has changed since its runs were planned.", hint="run the same command again."
        )


def stack_of(runs: Sequence[Run], **options: Any) -> Stack:
    """Return the untrained stack of runs of one group, with a slot for each."""
    return Stack.of(training_runs(runs), **options)
