"""The C-RASP programs of the library: listed, or one in full."""

from __future__ import annotations

from argparse import Namespace

from ...crasp.latex import latex_program
from ...crasp.measures import depth_of, fragment_of, size_of
from ...crasp.printer import print_program
from ...crasp.programs.catalog import PROGRAMS, find_program
from ...languages.alphabet import show_alphabet
from ..programs import program_data
from ..text import colour, paragraph, print_detail, print_rows


def print_list(options: Namespace) -> None:
    """Print every program of the library."""
    rows = [
        (entry.title, fragment_of(entry.program).notation, str(depth_of(entry.program)), entry.definition)
        for entry in PROGRAMS.values()
    ]
    print_rows(("name", "fragment", "depth", "definition"), rows, options)


def print_one(options: Namespace) -> None:
    """Print one program in full."""
    entry = find_program(options.name)
    program = entry.program
    data = {"name": options.name, "definition": entry.definition, "source": entry.source, **program_data(program)}
    data["program"] = print_program(program)
    written = latex_program(program) if options.latex else print_program(program)
    lines = [
        colour(options.name, "bold"),
        paragraph(entry.definition, "  "),
        f"  source: {entry.source}",
        f"  {fragment_of(program).notation}, depth {depth_of(program)}, size {size_of(program)}, "
        f"over {show_alphabet(program.alphabet)}",
        "",
        *(f"  {line}".rstrip() for line in written.rstrip().split("\n")),
    ]
    print_detail(data, lines, options)
