"""On the Limitations and Capabilities of Position Embeddings for Length Generalization: its claims, measured.

Chen, Liang, Lin; arXiv 2510.04130. The figures of the paper are not known to us, so that nothing here repeats one: what can be
compared are its claims. Tasks, encodings and learned relations are our reconstruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...report.pages import Document, Items, Paragraph
from ...tables import Table
from ..interface import Cell, Experiment, Paper
from .comparison import GridExperiment
from .grid import CLAIMS, PARTS, STAGES, STANDING, GridCell, cells_of_part


class Chen2025(Paper):
    """A grid of tasks and encodings, trained in stages, with the conjecture beside it."""

    name = "chen2025"
    title = "On the Limitations and Capabilities of Position Embeddings for Length Generalization"
    authors = "Chen, Liang, Lin"
    source = "arXiv 2510.04130"
    smoke = ("copy", "nope")
    parts: ClassVar = {name: part.summary for name, part in PARTS.items()}
    stages = STAGES

    def cells(self, part: str) -> Sequence[GridCell]:
        """Return the cells of a part of the grid."""
        return cells_of_part(part)

    def experiments(self, cells: Sequence[Cell], *, quick: bool, seeds: int) -> list[Experiment]:
        """Return one experiment: cells of all parts stand in one grid."""
        own = [cell for cell in cells if isinstance(cell, GridCell)]
        return [GridExperiment(paper=self, cells=own, all_stages=self.stages, seeds=seeds, quick=quick)]

    def describe(self) -> Document:
        """Return the claims, and what there is to train."""
        rows = []
        for part, summary in self.parts.items():
            cells = cells_of_part(part)
            tasks = ", ".join(dict.fromkeys(cell.task_title for cell in cells))
            encodings = ", ".join(dict.fromkeys(cell.encoding_title for cell in cells))
            rows.append((part, str(len(cells)), f"{summary}: {tasks}\nwith {encodings}"))
        return Document(
            [
                Paragraph(f"{self.title}. {self.authors}; {self.source}"),
                Items(CLAIMS),
                Paragraph(STANDING),
                Table(header=("part", "cells", "tasks and encodings"), rows=rows),
                Paragraph(f"measured: lengthwise reproduce {self.name} --part first"),
            ],
            title=self.name,
        )

    def to_json(self) -> dict[str, object]:
        """Return the claims and the cells of all parts."""
        return {
            "name": self.name,
            "title": self.title,
            "authors": self.authors,
            "source": self.source,
            "claims": list(CLAIMS),
            "standing": STANDING,
            "cells": [
                {"part": part, "task": cell.task, "encoding": cell.encoding}
                for part in self.parts
                for cell in cells_of_part(part)
            ],
        }


PAPER = Chen2025()
