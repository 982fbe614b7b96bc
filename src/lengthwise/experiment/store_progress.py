"""How far an experiment is, as its store tells it to a second process.

Reading takes one short connection that never writes, so the process that trains is not kept waiting. A store knows which
runs were planned in which stacks and which of them are finished. Steps are in a file beside it (``progress_file``).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .progress_file import TrainingNow, read_training
from .rows import Result
from .store import read_store

_LATEST = 200  # runs that the pace is taken from
_WINDOW = 600.0  # seconds before now that the pace is taken from
_TOGETHER = 2.0  # seconds; times in a store are whole seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStack:
    """A planned stack: how many of its runs are finished."""

    label: str
    planned: int
    finished: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreProgress:
    """What a store says at one moment; ``latest`` has the runs that were saved last, the newest first.

    ``runs_per_minute`` is None until runs have finished at two moments within ten minutes. ``is_writing`` says whether a process
    has the store open for writing, None where the system does not tell. ``training`` has the stacks in training with their steps.
    """

    planned: int
    finished: int
    stacks: tuple[PlannedStack, ...]
    latest: tuple[Result, ...]
    runs_per_minute: float | None
    is_writing: bool | None
    training: TrainingNow | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every planned run is finished."""
        return 0 < self.planned == self.finished

    @property
    def seconds_left(self) -> float | None:
        """The time for the runs that are left: by the steps of those in training or else by the pace of runs, if that is known."""
        if self.is_complete:
            return None
        if self.training is not None and self.training.seconds_left is not None:
            return self.training.seconds_left
        if not self.runs_per_minute:
            return None
        return 60 * (self.planned - self.finished) / self.runs_per_minute


def read_progress(path: str | Path, now: datetime | None = None) -> StoreProgress:
    """Return how far the experiment of a store is; raise if there is no store."""
    place = Path(path)
    nothing = StoreProgress(
        planned=0, finished=0, stacks=(), latest=(), runs_per_minute=None, is_writing=is_being_written(place)
    )
    if place.is_file() and not place.stat().st_size:  # another process has just begun to make it
        return nothing
    with read_store(place, may_be_empty=True) as store:
        if store.is_empty:
            return nothing
        planned, finished, latest = store.stacks(), store.finished(), store.latest(_LATEST)
    runs = {run for _, members in planned for run in members}
    return StoreProgress(
        planned=len(runs),
        finished=len(runs & finished),
        stacks=_stacks(planned, finished),
        latest=tuple(latest),
        runs_per_minute=_pace(latest, now or datetime.now(UTC)),
        is_writing=nothing.is_writing,
        training=read_training(place, nothing.is_writing),
    )


def _stacks(planned: Sequence[tuple[str, list[str]]], finished: set[str]) -> tuple[PlannedStack, ...]:
    """Return the stacks in the order of planning; a run that was planned again counts in its latest stack only."""
    latest = {run: number for number, (_, members) in enumerate(planned) for run in members}
    stacks = []
    for number, (label, members) in enumerate(planned):
        own = [run for run in members if latest[run] == number]
        if own:
            stacks.append(PlannedStack(label=label, planned=len(own), finished=sum(run in finished for run in own)))
    return tuple(stacks)


def _pace(latest: Sequence[Result], now: datetime) -> float | None:
    """Return how many runs finish in a minute, over the time since the first one of the last ten minutes.

    Runs of a stack often finish together. Those that finished with the first one are not counted: they were trained before
    that time began.
    """
    ages = [(now - moment).total_seconds() for result in latest if (moment := _finished_at(result)) is not None]
    recent = [age for age in ages if 0 <= age <= _WINDOW]
    first = max(recent, default=0.0)
    later = sum(age < first - _TOGETHER for age in recent)
    return 60 * later / first if later else None


def _finished_at(result: Result) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(result.provenance.get("finished")))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


_LOCKS = Path("/proc/locks")


def is_being_written(place: Path, locks: Path = _LOCKS) -> bool | None:
    """Return whether a process holds the lock of a store, by the system's own list of locks; None where there is none.

    Trying the lock would answer too, but a writer that starts at that moment would find the store in use.
    """
    try:
        found, text = os.stat(place), locks.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    file = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    return any(
        "FLOCK" in fields and "WRITE" in fields and file in fields for fields in map(str.split, text.splitlines())
    )
