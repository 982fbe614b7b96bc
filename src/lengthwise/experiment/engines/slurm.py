"""The Slurm engine: each stack is a job, submitted with Slurm's own commands (sbatch, squeue, scontrol, scancel).

The job script goes to sbatch through its standard input and is kept by Slurm, so that nothing in the shared folder is ever executed.
A library such as submitit would pickle every job into that folder and its result back; whoever could write there could run code.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ...errors import InvalidOptionError, MissingExtraError, TrainingFailedError
from .cluster import Job, Jobs
from .cluster_engine import ClusterEngine, JobCommand

_OVER = frozenset(
    (
        *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED"),
        *("REVOKED", "TIMEOUT"),
    )
)
_COMMANDS = ("sbatch", "squeue", "scontrol", "scancel")
_OURS = frozenset(
    (
        *("job-name", "comment", "output", "error", "parsable", "wrap", "array", "open-mode", "input", "chdir"),
        *("test-only", "wait", "export", "hold", "help", "version"),
    )
)
"""Options that are set here, or that would make sbatch do something else than submit."""
_OPTION = re.compile(r"[a-z][a-z-]*")
_SECONDS_TO_ANSWER = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slurm(ClusterEngine):
    """A cluster with Slurm. ``options`` are those of sbatch, such as partition, time, mem, account or gpus."""

    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super(Slurm, self).__post_init__()  # slots make another class
        for name, value in self.options.items():
            if not _OPTION.fullmatch(name) or name in _OURS:
                raise InvalidOptionError(
                    f"{name!r} is no option of sbatch that can be set.",
                    hint="write for example partition=gpu, time=04:00:00, mem=8G, account=NAME, gpus=1.",
                )
            if not value.isprintable() or len(value) > 1000:
                raise InvalidOptionError(f"the value {value!r} of {name} is not one line of text.", hint="correct it.")

    def connect(self, command: JobCommand) -> Jobs:
        """Return the jobs of a work folder; raise if Slurm's commands are not installed."""
        for name in _COMMANDS:
            if shutil.which(name) is None:
                raise MissingExtraError(
                    f"the engine slurm needs the command {name}, which is not installed here.",
                    hint="run this on a login node of the cluster.",
                )
        return SlurmJobs(command, self.options)


class SlurmJobs:
    """The jobs of one work folder: they share a name, and the comment of each is the key of its stack."""

    cluster = "Slurm"

    def __init__(self, command: JobCommand, options: Mapping[str, str]) -> None:
        self._command = command
        self._options = [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]
        self._name = f"lengthwise-{sha256(str(command.folder.path).encode()).hexdigest()[:12]}"

    def submit(self, key: str) -> str:
        """Submit a job for a stack; return its number."""
        variables = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in self._command.variables.items())
        words = shlex.join(self._command.words(key))
        script = f'#!/bin/sh\n{variables}exec {words} --job "$SLURM_JOB_ID"\n'
        asked = [
            *(
                "sbatch",
                "--parsable",
                "--requeue",
                "--open-mode=append",
                f"--job-name={self._name}",
                f"--comment={key}",
            ),
            *(f"--output={self._command.folder.logs}/{key}-%j.log", *self._options),
        ]
        done = _ask(asked, script)
        job = done.stdout.strip().partition(";")[0]
        if done.returncode or not job.isdecimal():
            told = _last_line(done.stderr) or f"exit code {done.returncode}"
            raise TrainingFailedError(
                f"sbatch refuses a job: {told.rstrip('.')}.",
                hint="correct the options, for example --slurm partition=NAME.",
            )
        return job

    def alive(self) -> Mapping[str, Job] | None:
        """Return the jobs that Slurm has not finished."""
        done = _ask(["squeue", "--noheader", "--states=all", f"--name={self._name}", "--format=%i|%T|%k"])
        if done.returncode:
            return None
        found = {}
        for line in done.stdout.splitlines():
            job, state, key = (column.strip() for column in line.split("|", 2))
            if state not in _OVER:
                found[job] = Job(key=key, is_running=state == "RUNNING")
        return found

    def ending_of(self, job: str) -> tuple[str, str]:
        """Return the state in which a job ended, from the controller's memory or from the accounting."""
        told = _ask(["scontrol", "--oneliner", "show", "job", job]).stdout
        state = re.search(r"\bJobState=(\w+)", told)
        code = re.search(r"\bExitCode=(\d+:\d+)", told)
        if state is None and shutil.which("sacct") is not None:
            told = _ask(["sacct", "-n", "-X", "-P", "-o", "State,ExitCode", "-j", job]).stdout
            state, code = re.match(r"(\w+)", told), re.search(r"\|(\d+:\d+)", told)
        if state is None:
            return "unknown", "is not known to it any more"
        with_code = f" with exit code {code[1].partition(':')[0]}, signal {code[1].partition(':')[2]}" if code else ""
        return state[1], f"ended as {state[1]}{with_code}"

    def cancel(self, job: str) -> None:
        """End a job that does not answer."""
        _ask(["scancel", "--quiet", job])

    def release(self, job: str) -> None:
        """Slurm sees itself that a job has ended."""

    def advice(self) -> str:
        """Return how to end all jobs by hand."""
        return f"End them with: scancel --name={self._name}"

    def close(self) -> None:
        """Nothing is open between two commands."""


def _ask(words: Sequence[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of Slurm; one that does not answer in time has failed."""
    try:
        return subprocess.run(
            words, input=text, capture_output=True, text=True, timeout=_SECONDS_TO_ANSWER, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"no answer in {_SECONDS_TO_ANSWER:.0f} s")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("sbatch: error: ") if lines else ""
