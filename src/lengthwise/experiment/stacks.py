"""Runs that train together, as a stack; with torch, which planning runs does without."""

from __future__ import annotations

from collections.abc import Sequence

from ..tasks.catalog import find_task
from ..train.stack import Stack
from .plan import Run


def stack_of(runs: Sequence[Run], *, device: str = "cpu", compiled: bool | None = None) -> Stack:
    """Return the untrained stack of runs that differ in seed and learning rate alone."""
    first = runs[0]
    return Stack(
        task=find_task(first.task),
        encoding=first.encoding,
        shape=first.model,
        training=first.training,
        bins=first.bins,
        seeds=[run.seed for run in runs],
        rates=[run.learning_rate for run in runs],
        device=device,
        compiled=compiled,
        hard=first.hard,
    )
