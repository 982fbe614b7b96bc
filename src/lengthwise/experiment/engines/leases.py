"""Who trains a stack of a cluster, and whether it still lives: a file that its worker writes again at every beat.

Nobody compares the clocks of two machines. The collector sees that a lease changes, and waits by its own clock. A worker that finds
another one's lease on its stack ends: the newer one goes on.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ...errors import LengthwiseError
from ...files import parse_json, write_text
from .work import StackProgress
from .work_folder import WorkFolder, read_regular

_FORMAT = "lengthwise lease 1"
_MOST_BYTES = 2**20
_MOST_NUMBERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """An attempt of a job that trains a stack; ``beat`` grows as long as it lives."""

    attempt: str
    job: str
    host: str
    pid: int
    beat: int
    progress: StackProgress | None = None


def write_lease(path: Path, lease: Lease) -> None:
    """Write a lease in the place of the one before."""
    write_text(path, json.dumps({"format": _FORMAT} | asdict(lease)) + "\n")


def read_lease(path: Path) -> Lease | None:
    """Return the lease in a file; None if there is none, or none that makes sense."""
    try:
        data = parse_json(read_regular(path, _MOST_BYTES).decode("utf-8", "replace"), repr(str(path)))
        if data.pop("format") != _FORMAT:
            return None
        progress = data.pop("progress")
        lease = Lease(**data, progress=None if progress is None else _progress(progress))
    except (LengthwiseError, AttributeError, KeyError, TypeError, ValueError):
        return None
    kinds = [type(value) for value in (lease.attempt, lease.job, lease.host, lease.pid, lease.beat)]
    return lease if kinds == [str, str, str, int, int] else None


def _progress(data: dict[str, Any]) -> StackProgress:
    """Return the progress in JSON data; raise ValueError if it is none."""
    matched, seconds = data.pop("matched"), data.pop("seconds")
    if not isinstance(matched, list) or not isinstance(seconds, dict) or len(matched) > _MOST_NUMBERS:
        raise ValueError("not a progress")
    if not all(type(value) is int and 0 <= value < 2**63 for value in data.values()):
        raise ValueError("not a progress")
    if not all(type(value) in (int, float) and isfinite(value) for value in (*matched, *seconds.values())):
        raise ValueError("not a progress")
    return StackProgress(**data, matched=tuple(matched), seconds=seconds)


class Heartbeat:
    """Writes the lease of this process at every beat, in a thread; ``on_lost`` is called when the stack is not ours any more."""

    def __init__(
        self, folder: WorkFolder, key: str, *, attempt: str, job: str, seconds: float, on_lost: Callable[[str], None]
    ) -> None:
        self._path, self._plan = folder.lease_file(key), folder.plan_file(key)
        self._attempt, self._job, self._seconds, self._on_lost = attempt, job, seconds, on_lost
        self._beat = 0
        self._stop = threading.Event()
        self.progress: StackProgress | None = None
        self._write()  # whoever had the lease before sees that it is ours now
        self._thread = threading.Thread(target=self._keep_on, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write the lease no more."""
        self._stop.set()
        self._thread.join()

    def _keep_on(self) -> None:
        while not self._stop.wait(self._seconds):
            lease = read_lease(self._path)
            if lease is not None and lease.attempt != self._attempt:
                self._on_lost(f"job {lease.job} on {lease.host} has taken over")
                return
            if not self._plan.exists():
                self._on_lost("nobody waits for this stack any more")
                return
            self._write()

    def _write(self) -> None:
        self._beat += 1
        lease = Lease(
            attempt=self._attempt,
            job=self._job,
            host=socket.gethostname(),
            pid=os.getpid(),
            beat=self._beat,
            progress=self.progress,
        )
        with suppress(LengthwiseError):  # a full disk is no reason to end; the next beat tries again
            write_lease(self._path, lease)


class LeaseWatch:
    """What the collector knows of a lease: when it last changed, by the collector's own clock."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._last: Lease | None = None
        self.rest()

    def rest(self) -> None:
        """Begin to wait anew: the job does not run at the moment, so that no beat is due."""
        self._since = self._clock()

    def look(self) -> StackProgress | None:
        """Read the lease; return the progress in it if that is new."""
        lease = read_lease(self._path)
        if lease is None or lease == self._last:
            return None
        before, self._last = self._last, lease
        self._since = self._clock()
        return None if before is not None and before.progress == lease.progress else lease.progress

    @property
    def seconds_silent(self) -> float:
        """How long nothing has changed."""
        return self._clock() - self._since
