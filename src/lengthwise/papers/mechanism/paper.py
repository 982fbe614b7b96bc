"""Does the regularizer of arXiv 2410.02140 do what the theorem says? An experiment of ours, on its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...report.pages import Block
from ...tables import Table
from ..sweep import SweepCell, SweepPaper
from .comparison import MechanismComparison, MechanismExperiment
from .grid import SEEDS, STEPS, TASKS, WEIGHTS, cells_of_task, setting_name


class Mechanism(SweepPaper):
    """Five tasks, five weights of the regularizer, log n scaling on and off, sixteen seeds."""

    name = "mechanism"
    title = "The regularizer and the limit transformer"
    authors = "an experiment of lengthwise"
    source = "on the theory of arXiv 2410.02140"
    parts: ClassVar = TASKS
    usual_seeds = SEEDS
    smoke = ("majority", setting_name(0.001, log_n=False))
    comparison_class = MechanismComparison
    experiment_class = MechanismExperiment
    standing = (
        "The theorem of arXiv 2410.02140 is about an ideal learner that minimizes a regularizer. It says that positions then act through "
        "local or periodic functions only, and that models generalize where such a solution exists. Here both "
        "are measured on trained models: the distance from such a limit, and success. There are no published figures to compare."
    )
    differences = (
        f"One size of model for all tasks (2 layers, 4 heads, width 64), one learning rate (0.001), {STEPS:,} steps without an early stop.",
        "The regularizer is the positional term of the released code. The terms without a gradient are left out.",
        "Product functions leave out layer norm, which the theory's transformer does not have.",
    )

    def cells(self, part: str) -> Sequence[SweepCell]:
        """Return a cell for every setting of a task."""
        return cells_of_task(part)

    def published(self) -> list[Block | Table]:
        """Return the weights and what each task needs: nothing is published."""
        rows = [(task, needs, ", ".join(f"{weight:g}" for weight in WEIGHTS)) for task, needs in TASKS.items()]
        return [Table(header=("task", "what it needs", "weights"), rows=rows, kinds={0: "name"})]


PAPER = Mechanism()
