"""Batches for a stack: every model draws its own data, from its own seed."""

from __future__ import annotations

from ..arrays import Arrays
from ..seeds import Draw
from ..tasks.core.task import Batch, Task


def make_batch(
    task: Task, lengths: tuple[int, ...], batch: int, draw: Draw, xp: Arrays, longest: int | None = None
) -> Batch:
    """Return random instances whose lengths are uniform over those given; a batch is a function of its draw.

    They are padded to the longest of the lengths, or to an even longer one.
    """
    choice = draw.named("length").integers(len(lengths), (batch,))
    return task.sample(draw.named("instance"), xp.asarray(lengths)[choice], longest or max(lengths), xp)
