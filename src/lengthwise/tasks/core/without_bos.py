"""Tasks without the token that begins every instance."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from .task import BOS, Batch, Task


def without_bos(task: Task) -> Task:
    """Return the task with instances that lack their first token; what was scored there is not asked for."""
    return _WithoutBOS(task)


class _WithoutBOS(Task):
    """A task whose instances begin one token later."""

    def __init__(self, task: Task) -> None:
        self.whole = task
        self.name, self.definition, self.length_means = task.name, task.definition, task.length_means
        self.objective, self.symbols, self.facts = task.objective, task.symbols, task.facts
        self.citation, self.revision, self.attempts = task.citation, task.revision, task.attempts
        self.host_only = task.host_only

    @property
    def min_length(self) -> int:  # type: ignore[override]
        """That of the whole task, or the first length that leaves something to score."""
        shortest = self.whole.min_length
        return next(length for length in range(shortest, shortest + 3) if len(self.scored(length)))

    @property
    def num_outputs(self) -> int:
        """As many as in the whole task."""
        return self.whole.num_outputs

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that leave something to score."""
        return tuple(length for length in self.whole.lengths(low, high) if len(self.scored(length)))

    def size(self, length: int) -> int:
        """Return one token less."""
        return self.whole.size(length) - 1

    def scored(self, length: int) -> range:
        """Return the places that are scored, one earlier, without the first token's."""
        places = self.whole.scored(length)
        if places.start == 0:
            places = places[1:]
        return range(places.start - 1, places.stop - 1, places.step)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the right answer, without what was asked for at the first token."""
        answer = self.whole.answer(prompt)
        return answer[1:] if self.whole.scored(len(prompt)).start == 0 else answer

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances without their first token."""
        batch = self.whole.sample(draw, lengths_MB, max_length, xp)
        return Batch(
            tokens_MBL=batch.tokens_MBL[..., 1:],
            targets_MBL=batch.targets_MBL[..., 1:],
            sizes_MB=batch.sizes_MB - 1,
            scale_MB=batch.scale_MB,
        )

    def roles(self, batch: Batch, xp: Arrays) -> Array | None:
        """Return the roles of the whole task, one token later."""
        roles = self.whole.roles(self._with_bos(batch, xp), xp)
        return None if roles is None else roles[..., 1:]

    def _with_bos(self, batch: Batch, xp: Arrays) -> Batch:
        """Return instances of the whole task; what their targets are is not asked for."""
        shape = tuple(batch.tokens_MBL.shape)
        bos = xp.broadcast(xp.asarray([self.token(BOS)]), (*shape[:-1], 1))
        tokens = xp.concat_last([bos, batch.tokens_MBL])
        return Batch(tokens_MBL=tokens, targets_MBL=tokens, sizes_MB=batch.sizes_MB + 1, scale_MB=batch.scale_MB)

    def read_back(self, tokens: Sequence[int], targets: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the prompt of one instance and the answer that its targets state."""
        return self.whole.read_back([self.token(BOS), *tokens], targets)
