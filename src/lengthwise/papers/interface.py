"""What every paper is to the command that reproduces it.

A paper has parts. A part has cells, each a task with an encoding. Experiments measure cells with what the command gives them
to train with, and come to a comparison, which a terminal, a Markdown file, a page and JSON show. A pack is one folder: its
``paper.py`` defines a :class:`Paper`, its data files hold the published figures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from ..errors import InvalidOptionError, unknown_name
from ..experiment.spec import Spec
from ..experiment.store import Result
from ..report.pages import Document

ALL = "all"
"""What stands for every part of a paper."""


class Cell(Protocol):
    """A task with an encoding, by the names that ``--only`` may give them."""

    @property
    def part(self) -> str: ...  # noqa: D102

    @property
    def task_names(self) -> Sequence[str]: ...  # noqa: D102

    @property
    def encoding_names(self) -> Sequence[str]: ...  # noqa: D102


class Trainer(Protocol):
    """What experiments train with; on a dry run nothing is trained, and what the store holds is returned."""

    @property
    def is_dry_run(self) -> bool: ...  # noqa: D102

    @property
    def device(self) -> str: ...  # noqa: D102

    def train(self, specs: Sequence[Spec], stage: str = "", *, keep: bool = False) -> list[Result]:
        """Return the results of these specs, after training those that the store does not hold.

        With ``keep`` the trained models are kept as well.
        """

    def model_file(self, run_id: str) -> Path:
        """Return the file of a kept model."""

    def beside_store(self, ending: str) -> Path:
        """Return a file for what does not go into the store."""

    def say(self, text: str) -> None:
        """Show where the work stands."""


class Comparison(ABC):
    """What an experiment came to, beside what its paper says."""

    @abstractmethod
    def brief(self, *, narrow: bool) -> Document:
        """Return tables and how to read them: for a terminal, which is narrow, or for Markdown."""

    @abstractmethod
    def page(self) -> Document:
        """Return everything, with pictures."""

    @abstractmethod
    def to_json(self) -> dict[str, object]:
        """Return everything as JSON data."""


class Experiment(ABC):
    """Cells that are measured and compared together."""

    @abstractmethod
    def measure(self, trainer: Trainer) -> Comparison:
        """Train what is missing, and compare."""


class StagedExperiment(Experiment):
    """An experiment whose runs go into a store; what a stage came to decides what the next one trains."""

    stages: Sequence[str] = ("",)

    @abstractmethod
    def specs(self, stage: str, known: Mapping[str, Result]) -> list[Spec]:
        """Return what a stage trains, given the results so far by the id of their runs."""

    @abstractmethod
    def compare(self, results: Mapping[str, Result]) -> Comparison:
        """Return the comparison of all results."""

    def measure(self, trainer: Trainer) -> Comparison:
        """Train one stage after the other."""
        known: dict[str, Result] = {}
        for stage in self.stages:
            known |= {result.id: result for result in trainer.train(self.specs(stage, known), stage)}
        return self.compare(known)


class Paper(ABC):
    """A paper that can be reproduced."""

    name: str
    title: str
    authors: str
    source: str
    parts: ClassVar[Mapping[str, str]]
    """Parts by name, each with a line on what it is; the first is the one meant where none is named."""
    usual_seeds: int = 5
    """How many models are trained for each setting of a cell unless it is said otherwise."""
    smoke: Sequence[str] = ()
    """What ``--only`` may say to leave one small cell of the first part, which shows that the pack works."""

    @abstractmethod
    def cells(self, part: str) -> Sequence[Cell]:
        """Return the cells of a part."""

    @abstractmethod
    def experiments(self, cells: Sequence[Cell], *, quick: bool, seeds: int) -> list[Experiment]:
        """Return what measures these cells; ``quick`` leaves out what takes large models."""

    @abstractmethod
    def describe(self) -> Document:
        """Return what the paper claims or reports, without any measurement."""

    @abstractmethod
    def to_json(self) -> dict[str, object]:
        """Return the same as JSON data."""

    def select(self, parts: Sequence[str] = (), only: Sequence[str] = ()) -> list[Cell]:
        """Return the cells of some parts; ``only`` names tasks, encodings, or both, and then cells of both are meant."""
        for part in parts:
            if part != ALL and part not in self.parts:
                raise unknown_name("part", part, (*self.parts, ALL))
        named = list(self.parts) if ALL in parts else parts or [next(iter(self.parts))]
        cells = [cell for part in named for cell in self.cells(part)]
        tasks = {name for cell in cells for name in cell.task_names}
        encodings = {name for cell in cells for name in cell.encoding_names}
        for name in only:
            if name not in tasks | encodings:
                raise unknown_name("task or encoding", name, dict.fromkeys([*sorted(tasks), *sorted(encodings)]))
        chosen_tasks, chosen_encodings = tasks.intersection(only), encodings.intersection(only)
        chosen = [
            cell
            for cell in cells
            if (not chosen_tasks or chosen_tasks.intersection(cell.task_names))
            and (not chosen_encodings or chosen_encodings.intersection(cell.encoding_names))
        ]
        if not chosen:
            raise InvalidOptionError(
                f"no cell is left of {', '.join(only)}.", hint="name a task, an encoding, or one of each that meet."
            )
        return chosen
