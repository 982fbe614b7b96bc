"""The experiment of a part with published figures, and its page: every counted run, published beside measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..experiment.spec import Spec
from ..experiment.store import Result
from ..report.figures import Column, draw_runs
from ..report.numbers import percent
from ..report.pages import Document, Heading, Items, Line, Panel, Panels, Paragraph, Span
from ..report.results_page import describe_training, meanings, named_answer
from ..tasks.core.catalog import find_task
from .compared import ComparedCell, compare_cell
from .comparison_tables import cell_to_json, legend, narrow_table, summary, wide_table
from .interface import Comparison, Paper, StagedExperiment
from .published import Published, PublishedPart

DIFFERENCES = "Where our training differs from the paper's"


@dataclass(frozen=True, kw_only=True)
class PublishedExperiment(StagedExperiment):
    """Cells of a part, trained as they were published."""

    paper: Paper
    part: PublishedPart
    cells: Sequence[Published]
    seeds: int
    quick: bool

    def _spec(self, cell: Published) -> Spec | None:
        return None if self.part.left_out(cell, quick=self.quick) else self.part.spec(cell, self.seeds)

    def specs(self, _stage: str, _known: Mapping[str, Result]) -> list[Spec]:
        """Return a spec for every cell that is not left out."""
        return [spec for cell in self.cells if (spec := self._spec(cell))]

    def compare(self, results: Mapping[str, Result]) -> PublishedComparison:
        """Return published beside measured."""
        return PublishedComparison(
            paper=self.paper,
            part=self.part,
            cells=[
                compare_cell(cell, self._spec(cell), self.part.left_out(cell, quick=self.quick), results)
                for cell in self.cells
            ],
            results=list(results.values()),
        )


@dataclass(frozen=True, kw_only=True)
class PublishedComparison(Comparison):
    """The cells of a part, published beside measured; ``results`` are the runs that measured figures come from."""

    paper: Paper
    part: PublishedPart
    cells: Sequence[ComparedCell]
    results: Sequence[Result]

    def brief(self, *, narrow: bool) -> Document:
        """Return the table with how to read it; a narrow one has two lines for each cell, published above measured."""
        return Document(
            [
                narrow_table(self.cells) if narrow else wide_table(self.cells),
                Paragraph(summary(self.cells)),
                Paragraph(legend(self.paper, self.part)),
                Paragraph(f"{DIFFERENCES}:"),
                Items(self.part.differences),
            ]
        )

    def page(self) -> Document:
        """Return every counted run, published beside measured."""
        paper = self.paper
        key: Line = [Span("", "key theirs"), "published ", Span("", "key ours"), _KEY]
        return Document(
            [
                Paragraph(f"{paper.title}. {paper.authors}; {paper.source}."),
                Paragraph(summary(self.cells)),
                Paragraph(legend(paper, self.part), soft=True),
                Heading("Runs"),
                Paragraph(key, soft=True),
                Panels(list(self._panels())),
                Heading("Figures"),
                wide_table(self.cells),
                Heading(DIFFERENCES),
                Items(self.part.differences),
                *meanings(),
                Heading("How this was measured"),
                Paragraph(describe_training(self.results)),
            ],
            title=f"{paper.name}: published beside measured",
        )

    def _panels(self) -> Iterator[Panel]:
        for task in dict.fromkeys(cell.published.task for cell in self.cells):
            group = [cell for cell in self.cells if cell.published.task == task]
            columns = [column for number, cell in enumerate(group) for column in _columns(number, cell)]
            longest = "; ".join(map(_at_longest, group))
            what = f"Exact match of every counted run for {task}, by length; {longest}."
            yield Panel(
                task=task,
                definition=find_task(task).definition,
                svg=draw_runs(what, [str(bounds) for bounds in self.part.bins], columns),
                lines=[_reason(number, cell) for number, cell in enumerate(group)],
            )

    def to_json(self) -> dict[str, object]:
        """Return the reproduction as JSON data."""
        return {
            "paper": self.paper.name,
            "part": self.part.name,
            "title": self.paper.title,
            "source": self.paper.source,
            "counted": self.part.counted,
            "differences": list(self.part.differences),
            "cells": [cell_to_json(self.part, cell) for cell in self.cells],
        }


_KEY = "measured; a mark for each counted run, a line at the mean."


def _reason(number: int, cell: ComparedCell) -> Line:
    published = cell.published.predicted
    theirs: list[str | Span] = []
    if published is not None:
        answer = "YES" if published else "NO"
        theirs = [", in the paper ", Span(answer, answer)]
    start = named_answer(number, cell.published.encoding, cell.verdict.answer)
    return [*start, *theirs, f": {cell.verdict.reason} Measured: {cell.remark}."]


def _columns(number: int, cell: ComparedCell) -> list[Column]:
    sides = (("published", cell.published.bins), ("measured", cell.bins))
    return [
        Column(
            label=f"{cell.published.encoding}, {label}",
            series=number,
            is_ours=label == "measured",
            bins=tuple(spread.values for spread in bins),
        )
        for label, bins in sides
    ]


def _at_longest(cell: ComparedCell) -> str:
    published, measured = percent(cell.published.bins[-1].mean), percent(cell.bins[-1].mean) if cell.bins else "–"
    return f"{cell.published.encoding} at the longest: published {published} %, measured {measured} %"
