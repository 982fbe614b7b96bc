"""A job on a cluster: trains one stack of a work folder, like a local worker, and appends what it finishes to a file of its own.

Its arguments are FOLDER KEY --job JOB [--file USER_FILE]…

Exit codes: 0 all runs of the stack are trained and written; 1 training failed, and the last line of the results says why; 2 the work
folder or the plan cannot be used; 3 results could not be written; 75 the stack belongs to another job by now.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...encodings.core.choice import encoding_files
from ...errors import InvalidOptionError, LengthwiseError
from ...tasks.core.catalog import task_files
from ..plan import StackPlan
from .leases import Heartbeat
from .result_files import ResultReader, ResultWriter
from .work import Checkpoints, Event, Machine, Notice, RunsDone, StackDone, StackProgress
from .work_folder import Assignment, WorkFolder, open_work_folder
from .worker import Orders, end_with_driver, prepare_device, train_stack

DONE, FAILED, UNUSABLE, UNWRITTEN, LOST = 0, 1, 2, 3, 75

_TRIES_TO_WRITE = 5  # at the end, a second apart: somebody may be making room


def main(arguments: Sequence[str] | None = None) -> int:
    """Train one stack; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="the work folder")
    parser.add_argument("key", help="the stack, a name of a file in the folder's stacks")
    parser.add_argument("--job", required=True, help="what the cluster calls this job")
    parser.add_argument("--file", action="append", default=[], help="a task or encoding file that may be opened")
    parser.add_argument("--lifeline", type=int, help="end when this pipe is closed")
    options = parser.parse_args(arguments)
    if options.lifeline is not None:
        threading.Thread(target=end_with_driver, args=(options.lifeline,), daemon=True).start()
    try:
        folder = open_work_folder(options.folder)
        assignment = folder.read(options.key)
        _require_named_files(assignment.plan, options.file)
    except LengthwiseError as error:
        print(error, file=sys.stderr)
        return UNUSABLE
    return _Attempt(folder, assignment, options.job).train()


def _require_named_files(plan: StackPlan, named: Sequence[str]) -> None:
    """Raise if a plan asks for a file of the user that the command line does not name: data runs no code."""
    for run in plan.runs:
        for file in (*task_files(run.task), *encoding_files(run.encoding)):
            if file not in named:
                raise InvalidOptionError(
                    f"the plan asks for the file {file!r}, which this job may not open.",
                    hint="only files that 'lengthwise run' was given are opened.",
                )


@dataclass(slots=True)
class _Attempt:
    """One attempt of a job to train a stack."""

    folder: WorkFolder
    assignment: Assignment
    job: str

    def train(self) -> int:
        """Train what earlier attempts have not finished; return the exit code."""
        key = self.assignment.key
        attempt = secrets.token_hex(8)
        plan = self._without_finished()
        writer = ResultWriter(self.folder.results / f"{key}.{attempt}.jsonl")
        seconds = self.assignment.seconds_per_beat
        heartbeat = Heartbeat(self.folder, key, attempt=attempt, job=self.job, seconds=seconds, on_lost=_end_as_lost)
        try:
            found = self._train(plan, writer, heartbeat)
        except BaseException as error:  # an interrupt, or a mistake outside of training
            writer.add_ending(self.job, error)
            raise
        heartbeat.stop()
        failure = None if isinstance(found, StackDone) else found
        if failure is not None:
            traceback.print_exception(failure)
        writer.add_ending(self.job, failure)
        return (DONE if failure is None else FAILED) if _is_flushed(writer) else UNWRITTEN

    def _without_finished(self) -> StackPlan:
        """Return the plan without runs that earlier attempts have finished and that the collector may not have seen."""
        plan = self.assignment.plan
        members = frozenset(run.id for run in plan.runs)
        reader = ResultReader(folder=self.folder, key=self.assignment.key, members=members)
        reader.read()
        return replace(plan, finished=plan.finished | reader.seen)

    def _train(self, plan: StackPlan, writer: ResultWriter, heartbeat: Heartbeat) -> StackDone | Exception:
        def report(event: Event) -> None:
            if isinstance(event, RunsDone):
                for result in event.results:
                    writer.add_result(result)
            elif isinstance(event, Notice):
                writer.add_notice(event.text)
            elif isinstance(event, StackProgress):
                heartbeat.progress = event

        if all(run.id in plan.finished for run in plan.runs):
            return StackDone(stack=0, results=())
        try:
            device = _device(self.assignment.device)
            prepare_device(device)
        except LengthwiseError as error:
            return error
        assignment = self.assignment
        checkpoints = Checkpoints(folder=self.folder.checkpoints, seconds=assignment.seconds_per_checkpoint)
        models = self.folder.models if assignment.keep else None
        return train_stack(Machine(device), Orders(device, checkpoints, models), 0, plan, report)


def _device(asked: str) -> str:
    """Return the device of this job: the first GPU that the cluster lets it see, or the processor."""
    from .local import choose_device

    return "cuda:0" if choose_device(asked) == "cuda" else "cpu"


def _is_flushed(writer: ResultWriter) -> bool:
    """Return whether all lines could be written, at last."""
    for left in reversed(range(_TRIES_TO_WRITE)):
        try:
            writer.flush()
            return True
        except OSError as error:
            print(f"cannot write results: {error.strerror}.", file=sys.stderr)
        time.sleep(1 if left else 0)
    return False


def _end_as_lost(reason: str) -> None:
    """End at once, because nobody would take the results."""
    print(f"this job ends: {reason}.", file=sys.stderr, flush=True)
    os._exit(LOST)


if __name__ == "__main__":
    sys.exit(main())
