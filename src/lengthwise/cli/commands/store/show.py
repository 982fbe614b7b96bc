"""`lengthwise store show`: everything about one run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...kinds.runs import print_run

EXAMPLES = """\
examples:
  lengthwise store show runs.sqlite 3f9c0a1b2d4e5f60
  lengthwise store show runs.sqlite 3f9c              the beginning of an id is enough
  lengthwise store show runs.sqlite 3f9c --json       with all losses and lengths"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", metavar="STORE", help="a store of results")
    parser.add_argument("run", metavar="RUN", help="the id of a run, or the beginning of it")


def run(options: Namespace) -> int:
    """Print one run."""
    print_run(options.store, options.run, options)
    return 0
