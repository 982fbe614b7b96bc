"""The papers by name."""

from __future__ import annotations

from ..errors import lookup, unknown_name
from . import chen2025
from .huang2025 import PAPER as HUANG_2025
from .paper import Paper

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (HUANG_2025,)}
"""Papers with published figures."""

SOURCES = {paper.name: (paper.source, paper.title) for paper in PAPERS.values()} | {
    chen2025.NAME: (chen2025.SOURCE, chen2025.TITLE)
}
"""Source and title of all that can be reproduced."""


def find_paper(name: str) -> Paper:
    """Return the paper of a name, with its published figures."""
    if name not in SOURCES:
        raise unknown_name("paper", name, SOURCES)
    return lookup("paper with published figures", name, PAPERS)
