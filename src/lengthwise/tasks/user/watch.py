"""Whether a task process that has not answered yet still works, or sleeps."""

from __future__ import annotations

import os
from pathlib import Path

from .process.note import Note

ASLEEP = 30.0
"""Seconds that a task process may sleep over one question. One that waits for a processor does not count as asleep."""
WITHOUT_LOOKING = 600.0
"""Seconds that a question may take where this system does not tell what a process does."""
_CPU_TIMES_OF_PATIENCE = 2  # a file that ignores the signal at the end of its CPU time is ended here


class Watch:
    """What is known of a process while it is asked one question after another; it is looked at now and then."""

    def __init__(self, pid: int, note: Note, patience: float) -> None:
        self._stat, self._note = Path(f"/proc/{pid}/stat"), note
        self._most_seconds = _CPU_TIMES_OF_PATIENCE * patience
        self._question = -1
        self._asleep = self._waited = self._begun = 0.0

    def look(self, waited: float) -> str:
        """Return what is wrong after so many further seconds without an answer, or nothing."""
        state, used = self._state()
        if self._note.number != self._question:
            self._question = self._note.number
            self._asleep = self._waited = 0.0
            self._begun = used
        self._waited += waited
        self._asleep += waited * (state == "S")
        if used - self._begun > self._most_seconds:
            return f"used more than {self._most_seconds:g} s of CPU time"
        if self._asleep > ASLEEP:
            return f"was asleep for more than {ASLEEP:g} s"
        if not state and self._waited > WITHOUT_LOOKING:
            return f"took more than {WITHOUT_LOOKING:g} s"
        return ""

    def _state(self) -> tuple[str, float]:
        """Return the state of the process, as one letter, and the CPU time it has used; nothing where that is not told."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return "", 0.0
        return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
