"""The papers by name."""

from __future__ import annotations

from ..errors import lookup
from .huang2025 import PAPER as HUANG_2025
from .paper import Paper

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (HUANG_2025,)}


def find_paper(name: str) -> Paper:
    """Return the paper of a name."""
    return lookup("paper", name, PAPERS)
