"""A training process: takes stacks from a connection, trains them, and sends back events until there is no more work.

It is started by its module name, not as a copy of the program that uses lengthwise, so that a plain script needs no guard
around its main part.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import NamedTuple

from ...encodings.core.choice import encoding_files
from ...errors import LengthwiseError, TrainingFailedError, UserCodeError
from ...tasks.user.source import describe
from ..plan import StackPlan
from .work import Checkpoints, Event, Machine, StackDone

_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[3:]; "
    "from lengthwise.experiment.engines.worker import serve; serve(int(sys.argv[1]), int(sys.argv[2]))"
)


class Orders(NamedTuple):
    """What every stack of a worker has in common."""

    device: str
    checkpoints: Checkpoints | None
    models: Path | None


class Worker:
    """A training process, seen from the one that started it."""

    def __init__(self, orders: Orders, variables: Mapping[str, str] | None = None) -> None:
        self.connection, theirs = Pipe()
        alive, self._lifeline = os.pipe()  # closed by the system when this process ends, however it does
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), str(alive), *sys.path],
                pass_fds=(theirs.fileno(), alive),
                stdin=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1", **(variables or {})},
            )
        finally:
            theirs.close()
            os.close(alive)
        self.place = -1  # the number of the stack in training
        self._send(orders)

    def give(self, place: int, plan: StackPlan) -> None:
        """Send a stack to be trained; ``place`` is its number in the plan."""
        self.place = place
        self._send((place, plan))

    def _send(self, message: object) -> None:
        with suppress(BrokenPipeError):  # it has ended; reading from it says so
            self.connection.send(message)

    def end(self) -> None:
        """End the process at once; what it had not sent is trained again next time."""
        self.process.kill()
        self.process.wait()
        self.connection.close()
        os.close(self._lifeline)


def serve(connection_handle: int, lifeline: int) -> None:
    """Train what comes from the connection until it is closed."""
    threading.Thread(target=end_with_driver, args=(lifeline,), daemon=True).start()
    connection = Connection(connection_handle)
    try:
        orders: Orders = connection.recv()
        prepare_device(orders.device)
        machine = Machine(orders.device)
        while True:
            place, plan = connection.recv()
            connection.send(train_stack(machine, orders, place, plan, connection.send))
    except (EOFError, BrokenPipeError):
        return  # nobody waits for results any more


def prepare_device(device: str) -> None:
    """Let torch use one thread, and one GPU if there is any to use."""
    import torch

    torch.set_num_threads(1)
    if device.startswith("cuda"):
        torch.cuda.set_device(device)


def train_stack(
    machine: Machine, orders: Orders, place: int, plan: StackPlan, report: Callable[[Event], None]
) -> StackDone | Exception:
    """Return the results of a stack, or what kept it from being trained."""
    import torch

    try:
        return machine.train(place, plan, report, checkpoints=orders.checkpoints, models=orders.models)
    except torch.cuda.OutOfMemoryError:
        machine.release()
        return TrainingFailedError(
            f"{machine.slots} models of {plan.label} do not fit into the memory of {orders.device}.",
            hint=f"run the same command with --models-per-stack {max(1, machine.slots // 2)}; what is finished is kept.",
            slots=machine.slots,
        )
    except Exception as error:
        files = encoding_files(plan.runs[0].encoding)
        if files and not isinstance(error, LengthwiseError):
            return UserCodeError(
                f"training with {' and '.join(files)} failed: {describe(error, files[0])}.",
                hint=f"lengthwise check {files[0]} looks for what is wrong.",
            )
        error.add_note(f"In the training process:\n{traceback.format_exc()}")
        return error


def end_with_driver(lifeline: int) -> None:
    """Wait for the process that started this one to end, however it does, and end too: nobody would take the results."""
    os.read(lifeline, 1)
    os._exit(1)
