"""`lengthwise crasp simplify`: a program in a simpler form."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....crasp.latex import latex_program
from ....crasp.normal_form import normal_form
from ....crasp.printer import print_program
from ....crasp.simplification import simplify
from ...programs import load_program, program_data
from ...text import print_json

EXAMPLES = """\
examples:
  lengthwise crasp simplify mine.crasp
  lengthwise crasp simplify mine.crasp --normal-form     no strict counts; windows read symbols only
  lengthwise crasp simplify mine.crasp --latex"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("program", metavar="PROGRAM", help="a program: a file (.crasp), a library name, or -")
    parser.add_argument(
        "--normal-form", action="store_true", help="also remove strict counts and nested windows (prev inside prev)"
    )
    parser.add_argument("--latex", action="store_true", help="write LaTeX instead of the text form")


def run(options: Namespace) -> int:
    """Print a program in a simpler form."""
    program = load_program(options.program)
    simple = normal_form(program) if options.normal_form else simplify(program)
    if options.json:
        print_json({"program": print_program(simple), **program_data(simple)})
    else:
        print(latex_program(simple) if options.latex else print_program(simple), end="")
    return 0
