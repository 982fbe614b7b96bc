"""The local engine: one single-threaded training process per core, or a few for each GPU.

On a GPU one process compiles, evaluates or makes batches while another one trains, so that it is not idle meanwhile, and their
kernels run side by side where that is possible (gpu_sharing). Signals
to stop reach this process only, which then ends the others; what they had not finished is trained again next time.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path

from ...errors import InvalidOptionError, LengthwiseError, TrainingFailedError
from ..interrupts import interrupts_deferred
from ..plan import StackPlan
from .gpu_sharing import shared_gpus
from .work import Checkpoints, Event, Notice, RunsDone, SizesTried, StackDone, StackProgress, checkpoint_of
from .worker import Orders, Worker

_WORKERS_PER_GPU = 3  # one compiles, makes batches or saves while another one trains
_TIMES_AGAIN = 2  # that a stack goes back into the queue because its process has ended


def choose_device(asked: str | None) -> str:
    """Return "cuda" or "cpu": what is asked for, or a GPU if there is one."""
    import torch

    has_gpu = torch.cuda.is_available()
    if asked == "cuda" and not has_gpu:
        raise InvalidOptionError(
            f"device 'cuda' was asked for, but torch {torch.__version__} finds no GPU here.", hint="use --device cpu."
        )
    return asked or ("cuda" if has_gpu else "cpu")


def count_devices(device: str) -> int:
    """Return the number of processor cores or of GPUs."""
    if device == "cpu":
        return os.cpu_count() or 1
    import torch

    return torch.cuda.device_count()


def default_workers(device: str) -> int:
    """Return how many workers suit a device."""
    return count_devices(device) * (1 if device == "cpu" else _WORKERS_PER_GPU)


def train_locally(
    stacks: Sequence[StackPlan],
    *,
    workers: int | None = None,
    device: str = "cpu",
    checkpoints: Checkpoints | None = None,
    models: Path | None = None,
) -> Generator[Event]:
    """Train all stacks; yield progress, and results as soon as runs are done, in any order.

    The stack of a process that ends goes back into the queue, twice at most; one that does not fit into memory goes back with
    half as many slots. Other stacks go on meanwhile. What failed for good is raised at the end.
    """
    if not stacks:
        return
    queue = _Queue(stacks, checkpoints)
    num_workers = max(1, min(len(stacks), workers or default_workers(device)))
    started: list[Worker] = []
    sharing = ExitStack()
    variables: Mapping[str, str] = {}

    def start(number: int) -> Worker:
        with interrupts_deferred():
            worker = Worker(Orders(_device_of(number, device), checkpoints, models), variables)
            started.append(worker)
        worker.give(*queue.take())
        return worker

    try:
        if device == "cuda" and num_workers > count_devices(device):
            variables = sharing.enter_context(shared_gpus())
        busy = {(worker := start(number)).connection: (number, worker) for number in range(num_workers)}
        while busy:
            for connection in wait(list(busy)):
                number, worker = busy[connection]  # type: ignore[index]  # wait returns what it was given
                event = _receive(worker)
                if isinstance(event, (StackProgress, RunsDone, Notice, SizesTried)):
                    queue.note(event)
                    yield event
                    continue
                del busy[worker.connection]
                if isinstance(event, StackDone):
                    yield event
                else:
                    yield Notice(text=queue.give_back(worker.place, event))
                if not queue.is_empty and worker.process.poll() is None:
                    worker.give(*queue.take())
                    busy[worker.connection] = (number, worker)
                elif not queue.is_empty:
                    again = start(number)
                    busy[again.connection] = (number, again)
        queue.raise_failures()
    finally:
        with interrupts_deferred():
            for worker in started:
                worker.end()
            sharing.close()


class _Queue:
    """The stacks that wait, what became of those that failed, and which of their runs are done."""

    def __init__(self, stacks: Sequence[StackPlan], checkpoints: Checkpoints | None) -> None:
        self._stacks = list(stacks)
        self._checkpoints = checkpoints
        self._waiting = list(range(len(stacks)))
        self._deaths = [0] * len(stacks)
        self._failures: list[tuple[str, BaseException]] = []  # with the stack

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def take(self) -> tuple[int, StackPlan]:
        """Return the next stack and its number."""
        number = self._waiting.pop(0)
        return number, self._stacks[number]

    def note(self, event: Event) -> None:
        """Remember which runs are done: they are not trained again if their stack goes back."""
        if isinstance(event, RunsDone):
            plan = self._stacks[event.stack]
            done = plan.finished | {result.id for result in event.results}
            self._stacks[event.stack] = replace(plan, finished=done)

    def give_back(self, number: int, error: BaseException) -> str:
        """Put a stack that failed back into the queue, if it may go better; return what is done about it."""
        plan = self._stacks[number]
        if isinstance(error, TrainingFailedError) and error.slots > 1:
            half = error.slots // 2
            if self._checkpoints is not None:  # it is of too many slots
                checkpoint_of(plan, self._checkpoints.folder).unlink(missing_ok=True)
            reason = f"{half} models, half of what did not fit into memory"
            self._stacks[number] = replace(plan, choice=replace(plan.choice, models=half, reason=reason))
            self._waiting.insert(0, number)
            return f"{error.message} It is trained with {half} at once."
        if isinstance(error, TrainingFailedError) and error.has_died and self._deaths[number] < _TIMES_AGAIN:
            self._deaths[number] += 1
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


def _device_of(number: int, device: str) -> str:
    """Return the GPU of a worker: each in turn."""
    if device != "cuda":
        return device
    import torch

    return f"cuda:{number % torch.cuda.device_count()}"


def _receive(worker: Worker) -> Event | BaseException:
    """Return the next event of a worker, what it failed with, or that it has died."""
    try:
        event: Event | BaseException = worker.connection.recv()
    except (EOFError, OSError):  # the second if it ended in the middle of a message
        code = worker.process.wait()
        return TrainingFailedError(
            f"a training process ended {_ending(code)}.",
            hint="it may have run out of memory; finished runs are kept, so run the same command again.",
            has_died=True,
        )
    return event


def _ending(code: int) -> str:
    return f"with exit code {code}" if code >= 0 else f"by signal {-code}"
