"""The local engine: one single-threaded worker process per core, or a few for each GPU.

On a GPU one worker compiles or evaluates while the others train, so that it is not idle between stacks.
Workers are fresh processes (spawn), take stacks from a queue and put events into another. Ctrl-C reaches the driver
only, which then ends the workers; what they had not finished is trained again next time.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from ...errors import InvalidOptionError, TrainingFailedError
from ..interrupts import interrupts_deferred
from ..plan import StackPlan
from .work import Checkpoints, StackDone, StackProgress, train_planned

_PATIENCE = 1.0  # seconds between looks at whether the workers still live


_WORKERS_PER_GPU = 3


def choose_device(asked: str | None) -> str:
    """Return "cuda" or "cpu": what is asked for, or a GPU if there is one."""
    import torch

    has_gpu = torch.cuda.is_available()
    if asked == "cuda" and not has_gpu:
        raise InvalidOptionError(
            f"device 'cuda' was asked for, but torch {torch.__version__} finds no GPU here.", hint="use --device cpu."
        )
    return asked or ("cuda" if has_gpu else "cpu")


def default_workers(device: str) -> int:
    """Return how many workers suit a device."""
    if device == "cpu":
        return os.cpu_count() or 1
    import torch

    return _WORKERS_PER_GPU * torch.cuda.device_count()


def train_locally(
    stacks: Sequence[StackPlan],
    *,
    workers: int | None = None,
    device: str = "cpu",
    checkpoints: Checkpoints | None = None,
    models: Path | None = None,
) -> Iterator[StackProgress | StackDone]:
    """Train all stacks; yield progress, and each stack's results as soon as it is done, in any order."""
    if not stacks:
        return
    num_workers = max(1, min(len(stacks), workers or default_workers(device)))
    context = multiprocessing.get_context("spawn")
    tasks: Any = context.Queue()
    events: Any = context.Queue()
    for item in enumerate(stacks):
        tasks.put(item)
    for _ in range(num_workers):
        tasks.put(None)
    processes = [
        context.Process(target=_work, args=(tasks, events, device, number, checkpoints, models), daemon=True)
        for number in range(num_workers)
    ]
    remaining = len(stacks)
    try:
        with _one_thread_each(), interrupts_deferred():
            for process in processes:
                process.start()
        while remaining:
            try:
                event = events.get(timeout=_PATIENCE)
            except queue.Empty:
                _require_alive(processes)
                continue
            if isinstance(event, BaseException):
                raise event
            remaining -= isinstance(event, StackDone)
            yield event
    finally:
        tasks.cancel_join_thread()  # stacks nobody will take must not keep this process from ending
        started = [process for process in processes if process.pid is not None]
        for process in started:
            process.terminate()
        for process in started:
            process.join()


def _work(
    tasks: Any, events: Any, device: str, number: int, checkpoints: Checkpoints | None, models: Path | None
) -> None:
    """Train stacks until there are none left; the target of worker ``number``."""
    threading.Thread(target=_end_with_driver, daemon=True).start()
    import torch

    torch.set_num_threads(1)
    if device == "cuda":
        device = f"cuda:{number % torch.cuda.device_count()}"
        torch.cuda.set_device(device)
    while (item := tasks.get()) is not None:
        place, plan = item
        try:
            events.put(train_planned(place, plan, device, events.put, checkpoints=checkpoints, models=models))
            if device != "cpu":
                torch.cuda.empty_cache()
        except torch.cuda.OutOfMemoryError:
            events.put(
                TrainingFailedError(
                    f"{len(plan.runs)} models of {plan.label} do not fit into the memory of {device}.",
                    hint=f"run the same command with --models-per-stack {max(1, len(plan.runs) // 2)}; "
                    "what is finished is kept.",
                )
            )
            return
        except Exception as error:
            events.put(error)
            return


def _end_with_driver() -> None:
    """Wait for the driver to end, however it does, and end this worker: nobody would take its results."""
    driver = multiprocessing.parent_process()
    assert driver is not None
    wait([driver.sentinel])
    os._exit(1)


def _require_alive(processes: Sequence[Any]) -> None:
    """Raise if a worker has failed, or if none is left although there is work."""
    for process in processes:
        if process.exitcode not in (None, 0):
            raise TrainingFailedError(
                f"a training process ended with exit code {process.exitcode}.",
                hint="it may have run out of memory; finished runs are kept, so run the same command again.",
            )
    if all(process.exitcode is not None for process in processes):
        raise TrainingFailedError(
            "all training processes have ended, but work is left.",
            hint="finished runs are kept, so run the same command again; with --workers 1 an error shows more clearly.",
        )


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Child processes started inside see OMP_NUM_THREADS=1."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
