"""`lengthwise store ls`: the runs of a store, a row for each."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....report.run_list import runs_table, select_runs
from ....experiment.store import read_store
from ...arguments import add_run_filters, add_store_argument
from ...text import paint, print_json, print_note, width

EXAMPLES = """\
examples:
  lengthwise store ls
  lengthwise store ls runs.sqlite --task parity --encoding nope --encoding ape
  lengthwise store ls runs.sqlite --json

The columns: the settings that vary, the seed, the steps taken, the fit (exact match in percent on fresh instances of the
longest training lengths), and the exact match in percent in each bin of lengths"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_argument(parser, positional=True)
    add_run_filters(parser)


def run(options: Namespace) -> int:
    """Print the runs of a store."""
    with read_store(options.store) as store:
        results = select_runs(store.results(), options.task or (), options.encoding or ())
    table = runs_table(results)
    if options.json:
        print_json(table.to_json())
    elif results:
        print(table.to_text(width(), paint))
    else:
        print_note(f"the store {options.store!r} has no finished run yet.")
    return 0
