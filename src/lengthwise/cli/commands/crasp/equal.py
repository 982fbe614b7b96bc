"""`lengthwise crasp equal`: two programs or languages compared."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...programs import compare_sides, comparison_data, print_comparison
from ...text import print_json

EXAMPLES = """\
examples:
  lengthwise crasp equal mine.crasp dyck_1
  lengthwise crasp equal mine.crasp '(ab)*' --max-length 14
  lengthwise crasp equal old.crasp new.crasp --json
  lengthwise crasp equal '(ab)*a' 'a(ba)*'               two languages, decided for all lengths

exit codes: 0 equal on every word compared, 1 different, 2 the input was wrong"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    for side in ("left", "right"):
        parser.add_argument(
            side, metavar=side.upper(), help="a program, a language, a regular expression or an automaton file"
        )
    parser.add_argument(
        "--max-length",
        type=int,
        metavar="N",
        help="longest word to compare (default: as long as there are at most 200000 words; two languages: all lengths)",
    )


def run(options: Namespace) -> int:
    """Print whether two programs or languages agree."""
    found = compare_sides(options.left, options.right, max_length=options.max_length)
    if options.json:
        print_json(comparison_data(found))
    else:
        print_comparison(found, options.left, options.right)
    return 0 if found.equal else 1
