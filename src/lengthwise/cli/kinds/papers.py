"""The papers that can be reproduced: listed, or one in full."""

from __future__ import annotations

from argparse import Namespace

from ...papers.catalog import PAPERS, find_paper
from ..text import colour, paint, print_detail, print_rows, width


def print_list(options: Namespace) -> None:
    """Print every paper."""
    rows = [(name, paper.source, paper.title, ", ".join(paper.parts)) for name, paper in PAPERS.items()]
    print_rows(("name", "source", "title", "parts"), rows, options)


def print_one(options: Namespace) -> None:
    """Print one paper: its published figures, or its claims."""
    paper = find_paper(options.name)
    print_detail(paper.to_json(), [colour(paper.name, "bold"), paper.describe().to_text(width(), paint)], options)
