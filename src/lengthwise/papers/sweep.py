"""Papers whose cells are trained with several settings each: what is planned, what was measured, and how it is shown.

A cell is a task with an encoding; its specs differ in learning rate, size or penalties. A paper of this kind says what its
cells are and turns measured cells into tables. ``quick`` trains small models for a few steps: that shows that a pack works,
and its figures are no repetition of the paper's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ..experiment.estimates import gpu_minutes
from ..experiment.plan import Run, make_runs
from ..experiment.spec import Spec
from ..experiment.store import Result
from ..model.shape import Shape
from ..report.pages import Block, Document, Heading, Items, Paragraph
from ..report.results_page import describe_training
from ..report.statistics import share_in
from ..tables import Table
from ..tasks.core.lengths import LengthRange
from .interface import Cell, Comparison, Experiment, Paper, StagedExperiment

QUICK_SHAPE = Shape(layers=2, heads=4, width=32)
QUICK_STEPS = 600
QUICK_TEST = 4
"""How many training lengths a quick run is tested up to: scoring long inputs is what takes long on a CPU."""
QUICK_NOTE = (
    f"Quick: {QUICK_SHAPE.layers} layers of width {QUICK_SHAPE.width}, {QUICK_STEPS} steps, one setting for each cell, tests up to "
    f"{QUICK_TEST} times the training length. These figures show that everything runs. They are no result."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepCell:
    """A task with an encoding, by their names in the paper and here, and everything that is trained for it."""

    part: str
    task_title: str
    task: str
    encoding_title: str
    encoding: str
    specs: tuple[Spec, ...]  # the experiment sets their seeds

    @property
    def task_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the task."""
        return self.task_title, self.task

    @property
    def encoding_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the encoding."""
        return self.encoding_title, self.encoding

    def quick(self) -> SweepCell:
        """Return the same cell with a small model, few steps, one setting, and no hard sets."""
        first = self.specs[0]
        training = replace(
            first.training,
            steps=QUICK_STEPS,
            batch=min(first.training.batch, 32),
            warmup=min(first.training.warmup, 100),
            evaluate_every=200,
            examples=200,
        )
        shape = replace(first.model, layers=QUICK_SHAPE.layers, heads=QUICK_SHAPE.heads, width=QUICK_SHAPE.width)
        longest = QUICK_TEST * first.train_length
        assert isinstance(first.test_length, int)
        small = replace(first, model=shape, training=training, test_length=min(first.test_length, longest), hard=False)
        return replace(self, specs=(replace(small, learning_rate=0.003),))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCell:
    """A cell with its runs, and the results that are there."""

    cell: SweepCell
    runs: tuple[Run, ...]
    results: tuple[Result, ...]

    @property
    def bins(self) -> tuple[LengthRange, ...]:
        """The bins of length, the training lengths first."""
        return self.runs[0].bins

    @property
    def progress(self) -> str:
        """How many runs are there, of how many."""
        return f"{len(self.results)}/{len(self.runs)}"

    def shares(self, bounds: LengthRange) -> list[float]:
        """Return the exact match of every result over the lengths of a range; a run without such lengths is left out."""
        return [share for result in self.results if (share := share_in(result, bounds)) is not None]

    def fitted(self, threshold: float) -> tuple[Result, ...]:
        """Return the results that reach an exact match at training lengths."""
        return tuple(result for result in self.results if (share_in(result, self.bins[0]) or 0.0) >= threshold)


def measure_cell(cell: SweepCell, specs: Sequence[Spec], results: Mapping[str, Result]) -> MeasuredCell:
    """Return a cell with those results that are of the runs of its specs."""
    runs = make_runs(specs)
    return MeasuredCell(
        cell=cell, runs=tuple(runs), results=tuple(results[run.id] for run in runs if run.id in results)
    )


class SweepPaper(Paper):
    """A paper of which each cell is trained with several settings, and compared in tables."""

    standing: str
    """What is known of the paper's own figures, and what the comparison therefore is."""
    differences: Sequence[str]
    """Where our tasks and our training differ from the paper's."""
    comparison_class: ClassVar[type[SweepComparison]]
    experiment_class: ClassVar[type[SweepExperiment] | None] = None
    """What measures the cells, where it is more than training all settings with all seeds."""

    @abstractmethod
    def cells(self, part: str) -> Sequence[SweepCell]:
        """Return the cells of a part."""

    @abstractmethod
    def published(self) -> list[Block | Table]:
        """Return what the paper reports or claims."""

    def experiments(self, cells: Sequence[Cell], *, quick: bool, seeds: int) -> list[Experiment]:
        """Return one experiment: cells of all parts stand in the same tables."""
        own = [cell for cell in cells if isinstance(cell, SweepCell)]
        experiment = self.experiment_class or SweepExperiment
        return [experiment(paper=self, cells=own, seeds=seeds, quick=quick)] if own else []

    def describe(self) -> Document:
        """Return what is published, and what there is to train."""
        return Document(
            [
                Paragraph(f"{self.title}. {self.authors}; {self.source}"),
                Paragraph(self.standing),
                *self.published(),
                self.parts_table(),
                Paragraph(f"measured: lengthwise reproduce {self.name} --part {next(iter(self.parts))} --quick"),
            ],
            title=self.name,
        )

    def parts_table(self) -> Table:
        """Return the parts with their cells, their runs, and the minutes they take on a GPU if no run stops early."""
        rows = []
        for part, summary in self.parts.items():
            cells = self.cells(part)
            (experiment,) = self.experiments(cells, quick=False, seeds=self.usual_seeds)
            assert isinstance(experiment, SweepExperiment)
            runs = make_runs(experiment.specs(experiment.stages[0], {}))
            rows.append((part, str(len(cells)), f"{len(runs):,}", f"{gpu_minutes(runs):,.0f}", summary))
        header = ("part", "cells", "runs", "GPU minutes if none stops early", "what")
        return Table(header=header, rows=rows, kinds={0: "name", 1: "number", 2: "number", 3: "number", 4: "remark"})

    def to_json(self) -> dict[str, object]:
        """Return what is published, and the cells of all parts."""
        return {
            **{field: getattr(self, field) for field in ("name", "title", "authors", "source", "standing")},
            "published": [block.to_json() for block in self.published() if isinstance(block, Table)],
            "cells": [
                {"part": part, "task": cell.task, "encoding": cell.encoding, "settings": len(cell.specs)}
                for part in self.parts
                for cell in self.cells(part)
            ],
        }


@dataclass(frozen=True, kw_only=True)
class SweepExperiment(StagedExperiment):
    """Cells, each with all of its settings and seeds; a quick one has one setting, small models and few steps."""

    paper: SweepPaper
    cells: Sequence[SweepCell]
    seeds: int
    quick: bool

    @property
    def trained(self) -> list[SweepCell]:
        """The cells as they are trained."""
        return [cell.quick() for cell in self.cells] if self.quick else list(self.cells)

    def seeded(self, cell: SweepCell, _known: Mapping[str, Result]) -> list[Spec]:
        """Return the specs of a cell with their seeds, which may depend on results so far."""
        return [replace(spec, seeds=self.seeds) for spec in cell.specs]

    def specs(self, _stage: str, known: Mapping[str, Result]) -> list[Spec]:
        """Return all specs of all cells, each once."""
        return list(dict.fromkeys(spec for cell in self.trained for spec in self.seeded(cell, known)))

    def compare(self, results: Mapping[str, Result]) -> SweepComparison:
        """Return the tables of what was measured."""
        return self.paper.comparison_class(
            paper=self.paper,
            cells=[measure_cell(cell, self.seeded(cell, results), results) for cell in self.trained],
            quick=self.quick,
        )


@dataclass(frozen=True, kw_only=True)
class SweepComparison(Comparison):
    """Measured cells beside what is published of them."""

    paper: SweepPaper
    cells: Sequence[MeasuredCell]
    quick: bool

    @abstractmethod
    def findings(self) -> list[Block | Table]:
        """Return the tables of what was measured, with how to read them."""

    def records(self, measured: MeasuredCell) -> Mapping[str, object]:  # noqa: ARG002
        """Return what is to be said of a cell as data, beside its runs."""
        return {}

    @property
    def _summary(self) -> str:
        planned = sum(len(each.runs) for each in self.cells)
        found = sum(len(each.results) for each in self.cells)
        text = f"{found:,} of {planned:,} runs are measured."
        return text if found == planned else f"{text} Figures over some of the runs are no result yet."

    def _blocks(self) -> list[Block | Table]:
        note = [Paragraph(QUICK_NOTE)] if self.quick else []
        return [Paragraph(self._summary), *note, *self.findings()]

    def brief(self, *, narrow: bool) -> Document:  # noqa: ARG002
        """Return the tables with how to read them."""
        return Document(
            [
                *self._blocks(),
                Paragraph(self.paper.standing),
                Paragraph("Where we differ from the paper:"),
                Items(list(self.paper.differences)),
            ]
        )

    def page(self) -> Document:
        """Return the same as a page, with what it was trained on."""
        paper = self.paper
        return Document(
            [
                Paragraph(f"{paper.title}. {paper.authors}; {paper.source}."),
                Paragraph(paper.standing),
                *self._blocks(),
                Heading("Where we differ from the paper"),
                Items(list(paper.differences)),
                Heading("How this was measured"),
                Paragraph(describe_training([result for each in self.cells for result in each.results])),
            ],
            title=f"{paper.name}: published beside measured",
        )

    def to_json(self) -> dict[str, object]:
        """Return every run as JSON data."""
        return {
            "paper": self.paper.name,
            "quick": self.quick,
            "standing": self.paper.standing,
            "differences": list(self.paper.differences),
            "cells": [
                {
                    "part": each.cell.part,
                    "task": each.cell.task,
                    "encoding": each.cell.encoding,
                    "bins": [str(bounds) for bounds in each.bins],
                    "planned": len(each.runs),
                    **self.records(each),
                    "runs": [_run_line(result, each.bins) for result in each.results],
                }
                for each in self.cells
            ],
        }


def _run_line(result: Result, bins: Sequence[LengthRange]) -> dict[str, object]:
    """Return what a run was and came to, in one line."""
    model, training = result.settings["model"], result.settings["training"]
    return {
        "id": result.id,
        "seed": result.seed,
        "learning_rate": result.learning_rate,
        "model": f"{model['layers']}l{model['heads']}h{model['width']}d",
        "of_steps": training["steps"],
        "steps": result.steps,
        "exact_match": [share_in(result, bounds) for bounds in bins],
    }
