"""The Slurm engine on a real cluster of one node: the rows of this machine, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from collectors import BRIEF, LONG, Collectors, ended, local_rows
from slurm_cluster import missing_program, slurm_cluster

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(missing_program() is not None, reason=f"{missing_program()} of Slurm is not installed"),
]

FAILING = """
import os

if "SLURM_JOB_ID" in os.environ:
    raise RuntimeError("not in a job")

{task}
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    with slurm_cluster(tmp_path_factory.mktemp("slurm")) as variables:
        yield variables


@pytest.fixture(scope="module")
def long_rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return local_rows(LONG, tmp_path_factory.mktemp("local"))


@pytest.fixture
def collectors(cluster: Mapping[str, str], tmp_path: Path) -> Collectors:
    return Collectors(tmp_path, 'Slurm(jobs=2, patience=patience, options={"mem": "0", "time": "10"})', cluster)


def slurm(cluster: Mapping[str, str], *words: str) -> str:
    """Run a command of Slurm; return what it prints."""
    done = subprocess.run(words, env=os.environ | cluster, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def latest_job(cluster: Mapping[str, str]) -> int:
    """Return the number of the job that was submitted last."""
    return max(map(int, slurm(cluster, "squeue", "--noheader", "--states=all", "--format=%i").split()), default=0)


def test_slurm_gives_the_rows_of_this_machine(collectors: Collectors, tmp_path: Path) -> None:
    collectors.run(BRIEF)
    assert len(collectors.rows()) == 6
    assert collectors.rows() == local_rows(BRIEF, tmp_path / "local")
    assert collectors.is_tidy()
    assert collectors.run(BRIEF) == "", "nothing is left to do"


def test_a_worker_that_is_killed_is_submitted_again_and_goes_on(
    collectors: Collectors, long_rows: dict[str, Any]
) -> None:
    process = collectors.start(LONG)
    os.kill(collectors.lease_in_training().pid, signal.SIGKILL)
    told = ended(process)
    assert "of Slurm ended as FAILED with exit code 0, signal 9. " in told
    assert "goes on in a new one." in told
    assert collectors.rows() == long_rows


def test_a_job_that_slurm_requeues_goes_on(
    collectors: Collectors, cluster: Mapping[str, str], long_rows: dict[str, Any]
) -> None:
    process = collectors.start(LONG)
    slurm(cluster, "scontrol", "requeue", collectors.lease_in_training().job)  # Slurm starts it again after two minutes
    told = ended(process)
    assert "goes on in a new one" not in told, told
    assert collectors.rows() == long_rows


def test_a_job_that_is_cancelled_is_submitted_again(
    collectors: Collectors, cluster: Mapping[str, str], long_rows: dict[str, Any]
) -> None:
    process = collectors.start(LONG)
    slurm(cluster, "scancel", collectors.lease_in_training().job)
    assert "of Slurm ended as CANCELLED" in ended(process)
    assert collectors.rows() == long_rows


def test_a_worker_that_stops_beating_is_ended_and_submitted_again(
    collectors: Collectors, long_rows: dict[str, Any]
) -> None:
    impatient = replace(
        collectors, engine="Slurm(jobs=2, patience=Patience(poll=0.1, beat=0.2, lease=4, ask=0.5, settle=1))"
    )
    process = impatient.start(LONG)
    os.kill(impatient.lease_in_training().pid, signal.SIGSTOP)
    assert "has not been heard of for 4 s. " in ended(process)
    assert impatient.rows() == long_rows


def test_a_collector_that_is_killed_finds_its_jobs_again(
    collectors: Collectors, cluster: Mapping[str, str], long_rows: dict[str, Any]
) -> None:
    process = collectors.start(LONG)
    first = int(collectors.lease_in_training().job)
    process.kill()
    process.communicate()
    told = collectors.run(LONG)
    assert "jobs of Slurm were submitted before, and go on." in told
    assert collectors.rows() == long_rows
    assert latest_job(cluster) <= first + 3, "four stacks, and no job twice"
    assert collectors.is_tidy()


def test_a_task_that_fails_hides_no_other(collectors: Collectors, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    subprocess.run([sys.executable, "-m", "lengthwise", "new", "task", "mine"], cwd=tmp_path, check=True)
    path.write_text(FAILING.replace("{task}", path.read_text()))
    process = collectors.start(replace(BRIEF, tasks=("bin_majority", "mine.py")))
    told, errors = process.communicate()
    assert process.returncode == 1
    assert "run: line 5: RuntimeError: not in a job." in errors
    assert "mine.py × nope is given up." in told
    good = local_rows(replace(BRIEF, tasks=("bin_majority",)), tmp_path / "local")
    assert collectors.rows() == good


def test_options_that_slurm_refuses_are_told(collectors: Collectors) -> None:
    wrong = replace(collectors, engine='Slurm(options={"partition": "none"})')
    process = wrong.start(BRIEF)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "sbatch refuses a job: Batch job submission failed: Invalid partition name specified." in errors
