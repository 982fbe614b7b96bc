"""What Slurm and Ray have in common as engines: stacks as jobs of a work folder, and one collector."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ...encodings.core.choice import encoding_files
from ...errors import InvalidOptionError, check_number
from ...extras import require_extra
from ...tasks.core.catalog import task_files
from ..plan import Run, StackPlan
from .cluster import Collector, Jobs, Patience, begun_in
from .work import Checkpoints, Event
from .work_folder import WorkFolder, open_work_folder

_PROGRAM = (
    "import sys; sys.path[:] = sys.argv.pop(1).split(':'); "
    "from lengthwise.experiment.engines.cluster_worker import main; sys.exit(main())"
)
"""Modules are found where they are found here. PYTHONPATH would be read too early: a script's folder may have a file encodings.py."""

MOST_JOBS = 10_000
USUAL_JOBS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCommand:
    """What every job of a work folder runs, but for the stack: a plain command, and the variables it needs."""

    folder: WorkFolder
    files: tuple[str, ...]  # of the user, which the workers may open
    device: str

    def words(self, key: str) -> list[str]:
        """Return the command that trains a stack."""
        named = [word for file in self.files for word in ("--file", file)]
        return [sys.executable, "-c", _PROGRAM, ":".join(sys.path), str(self.folder.path), key, *named]

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables of a job: torch uses one thread."""
        return {"OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEngine(ABC):
    """Trains each stack in a job of a cluster, so many ``jobs`` at once.

    ``folder`` is shared by all nodes; without one it lies beside the store, which must then be on a shared file system too.
    """

    jobs: int = USUAL_JOBS
    folder: str | Path | None = None
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        check_number("jobs", self.jobs, int, 1, MOST_JOBS)

    @abstractmethod
    def connect(self, command: JobCommand) -> Jobs:
        """Return the jobs of a work folder; raise if there is no such cluster."""

    def choose_device(self, asked: str | None) -> str:
        """Return what is asked for, or the processor: this machine does not know what others have."""
        return asked or "cpu"

    def count_workers(self, asked: int | None, device: str) -> int:  # noqa: ARG002  # the same on every device
        """Return the number of jobs."""
        if asked is not None:
            raise InvalidOptionError(
                f"workers are processes of this machine; found {asked} for a cluster.", hint="say --jobs instead."
            )
        return self.jobs

    def count_devices(self, device: str) -> int:  # noqa: ARG002  # the same on every device
        """Return the number of jobs, each of which has a core or a GPU of its own."""
        return self.jobs

    def checkpoints_of(self, store: Path) -> Path:
        """Return a folder in the work folder."""
        return Path(self.folder or f"{store}.work").absolute() / "checkpoints"

    def begun_before(
        self,
        runs: Sequence[Run],
        finished: set[str],
        planned: Iterable[Sequence[str]],  # noqa: ARG002  # the work folder says it
        checkpoints: Path,
        device: str,  # noqa: ARG002  # a job that runs goes on as it was submitted
    ) -> list[StackPlan]:
        """Return the stacks that are planned in the work folder and not finished: their jobs may run at this moment."""
        if not checkpoints.parent.exists():
            return []
        return begun_in(open_work_folder(checkpoints.parent), runs, finished)

    def train(
        self,
        stacks: Sequence[StackPlan],
        *,
        store: Path,
        workers: int,
        device: str,
        checkpoints: Checkpoints,
        models: Path | None,
    ) -> Generator[Event]:
        """Submit all stacks as jobs, and yield what they write."""
        require_extra("training")
        folder = open_work_folder(checkpoints.folder.parent, store)
        runs = [run for stack in stacks for run in stack.runs]
        named = [file for task in {run.task for run in runs} for file in task_files(task)]
        named += [file for encoding in {run.encoding for run in runs} for file in encoding_files(encoding)]
        command = JobCommand(folder=folder, files=tuple(sorted(set(named))), device=device)
        with closing(self.connect(command)) as jobs:
            collector = Collector(
                jobs=jobs,
                folder=folder,
                device=device,
                seconds_per_checkpoint=checkpoints.seconds,
                models=models,
                at_most=workers,
                patience=self.patience,
            )
            yield from collector.train(stacks)
        folder.tidy()
