"""`lengthwise atlas page`: all measured cells as one page."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ....files import write_text
from ....report.atlas import atlas_cells, success_by_answer, summary
from ....report.atlas_page import atlas_page
from ...text import paragraph, print_json, table

EXAMPLES = """\
examples:
  lengthwise atlas
  lengthwise atlas --out atlas.html
  lengthwise atlas --json

The page is one file and needs no network"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out", default="lengthwise-atlas.html", metavar="FILE", help="the page (default: %(default)s)"
    )


def run(options: Namespace) -> int:
    """Write the page, and print what is in it; with ``--json``, print the cells and write nothing."""
    cells = atlas_cells()
    if options.json:
        print_json([cell.to_json() for cell in cells])
        return 0
    write_text(options.out, atlas_page(cells).to_html())
    print(paragraph(summary(cells)) + "\n")
    rows = [(answer, str(number), f"{good}/{fitted}") for answer, number, fitted, good in success_by_answer(cells)]
    print(table(("predicted", "cells", "fitted runs that generalize"), rows, coloured=0))
    surprising = [cell for cell in cells if cell.is_surprising]
    if surprising:
        print("\nWhere prediction and measurement differ:\n")
        print(
            table(
                ("problem", "encoding", "predicted", "measured"),
                [
                    (cell.measured.problem, cell.measured.encoding, str(cell.prediction.verdict.answer), cell.remark)
                    for cell in surprising
                ],
                coloured=2,
            )
        )
    print(f"page: {Path(options.out).resolve()}", file=sys.stderr)
    return 0
