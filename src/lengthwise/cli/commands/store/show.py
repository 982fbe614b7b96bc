"""`lengthwise store show`: everything about one run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....experiment.store import read_store
from ....report.run_list import describe_run, find_run, run_in_full, scores_table
from ...text import colour, paint, paragraph, print_json, width

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
    with read_store(options.store) as store:
        result = find_run(store.results(), options.run)
    if options.json:
        print_json(run_in_full(result))
        return 0
    lines = describe_run(result)
    indent = " " * (2 + max(len(name) for name, _ in lines))
    for name, text in lines:
        print(paragraph(text, indent, colour(name, "bold") + indent[len(name) :]))
    print(f"\n{scores_table(result).to_text(width(), paint)}")
    return 0
