"""The table of a report in LaTeX, with what its caption must say in comments."""

from __future__ import annotations

from collections.abc import Sequence

from ..tables import wrap_paragraph
from .results import legend, results_table, summary
from .statistics import Cell


def latex_table(cells: Sequence[Cell]) -> str:
    """Return a tabular of the cells; it compiles with pdflatex where the document uses booktabs."""
    comments = (r"\usepackage{booktabs}", summary(cells), legend(cells))
    said = "\n".join(wrap_paragraph(text, 100, "% ") for text in comments)
    return f"{said}\n{results_table(cells).to_latex()}\n"
