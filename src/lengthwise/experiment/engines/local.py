"""The local engine: one single-threaded training process per core, or a few for each GPU.

On a GPU one process compiles, evaluates or makes batches while another one trains, so that it is not idle meanwhile, and their
kernels run side by side where that is possible (gpu_sharing). Signals
to stop reach this process only, which then ends the others; what they had not finished is trained again next time.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from pathlib import Path

from ...errors import InvalidOptionError, TrainingFailedError
from ..interrupts import interrupts_deferred
from ..plan import Choice, Run, StackPlan
from ..sizing import is_worth_compiling
from .gpu_sharing import shared_gpus
from .stack_queue import StackQueue
from .work import (
    Checkpoints,
    Event,
    Notice,
    RunsDone,
    SizesTried,
    StackDone,
    StackProgress,
    checkpoint_of,
    slots_begun,
)
from .worker import Orders, Worker

_WORKERS_PER_GPU = 3  # one compiles, makes batches or saves while another one trains


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


@dataclass(frozen=True, slots=True)
class Local:
    """This machine: a process per core, or a few for each GPU."""

    def choose_device(self, asked: str | None) -> str:
        """Return what is asked for, or a GPU if there is one."""
        return choose_device(asked)

    def count_workers(self, asked: int | None, device: str) -> int:
        """Return how many processes train."""
        return asked or default_workers(device)

    def count_devices(self, device: str) -> int:
        """Return the number of processor cores or of GPUs."""
        return count_devices(device)

    def checkpoints_of(self, store: Path) -> Path:
        """Return a folder beside the store."""
        return Path(f"{store}.checkpoints")

    def begun_before(
        self, runs: Sequence[Run], finished: set[str], planned: Iterable[Sequence[str]], checkpoints: Path, device: str
    ) -> list[StackPlan]:
        """Return the stacks that were cut off in training and have left a checkpoint, with the members they had."""
        known = {run.id: run for run in runs}
        again: list[StackPlan] = []
        taken: set[str] = set()
        for members in planned:
            missing = [member for member in members if member not in finished]
            if not missing or taken.intersection(members) or not all(member in known for member in members):
                continue
            plan = StackPlan(
                runs=tuple(known[member] for member in members), finished=frozenset(finished.intersection(members))
            )
            slots = slots_begun(checkpoint_of(plan, checkpoints), device)
            if slots is not None:
                compiled = device == "cuda" and is_worth_compiling(plan.runs[0], len(missing))[0]
                choice = Choice(models=slots, compiled=compiled, reason=f"{slots} models, as they were begun before")
                again.append(replace(plan, choice=choice))
                taken.update(members)
        return again

    def train(
        self,
        stacks: Sequence[StackPlan],
        *,
        store: Path,  # noqa: ARG002  # of no use here
        workers: int,
        device: str,
        checkpoints: Checkpoints,
        models: Path | None,
    ) -> Generator[Event]:
        """Train all stacks in processes of this machine."""
        return train_locally(stacks, workers=workers, device=device, checkpoints=checkpoints, models=models)


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
    queue = StackQueue(stacks, checkpoints)
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
