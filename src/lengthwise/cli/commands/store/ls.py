"""`lengthwise store ls`: the runs of a store, a row for each."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...arguments import add_run_filters, add_store_argument
from ...kinds.runs import print_runs

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
    print_runs(options.store, options, options.task or (), options.encoding or ())
    return 0
