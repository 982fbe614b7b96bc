"""Disentangling the Expressivity of RoPE: its tables beside our runs.

Jerad, Svete, Li, Cotterell; COLM 2026, arXiv 2608.11909.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...report.pages import Block, Paragraph
from ...tables import Table
from ..sweep import SweepCell, SweepPaper
from .comparison import RotaryComparison
from .tables import FULL, PUBLISHED_STEPS, STEPS, TABLES, cells_of_part, published_rows


class Jerad2026(SweepPaper):
    """Periodic and conventional rotary positions, sinusoids and no positions on five regular languages."""

    name = "jerad2026"
    title = "Disentangling the Expressivity of RoPE"
    authors = "Jerad, Svete, Li, Cotterell"
    source = "COLM 2026, arXiv 2608.11909"
    parts: ClassVar = {f"table{number}": f"table {number}: {what}" for number, what in TABLES.items()} | {
        f"table{number}{FULL}": f"table {number} again with the {PUBLISHED_STEPS:,} steps of the paper"
        for number in TABLES
    }
    smoke = ("(aa)*", "RoPE_P")
    comparison_class = RotaryComparison
    standing = (
        "Published: tables 2, 4 and 5 of the paper as printed. Table 2 has maxima only, and no other table has the means of NoPE on "
        "(aa)* and (ab)*. Figures over 15 runs mix those that fit the training lengths with those that do not; a mean N* below 41 shows it."
    )
    differences = (
        f"Parts without {FULL!r} train {STEPS:,} steps. The paper trains {PUBLISHED_STEPS:,}.",
        "Our attention sees the token itself. The paper's mask is strict.",
        "The paper states no optimizer and no schedule. Ours is AdamW with 1,000 steps of warm-up, linear decay and weight decay 0.01.",
        "The paper does not say how it draws words. Ours: a coin decides membership, and most words outside differ from one inside by a "
        "small change.",
        "The paper leaves the alphabets open. Ours: {a, b} for aΣ* and Σ*a, {a, b, c} for Σ*abΣ*, whose proof needs three letters.",
        "The paper does not say which width enters the angles. Ours is the width of a head, 8.",
        "The periods of RoPE_P are not printed. Ours is periodic_rope with period 12.",
        "SiPE_P adds periodic sinusoids. We have none; a learned table that repeats after 12 positions stands in for it. Theory gives both "
        "the same class.",
        "We score 2,000 words in each 40 lengths, about 50 a length. The paper scores 512 a length, so our N* is less strict.",
        "On a GPU, matrix products in training use bfloat16. The paper does not state its precision.",
    )

    def cells(self, part: str) -> Sequence[SweepCell]:
        """Return a cell for each row of a table."""
        return cells_of_part(part)

    def published(self) -> list[Block | Table]:
        """Return the published tables."""
        header = ("table", "language", "encoding", "accuracy max", "mean", "sd", "N* max", "N* mean", "N* sd")
        rows = [
            [
                str(row.table),
                row.language,
                row.title,
                *("–" if value is None else f"{value:g}" for value in (*row.accuracy, *row.perfect)),
            ]
            for row in published_rows()
        ]
        kinds = dict.fromkeys(range(3, len(header)), "number") | {1: "name"}
        return [Table(header=header, rows=rows, kinds=kinds), Paragraph("All of this table is published.")]


PAPER = Jerad2026()
