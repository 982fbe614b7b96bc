"""`lengthwise store verify`: the damage in a store, and a copy of the rest."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ....experiment.verification import salvage_store, verify_store
from ....markup import visible
from ...arguments import add_store_argument
from ...text import paragraph, print_json

EXAMPLES = """\
examples:
  lengthwise store verify runs.sqlite
  lengthwise store verify runs.sqlite --salvage sound.sqlite      copy what is sound to a new store

exit codes: 0 sound, 1 damaged, 2 not a store"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_argument(parser, positional=True)
    parser.add_argument("--salvage", metavar="FILE", help="copy the sound runs to a new store")


def run(options: Namespace) -> int:
    """Print the damage in a store; with ``--salvage``, copy the rest."""
    found = verify_store(options.store)
    if options.salvage is not None:
        salvage_store(found, options.salvage)
        print(visible(f"wrote {len(found.results)} runs to {options.salvage}"), file=sys.stderr)
    if options.json:
        print_json({"store": options.store, "sound": len(found.results), "damage": list(found.damage)})
        return 1 if found.damage else 0
    for line in found.damage:
        print(paragraph(visible(line), "  ", "- "))
    sound = "1 run is" if len(found.results) == 1 else f"{len(found.results)} runs are"
    faults = {0: "no fault was", 1: "1 fault was"}.get(len(found.damage), f"{len(found.damage)} faults were")
    print(visible(f"{options.store}: {sound} sound, {faults} found."))
    if found.damage and options.salvage is None:
        print("hint: --salvage FILE copies what is sound; 'run' trains the rest again.", file=sys.stderr)
    return 1 if found.damage else 0
