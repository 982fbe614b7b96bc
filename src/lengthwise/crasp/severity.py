"""How serious a finding is, about a program or a task; a module of its own, because task processes load little else."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """How serious a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
