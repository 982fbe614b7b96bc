"""A Formal Framework for Understanding Length Generalization in Transformers.

Huang, Yang, Bhattamishra, Sarrof, Krebs, Zhou, Nakkiran, Hahn; ICLR 2025, arXiv 2410.02140. ``figures.json`` holds the runs in
the logs that the authors released with their code (github.com/lacoco-lab/length_generalization): exact match of each counted
run at three ranges of length, of which the first is trained; for ``positions_g2`` the mean squared errors that stand at the
end of their script appendix-G2/test_multi_func_L2.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...report.pages import Block, Document, Heading, Paragraph
from ...tables import Table
from ...train.settings import Training
from ..interface import Cell, Experiment
from ..published import PublishedPart
from ..published_paper import PublishedPaper
from .positions import PART as POSITIONS
from .positions import FittedRelation, PositionsExperiment, read_relations, relations_table
from .search import SEARCH

_TRAINING = Training(batch=64, weight_decay=0.01, clip=1.0, evaluate_every=3_000, examples=2_000)

TASKS = PublishedPart(
    package=__package__,
    name="tasks",
    summary="the eight algorithmic tasks",
    figures_from="the logs released with the code, github.com/lacoco-lab/length_generalization",
    counted=(
        "As in the paper, a run counts if it reaches 100 % on the 2,000 instances of training lengths that also decide when it "
        "stops. In the cells with 12 layers, where no smaller configuration fitted, every run counts."
    ),
    selection=(
        "The configurations are the published ones. Among those that fitted, the authors chose the best at lengths 51–100. "
        "Figures at 2× therefore describe the chosen configuration, not a typical one."
    ),
    differences=(
        "Every seed has its own training instances; their lengths are the same for all seeds at each step. The published runs "
        "of a cell share one stream of instances.",
        "Batches hold pairs of complementary lengths, l and 51 − l for most tasks. Each length by itself is uniform, as in the "
        "paper.",
        "addition has a separator after '='. In the paper, '=' is the separator.",
        "We train a fixed number of seeds. The authors trained until five runs fitted.",
        "GELU is exact. The paper uses the tanh approximation.",
        "On a GPU, matrix products in training use bfloat16 (a run's provenance says so). The paper uses 32-bit numbers.",
    ),
    train_length=50,
    test_length=150,
    training=_TRAINING,
)


def _distances(name: str, summary: str, train_length: int) -> PublishedPart:
    """Return the part of appendix G.7 with inputs up to a length in training, and three times that at test."""
    return PublishedPart(
        package=__package__,
        name=name,
        summary=summary,
        figures_from="the logs released with the code, github.com/lacoco-lab/length_generalization, appendix-G7",
        counted="As in the paper, a run counts if its exact match at training lengths is at least 99 %.",
        selection="The configurations are the published ones, without their dropout.",
        differences=(
            "No dropout: our model has none. All published configurations but one use 0.1 on embeddings and residuals.",
            "A run is scored after its last step. The published score is that of the best evaluation, one every 3,000 steps, "
            "chosen at the second range. So the second range is no test in the paper.",
            "We train a fixed number of seeds. The authors trained until five runs reached 99 % at training lengths.",
            "Every seed has its own training instances. The published runs share one stream.",
            "GELU is exact; the paper uses the tanh approximation. On a GPU, matrix products in training use bfloat16.",
            "We score 2,000 instances for each range; the paper scores 5,000.",
        ),
        train_length=train_length,
        test_length=3 * train_length,
        training=Training(
            batch=64, weight_decay=0.01, clip=1.0, evaluate_every=3_000, examples=2_000, stop_early=False
        ),
    )


PARTS = (
    TASKS,
    _distances("distances_g7", "appendix G.7: copying every k-th token, trained on inputs up to 50", 50),
    _distances("distances_g7_long", "appendix G.7 again, trained on inputs up to 128", 128),
)


class Huang2025(PublishedPaper):
    """Verdicts beside the runs of the released logs, two experiments of the appendix, and the search."""

    name = "huang2025"
    title = "A Formal Framework for Understanding Length Generalization in Transformers"
    authors = "Huang, Yang, Bhattamishra, Sarrof, Krebs, Zhou, Nakkiran, Hahn"
    source = "ICLR 2025, arXiv 2410.02140"
    smoke = ("bin_majority", "nope")
    published = PARTS
    parts: ClassVar = {part.name: part.summary for part in PARTS} | {
        POSITIONS: "appendix G.2: relations of distances as products of position vectors",
        **SEARCH.parts,
    }

    def cells(self, part: str) -> Sequence[Cell]:
        """Return the cells with published figures, which for appendix G.2 are relations."""
        if part in SEARCH.parts:
            return SEARCH.cells(part)
        return read_relations() if part == POSITIONS else super().cells(part)

    def experiments(self, cells: Sequence[Cell], *, quick: bool, seeds: int) -> list[Experiment]:
        """Return an experiment for each part."""
        found = super().experiments(cells, quick=quick, seeds=seeds)
        found += SEARCH.experiments(cells, quick=quick, seeds=seeds)
        relations = [cell for cell in cells if isinstance(cell, FittedRelation)]
        if relations:
            found.append(PositionsExperiment(paper=self, cells=relations, seeds=seeds, quick=quick))
        return found

    def describe(self) -> Document:
        """Return the published figures of all parts."""
        relations: list[Block | Table] = [
            Heading(self.parts[POSITIONS]),
            Paragraph(f"{POSITIONS}: {self.parts[POSITIONS]}"),
            relations_table(read_relations()),
            Paragraph(f"beside your own: lengthwise reproduce {self.name} --part {POSITIONS}"),
        ]
        search = [Heading("The search"), *SEARCH.published(), SEARCH.parts_table(), Paragraph(SEARCH.standing)]
        return Document([*super().describe().blocks, *relations, *search], title=self.name)

    def to_json(self) -> dict[str, object]:
        """Return the published figures of the tasks, and those of every other part under its name."""
        data = super().to_json()
        parts = data["parts"]
        assert isinstance(parts, dict)
        search = [block.to_json() for block in SEARCH.published() if isinstance(block, Table)]
        return data | {"parts": parts | {POSITIONS: relations_table(read_relations()).to_json()}, "search": search}


PAPER = Huang2025()
