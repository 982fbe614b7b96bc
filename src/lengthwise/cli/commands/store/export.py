"""`lengthwise store export`: all runs and lengths as one table."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ....errors import InvalidOptionError
from ....experiment.store import read_store
from ....markup import visible
from ....report.run_files import FORMATS, write_rows
from ....report.run_list import select_runs
from ....report.run_table import table_rows
from ...arguments import add_run_filters, add_store_argument
from ...text import print_json, print_note

EXAMPLES = """\
examples:
  lengthwise store export --out runs.csv
  lengthwise store export runs.sqlite --out runs.parquet
  lengthwise store export runs.sqlite --format csv --out - --task parity

One row for each run, kind of instances and tested length; docs/reference/stores.md explains the columns"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_argument(parser, positional=True)
    parser.add_argument("--format", choices=tuple(FORMATS), help="default: as the file's name ends")
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to write; - for standard output")
    parser.add_argument(
        "--spreadsheet",
        action="store_true",
        help="CSV: put an apostrophe before texts that a spreadsheet would compute, such as a task '-a' or '=x'",
    )
    add_run_filters(parser)


def run(options: Namespace) -> int:
    """Write the table of a store."""
    form = options.format or _format_of(options.out)
    if options.spreadsheet and form != "csv":
        raise InvalidOptionError(f"--spreadsheet is for csv; found format {form!r}.", hint="leave it out.")
    with read_store(options.store) as store:
        results = select_runs(store.results(), options.task or (), options.encoding or ())
    out = "/dev/stdout" if options.out == "-" else options.out
    written = write_rows(table_rows(results), out, form, spreadsheet=options.spreadsheet)
    if form == "csv" and written.formula is not None:
        print_note(
            visible(
                f"a spreadsheet may compute {written.formula!r} instead of showing it; --spreadsheet prevents that."
            )
        )
    if options.json and options.out != "-":
        print_json({"file": options.out, "format": form, "runs": len(results), "rows": written.num_rows})
    else:
        print(visible(f"wrote {written.num_rows} rows of {len(results)} runs to {options.out}"), file=sys.stderr)
    return 0


def _format_of(out: str) -> str:
    ending = Path(out).suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise InvalidOptionError(
            f"the name {out!r} does not say which format to write. Known: {', '.join(FORMATS)}.",
            hint="add --format, for example --format csv.",
        )
    return ending
