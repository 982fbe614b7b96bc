"""A task file in a process of its own: the same prompts and answers must come out, whatever the seed of hashes.

The process writes a line for each thing that it asks the file for, so that one that never comes back, or that ends the
process, is known. It is asked before the file is run anywhere else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import IO, Any

from ...crasp.checker import Severity
from ...errors import LengthwiseError
from ..host import Numbers
from .definition import Definition, read_definition
from .findings import Finding, error, is_too_long
from .python_task import PythonTask, wrong_symbols
from .source import Random, show_prompt

PATIENCE = 10.0
"""Seconds that all fresh processes together have for everything."""
_SOON = 2.0
_KEYS_PER_LENGTH = 6
_FIRST_LENGTHS, _LATER_LENGTHS = 12, (16, 20, 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a file: a prompt from a key and a length, and its answer."""

    length: int
    key: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A prompt and its answer, or what went wrong instead."""

    prompt: list[str] | None
    answer: list[str] | None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshRun:
    """What a fresh process said, as far as it came, and an error if it did not come to its end."""

    answered: list[Answered] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    failure: Finding | None = None


def questions(made: Definition) -> list[Asked]:
    """Return everything that a file is asked, the shorter first."""
    first = made.min_length
    tried = [*range(first, first + _FIRST_LENGTHS), *(first + each for each in _LATER_LENGTHS)]
    lengths = [length for length in tried if made.max_length is None or length <= made.max_length]
    return [Asked(length=length, key=997 * length + key) for length in lengths for key in range(_KEYS_PER_LENGTH)]


def run_fresh(
    path: str, seeds: tuple[str, ...], patience: float = PATIENCE, on_slow: Callable[[], None] = lambda: None
) -> list[FreshRun]:
    """Ask a file in fresh processes, one for each seed of hashes, at the same time and until a common deadline."""
    written: list[IO[bytes]] = [TemporaryFile() for _ in seeds]  # noqa: SIM115 - files, which no reader can block
    running = [_start(path, seed, out) for seed, out in zip(seeds, written, strict=True)]
    start = monotonic()
    try:
        if not _all_end(running, start + min(_SOON, patience)):
            on_slow()
            _all_end(running, start + patience)
        codes = [process.poll() for process in running]
    finally:
        for process in running:
            process.kill()
            process.wait()
    found = []
    for out, code in zip(written, codes, strict=True):
        out.seek(0)
        found.append(_read_run(out.read(), code, patience))
        out.close()
    return found


def _start(path: str, seed: str, out: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a process that writes lines to a file; files of the current folder cannot hide modules from it."""
    source = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import main; main()", path],
        env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": seed},
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.DEVNULL,
    )


def _all_end(running: list[subprocess.Popen[bytes]], deadline: float) -> bool:
    """Return whether all processes have ended before the deadline."""
    try:
        for process in running:
            process.wait(max(0.0, deadline - monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _read_run(said: bytes, code: int | None, patience: float) -> FreshRun:
    lines: list[dict[str, Any]] = [json.loads(line) for line in said.split(b"\n")[:-1]]
    answered = [Answered(**line["done"]) for line in lines if "done" in line]
    findings = [
        Finding(severity=Severity(each["severity"]), what=each["what"], hint=each["hint"])
        for line in lines
        for each in line.get("findings", ())
    ]
    at = next((line["begun"] for line in reversed(lines) if "begun" in line), "")
    failure = None
    if code is None:
        told = f"{at or 'a fresh process'} did not come within {patience:g} s."
        failure = error(told, "look for a loop that never ends there, or make it faster.")
    elif not any("end" in line for line in lines):
        told = f"the file ended the process at {at}" if at else "a fresh process ended before it could read the file"
        how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
        hint = "raise an exception instead of ending the process." if at else "look for what breaks Python here."
        failure = error(f"{told}, {how}.", hint)
    return FreshRun(answered=answered, findings=findings, failure=failure)


def main() -> None:
    """Ask the file that the command line names, line by line on standard output, whatever the file itself prints."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(**line: object) -> None:
        print(json.dumps(line), file=out, flush=True)

    tell(begun="its first lines")
    made, findings = read_definition(sys.argv[1])
    tell(findings=[each.to_json() for each in findings])
    if made is not None:
        _ask(made, tell)
    tell(begun="the end of the process", end=True)


def draw_prompt(task: PythonTask, asked: Asked) -> tuple[list[str] | None, str]:
    """Return a prompt, None where the length has none; where the sampler fails, uniform symbols and what is wrong."""
    try:
        has_prompts = bool(task.lengths(asked.length, asked.length))
        return (task.make(Numbers(asked.key), asked.length) if has_prompts else None), ""
    except LengthwiseError as problem:
        random = Random(asked.key)  # the oracle is asked all the same
        return [random.choice(task.made.alphabet) for _ in range(asked.length)], problem.message


def _ask(made: Definition, tell: Callable[..., None]) -> None:
    """Ask for every prompt, then for every answer, up to the first that is too long."""
    task = PythonTask(made)
    prompts: list[tuple[list[str] | None, str]] = []
    for each in questions(made):
        tell(begun=f"a prompt of length {each.length}")
        prompts.append(draw_prompt(task, each))
    for prompt, problem in prompts:
        if prompt is None:
            tell(done={"prompt": None, "answer": None, "problem": problem})
            continue
        at = f"the prompt {show_prompt(prompt)}"
        given: Any = None
        tell(begun=f"the answer to {at}")
        try:
            given = task.call("answer", list(prompt), told=f"prompt {show_prompt(prompt)}")
            wrong = wrong_symbols("answer", given, task.symbols, at)
        except LengthwiseError as failure:
            wrong = failure.message
        tell(done={"prompt": prompt, "answer": None if wrong else list(given), "problem": wrong or problem})
        if is_too_long(given):
            return
