"""A table of text, and how it looks on a terminal, in Markdown, HTML and LaTeX, and as data.

Cells are text of unknown origin: every renderer escapes them for its own format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from .errors import MissingExtraError
from .markup import escape, escape_latex, escape_markdown

Paint = Callable[[str, str], str]
"""What colours text by the name of a colour: "bold", or the word that a cell holds, such as an answer."""

ANSWERS = ("YES", "NO", "UNKNOWN")
_FRAMES = ("pandas", "polars")


def no_paint(text: str, _colour: str) -> str:
    """Leave text without a colour."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under a header.

    ``kinds`` says what the columns hold: "name" is set as code, "answer" is coloured, "number" does not wrap, "remark" is wide
    enough for a sentence. ``records`` are the same rows as data, with numbers where the text rounds; by default the text itself.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    kinds: Mapping[int, str] | None = None
    records: Sequence[Mapping[str, object]] | None = None

    def to_text(self, width: int = 100, paint: Paint = no_paint) -> str:
        """Return the table for a terminal: columns aligned, the last one wrapped to the width."""
        widths = [max(len(row[column]) for row in [self.header, *self.rows]) for column in range(len(self.header) - 1)]
        lead = sum(widths) + 2 * len(widths)
        room = max(30, width - lead)
        lines = [paint("  ".join([*_padded(self.header, widths), self.header[-1]]), "bold").rstrip()]
        for row in self.rows:
            pieces = [
                piece
                for part in row[-1].split("\n")
                for piece in (wrap(part, room, break_long_words=False, break_on_hyphens=False) or [""])
            ]
            cells = [
                paint(padded, cell) if self._kind(column) == "answer" else padded
                for column, (cell, padded) in enumerate(zip(row, _padded(row, widths), strict=False))
            ]
            lines.append("  ".join([*cells, pieces[0]]).rstrip())
            lines += [(" " * lead + piece).rstrip() for piece in pieces[1:]]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        head, *body = (f"| {' | '.join(map(escape_markdown, line))} |" for line in [self.header, *self.rows])
        return "\n".join([head, "|" + "---|" * len(self.header), *body])

    def to_html(self) -> str:
        """Return the table in HTML; on a narrow screen a style sheet can show each cell below its title, ``data-title``."""
        head = "".join(f'<th scope="col">{escape(title).replace("_", "_<wbr/>")}</th>' for title in self.header)
        body = "\n".join(f"<tr>{''.join(map(self._html_cell, range(len(row)), row))}</tr>" for row in self.rows)
        style = ' class="wide"' if len(self.header) > _USUAL_COLUMNS else ""
        return f"<table{style}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"

    _repr_html_ = to_html

    def to_latex(self) -> str:
        r"""Return the table in LaTeX, for ``\usepackage{booktabs}``; names are set in typewriter, remarks wrap.

        A table that fits on no page is a longtable, which repeats its header on every page.
        """
        letters = {"number": "r", "remark": f"p{{{_REMARK_WIDTH}}}"}
        columns = "".join(letters.get(self._kind(column), "l") for column in range(len(self.header)))
        form, after_header = ("longtable", [r"\endhead"]) if len(self.rows) > _ROWS_OF_A_PAGE else ("tabular", [])
        head = _latex_row(map(escape_latex, self.header))
        body = [_latex_row(self._latex_cell(column, cell) for column, cell in enumerate(row)) for row in self.rows]
        lines = [f"\\begin{{{form}}}{{{columns}}}", r"\toprule", head, r"\midrule", *after_header, *body]
        return "\n".join([*lines, r"\bottomrule", f"\\end{{{form}}}"])

    def _latex_cell(self, column: int, cell: str) -> str:
        text = escape_latex(cell)
        return f"\\texttt{{{text}}}" if self._kind(column) == "name" else text

    def to_json(self) -> list[dict[str, object]]:
        """Return a record for every row, as JSON data."""
        if self.records is not None:
            return [dict(record) for record in self.records]
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]

    def to_frame(self) -> Any:
        """Return the records as a data frame of pandas or, where that is missing, of polars."""
        return to_frame(self.to_json())

    def _kind(self, column: int) -> str:
        return (self.kinds or {}).get(column, "")

    def _html_cell(self, column: int, cell: str) -> str:
        kind = self._kind(column)
        is_answer = kind == "answer" and cell in ANSWERS
        name = cell if is_answer else kind if kind in ("number", "remark") else ""
        text = f"<code>{escape(cell)}</code>" if kind == "name" else escape(cell)
        if kind == "number" and _INTERVAL.fullmatch(cell):  # it may stand below its number where the page is narrow
            first, interval = cell.split(" ", 1)
            text = f'<span>{escape(first)} <span class="whole">{escape(interval)}</span></span>'
        style = f' class="{name}"' if name else ""
        return f'<td data-title="{escape(self.header[column])}"{style}>{text}</td>'


_INTERVAL = re.compile(r"\S+ \([^ ]+\)")
_USUAL_COLUMNS = 13
"""A table with more is set smaller on a page."""
_REMARK_WIDTH = "5cm"
_ROWS_OF_A_PAGE = 45


def _latex_row(cells: Iterable[str]) -> str:
    """Return a row; one that begins with a bracket or a star would belong to the end of the row before."""
    row = " & ".join(cells)
    return f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\"


def to_frame(records: Sequence[Mapping[str, object]]) -> Any:
    """Return records as a data frame of pandas or, where that is missing, of polars."""
    from importlib import import_module
    from importlib.util import find_spec

    for name in _FRAMES:
        if find_spec(name) is not None:
            return import_module(name).DataFrame(records)
    raise MissingExtraError(
        "a data frame needs pandas or polars; neither is installed.", hint="pip install pandas, or use to_json()."
    )


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Return all cells but the last, filled up to the widths of their columns."""
    return [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]


def wrap_paragraph(text: str, width: int, indent: str = "", first: str | None = None) -> str:
    """Return text wrapped to a width; ``first`` replaces the indent of the first line."""
    start = indent if first is None else first
    return "\n".join(
        wrap(
            text,
            width,
            initial_indent=start,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
