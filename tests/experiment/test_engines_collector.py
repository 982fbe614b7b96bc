"""The collector and its workers without a cluster: jobs run in this process, and end as a test wants them to."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from collectors import rows_of
from made_results import make_plan
from spec_files import TINY

from lengthwise.errors import InvalidOptionError, LengthwiseError, MissingExtraError, TrainingFailedError
from lengthwise.experiment.engines.cluster import Job, Jobs, Patience
from lengthwise.experiment.engines.cluster_engine import ClusterEngine, JobCommand
from lengthwise.experiment.engines.cluster_worker import UNUSABLE, main
from lengthwise.experiment.engines.slurm import Slurm
from lengthwise.experiment.engines.work import Event, Notice, RunsDone, StackDone, train_planned
from lengthwise.experiment.engines.work_folder import open_work_folder
from lengthwise.experiment.plan import Choice
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store, read_store

SPEC = replace(TINY, tasks=("bin_majority", "[ab]*b"), seeds=2)
AT_ONCE = Patience(poll=0, beat=5, lease=60, ask=0, settle=0)

Happening = Callable[["JobsHere", str], None]
"""What happens when a job is submitted; by default its worker runs to its end."""


def work(jobs: JobsHere, key: str) -> None:
    """Run the worker of a job, in this process."""
    jobs.codes.append(main([*jobs.command.words(key)[4:], "--job", str(len(jobs.keys))]))


def die(_jobs: JobsHere, _key: str) -> None:
    """End without having done anything."""


def tear(jobs: JobsHere, key: str) -> None:
    """Train, and be cut off in the middle of the second result."""
    work(jobs, key)
    (file,) = jobs.command.folder.result_files(key)
    first, second, *_ = file.read_bytes().split(b"\n")
    file.write_bytes(first + b"\n" + second[:100])


def refuse(_jobs: JobsHere, _key: str) -> None:
    raise TrainingFailedError("the queue is full.")


def collide(jobs: JobsHere, key: str) -> None:
    """Train twice, as if a job that was thought dead had gone on."""
    work(jobs, key)
    for file in jobs.command.folder.result_files(key):
        file.rename(jobs.command.folder.path / file.name)
    work(jobs, key)
    for file in jobs.command.folder.path.glob("*.jsonl"):
        file.rename(jobs.command.folder.results / file.name)


@dataclass
class JobsHere:
    """Jobs that are over as soon as they are submitted; ``plan`` says what happens to the first ones."""

    command: JobCommand
    plan: list[Happening]
    keys: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    cluster: str = "Here"

    def submit(self, key: str) -> str:
        self.keys.append(key)
        happening = self.plan.pop(0) if self.plan else work
        happening(self, key)
        return str(len(self.keys))

    def alive(self) -> Mapping[str, Job] | None:
        return {}

    def ending_of(self, _job: str) -> tuple[str, str]:
        return "died", "has died"

    def cancel(self, _job: str) -> None: ...

    def release(self, _job: str) -> None: ...

    def advice(self) -> str:
        return "They have ended."

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Here(ClusterEngine):
    """An engine whose jobs run in this process."""

    happenings: tuple[Happening, ...] = ()
    patience: Patience = AT_ONCE
    made: list[JobsHere] = field(default_factory=list)

    def connect(self, command: JobCommand) -> Jobs:
        self.made.append(JobsHere(command, list(self.happenings)))
        return self.made[-1]


def train(
    folder: Path, *happenings: Happening, spec: Spec = SPEC, **options: Any
) -> tuple[dict[str, Any], list[Event], JobsHere]:
    """Train with jobs of this process; return the rows, the events, and the jobs."""
    events: list[Event] = []
    engine = Here(happenings=happenings, jobs=2)
    run_experiment(spec, folder / "runs.sqlite", engine=engine, models_per_stack=2, on_event=events.append, **options)
    return rows_of(folder / "runs.sqlite"), events, engine.made[-1]


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The rows of this machine, without any engine."""
    place = tmp_path_factory.mktemp("local") / "runs.sqlite"
    with open_store(place) as store:
        for plan in make_plan(SPEC):
            choice = Choice(models=2, compiled=False, reason="a test")
            store.save(train_planned(0, replace(plan, choice=choice), "cpu").results)
    return rows_of(place)


def test_jobs_give_the_rows_of_this_machine_and_leave_nothing_behind(tmp_path: Path, rows: dict[str, Any]) -> None:
    found, events, jobs = train(tmp_path)
    assert found == rows
    assert jobs.codes == [0, 0]
    assert sum(len(event.results) for event in events if isinstance(event, RunsDone)) == 4
    assert len([event for event in events if isinstance(event, StackDone)]) == 2
    assert notices(events) == ["jobs go on if this command is ended. They have ended."]
    assert [path.name for path in tmp_path.iterdir()] == ["runs.sqlite"]


def test_a_run_whose_line_was_cut_off_is_trained_again_and_no_other(tmp_path: Path, rows: dict[str, Any]) -> None:
    found, events, jobs = train(tmp_path, tear)
    assert found == rows
    assert len(jobs.keys) == 3
    assert notices(events)[1].startswith("job 1: a job of Here has died. ")
    assert sum(len(event.results) for event in events if isinstance(event, RunsDone)) == 4


def test_two_jobs_that_train_one_stack_give_each_run_once(tmp_path: Path, rows: dict[str, Any]) -> None:
    found, events, _ = train(tmp_path, collide)
    assert found == rows
    assert sum(len(event.results) for event in events if isinstance(event, RunsDone)) == 4


def test_a_job_that_dies_is_submitted_twice_more_and_hides_no_other(tmp_path: Path, rows: dict[str, Any]) -> None:
    with pytest.raises(TrainingFailedError) as caught:
        train(tmp_path, die, work, die, die)
    (label,) = {"bin_majority × nope", "[ab]*b × nope"} - {
        f"{result} × nope" for result in stored_tasks(tmp_path / "runs.sqlite")
    }
    assert caught.value.message == f"a job of Here has died. This stopped {label}."
    found = rows_of(tmp_path / "runs.sqlite")
    assert len(found) == 2
    assert found.items() <= rows.items()
    assert train(tmp_path)[0] == rows, "the same command trains what is missing"


def stored_tasks(store: Path) -> set[str]:
    with read_store(store) as opened:
        return {result.task for result in opened.results()}


def test_what_an_earlier_collector_did_not_take_in_is_not_trained_again(tmp_path: Path, rows: dict[str, Any]) -> None:
    class Killed(BaseException):
        """As if the collector were killed there."""

    def work_and_kill(jobs: JobsHere, key: str) -> None:
        work(jobs, key)
        raise Killed

    with pytest.raises(Killed):
        train(tmp_path, work_and_kill)
    assert rows_of(tmp_path / "runs.sqlite") == {}
    found, _, jobs = train(tmp_path)
    assert found == rows
    assert len(jobs.keys) == 1, "only the other stack is submitted"


def test_a_full_queue_is_tried_again_but_a_first_refusal_is_an_error(tmp_path: Path, rows: dict[str, Any]) -> None:
    found, events, _ = train(tmp_path, work, refuse, refuse)
    assert found == rows
    assert notices(events).count("the queue is full. It is tried again.") == 2
    with pytest.raises(TrainingFailedError, match="the queue is full"):
        train(tmp_path, refuse, spec=replace(SPEC, seeds=3))


def test_kept_models_come_to_the_folder_beside_the_store(tmp_path: Path, rows: dict[str, Any]) -> None:
    train(tmp_path)
    found, _, _ = train(tmp_path, tear, keep=True)
    assert found == rows
    assert sorted(path.stem for path in (tmp_path / "runs.sqlite.models").iterdir()) == sorted(rows)
    assert not (tmp_path / "runs.sqlite.work").exists()


def test_a_failure_in_a_job_says_what_it_was(tmp_path: Path) -> None:
    def forget_the_checkpoint_folder(jobs: JobsHere, key: str) -> None:
        file = jobs.command.folder.plan_file(key)
        file.write_text(file.read_text().replace('"device": "cpu"', '"device": "cuda"'))
        work(jobs, key)

    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(InvalidOptionError, match=r"device 'cuda' was asked for, but torch .* finds no GPU here"):
        train(tmp_path, forget_the_checkpoint_folder)
    assert len(rows_of(tmp_path / "runs.sqlite")) == 2


def test_a_script_beside_files_named_like_modules_of_python_can_start_jobs(tmp_path: Path) -> None:
    (tmp_path / "encodings.py").write_text("raise SystemExit(99)\n")
    folder = open_work_folder(tmp_path / "work", tmp_path / "runs.sqlite")
    words = JobCommand(folder=folder, files=(), device="cpu").words("0" * 16)
    words[3] = f"{tmp_path}:{words[3]}"
    done = subprocess.run([*words, "--job", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == UNUSABLE
    assert "No such file or directory" in done.stderr


# What is refused before anything is submitted


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Slurm(jobs=0), "jobs must be a whole number from 1 to 10000; found 0."),
        (lambda: Slurm(options={"wrap": "rm"}), "'wrap' is no option of sbatch that can be set."),
        (lambda: Slurm(options={"-p x": "y"}), "'-p x' is no option of sbatch that can be set."),
        (lambda: Slurm(options={"time": "1\n2"}), "the value '1\\n2' of time is not one line of text."),
        (lambda: Slurm().count_workers(3, "cpu"), "workers are processes of this machine; found 3 for a cluster."),
    ],
)
def test_wrong_options_of_a_cluster_are_told(make: Callable[[], object], told: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        make()
    assert caught.value.message == told


def test_without_slurm_the_engine_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(MissingExtraError) as caught:
        run_experiment(SPEC, tmp_path / "runs.sqlite", engine=Slurm())
    assert caught.value.message == "the engine slurm needs the command sbatch, which is not installed here."


def test_without_ray_the_engine_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lengthwise.experiment.engines import ray

    monkeypatch.setattr(ray, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="the engine ray needs ray, which is not installed") as caught:
        run_experiment(SPEC, tmp_path / "runs.sqlite", engine=ray.Ray())
    assert "[ray]" in caught.value.hint or "pip install ray" in caught.value.hint
