"""`lengthwise list`: everything that has a name."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module

from ...errors import InvalidOptionError
from ...experiment import DEFAULT_STORE
from ..kinds import KINDS

EXAMPLES = """\
examples:
  lengthwise list languages
  lengthwise list tasks
  lengthwise list tasks --why --group arithmetic    the reason for every verdict
  lengthwise list programs
  lengthwise list encodings
  lengthwise list encodings --svg encodings.svg    what each does to attention, side by side
  lengthwise list encodings --json
  lengthwise list runs --store runs.sqlite         the same as 'store ls runs.sqlite'"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kind", choices=tuple(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--svg", metavar="FILE", help="for encodings: draw what they do to attention to this file")
    parser.add_argument("--why", action="store_true", help="for tasks: the reason, witness or source of every verdict")
    parser.add_argument("--group", metavar="GROUP", help="for tasks: only those of a group, such as arithmetic")
    parser.add_argument("--store", metavar="FILE", help=f"for runs: their store (default: {DEFAULT_STORE})")


def run(options: Namespace) -> int:
    """Print the names of a kind with a line about each."""
    for given, option, kind in (
        (options.svg is not None, "--svg", "encodings"),
        (options.why, "--why", "tasks"),
        (options.group is not None, "--group", "tasks"),
        (options.store is not None, "--store", "runs"),
    ):
        if given and options.kind != kind:
            raise InvalidOptionError(
                f"{option} is for {kind}; found kind {options.kind!r}.", hint=f"use it with: list {kind}"
            )
    import_module(f"...kinds.{options.kind}", __name__).print_list(options)
    return 0
