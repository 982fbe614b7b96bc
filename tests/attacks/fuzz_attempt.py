"""One input: how its reading ends, how long it takes, and a smaller one that ends in the same way."""

from __future__ import annotations

import gc
import io
import os
import re
import resource
import signal
import time
import traceback
from pathlib import Path
from typing import Any

from fuzz_inputs import Case

CPU_S = 2.0
KILLED_AT_S = 10  # a process that does not even hear its alarm
MEMORY = 2**30
LONGEST_SENTENCE = 3000


class OverTimeError(BaseException):
    """Raised by the alarm in an input that takes too long; no handler of the package catches it."""


def attempt(reader: Any, case: Any, folder: Path) -> tuple[str, str, str]:
    """Return how an input ended: 'value' or 'sentence', or the kind of a finding, where, and what it says."""
    from lengthwise.errors import LengthwiseError

    try:
        shown = reader.read(case, folder)
    except LengthwiseError as error:
        wrong = _wrong_sentence(error)
        return ("sentence", "", "") if wrong is None else (wrong, _place(error), str(error)[:300])
    except OverTimeError as error:
        return f"over {CPU_S:g} s", _place(error), "alarm"
    except Exception as error:
        return type(error).__name__, _place(error), str(error)[:300]
    for text in shown or ():
        if (wrong := _wrong_text(text, longest=10**6)) is not None:
            return wrong, "what is shown", text[:300]
    return "value", "", ""


def _wrong_sentence(error: Any) -> str | None:
    """Return what is wrong with an error as the command line shows it: message, hint and caret."""
    if not error.message.strip():
        return "empty sentence"
    wrong = _wrong_text(error.message) or _wrong_text(error.hint)
    if wrong is None and hasattr(error, "caret"):
        wrong = next((f"{found} (caret)" for line in error.caret().split("\n") if (found := _wrong_text(line))), None)
    return wrong


def _wrong_text(text: str, longest: int = LONGEST_SENTENCE) -> str | None:
    from lengthwise.cli.streams import SafeStream

    terminal = io.StringIO()
    SafeStream(terminal).write(text)  # as the command line writes it
    shown = terminal.getvalue()
    if len(shown) > longest:
        return "sentence too long"
    if not all(line.isprintable() for line in re.split("[\n\t]", shown)):
        return "control characters"
    return None


def _place(error: BaseException) -> str:
    """Return the innermost frame of the package."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if f"{os.sep}lengthwise{os.sep}" in frame.filename
    ]
    if not frames:
        frames = traceback.extract_tb(error.__traceback__)[-1:]
    return f"{frames[-1].filename.rpartition('lengthwise' + os.sep)[2]}:{frames[-1].name}" if frames else "?"


def timed(reader: Any, case: Any, folder: Path) -> tuple[str, str, str, float]:
    """Return how an input ended and how much CPU time it took; too much is a finding whatever the end."""
    gc.collect(0)
    spent = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + KILLED_AT_S, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_PROF, 2 * CPU_S)
    try:
        kind, place, told = attempt(reader, case, folder)
        signal.setitimer(signal.ITIMER_PROF, 0)
    except OverTimeError as error:  # raised while an outcome was being told
        kind, place, told = f"over {CPU_S:g} s", _place(error), "alarm"
    cpu = time.process_time() - spent
    if cpu > CPU_S and not kind.startswith("over"):
        kind, place = f"over {CPU_S:g} s", "finished"
    return kind, place, told, cpu


def limit_process() -> None:
    """Let this process have so much more memory than now, and hear the alarm of an input that takes too long."""
    signal.signal(signal.SIGPROF, _raise_over_time)
    status = Path("/proc/self/status").read_text()
    data = int(status.partition("VmData:")[2].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (data + MEMORY, data + MEMORY))


def _raise_over_time(*_: object) -> None:
    raise OverTimeError


def shrink(reader: Any, case: Any, wanted: tuple[str, str], folder: Path, patience: float = 1.0) -> Any:
    """Return a smaller text that ends in the same way, found by leaving out parts; slow ones stay as they are."""
    if wanted[0].startswith("over") or wanted[0] == "MemoryError" or isinstance(case.data, bytes):
        return case
    deadline = time.process_time() + patience
    size = max(1, len(case.data) // 2)
    while size and time.process_time() < deadline:
        start, shorter = 0, False
        while start < len(case.data) and time.process_time() < deadline:
            smaller = Case(data=case.data[:start] + case.data[start + size :], options=case.options)
            if timed(reader, smaller, folder)[:2] == wanted:
                case, shorter = smaller, True
            else:
                start += size
        size = size // 2 if not shorter or size > len(case.data) else size
    return case
