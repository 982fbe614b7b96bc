"""The stacks of an experiment that wait for an engine, and what becomes of those that fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...errors import LengthwiseError, TrainingFailedError
from ..plan import StackPlan
from .work import Checkpoints, Event, RunsDone, checkpoint_of

_TIMES_AGAIN = 2  # that a stack goes back into the queue because its process has ended


class StackQueue:
    """The stacks that wait, what became of those that failed, and which of their runs are done."""

    def __init__(self, stacks: Sequence[StackPlan], checkpoints: Checkpoints | None) -> None:
        self._stacks = list(stacks)
        self._checkpoints = checkpoints
        self._waiting = list(range(len(stacks)))
        self._deaths: Counter[tuple[int, str]] = Counter()
        self._failures: list[tuple[str, BaseException]] = []  # with the stack

    @property
    def is_empty(self) -> bool:
        """Whether no stack waits; others may be in training."""
        return not self._waiting

    def take(self) -> tuple[int, StackPlan]:
        """Return the next stack and its number."""
        number = self._waiting.pop(0)
        return number, self._stacks[number]

    def take_out(self, number: int) -> None:
        """Let a stack wait no more, because it is in training already."""
        self._waiting.remove(number)

    def put_back(self, number: int) -> None:
        """Let a stack wait that could not be given to anybody; it is the next one."""
        self._waiting.insert(0, number)

    def note(self, event: Event) -> None:
        """Remember which runs are done: they are not trained again if their stack goes back."""
        if isinstance(event, RunsDone):
            plan = self._stacks[event.stack]
            done = plan.finished | {result.id for result in event.results}
            self._stacks[event.stack] = replace(plan, finished=done)

    def plan(self, number: int) -> StackPlan:
        """Return a stack as it is now, with the runs that are done."""
        return self._stacks[number]

    def give_back(self, number: int, error: BaseException, kind: str = "") -> str:
        """Put a stack that failed back into the queue, if it may go better; return what is done about it.

        A stack whose process or job has died goes back twice for each ``kind`` of death.
        """
        plan = self._stacks[number]
        if isinstance(error, TrainingFailedError) and error.slots > 1:
            half = error.slots // 2
            if self._checkpoints is not None:  # it is of too many slots
                checkpoint_of(plan, self._checkpoints.folder).unlink(missing_ok=True)
            reason = f"{half} models, half of what did not fit into memory"
            self._stacks[number] = replace(plan, choice=replace(plan.choice, models=half, reason=reason))
            self._waiting.insert(0, number)
            return f"{error.message} It is trained with {half} at once."
        if isinstance(error, TrainingFailedError) and error.has_died and self._deaths[number, kind] < _TIMES_AGAIN:
            self._deaths[number, kind] += 1
            self._waiting.insert(0, number)
            return f"{error.message} {plan.label} goes on in a new one."
        self._failures.append((plan.label, error))
        return f"{_message_of(error)} {plan.label} is given up."

    def raise_failures(self) -> None:
        """Raise if stacks were given up: a mistake of ours first, otherwise what went wrong, with the stacks by name."""
        for _, error in self._failures:
            if not isinstance(error, LengthwiseError):
                raise error
        if not self._failures:
            return
        first = self._failures[0][1]
        if len(self._failures) == 1 and not isinstance(first, TrainingFailedError):
            raise first  # it says itself what is wrong with a task or an encoding
        stacks_of: dict[str, list[str]] = {}
        for label, error in self._failures:
            stacks_of.setdefault(_message_of(error), []).append(label)
        told = " ".join(f"{message} This stopped {_listed(labels)}." for message, labels in stacks_of.items())
        number = f"{len(self._failures)} stacks were given up. " if len(self._failures) > 1 else ""
        raise TrainingFailedError(f"{number}{told}", hint=getattr(first, "hint", ""))


_MOST_NAMED = 10  # stacks that an error lists


def _listed(labels: Sequence[str]) -> str:
    """Return the names of stacks, so many at most."""
    named = ", ".join(labels[:_MOST_NAMED])
    more = len(labels) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _message_of(error: BaseException) -> str:
    return error.message if isinstance(error, LengthwiseError) else f"{type(error).__name__}: {error}."
