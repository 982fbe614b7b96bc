"""Bounds by communication: problems that pass on too many bits for any C-RASP program."""

from __future__ import annotations

from argparse import Namespace

from ...errors import lookup
from ...tasks.core.bounds import BOUNDS
from ...theory.communication import measure_growth
from ..text import colour, paragraph, print_detail, print_rows


def print_list(options: Namespace) -> None:
    """Print every problem whose communication is bounded."""
    print_rows(("name", "definition"), [(name, problem.definition) for name, problem in BOUNDS.items()], options)


def print_one(options: Namespace) -> None:
    """Print one bound in full: the rows of its communication matrix, and the argument for all lengths."""
    name = options.name
    problem = lookup("communication problem", name, BOUNDS)
    growth = measure_growth(problem)
    rows = ", ".join(map(str, growth.rows))
    bits = ", ".join(f"{number:.1f}" for number in growth.bits)
    excluded = growth.verdict == "linear"
    lines = [
        colour(f"{name}: {problem.definition}", "bold"),
        f"  different rows of the communication matrix, halves of length 1 to {len(growth.rows)}: {rows}",
        f"  bits to name one: {bits} ({growth.verdict})",
        paragraph(f"for all n: {problem.argument}", "    ", "  "),
        paragraph(
            "so it is not in C-RASP[periodic, local], which passes on O(log n) bits (lengthwise show theorem communication)."
            if excluded
            else "communication does not exclude it.",
            "    ",
            "  ",
        ),
    ]
    data = {
        "name": name,
        "definition": problem.definition,
        "rows": list(growth.rows),
        "bits": list(growth.bits),
        "growth": growth.verdict,
        "argument": problem.argument,
    }
    print_detail(data, lines, options)
