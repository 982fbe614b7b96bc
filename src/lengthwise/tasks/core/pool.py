"""A pool of ready instances, for tasks that are made one by one but must feed a program on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays, numpy_arrays
from ...seeds import DATA, Draw, open_stream
from .task import Batch, Task

PER_LENGTH = 2048
"""How many instances of each length a pool holds."""


class Pool:
    """Instances of every length, made beforehand in plain Python; a sample is drawn from them with repetition.

    The pool is a function of the task alone, not of a model's seed. Evaluation must not use it, so that what is scored
    was not in it.
    """

    def __init__(self, task: Task, lengths: Sequence[int], xp: Arrays, per_length: int = PER_LENGTH) -> None:
        host = numpy_arrays()
        longest = max(lengths)
        draw = open_stream(DATA, seed=0, xp=host).named("pool")
        rows = host.asarray([length for length in lengths for _ in range(per_length)])
        made = task.sample(draw, rows, longest, host)
        places = [0] * (longest + 1)
        for number, length in enumerate(lengths):
            places[length] = number * per_length
        self._first = xp.asarray(places)
        self._parts = [
            xp.asarray(part.copy()) for part in (made.tokens_MBL, made.targets_MBL, made.sizes_MB, made.scale_MB)
        ]
        self._per_length = per_length

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:  # noqa: ARG002
        """Return instances of these lengths out of the pool."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        chosen = self._first[lengths_MB] + draw.integers(self._per_length, (lengths_MB.shape[-1],))
        tokens, targets, sizes, scale = (part[chosen] for part in self._parts)
        return Batch(tokens_MBL=tokens, targets_MBL=targets, sizes_MB=sizes, scale_MB=scale)
