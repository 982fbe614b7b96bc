"""Papers whose published figures stand in a file: everything but the figures and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence

from ..report.pages import Block, Document, Heading, Paragraph
from ..tables import Table
from .comparison import PublishedExperiment
from .comparison_tables import published_to_json, show_spread
from .interface import Cell, Experiment, Paper
from .published import Published, PublishedPart


class PublishedPaper(Paper):
    """A paper with parts of which each has published cells; the first is the one that JSON puts on top."""

    published: Sequence[PublishedPart]

    def cells(self, part: str) -> Sequence[Cell]:
        """Return the cells with published figures."""
        return next(each for each in self.published if each.name == part).published

    def experiments(self, cells: Sequence[Cell], *, quick: bool, seeds: int) -> list[Experiment]:
        """Return an experiment for each part."""
        by_part = {
            part: [cell for cell in cells if isinstance(cell, Published) and cell.part == part.name]
            for part in self.published
        }
        return [
            PublishedExperiment(paper=self, part=part, cells=own, seeds=seeds, quick=quick)
            for part, own in by_part.items()
            if own
        ]

    def describe(self) -> Document:
        """Return the published figures of all parts."""
        blocks: list[Block | Table] = [Paragraph(f"{self.title}. {self.authors}; {self.source}")]
        for part in self.published:
            blocks += [
                Heading(part.summary),
                Paragraph(f"{part.name}: {part.summary}"),
                published_table(part),
                Paragraph(
                    f"All of this is published, also the predictions if there are any: figures from {part.figures_from}. "
                    "Exact match in percent, mean ± standard deviation over the counted runs, of all tries."
                ),
                Paragraph(f"beside your own: lengthwise reproduce {self.name} --part {part.name} --quick"),
            ]
        return Document(blocks, title=self.name)

    def to_json(self) -> dict[str, object]:
        """Return the published figures of the first part, and those of every other part under its name."""
        first, *others = self.published
        data = {field: getattr(self, field) for field in ("name", "title", "authors", "source")}
        return {
            **data,
            "counted": first.counted,
            "selection": first.selection,
            "cells": _cells_to_json(first),
            "parts": {part.name: _cells_to_json(part) for part in others},
        }


def published_table(part: PublishedPart) -> Table:
    """Return the published figures of a part."""
    bins = [str(bounds) for bounds in part.bins]
    return Table(
        header=("task", "encoding", "predicted", "counted", *bins, "configuration"),
        rows=[
            (
                cell.task,
                cell.encoding,
                "–" if cell.predicted is None else "YES" if cell.predicted else "NO",
                f"{cell.num_counted}/{cell.num_tries}",
                *map(show_spread, cell.bins),
                cell.configuration,
            )
            for cell in part.published
        ],
        kinds={0: "name", 2: "answer"},
    )


def _cells_to_json(part: PublishedPart) -> list[dict[str, object]]:
    return [
        {"task": cell.task, "encoding": cell.encoding, "published": published_to_json(part, cell)}
        for cell in part.published
    ]
