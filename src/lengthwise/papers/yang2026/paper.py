"""Algebraic Decomposition Theory for Transformer Length Generalization: the pair of languages that its claim turns on.

Yang, Veseli, Barloy, Cadilhac, Krebs, Paperman, Straubing, Hahn; arXiv 2608.13433.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...report.pages import Block, Paragraph
from ...tables import Table
from ..sweep import SweepCell, SweepPaper
from .comparison import RELEASED, PairComparison, PairExperiment, released_answer, released_table
from .pair import FIRST, PARTS, SECOND, SEEDS, cells_of_part
from .suite import SUITE, cells_of_suite, suite_agreement


class Yang2026(SweepPaper):
    """One grid for both languages, at least ten fitted seeds for each configuration, and an exact test."""

    name = "yang2026"
    title = "Algebraic Decomposition Theory for Transformer Length Generalization"
    authors = "Yang, Veseli, Barloy, Cadilhac, Krebs, Paperman, Straubing, Hahn"
    source = "arXiv 2608.13433"
    parts: ClassVar = PARTS | SUITE
    usual_seeds = SEEDS
    smoke = (FIRST, "nope")
    comparison_class = PairComparison
    experiment_class = PairExperiment
    standing = (
        "The analysis was fixed before any run (docs/results/yang2026-plan.md). The published objective asks for the state at separators "
        f"that stand after every symbol. So the last symbol is not at the position that answers, and {SECOND} is not in plain C-RASP: our "
        "verdict for no positions is NO. Asked for next symbols where the last symbol is seen, both languages are in plain C-RASP. Theory "
        "says YES to both with t5 and ape."
    )
    differences = (
        "Training words are drawn anew at every step. The paper trains on 8,000 fixed words and scores 2,000 others.",
        "In the paper's code separators are hidden from attention as keys. In ours they are seen.",
        "The paper's words end with an end token, whose state is read before it. Ours end with the last separator.",
        "The paper stops at the first evaluation without an error on 2,000 words; so do we, on other words than those that are scored.",
        "GPT-2 ties input and output embeddings. Ours are apart, as there is an output for each state.",
        "The third published grid (16 to 24 layers, up to 1,152 wide) and the second suite of languages are left out.",
        "On a GPU, matrix products in training use bfloat16.",
    )

    def cells(self, part: str) -> Sequence[SweepCell]:
        """Return both languages of the pair with each encoding, or the languages of the suite."""
        return cells_of_suite(part) if part in SUITE else cells_of_part(part)

    def published(self) -> list[Block | Table]:
        """Return the released runs by depth."""
        return [released_table(), Paragraph(RELEASED), Paragraph(released_answer()), Paragraph(suite_agreement())]


PAPER = Yang2026()
