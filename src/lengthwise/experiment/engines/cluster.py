"""The collector: submits stacks to a cluster as jobs, takes in what they write, and submits again what has died.

What is true of a run is in the files of its stack alone. If this process is killed, the jobs go on; started again with the same
command, it takes in what they have written, waits for those that still run, and submits what is missing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from ...errors import LengthwiseError, TrainingFailedError, UnreadableFileError
from ...files import draft_of, make_folder_of
from ..models import model_path
from ..plan import Run, StackPlan
from ..store import Result
from .leases import LeaseWatch
from .result_files import Ending, ResultReader
from .stack_queue import StackQueue
from .work import Checkpoints, Event, Notice, RunsDone, StackDone
from .work_folder import Assignment, WorkFolder, key_of

_TRIES_TO_SUBMIT = 10  # in a row, before the cluster is taken to refuse for good


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds between looks, and those after which something is taken to have failed.

    A worker writes its lease at every ``beat``. After ``lease`` seconds without one its job is ended and submitted again. The cluster is
    asked for its jobs every ``ask`` seconds; a job that is over has ``settle`` seconds for its files to be seen.
    """

    poll: float = 1.0
    beat: float = 5.0
    lease: float = 120.0
    ask: float = 5.0
    settle: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that the cluster has not finished: the key of its stack, and whether it runs or waits."""

    key: str
    is_running: bool


class Jobs(Protocol):
    """The jobs of one work folder on a cluster."""

    cluster: str  # its name in sentences

    def submit(self, key: str) -> str:
        """Submit a job for a stack; return what the cluster calls it. Raise TrainingFailedError if it is refused."""

    def alive(self) -> Mapping[str, Job] | None:
        """Return the jobs that wait or run, by name, also those of an earlier collector; None if the cluster does not answer."""

    def ending_of(self, job: str) -> tuple[str, str]:
        """Return how a job ended: in a word, and as the end of a sentence."""

    def cancel(self, job: str) -> None:
        """End a job that does not answer, if it is still there."""

    def release(self, job: str) -> None:
        """Give back what a job holds that has finished its stack, though its process may still be ending."""

    def advice(self) -> str:
        """Return how to end all jobs by hand."""

    def close(self) -> None:
        """Let go of the cluster; what runs there goes on."""


@dataclass(slots=True, kw_only=True)
class _Submitted:
    """A stack with a job."""

    number: int
    key: str
    job: str
    watch: LeaseWatch
    reader: ResultReader
    submitted: float
    over_since: float | None = None
    ending: Ending | None = None
    results: list[Result] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Collector:
    """Trains stacks by jobs on a cluster, ``at_most`` at once."""

    jobs: Jobs
    folder: WorkFolder
    device: str
    seconds_per_checkpoint: float
    models: Path | None
    at_most: int
    patience: Patience
    clock: Callable[[], float] = time.monotonic
    _live: dict[int, _Submitted] = field(default_factory=dict)
    _readers: dict[int, ResultReader] = field(default_factory=dict)
    _results: dict[int, list[Result]] = field(default_factory=dict)
    _refusals: int = 0
    _has_submitted: bool = False
    _asked: float = float("-inf")
    _retry_at: float = float("-inf")
    _alive: Mapping[str, Job] | None = None

    def train(self, stacks: Sequence[StackPlan]) -> Generator[Event]:
        """Train all stacks; yield progress, and results as soon as they are seen."""
        queue = StackQueue(stacks, Checkpoints(folder=self.folder.checkpoints, seconds=self.seconds_per_checkpoint))
        yield from self._take_over(stacks, queue)
        while self._live or not queue.is_empty:
            yield from self._submit(queue)
            self._ask()
            for submitted in list(self._live.values()):
                yield from self._look(submitted, queue)
            if self._live or not queue.is_empty:
                time.sleep(self.patience.poll)
        queue.raise_failures()

    def _take_over(self, stacks: Sequence[StackPlan], queue: StackQueue) -> Generator[Event]:
        """Take in what an earlier collector has left: results that nobody has read, and jobs that wait or run."""
        found = self.jobs.alive()
        if found is None:
            raise TrainingFailedError(
                f"{self.jobs.cluster} does not answer.",
                hint="the same command goes on when it does; jobs are not lost.",
            )
        jobs = {job.key: name for name, job in found.items()}
        for number, plan in enumerate(stacks):
            key = key_of(plan)
            members = frozenset(run.id for run in plan.runs)
            self._readers[number] = ResultReader(folder=self.folder, key=key, members=members, seen=set(plan.finished))
            self._results[number] = []
            if not self._fits(plan):
                for file in self.folder.files_of(plan):
                    file.unlink(missing_ok=True)
                if key in jobs:
                    self.jobs.cancel(jobs[key])
            elif key in jobs:
                queue.take_out(number)
                self._live[number] = self._submitted(number, key, jobs[key])
        if self._live:
            yield Notice(text=f"{len(self._live)} jobs of {self.jobs.cluster} were submitted before, and go on.")

    def _fits(self, plan: StackPlan) -> bool:
        """Return whether what an earlier collector has left of a stack, if anything, is of use: models may be wanted now."""
        try:
            return self.models is None or self.folder.read(key_of(plan)).keep
        except UnreadableFileError:
            return not self.folder.plan_file(key_of(plan)).exists()

    def _submitted(self, number: int, key: str, job: str) -> _Submitted:
        return _Submitted(
            number=number,
            key=key,
            job=job,
            watch=LeaseWatch(self.folder.lease_file(key), self.clock),
            reader=self._readers[number],
            submitted=self.clock(),
            results=self._results[number],
        )

    def _submit(self, queue: StackQueue) -> Generator[Event]:
        """Submit waiting stacks until enough jobs are there."""
        while not queue.is_empty and len(self._live) < self.at_most and self.clock() >= self._retry_at:
            number, plan = queue.take()
            key = key_of(plan)
            yield from self._read(
                number, self._results[number], self._readers[number], queue
            )  # what an earlier job has left
            plan = queue.plan(number)
            if all(run.id in plan.finished for run in plan.runs):
                yield self._done(number, plan)
                continue
            self._write_plan(plan)
            try:
                job = self.jobs.submit(key)
            except TrainingFailedError as error:
                self._refusals += 1
                if not self._has_submitted or self._refusals >= _TRIES_TO_SUBMIT:
                    raise
                yield Notice(text=f"{error.message} It is tried again.")
                self._retry_at = self.clock() + self.patience.ask
                queue.put_back(number)
                return
            self._refusals = 0
            self._live[number] = self._submitted(number, key, job)
            if not self._has_submitted:
                self._has_submitted = True
                yield Notice(text=f"jobs go on if this command is ended. {self.jobs.advice()}")

    def _write_plan(self, plan: StackPlan) -> None:
        self.folder.write(
            Assignment(
                plan=plan,
                device=self.device,
                keep=self.models is not None,
                seconds_per_checkpoint=self.seconds_per_checkpoint,
                seconds_per_beat=self.patience.beat,
            )
        )

    def _ask(self) -> None:
        """Ask the cluster for its jobs, if that was not done lately."""
        if self.clock() - self._asked < self.patience.ask:
            return
        self._asked = self.clock()
        self._alive = self.jobs.alive()
        now = self.clock()
        for submitted in self._live.values():
            if self._alive is None or submitted.submitted >= self._asked:
                continue
            job = self._alive.get(submitted.job)
            if job is None:
                submitted.over_since = submitted.over_since or now
                continue
            submitted.over_since = None
            if not job.is_running:
                submitted.watch.rest()

    def _look(self, submitted: _Submitted, queue: StackQueue) -> Generator[Event]:
        """Take in what a job has written, and decide what becomes of its stack."""
        number, job = submitted.number, submitted.job
        progress = submitted.watch.look()
        if progress is not None:
            yield replace(progress, stack=number)
        endings = yield from self._read(number, submitted.results, submitted.reader, queue)
        submitted.ending = next((ending for ending in endings if ending.job == job), submitted.ending)
        plan = queue.plan(number)
        is_over = self._is_over(submitted)
        if all(run.id in plan.finished for run in plan.runs):
            if is_over:
                del self._live[number]
                self.jobs.release(job)
                yield self._done(number, plan)
            return
        failure = self._failure(submitted, is_over=is_over)
        if failure is not None:
            error, kind = failure
            self.jobs.cancel(job)
            del self._live[number]
            yield Notice(text=f"job {job}: {queue.give_back(number, error, kind)}")

    def _is_over(self, submitted: _Submitted) -> bool:
        """Return whether nothing more is to be expected from a job."""
        if submitted.ending is not None:
            return True
        over = submitted.over_since
        return over is not None and self.clock() - over >= self.patience.settle

    def _failure(self, submitted: _Submitted, *, is_over: bool) -> tuple[LengthwiseError, str] | None:
        """Return what has kept a job from finishing its stack, and of which kind that is; None if it still may."""
        job, cluster = submitted.job, self.jobs.cluster
        ending = submitted.ending
        if ending is not None and ending.error is not None:
            return ending.error, "failed"
        if ending is not None:
            kind, told = "incomplete", "is done, but not all of its results can be read"
        elif is_over:
            kind, told = self.jobs.ending_of(job)
        elif submitted.watch.seconds_silent > self.patience.lease and self._is_running(job):
            kind, told = "silent", f"has not been heard of for {self.patience.lease:.0f} s"
        else:
            return None
        hint = (
            f"its log may be in {str(self.folder.logs)!r}; all nodes must share that folder. "
            "Finished runs are kept, so run the same command again."
        )
        return TrainingFailedError(f"a job of {cluster} {told}.", hint=hint, has_died=True), kind

    def _is_running(self, job: str) -> bool:
        return self._alive is not None and job in self._alive and self._alive[job].is_running

    def _read(
        self, number: int, results: list[Result], reader: ResultReader, queue: StackQueue
    ) -> Generator[Event, None, Sequence[Ending]]:
        """Yield the runs that are new in the files of a stack; return how attempts have ended."""
        plan = queue.plan(number)
        news = reader.read()
        for text in news.notices:
            yield Notice(text=text)
        if news.results:
            for result in news.results:
                try:
                    _move_model(result.id, self.folder.models, self.models)
                except UnreadableFileError as error:  # its scores are still worth having
                    yield Notice(text=f"a model of {plan.label} is not kept: {error.message}")
            event = RunsDone(stack=number, results=news.results)
            results += news.results
            queue.note(event)
            yield event
        return news.endings

    def _done(self, number: int, plan: StackPlan) -> StackDone:
        return StackDone(stack=number, results=tuple(self._results[number]), leftovers=self.folder.files_of(plan))


def begun_in(folder: WorkFolder, runs: Sequence[Run], finished: set[str]) -> list[StackPlan]:
    """Return the stacks of these runs that an earlier collector has planned and that are not finished, as they were planned."""
    known = {run.id: run for run in runs}
    begun: list[StackPlan] = []
    taken: set[str] = set()
    for key in folder.planned_keys():
        with suppress(UnreadableFileError):  # of another version, or damaged: its runs are planned anew
            plan = folder.read(key).plan
            members = [run.id for run in plan.runs]
            missing = [member for member in members if member not in finished]
            if not missing or taken.intersection(members) or not all(member in known for member in members):
                continue
            taken.update(members)
            done = frozenset(finished.intersection(members))
            begun.append(StackPlan(runs=tuple(known[member] for member in members), choice=plan.choice, finished=done))
    return begun


def _move_model(run_id: str, shared: Path, own: Path | None) -> None:
    """Move a kept model to the folder beside the store, which may be on another disk."""
    source = model_path(shared, run_id)
    if own is None or not source.is_file() or source.is_symlink():  # the worker has told why it is not kept
        return
    target = model_path(own, run_id)
    make_folder_of(target)
    with draft_of(target) as draft:
        shutil.copyfile(source, draft)
    with suppress(OSError):
        source.unlink()
