"""A task file in a process of its own: the same prompts and answers must come out, whatever the seed of hashes.

The process writes a line for each thing that it asks the file for, so that one that never comes back is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ...errors import LengthwiseError
from ..host import Numbers

PATIENCE = 20.0
"""Seconds that a fresh process has for everything."""


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
    """What a fresh process said, as far as it came, and what it was at when its time was over."""

    answered: list[Answered]
    stuck: str = ""


def run_fresh(path: str, asked: list[Asked], seeds: tuple[str, ...], patience: float = PATIENCE) -> list[FreshRun]:
    """Ask a file in fresh processes, one for each seed of hashes, at the same time."""
    source = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    given = json.dumps({"path": path, "asked": [[each.length, each.key] for each in asked]})
    code = f"from {__name__} import main; main()"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        for seed in seeds
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        process.stdin = None  # communicate() would flush it again
    return [_wait_for(process, patience) for process in running]


def _wait_for(process: subprocess.Popen[str], patience: float) -> FreshRun:
    try:
        said, _ = process.communicate(timeout=patience)
        in_time = True
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
        in_time = False
    lines = [json.loads(line) for line in said.split("\n")[:-1]]
    answered = [Answered(**line["done"]) for line in lines if "done" in line]
    begun = [line["begun"] for line in lines if "begun" in line]
    stuck = "" if in_time else begun[-1] if begun else "the file itself"
    return FreshRun(answered=answered, stuck=stuck)


def main() -> None:
    """Answer what standard input asks, line by line on standard output, whatever the file itself prints."""
    from .definition import read_definition
    from .python_task import PythonTask
    from .source import show_prompt

    out, sys.stdout = sys.stdout, sys.stderr

    def tell(**line: object) -> None:
        print(json.dumps(line), file=out, flush=True)

    given = json.loads(sys.stdin.read())
    made, findings = read_definition(given["path"])
    if made is None:
        for _ in given["asked"]:
            tell(done={"prompt": None, "answer": None, "problem": findings[0].what})
        return
    task = PythonTask(made)
    prompts: list[tuple[list[str] | None, str]] = []
    for length, key in given["asked"]:
        tell(begun=f"a prompt of length {length}")
        try:
            prompts.append((task.make(Numbers(key), length), ""))
        except LengthwiseError as problem:
            prompts.append((None, problem.message))
    for prompt, problem_message in prompts:
        if prompt is None:
            tell(done={"prompt": None, "answer": None, "problem": problem_message})
            continue
        tell(begun=f"the answer to the prompt {show_prompt(prompt)}")
        try:
            tell(done={"prompt": prompt, "answer": task.oracle(prompt), "problem": ""})
        except LengthwiseError as problem:
            tell(done={"prompt": prompt, "answer": None, "problem": problem.message})
