"""Arguments that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup
from collections.abc import Callable

from ..experiment import DEFAULT_STORE


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return the reader of an option that takes a whole number from ``least`` to ``most``.

    A number outside the range is refused before any work begins.
    """

    def read(text: str) -> int:
        try:
            number = int(text)  # Python refuses to read thousands of digits
        except ValueError:
            number = None
        if number is None or not least <= number <= most:
            raise ArgumentTypeError(f"it takes a whole number from {least:,} to {most:,}; found {text!r}")
        return number

    return read


def add_language_arguments(parser: ArgumentParser, what: str = "WHAT") -> None:
    """Add how a regular expression is read."""
    parser.add_argument(
        "--alphabet", metavar="SYMBOLS", help="the alphabet, for example abc (default: the symbols used)"
    )
    parser.add_argument(
        "--regex", action="store_true", help=f"read {what} as a regular expression even if it looks like a name"
    )


def add_question_arguments(parser: ArgumentParser) -> None:
    """Add what a prediction is about, and how hard to look for it."""
    add_language_arguments(parser)
    parser.add_argument(
        "--asked",
        choices=("membership", "next"),
        default="membership",
        help="for a language: is the word in it (default), or which symbols can come next after every prefix",
    )
    parser.add_argument(
        "--effort",
        type=whole_number(1, 1_000),
        default=1,
        metavar="N",
        help="multiply all search limits by N (default: 1): semigroup, maps, graph, vertices, window, period, and CPU time for "
        "verdicts and advice. More effort can turn UNKNOWN into an answer, or find a program for a YES",
    )


def add_predictor_argument(parser: ArgumentParser) -> None:
    """Add the file that chances are estimated with."""
    parser.add_argument(
        "--predictor",
        metavar="FILE",
        help="estimate the chance that training succeeds with this file (default: that of the package, if it has one)",
    )


def add_readout_argument(parser: ArgumentParser, *, default: str | None, usual: str) -> None:
    """Add where acceptance is read; ``usual`` names what happens without it."""
    parser.add_argument(
        "--readout",
        choices=("end", "last"),
        default=default,
        metavar="{end,last}",
        help=f"read the answer at the end marker or at the last symbol (default: {usual})",
    )


def add_encoding_argument(
    parser: ArgumentParser | _ArgumentGroup, what: str = "encodings, separated by commas (default: nope,ape)"
) -> None:
    """Add ``--encoding``, which may be given more than once."""
    parser.add_argument("--encoding", action="append", metavar="E", help=what)


def add_device_argument(parser: ArgumentParser) -> None:
    """Add where to train."""
    parser.add_argument("--device", choices=("cpu", "cuda"), help="where to train (default: a GPU if there is one)")


def add_training_arguments(parser: ArgumentParser) -> None:
    """Add how training uses the machine."""
    parser.add_argument(
        "--workers", type=int, metavar="N", help="training processes (default: one per core, or 3 per GPU)"
    )
    add_device_argument(parser)
    parser.add_argument(
        "--models-per-stack",
        type=int,
        metavar="N",
        help="how many models train together as one stack (default: chosen by a short trial or by memory)",
    )
    parser.add_argument(
        "--checkpoint-every",
        type=float,
        default=30.0,
        metavar="S",
        help="seconds between checkpoints of a stack in training (default: 30)",
    )


def add_report_arguments(
    parser: ArgumentParser, *, default: str | None = "lengthwise-report.html", usual: str = ""
) -> None:
    """Add which files a report is written to."""
    parser.add_argument("--out", default=default, metavar="FILE", help=f"the HTML page (default: {usual or default})")
    parser.add_argument("--markdown", metavar="FILE", help="also write the table as Markdown")


def add_figure_arguments(parser: ArgumentParser) -> None:
    """Add the files that a paper takes from a report."""
    parser.add_argument("--figure", metavar="FILE", help="also write the curves as one drawing: .svg or .pdf")
    parser.add_argument("--latex", metavar="FILE", help="also write the table in LaTeX, for booktabs")


def add_store_argument(parser: ArgumentParser, *, positional: bool = False) -> None:
    """Add which store of results is meant."""
    if positional:
        parser.add_argument(
            "store", nargs="?", default=DEFAULT_STORE, metavar="STORE", help=f"default: {DEFAULT_STORE}"
        )
    else:
        parser.add_argument(
            "--store", default=DEFAULT_STORE, metavar="FILE", help=f"where results are kept (default: {DEFAULT_STORE})"
        )


def add_run_filters(parser: ArgumentParser) -> None:
    """Add which runs of a store are meant."""
    parser.add_argument("--task", action="append", metavar="TASK", help="only runs of this task; may be given again")
    parser.add_argument(
        "--encoding", action="append", metavar="E", help="only runs with this encoding; may be given again"
    )
