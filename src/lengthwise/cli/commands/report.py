"""`lengthwise report`: prediction beside measurement, for a store of results."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from ...errors import UsageError, listed
from ...files import keep_input, require_replaceable, write_text
from ...markup import visible
from ...report.figure_files import require_figure_format
from ...report.measured import Report, report
from ...report.statistics import trainer_revision
from ...train.settings import TRAINER_REVISION
from ..arguments import add_figure_arguments, add_report_arguments, add_store_argument
from ..text import paint, print_json, print_note, width

EXAMPLES = """\
examples:
  lengthwise report
  lengthwise report runs.sqlite --out report.html --markdown report.md
  lengthwise report runs.sqlite --figure curves.pdf --latex table.tex"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_argument(parser, positional=True)
    add_report_arguments(parser)
    add_figure_arguments(parser)


def run(options: Namespace) -> int:
    """Print and write the report of a store."""
    require_outputs(options, require_replaceable)
    found = report(options.store)
    for cause, runs in found.left_out.items():
        number = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
        tasks = listed(dict.fromkeys(result.task for result in runs))
        print_note(visible(f"{number} of {tasks} {'is' if len(runs) == 1 else 'are'} left out: {cause}."))
    made_by = trainer_revision(found.results)
    if made_by < TRAINER_REVISION:
        print_note(
            f"these runs are of revision {made_by} of the trainer; this version has revision {TRAINER_REVISION}, "
            "which may give other figures."
        )
    publish(found, options)
    return 0


def require_outputs(options: Namespace, require: Callable[[str], None]) -> None:
    """Raise before any work if a file that is asked for cannot be written; ``require`` is called with the name of each."""
    keep_input(options.store)  # also where it is still to be made
    if options.figure:
        require_figure_format(options.figure)
    taken: dict[Path, str] = {}
    for name in ("out", "markdown", "figure", "latex"):
        file = getattr(options, name)
        if not file:
            continue
        require(file)
        place = Path(file).resolve()
        if place in taken and not (place.exists() and not place.is_file()):
            raise UsageError(
                f"--{taken[place]} and --{name} would both write {file!r}.", hint="give each a file of its own."
            )
        taken[place] = name


def publish(found: Report, options: Namespace) -> None:
    """Print a report and write its files."""
    found.save(options.out)
    brief = found.brief
    if options.markdown:
        write_text(options.markdown, brief.to_markdown())
    if options.figure:
        found.save_figure(options.figure)
    if options.latex:
        found.save_latex(options.latex)
    if options.json:
        print_json(found.to_json())
    else:
        print(brief.to_text(width(), paint))
    print(f"report: {Path(options.out).resolve()}", file=sys.stderr)
