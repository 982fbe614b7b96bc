"""Plain text for terminals: colours where they are wanted, tables that wrap their last column."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import wrap

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
    return max(60, min(get_terminal_size((100, 24)).columns, 120))


def colour(text: str, name: str, stream: object = None) -> str:
    """Return the text in a colour, unless NO_COLOR is set or the stream is not a terminal."""
    target = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not getattr(target, "isatty", bool)():
        return text
    return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m"


@contextmanager
def passing_line(*, hidden: bool = False) -> Iterator[Callable[[str], None]]:
    """Give what shows where long work is: one line of the terminal, written over and gone at the end; nothing where there is none."""
    watched = sys.stderr.isatty() and not hidden

    def show(text: str) -> None:
        if watched:
            print(f"\r\x1b[K{text} ", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if watched:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Return the text with control characters and the like written out, so that a file cannot steer a terminal."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def paragraph(text: str, indent: str = "", first: str | None = None) -> str:
    """Return the text wrapped to the width; ``first`` replaces the indent of the first line."""
    return "\n".join(
        wrap(
            text,
            width(),
            initial_indent=indent if first is None else first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, coloured: int | None = None) -> str:
    """Return rows under a header; the last column wraps, and column ``coloured`` is coloured by its own words."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header) - 1)]
    lead = sum(widths) + 2 * len(widths)
    room = max(30, width() - lead)
    lines = [colour(_line(header, widths), "bold").rstrip()]
    for row in rows:
        pieces = [
            piece
            for part in row[-1].split("\n")
            for piece in (wrap(part, room, break_long_words=False, break_on_hyphens=False) or [""])
        ]
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        if coloured is not None and row[coloured] in _COLOURS:
            cells[coloured] = colour(cells[coloured], row[coloured])
        lines.append("  ".join([*cells, pieces[0]]).rstrip())
        lines += [(" " * lead + piece).rstrip() for piece in pieces[1:]]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)), cells[-1]])


def print_json(data: object) -> None:
    """Print JSON data; what is not printable is escaped, which only strings can need."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    print("".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text))
