"""What an entry of the table of theorems says: a statement, its source, its standing and what it assumes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Standing(StrEnum):
    """How well a statement is established: published, proved here but not peer reviewed, or not proved."""

    PUBLISHED = "published"
    OURS = "ours"
    CONJECTURE = "conjecture"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem:
    """A statement with its source and its standing.

    ``status`` says in sentences which part has which standing; ``standing`` is that of the whole, the weakest of its parts.
    ``assumptions`` are what a model must satisfy for the statement to speak of it; a statement about languages has none.
    """

    statement: str
    citation: str
    status: str
    standing: Standing
    assumptions: tuple[str, ...] = ()
