"""The service by which processes share a GPU: here a program of its name stands in for NVIDIA's, which needs a GPU."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from lengthwise.experiment.engines.gpu_sharing import shared_gpus

CONTROL = """#!/bin/sh
if [ "$1" = -d ]; then echo start >> "$LOG"; else cat >> "$LOG"; fi
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "nvidia-cuda-mps-control"
    program.write_text(CONTROL, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def test_a_service_that_no_process_can_reach_is_not_used_and_is_ended(log: Path) -> None:
    with shared_gpus() as variables:
        assert not variables, "there is no GPU behind this service"
    assert log.read_text(encoding="utf-8").split("\n")[:2] == ["start", "quit -t 1"]


def test_a_service_that_the_user_has_started_is_left_alone(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", "somewhere")
    with shared_gpus() as variables:
        assert not variables
    assert not log.exists()


def test_without_the_program_nothing_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with shared_gpus() as variables:
        assert not variables


def test_the_service_ends_with_a_process_that_is_killed(log: Path) -> None:
    program = (
        "import os, signal; from subprocess import PIPE, Popen\n"
        "from lengthwise.experiment.engines.gpu_sharing import _SERVICE\n"
        "service = Popen(['/bin/sh', '-c', _SERVICE], stdin=PIPE, stdout=PIPE, start_new_session=True)\n"
        "service.stdout.readline(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], check=False)
    for _ in range(100):
        if "quit" in log.read_text(encoding="utf-8"):
            break
        time.sleep(0.1)
    assert log.read_text(encoding="utf-8").split("\n")[:2] == ["start", "quit -t 1"]
