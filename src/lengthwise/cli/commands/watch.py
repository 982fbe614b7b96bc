"""`lengthwise watch`: the progress of a running experiment, from a second process that only reads."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ...errors import UnreadableFileError
from ...experiment.store_progress import StoreProgress, read_progress
from ...markup import visible
from ..arguments import add_store_argument
from ..progress_view import progress_lines, progress_to_json
from ..streams import unsafe
from ..text import print_json

EXAMPLES = """\
examples:
  lengthwise watch runs.sqlite             until every planned run is finished, or Ctrl-C
  lengthwise watch runs.sqlite --once
  lengthwise watch runs.sqlite --json

It only reads, so it disturbs nothing: start and stop it at any time, in as many terminals as you like. Steps, pace and time
left come from the process that trains, every two seconds; without them, the pace is that of the runs that finished in the last ten
minutes"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_argument(parser, positional=True)
    parser.add_argument("--once", action="store_true", help="print the progress once and end")
    parser.add_argument(
        "--every", type=float, default=1.0, metavar="S", help="seconds between two looks, from 0.2 to 3600 (default: 1)"
    )


def run(options: Namespace) -> int:
    """Show the progress of an experiment until it is complete."""
    found = _look(options.store)
    if options.json:
        print_json(progress_to_json(found))
    elif options.once:
        print("\n".join(map(visible, progress_lines(found))))
    else:
        _follow(options.store, found, min(max(0.2, options.every), 3600.0))
    return 0


def _look(store: str) -> StoreProgress:
    """Return the progress; where only a copy can be read, it may have been made in the middle of a write, so try again."""
    for _ in range(_TRIES):
        try:
            return read_progress(store)
        except UnreadableFileError:
            if not Path(store).is_file():
                raise
            time.sleep(0.2)
    return read_progress(store)


_TRIES = 3
_REST = 3.0  # times as long as a look takes: a store of a million runs must not keep a core busy


def _follow(store: str, found: StoreProgress, seconds: float) -> None:
    """Show the progress anew every few moments; end when the plan is complete or the process that trains has ended."""
    from rich.console import Console
    from rich.live import Live

    console = Console(file=unsafe(sys.stdout), highlight=False)
    was_writing, spent = bool(found.is_writing), 0.0
    with Live(_view(found), console=console, auto_refresh=False) as live:
        while not found.is_complete and not (was_writing and found.is_writing is False):
            time.sleep(max(seconds, _REST * spent))
            begun = time.perf_counter()
            found = _look(store)
            spent = time.perf_counter() - begun
            was_writing = was_writing or bool(found.is_writing)
            live.update(_view(found), refresh=True)
    if not found.is_complete:
        print("The process that trained has ended; the same command trains what is missing.")


def _view(found: StoreProgress) -> Any:
    from rich.text import Text

    return Text("\n".join(map(visible, progress_lines(found))), overflow="ellipsis", no_wrap=True)
