"""The table of a report in LaTeX, with what its caption must say in comments."""

from __future__ import annotations

from collections.abc import Sequence

from ..tables import Table, wrap_paragraph
from .results import common_settings, legend, results_table, summary
from .statistics import Cell


def latex_table(cells: Sequence[Cell]) -> str:
    """Return the table of the cells, without its remarks: a paper says such things in its text.

    It compiles with pdflatex where the document uses booktabs; a table that is longer than a page also needs longtable.
    """
    table = _without_remarks(results_table(cells)).to_latex()
    packages = [r"\usepackage{booktabs}", *([r"\usepackage{longtable}"] if "longtable" in table else [])]
    comments = "\n".join(wrap_paragraph(text, 100, "% ") for text in (*packages, *said_of(cells)))
    return f"{comments}\n{table}\n"


def said_of(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Return what a caption must say: how far prediction and measurement agree, what is the same for all, how to read the table."""
    return summary(cells), common_settings(cells), legend(cells)


def _without_remarks(table: Table) -> Table:
    kinds = table.kinds or {}
    kept = [column for column in range(len(table.header)) if kinds.get(column) != "remark"]
    return Table(
        header=[table.header[column] for column in kept],
        rows=[[row[column] for column in kept] for row in table.rows],
        kinds={place: kinds[column] for place, column in enumerate(kept) if column in kinds},
    )
