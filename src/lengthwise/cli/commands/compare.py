"""`lengthwise compare`: which cells of two stores differ by more than chance."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...errors import InvalidOptionError, listed
from ...markup import visible
from ...report.compare import LEGEND, compare_stores, comparison_table, comparison_to_json, only_in
from ..text import paint, paragraph, print_json, width

EXAMPLES = """\
examples:
  lengthwise compare before.sqlite after.sqlite
  lengthwise compare before.sqlite after.sqlite --json

A cell is a task with an encoding and settings. With 3 runs of a cell in each store no difference can be shown. With 5
a large one can, as long as at most 6 cells are in question"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", metavar="A", help="a store of results")
    parser.add_argument("second", metavar="B", help="the store to compare it with")


def run(options: Namespace) -> int:
    """Print what has changed from one store to the other."""
    found = compare_stores(options.first, options.second)
    if options.json:
        print_json(comparison_to_json(found))
        return 0
    if not (found.changes or found.only_before or found.only_after):
        raise InvalidOptionError("neither store has a finished run yet.", hint="finish some with 'lengthwise run'.")
    if found.changes:
        print(comparison_table(found).to_text(width(), paint))
        moved = sum(any(question.has_moved for question in change.questions) for change in found.changes)
        print(f"\n{moved} of {len(found.changes)} cells have changed by more than chance.\n")
        print(paragraph(LEGEND))
    else:
        print("No cell is in both stores.")
    for path, names in zip((options.first, options.second), only_in(found), strict=True):
        if names:
            print(paragraph(visible(f"Only in {path}: {listed(names)}.")))
    return 0
