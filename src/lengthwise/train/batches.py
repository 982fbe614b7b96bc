"""Batches for a stack: every model draws its own data, from its own seed."""

from __future__ import annotations

from ..arrays import Arrays
from ..seeds import Draw
from ..tasks.task import Batch, Task


def make_batch(task: Task, lengths: tuple[int, ...], batch: int, draw: Draw, xp: Arrays) -> Batch:
    """Return random instances whose lengths are uniform over those given; a batch is a function of its draw."""
    choice = draw.named("length").integers(len(lengths), (batch,))
    return task.sample(draw.named("instance"), xp.asarray(lengths)[choice], max(lengths), xp)
