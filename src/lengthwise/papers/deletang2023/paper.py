"""Neural Networks and the Chomsky Hierarchy: its tasks, with the encodings of its transformers.

Delétang, Ruoss, Grau-Moya, Genewein, Wenliang, Catt, Cundy, Hutter, Legg, Veness, Ortega; ICLR 2023, arXiv 2207.02098.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...report.pages import Block
from ...tables import Table
from ..sweep import SweepCell, SweepPaper
from .comparison import LevelsComparison
from .tasks import DIFFERENCES, LEVELS, cells_of_level

NO_FIGURES = (
    "No published figure is shown: we have not seen the tables of the paper, and its released code holds no results. Measured are exact "
    "match and our verdicts."
)


class LevelsPaper(SweepPaper):
    """A paper on the fifteen tasks, with encodings of its own."""

    parts: ClassVar = {level: f"the {level.replace('_', '-')} tasks" for level in LEVELS}
    encodings: ClassVar[Mapping[str, str]]
    """Our encoding for each of theirs."""
    comparison_class = LevelsComparison
    standing = NO_FIGURES
    differences = DIFFERENCES

    def cells(self, part: str) -> Sequence[SweepCell]:
        """Return every task of a level with every encoding."""
        return cells_of_level(part, self.encodings)

    def published(self) -> list[Block | Table]:
        """Return which task and encoding of ours stands for which of theirs: no figures are known to us."""
        tasks = [
            (title, task, level.replace("_", "-")) for level, tasks in LEVELS.items() for title, task in tasks.items()
        ]
        return [
            Table(header=("task", "ours", "level"), rows=tasks, kinds={0: "name", 1: "name"}),
            Table(header=("encoding", "ours"), rows=list(self.encodings.items()), kinds={1: "name"}),
        ]


class Deletang2023(LevelsPaper):
    """The transformer half of the paper: its five encodings."""

    name = "deletang2023"
    title = "Neural Networks and the Chomsky Hierarchy"
    authors = "Delétang, Ruoss, Grau-Moya, Genewein, Wenliang, Catt, Cundy, Hutter, Legg, Veness, Ortega"
    source = "ICLR 2023, arXiv 2207.02098"
    smoke = ("even_pairs", "none")
    encodings: ClassVar = {
        "none": "nope",
        "sin_cos": "sinusoidal",
        "alibi": "alibi",
        "relative": "transformer_xl",
        "rotary": "rope",
    }


PAPER = Deletang2023()
