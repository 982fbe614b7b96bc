"""Hostile task files against every command that takes one: each must end by itself, with a result or with a sentence.

    python tests/attacks/task_files.py --source src

attacks the package in that folder and prints a line for each case. ``attack`` returns the same as rows.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

PLAIN = 'import os, signal, sys, time\nalphabet = ["a", "b"]\ncalls = []\ndata = []\n'
ANSWER = "def answer(prompt):\n    {}\n    return prompt[:1]\n"
SAMPLE = "def sample(random, length):\n    {}\n    return [random.choice(alphabet) for _ in range(length)]\n"
LOOP, EAT = "while True: pass", "while True: data.append(bytearray(10**6))"
LOUD = "nothing that a file prints is data"


def _answering(body: str) -> str:
    return PLAIN + ANSWER.format(body)


def _sampling(body: str) -> str:
    return PLAIN + ANSWER.format("pass") + SAMPLE.format(body)


def _at_top(body: str) -> str:
    return PLAIN + ANSWER.format("pass") + f"{body}\n"


FILES = {
    "loop at top level": _at_top(LOOP),
    "loop in answer": _answering(LOOP),
    "loop in sample": _sampling(LOOP),
    "loop in answer, after 300 calls": _answering("calls.append(1)\n    while len(calls) > 300: pass"),
    "loop in C": _answering("10 ** 10 ** 9"),
    "sleep at top level": _at_top("time.sleep(10**6)"),
    "sleep in answer": _answering("time.sleep(10**6)"),
    "memory at top level": _at_top(EAT),
    "memory in answer": _answering(EAT),
    "memory in sample": _sampling(EAT),
    "os._exit(0) at top level": _at_top("os._exit(0)"),
    "os._exit(0) in answer": _answering("os._exit(0)"),
    "os._exit(0) in sample": _sampling("os._exit(0)"),
    "sys.exit(0) at top level": _at_top("sys.exit(0)"),
    "sys.exit(0) in answer": _answering("sys.exit(0)"),
    "kill in answer": _answering("os.kill(os.getpid(), signal.SIGKILL)"),
    "interrupt in answer": _answering("raise KeyboardInterrupt"),
    "recursion in answer": _answering("answer(prompt)"),
    "huge text from answer": _answering("return ['a' * 10**8]"),
    "huge list from answer": _answering("return ['a'] * 10**7"),
    "answer of objects": _answering("return [object()]"),
    "huge list from sample": _sampling("return ['a'] * 10**7"),
    "huge alphabet": _at_top("alphabet *= 10**7"),
    "len is deleted": _at_top("import builtins; del builtins.len"),
    "repr that raises": _at_top("class Odd:\n    def __repr__(self): raise ValueError\nlanguage = Odd()"),
    "repr that loops": _at_top(f"class Odd:\n    def __repr__(self):\n        {LOOP}\nlanguage = Odd()"),
    "prints": _at_top(f"print({LOUD!r})") + ANSWER.format(f"print({LOUD!r}); os.write(1, b'{LOUD}')"),
}
COMMANDS = {
    "check": ["check", "mine.py"],
    "predict": ["predict", "mine.py"],
    "recommend": ["recommend", "mine.py"],
    "show task": ["show", "task", "mine.py"],
    "run": [
        *("run", "mine.py", "--encoding", "nope", "--seeds", "1", "--train-length", "4", "--test-length", "6"),
        *("--steps", "4", "--workers", "1", "--device", "cpu", "--store", "s.sqlite", "--out", "r.html"),
    ],
    "relations": ["relations", "mine.py", "--scales", "3"],
    "complexity": ["complexity", "mine.py"],
}
GUARD = 600.0  # seconds; far above what limits on CPU time and sleep allow, on a busy machine too
_MEMORY = 3 * 10**9  # bytes of address space, so that no attack hurts this machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How one command with one file ended."""

    file: str
    command: str
    code: int | None
    """The exit code; None where the guard had to end the command."""
    has_sentence: bool
    wrong: str
    """What must not be; nothing if all is well."""

    @property
    def is_good(self) -> bool:
        """Whether the command ended by itself, in a way that tells what happened."""
        return not self.wrong

    def __str__(self) -> str:
        code = "guard" if self.code is None else str(self.code)
        told = "yes" if self.has_sentence else "no"
        return f"{self.file:34} {self.command:11} exit {code:5} sentence {told:3}  {self.wrong or 'ok'}"


def attack(
    source: str | Path,
    *,
    files: Sequence[str] = tuple(FILES),
    commands: Sequence[str] = tuple(COMMANDS),
    guard: float = GUARD,
    jobs: int = 2,
    on_row: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Return a row for every file and command, attacking the package in the folder ``source``."""
    cases = [(file, command) for file in files for command in commands]
    rows = []
    with ThreadPoolExecutor(jobs) as pool:
        for row in pool.map(partial(_run_case, Path(source).resolve(), guard), cases):
            rows.append(row)
            on_row(row)
    return rows


def _run_case(source: Path, guard: float, case: tuple[str, str]) -> Row:
    file, command = case
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as folder:
        Path(folder, "mine.py").write_text(FILES[file], encoding="utf-8")
        with open(Path(folder, "out"), "wb") as out, open(Path(folder, "err"), "wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "lengthwise", *COMMANDS[command]],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "NO_COLOR": "1"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                preexec_fn=_limit_memory,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(guard)
            except subprocess.TimeoutExpired:
                code = None
                process.kill()
                process.wait()
        left = _end_all(folder)
        printed, said = (Path(folder, name).read_text("utf-8", "replace") for name in ("out", "err"))
    has_sentence = "error: " in said or (command == "check" and "error: " in printed)
    wrong = _judge(file, command, code, printed, said, has_sentence)
    if not wrong and left:
        wrong = f"{left} processes are left"
    return Row(file=file, command=command, code=code, has_sentence=has_sentence, wrong=wrong)


def _judge(file: str, command: str, code: int | None, printed: str, said: str, has_sentence: bool) -> str:
    """Return what is wrong with how a command ended: a file may stay unasked by it, and then there is a result."""
    if code is None:
        return "it did not end"
    if "Traceback" in said + printed:
        return "a traceback"
    if LOUD in printed:
        return "the file printed among data"
    if code == 0:
        return "" if printed and file != "os._exit(0) at top level" else "it ended in silence"
    if code == 1 and command == "check":
        return "" if has_sentence else "it ended in silence"
    if code != 2:
        return f"exit code {code}"
    return "" if has_sentence and "hint: " in said else "no sentence with a hint"


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_all(folder: str) -> int:
    """End what still runs in a scratch folder of ours; return how many processes there were."""
    for _ in range(20):  # some are about to end
        if not list(_running_in(folder)):
            return 0
        time.sleep(0.25)
    left = list(_running_in(folder))
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)


def _running_in(folder: str) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(entry / "cwd") == os.path.realpath(folder):
                yield int(entry.name)


def main() -> int:
    """Attack from the command line; exit with 1 if a case is not good."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default="src", metavar="FOLDER", help="the folder with the package (default: src)")
    parser.add_argument("--guard", type=float, default=GUARD, metavar="S", help="seconds before a command is ended")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="commands at a time (default: 2)")
    parser.add_argument("--only", metavar="TEXT", help="only cases whose file or command has this text")
    options = parser.parse_args()
    files = [file for file in FILES if options.only is None or options.only in file] or list(FILES)
    commands = [each for each in COMMANDS if options.only is None or options.only == each] or list(COMMANDS)
    rows = attack(
        options.source,
        files=files,
        commands=commands,
        guard=options.guard,
        jobs=options.jobs,
        on_row=lambda row: print(row, flush=True),
    )
    good = sum(row.is_good for row in rows)
    print(f"{good} of {len(rows)} cases end with a result or a sentence")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
