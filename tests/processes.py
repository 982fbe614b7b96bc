"""Waiting for other processes, and finding them. Patience is a guard against hanging for ever, never a measurement."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 600.0  # seconds; generous, because a machine may be busy


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds; fail if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"gave up waiting for {what}"
        time.sleep(0.01)


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:  # it has ended meanwhile
                continue
            if int(parent) == pid and state != "Z":
                found.append(int(entry.name))
    return found
