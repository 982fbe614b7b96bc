"""`lengthwise store merge`: the runs of other stores in one store."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....experiment.merging import Merged, merge_stores
from ....markup import visible
from ....report.run_list import SHORT_ID
from ...text import print_json, print_note

EXAMPLES = """\
examples:
  lengthwise store merge all.sqlite monday.sqlite tuesday.sqlite
  lengthwise store merge all.sqlite cluster/*.sqlite

Runs are told apart by their ids, so merging twice changes nothing. A run that is there already is never replaced"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("into", metavar="INTO", help="the store to add to; made if there is none")
    parser.add_argument(
        "sources", nargs="+", metavar="FROM", help="the stores whose runs to add; they stay as they are"
    )


def run(options: Namespace) -> int:
    """Merge stores and print what became of their runs."""
    merged = merge_stores(options.into, options.sources)
    if options.json:
        print_json([_to_json(each) for each in merged])
        return 0
    for each in merged:
        told = f"{each.source}: {len(each.new)} new, {len(each.equal)} equal, {len(each.conflicting)} in conflict"
        print(visible(told))
        if each.conflicting:
            shown = ", ".join(run_id[:SHORT_ID] for run_id in each.conflicting[:5])
            print_note(
                visible(
                    f"{options.into} has other results for {len(each.conflicting)} runs of {each.source} ({shown}"
                    f"{', …' if len(each.conflicting) > 5 else ''}); they stay as they are there. Other hardware or another "
                    "version of torch is the usual reason."
                )
            )
    return 0


def _to_json(merged: Merged) -> dict[str, object]:
    return {
        "source": merged.source,
        "new": list(merged.new),
        "equal": list(merged.equal),
        "conflicting": list(merged.conflicting),
    }
