"""Where to train, as options of `lengthwise run`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path

import pytest
from command_runner import Runner

from lengthwise.cli.engine_options import add_engine_options, engine_of
from lengthwise.experiment.engines.engine import Engine
from lengthwise.experiment.engines.local import Local
from lengthwise.experiment.engines.ray import Ray
from lengthwise.experiment.engines.slurm import Slurm

TINY = ("bin_majority", "--encoding", "nope", "--steps", "20", "--models-per-stack", "1", "--seeds", "4")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, tmp_path, "run")


def engine(*words: str) -> Engine:
    parser = ArgumentParser()
    add_engine_options(parser)
    return engine_of(parser.parse_args(words))


def test_options_name_an_engine() -> None:
    assert engine() == Local()
    words = ("--engine", "slurm", "--slurm", "partition=gpu", "--slurm", "time=04:00:00", "--slurm=--exclusive")
    options = {"partition": "gpu", "time": "04:00:00", "exclusive": ""}
    assert engine(*words, "--jobs", "7", "--work-folder", "/shared") == Slurm(jobs=7, folder="/shared", options=options)
    assert engine("--engine", "ray", "--ray-address", "head:6379") == Ray(address="head:6379")
    assert engine("--engine", "ray") == Ray()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--slurm", "time=1", "--engine", "ray"),
            "error: --slurm is for the engine slurm; the engine is ray.\nhint: add --engine slurm.\n",
        ),
        (
            ("--jobs", "3"),
            "error: --jobs is for the engine slurm or ray; the engine is local.\nhint: add --engine slurm.\n",
        ),
        (
            ("--engine", "slurm", "--slurm", "wrap=rm"),
            "error: 'wrap' is no option of sbatch that can be set.\n"
            "hint: write for example partition=gpu, time=04:00:00, mem=8G, account=NAME, gpus=1.\n",
        ),
        (
            ("--engine", "slurm", "--workers", "3"),
            "error: workers are processes of this machine; found 3 for a cluster.\nhint: say --jobs instead.\n",
        ),
    ],
)
def test_options_that_do_not_fit_are_told(run: Runner, options: tuple[str, ...], told: str) -> None:
    assert run.fails(*TINY, *options) == told


def test_a_dry_run_plans_for_so_many_jobs_and_submits_none(run: Runner) -> None:
    planned = json.loads(run(*TINY, "--engine", "slurm", "--jobs", "2", "--dry-run", "--json").out)
    assert planned["workers"] == 2
    assert not any(run.folder.iterdir())


def test_stacks_for_gpus_of_a_cluster_are_planned_without_one_here(run: Runner) -> None:
    words = (
        "bin_majority",
        "--encoding",
        "nope",
        "--seeds",
        "40",
        "--engine",
        "ray",
        "--jobs",
        "4",
        "--device",
        "cuda",
    )
    planned = json.loads(run(*words, "--dry-run", "--json").out)
    assert planned["device"] == "cuda"
    assert sum(stack["runs"] for stack in planned["stacks"]) == 40
