"""The papers by name."""

from __future__ import annotations

from ..errors import lookup
from .chen2025.paper import PAPER as CHEN_2025
from .huang2025.paper import PAPER as HUANG_2025
from .interface import Paper

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (HUANG_2025, CHEN_2025)}


def find_paper(name: str) -> Paper:
    """Return the paper of a name."""
    return lookup("paper", name, PAPERS)
