"""The theorems that verdicts rest on: listed, or one in full."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from ...errors import lookup
from ...theory.theorems import THEOREMS
from ..text import colour, paragraph, print_detail, print_rows


def print_list(options: Namespace) -> None:
    """Print every theorem."""
    print_rows(("name", "statement"), [(name, theorem.statement) for name, theorem in THEOREMS.items()], options)


def print_one(options: Namespace) -> None:
    """Print one theorem in full."""
    name = options.name
    theorem = lookup("theorem", name, THEOREMS)
    parts = [theorem.statement, f"Source: {theorem.citation}", f"Standing: {theorem.standing}. {theorem.status}"]
    if theorem.assumptions:
        parts.append(f"Assumes: {'; '.join(theorem.assumptions)}.")
    lines = [colour(name, "bold"), *(paragraph(part, "  ") for part in parts)]
    print_detail({"name": name} | asdict(theorem), lines, options)
