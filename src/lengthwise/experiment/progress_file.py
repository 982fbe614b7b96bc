"""How far training is at this moment, in a small file beside the store: for ``watch``, since a store knows no steps.

The process that trains writes it every few seconds and removes it at the end. What a killed process leaves behind is
ignored, because no process holds the store's lock then.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ..errors import UnreadableFileError
from ..files import write_text
from .engines.work import Event, StackDone, StackProgress
from .estimates import Pace
from .plan import StackPlan

_SECONDS_BETWEEN = 2.0
_OLD = 300.0  # seconds after which nothing is believed where the system does not tell who holds a lock


@dataclass(frozen=True, slots=True, kw_only=True)
class StackInTraining:
    """A stack that is being trained: the steps of all its runs so far and at most, and how many runs are done."""

    label: str
    step: int
    steps: int
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingNow:
    """What is being trained; ``seconds_left`` is None while too little is done to tell."""

    model_steps_per_second: float
    seconds_left: float | None
    stacks: tuple[StackInTraining, ...]


def progress_file(store: str | Path) -> Path:
    """Return the file that says how far training into a store is."""
    return Path(f"{store}.progress")


class ProgressFile:
    """Writes the file of a store; a disk that is full does not stop the training."""

    def __init__(
        self, store: str | Path, stacks: Sequence[StackPlan], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = progress_file(store)
        self._clock = clock
        self._plans = stacks
        self._pace = Pace(stacks, clock)
        self._running: dict[int, StackProgress] = {}
        self._written: float | None = None

    def __enter__(self) -> ProgressFile:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def note(self, event: Event) -> None:
        """Take in what has happened, and write it if some seconds have passed."""
        self._pace.note(event)
        if isinstance(event, StackProgress):
            self._running[event.stack] = event
        elif isinstance(event, StackDone):
            self._running.pop(event.stack, None)
        else:
            return
        if self._written is None or self._clock() - self._written >= _SECONDS_BETWEEN:
            with suppress(UnreadableFileError):
                write_text(self._path, json.dumps(asdict(self._now()) | {"time": time.time()}) + "\n")
            self._written = self._clock()

    def _now(self) -> TrainingNow:
        return TrainingNow(
            model_steps_per_second=self._pace.speed,
            seconds_left=self._pace.seconds_left,
            stacks=tuple(
                StackInTraining(label=self._plans[number].label, step=event.step, steps=event.steps, done=event.done)
                for number, event in sorted(self._running.items())
            ),
        )


def read_training(store: str | Path, is_writing: bool | None) -> TrainingNow | None:
    """Return what is being trained into a store; None if no process says it, or if none is at work any more."""
    if is_writing is False:
        return None
    try:
        data = json.loads(progress_file(store).read_text(encoding="utf-8"))
        if is_writing is None and not 0 <= time.time() - data["time"] <= _OLD:
            return None
        left = data["seconds_left"]
        return TrainingNow(
            model_steps_per_second=_number(data["model_steps_per_second"]),
            seconds_left=None if left is None else _number(left),
            stacks=tuple(_stack(each) for each in data["stacks"]),
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError):  # there is none, or it is none of ours
        return None


def _stack(data: Any) -> StackInTraining:
    found = StackInTraining(**data)
    counts = (found.step, found.steps, found.done)
    if not isinstance(found.label, str) or not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("a stack has a label and counts")
    return found


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not isfinite(value) or value < 0:
        raise ValueError("not a number from 0 on")
    return float(value)
