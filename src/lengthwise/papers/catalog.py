"""The papers by name."""

from __future__ import annotations

from ..errors import lookup
from .chen2025.paper import PAPER as CHEN_2025
from .deletang2023.paper import PAPER as DELETANG_2023
from .huang2025.paper import PAPER as HUANG_2025
from .interface import Paper
from .jerad2026.paper import PAPER as JERAD_2026
from .mechanism.paper import PAPER as MECHANISM
from .ruoss2023.paper import PAPER as RUOSS_2023
from .yang2026.paper import PAPER as YANG_2026

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (HUANG_2025, CHEN_2025, JERAD_2026, YANG_2026, MECHANISM, DELETANG_2023, RUOSS_2023)
}


def find_paper(name: str) -> Paper:
    """Return the paper of a name."""
    return lookup("paper", name, PAPERS)
