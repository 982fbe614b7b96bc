"""What every engine offers to the driver of an experiment."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from ..plan import Run, StackPlan
from .work import Checkpoints, Event


class Engine(Protocol):
    """Where stacks are trained. The driver plans stacks for it, takes its events, and alone writes the store."""

    def choose_device(self, asked: str | None) -> str:
        """Return "cpu" or "cuda": what is asked for, or what suits."""

    def count_workers(self, asked: int | None, device: str) -> int:
        """Return how many stacks train at once."""

    def count_devices(self, device: str) -> int:
        """Return how many processor cores or GPUs there are for them."""

    def checkpoints_of(self, store: Path) -> Path:
        """Return the folder for checkpoints of a store."""

    def begun_before(
        self, runs: Sequence[Run], finished: set[str], planned: Iterable[Sequence[str]], checkpoints: Path, device: str
    ) -> list[StackPlan]:
        """Return the stacks of these runs that were begun and not finished, as they were begun."""

    def train(
        self,
        stacks: Sequence[StackPlan],
        *,
        store: Path,
        workers: int,
        device: str,
        checkpoints: Checkpoints,
        models: Path | None,
    ) -> Generator[Event]:
        """Train all stacks; yield progress and results. What failed for good is raised at the end."""
