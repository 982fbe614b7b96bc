"""The local engine: one single-threaded worker process per core.

Workers are fresh processes (spawn), take stacks from a queue and put events into another. Ctrl-C reaches the driver
only, which then ends the workers; what they had not finished is trained again next time.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import TrainingFailedError
from ..plan import StackPlan
from .work import StackDone, StackProgress, train_planned

_PATIENCE = 1.0  # seconds between looks at whether the workers still live


def train_locally(stacks: Sequence[StackPlan], *, workers: int | None = None) -> Iterator[StackProgress | StackDone]:
    """Train all stacks; yield progress, and each stack's results as soon as it is done, in any order."""
    if not stacks:
        return
    num_workers = max(1, min(len(stacks), workers or os.cpu_count() or 1))
    context = multiprocessing.get_context("spawn")
    tasks: Any = context.Queue()
    events: Any = context.Queue()
    for item in enumerate(stacks):
        tasks.put(item)
    for _ in range(num_workers):
        tasks.put(None)
    processes = [context.Process(target=_work, args=(tasks, events), daemon=True) for _ in range(num_workers)]
    with _one_thread_each():
        for process in processes:
            process.start()
    remaining = len(stacks)
    try:
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
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _work(tasks: Any, events: Any) -> None:
    """Train stacks until there are none left; the target of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import torch

    torch.set_num_threads(1)
    while (item := tasks.get()) is not None:
        number, plan = item
        try:
            events.put(train_planned(number, plan, "cpu", events.put))
        except Exception as error:
            events.put(error)
            return


def _require_alive(processes: Sequence[Any]) -> None:
    for process in processes:
        if process.exitcode not in (None, 0):
            raise TrainingFailedError(
                f"a training process ended with exit code {process.exitcode}.",
                hint="it may have run out of memory; finished runs are kept, so run the same command again.",
            )


class _one_thread_each:  # noqa: N801
    """Child processes started inside see OMP_NUM_THREADS=1."""

    def __enter__(self) -> None:
        self._before = os.environ.get("OMP_NUM_THREADS")
        os.environ["OMP_NUM_THREADS"] = "1"

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = self._before
