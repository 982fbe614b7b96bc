"""User code in a process of its own: it cannot hang this one, take its memory, or end it.

The process gets the text of a file and then questions, a line of JSON each, and answers with a line each. Nothing is
pickled. It has no input, what it prints goes to stderr, and it ends when this process does. This is a guard against
mistakes, not against attackers: the code may still read and write files.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import select
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from ...errors import InvalidOptionError, UserCodeError
from ...notices import on_user_code
from .process.limits import OUT_OF_MEMORY
from .process.main import MOST_BYTES
from .process.note import SIZE, TOP_LEVEL, Note
from .source import show_prompt
from .watch import Watch

PATIENCE = 20.0
"""Seconds of CPU time that one call of a user's function may take."""
MEMORY = 4 * 2**30
"""Bytes that a task process may have."""

_START = (
    "import sys; package = type(sys)('lengthwise'); package.__path__ = [sys.argv.pop(1)]; "
    "sys.modules['lengthwise'] = package; "  # without its __init__, which loads ten times as much as is needed
    f"from {__package__}.process.main import main; main()"
)
_PACKAGE = str(Path(__file__).resolve().parents[2])
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_TO_END = 10.0  # for a process that has closed its output
_HINTS = {
    "CPU": "look for a loop that never ends there, or make it faster.",
    "memory": "look for what grows without end there, or keep less in memory.",
    "asleep": "let it wait for nothing: no sleep, no network, no other process.",
    "exit": "raise an exception instead of ending the process.",
    "signal": "look for what ends the process there; the machine may also be out of memory.",
    "lines": "leave the files that were open before it ran alone.",
    "size": "return less.",
}


class TaskProcess:
    """The process of one file. It is started by the first question, and again by the first one after it has ended."""

    def __init__(
        self, path: str, text: str, *, hash_seed: str | None = None, patience: float = PATIENCE, memory: int = MEMORY
    ) -> None:
        self.path, self.text, self.patience, self.memory = path, text, patience, memory
        self.hash_seed = hash_seed
        self.seconds = 0.0
        """CPU time that the process had used at its last answer."""
        self._lock = Lock()
        self._running: _Running | None = None

    def __reduce__(self) -> tuple[Callable[..., TaskProcess], tuple[str, str]]:
        return TaskProcess, (self.path, self.text)  # another process starts its own

    def define(self) -> dict[str, Any]:
        """Run the file; return its names and what is wrong with them, as ``process.main`` tells them."""
        with self._lock:
            self._end()
            defined: dict[str, Any] = self._start()
            return defined

    def ask(self, question: str, items: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the answers to a question about each of the items; raise the first thing that goes wrong."""
        made, problem = self.ask_until_wrong(question, items)
        if problem is not None:
            raise problem
        return made

    def ask_until_wrong(
        self, question: str, items: Sequence[Sequence[Any]]
    ) -> tuple[list[Any], InvalidOptionError | None]:
        """Return the answers up to the first item that goes wrong, and how it did; raise if the process ends."""
        with self._lock:
            if self._running is None or not self._running.is_ours:
                self._start()
            return self._exchange({"ask": question, "items": items}, len(items))

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end()

    def _start(self) -> Any:
        on_user_code.get()(self.path, "in a process of its own")
        self._running = _Running(self)
        made, problem = self._exchange({"text": self.text}, 1)
        if problem is not None:
            self._end()
            raise problem
        return made[0]

    def _exchange(self, request: dict[str, Any], most: int) -> tuple[list[Any], InvalidOptionError | None]:
        assert self._running is not None
        try:
            reply = self._running.exchange(request)
            made, error = reply["made"], reply.get("error")
            problem = None if error is None else InvalidOptionError(error["message"], hint=error["hint"])
            self.seconds = float(reply["seconds"])
            if len(made) != most and (problem is None or len(made) > most):
                raise ValueError(f"{len(made)} answers to {most} questions")
        except (KeyError, TypeError, ValueError):  # the file has written to where only answers go
            broken = self._running.ended("wrote what is no answer", "lines")
            self._end()
            raise broken from None
        except BaseException:  # also an interrupt, after which the next answer would be that to another question
            self._end()
            raise
        return made, problem

    def _end(self) -> None:
        if self._running is not None:
            self._running.end()
            self._running = None


class _Running:
    """A process that has been started, with its pipes and the note on what it does."""

    def __init__(self, task: TaskProcess) -> None:
        self._path, self._patience, self._memory = task.path, task.patience, task.memory
        self._owner, self._buffer = os.getpid(), bytearray()
        with TemporaryFile() as file:
            file.write(bytes(SIZE))
            file.flush()
            self._note = Note(mmap.mmap(file.fileno(), SIZE))
            settings = {
                "path": task.path,
                "paths": [str(path) for path in sys.path],
                "parent": self._owner,
                "note": file.fileno(),
                "patience": task.patience,
                "memory": task.memory,
            }
            seed = {} if task.hash_seed is None else {"PYTHONHASHSEED": task.hash_seed}
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, _PACKAGE, json.dumps(settings)],
                env={**os.environ, **seed},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if _is_open(2) else subprocess.DEVNULL,
                pass_fds=(file.fileno(),),
                start_new_session=True,  # Ctrl-C is for this process, which then ends that one
            )
        self._watch = Watch(self._process.pid, self._note, task.patience)
        self.end = weakref.finalize(self, _end_process, self._process, self._owner)

    @property
    def is_ours(self) -> bool:
        """Whether this process has started it; a fork of the one that has must start its own."""
        return self._owner == os.getpid()

    def exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a question and return the reply; raise if the process does not come back with one."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, which reading finds too
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._read_line())
        if "too_long" in reply:
            raise self.ended(f"returned {reply['too_long']} bytes, of which at most {MOST_BYTES} can be read", "size")
        return reply

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        while True:
            if not poll.poll(1000 * _SECONDS_BETWEEN_LOOKS):
                wrong = self._watch.look(_SECONDS_BETWEEN_LOOKS)
                if wrong:
                    raise self.ended(wrong, "CPU" if "CPU" in wrong else "asleep")
                continue
            more = os.read(pipe, 2**20)
            if not more:
                raise self._find_end()
            self._buffer += more
            if more.endswith(b"\n") or len(self._buffer) > MOST_BYTES:
                line, self._buffer = bytes(self._buffer), bytearray()
                return line

    def _find_end(self) -> UserCodeError:
        """Return how the process has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)
        code = self._process.poll()
        if code is None:
            return self.ended("closed the files through which it answers", "lines")
        if code == -signal.SIGPROF:
            return self.ended(f"used more than {self._patience:g} s of CPU time", "CPU")
        if code == OUT_OF_MEMORY:
            return self.ended(f"used more than {_memory_limit(self._memory) / 2**30:.3g} GiB of memory", "memory")
        if code < 0:
            return self.ended(f"was ended by signal {-code} ({signal.Signals(-code).name})", "signal")
        return self.ended(f"ended its process with exit code {code}", "exit")

    def ended(self, how: str, kind: str) -> UserCodeError:
        """Return the error that says what the file was doing, and how that ended."""
        name, argument, value = self._note.read()
        if not argument:
            told = f"{self._path!r}: a fresh process {how.replace(' its process', '')} before it could read the file."
            return UserCodeError(told, hint="look for what breaks Python here, such as a file json.py in PYTHONPATH.")
        who, at = f"{name}()", f"{argument} {show_prompt(value) if argument == 'prompt' else ''.join(value)}"
        if argument == TOP_LEVEL:
            who, at = "the file", "its top level"
        elif argument == "prompt":
            at = f"the {at}"
        return UserCodeError(f"{self._path!r}: {who} {how} at {at}.", hint=_HINTS[kind])


def _end_process(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a process, and those that it has started, unless it belongs to another one."""
    if os.getpid() != owner:
        return
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what is still to be written goes nowhere
            assert pipe is not None
            pipe.close()


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _memory_limit(most: int) -> int:
    """Return how many bytes a task process can have: the limit, or what the shell that started us leaves it."""
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS)]
    return min([most, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])
