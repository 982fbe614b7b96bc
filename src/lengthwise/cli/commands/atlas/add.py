"""`lengthwise atlas add`: runs of a store as your own measurements."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....evidence.measured import own_file
from ....markup import visible
from ....report.own_evidence import add_store
from ...arguments import add_store_argument
from ...text import print_json, print_note

EXAMPLES = """\
examples:
  lengthwise atlas add
  lengthwise atlas add runs.sqlite && lengthwise predict '(ab)*' --asked next

They are kept in evidence.jsonl in $LENGTHWISE_CACHE, else in ~/.cache/lengthwise. Runs are told apart by their ids, so adding a
store again changes nothing. Delete the file to forget them"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_argument(parser, positional=True)


def run(options: Namespace) -> int:
    """Add a store, and print what became of its runs."""
    added = add_store(options.store)
    for cause, number in added.left_out.items():
        print_note(visible(f"{number} run{'s' * (number != 1)} left out: {cause}."))
    if options.json:
        counts = {"cells": added.num_cells, "runs": added.num_runs, "new_runs": added.new_runs}
        print_json(counts | {"left_out": added.left_out, "file": str(own_file())})
        return 0
    cells = f"{added.num_cells} cell{'s' * (added.num_cells != 1)}"
    print(visible(f"{added.num_runs} runs in {cells}, {added.new_runs} of them new, are in {own_file()}"))
    return 0
