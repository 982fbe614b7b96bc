"""Plain text for terminals: colours where they are wanted, tables that wrap their last column."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..tables import Table, wrap_paragraph
from .streams import control

_COLOURS = {
    "YES": "32",
    "NO": "31",
    "UNKNOWN": "33",
    "bold": "1",
    "dim": "2",
    "error": "31",
    "accepted": "32",
    "rejected": "31",
}


def width() -> int:
    """Return the width to write to: the terminal's, or 100 where there is none."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
        except (AttributeError, ValueError, OSError):  # it is closed, or no terminal
            columns = 100
    return max(60, min(columns or 100, 120))


def colour(text: str, name: str, stream: object = None) -> str:
    """Return the text in a colour, unless NO_COLOR is set or the stream is not a terminal."""
    target = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not getattr(target, "isatty", bool)():
        return text
    return f"{control(f'[{_COLOURS[name]}m', target)}{text}{control('[0m', target)}"


@contextmanager
def passing_line(*, hidden: bool = False) -> Iterator[Callable[[str], None]]:
    """Give what shows where long work is: one line of the terminal, written over and gone at the end; nothing where there is none."""
    watched = sys.stderr.isatty() and not hidden
    cleared = control("\r", sys.stderr) + control("[K", sys.stderr)

    def show(text: str) -> None:
        if watched:
            print(f"{cleared}{text} ", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if watched:
            print(cleared, end="", file=sys.stderr, flush=True)


def paragraph(text: str, indent: str = "", first: str | None = None) -> str:
    """Return the text wrapped to the width; ``first`` replaces the indent of the first line."""
    return wrap_paragraph(text, width(), indent, first)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, coloured: int | None = None) -> str:
    """Return rows under a header; the last column wraps, and column ``coloured`` is coloured by its own words."""
    kinds = {} if coloured is None else {coloured: "answer"}
    return Table(header=header, rows=rows, kinds=kinds).to_text(width(), paint)


def paint(text: str, name: str) -> str:
    """Return the text in a colour, if there is one of this name."""
    return colour(text, name) if name in _COLOURS else text


def print_json(data: object) -> None:
    """Print JSON data."""
    from ..files import json_text

    print(json_text(data))


def print_rows(header: Sequence[str], rows: Sequence[Sequence[str]], options: Namespace) -> None:
    """Print rows as a table, or as JSON objects with the header as keys."""
    if options.json:
        print_json([dict(zip(header, row, strict=True)) for row in rows])
    else:
        print(table(header, rows))


def print_detail(data: object, lines: Sequence[str], options: Namespace) -> None:
    """Print one thing: its lines, or its JSON data."""
    if options.json:
        print_json(data)
    else:
        print("\n".join(lines))


def print_note(text: str) -> None:
    """Print a note on stderr, where it does not mix with the data."""
    print(f"note: {text}", file=sys.stderr)


def write_file(path: str, text: str) -> None:
    """Write a file and say so on stderr."""
    from ..files import write_text

    write_text(path, text)
    print(f"wrote {path}", file=sys.stderr)
