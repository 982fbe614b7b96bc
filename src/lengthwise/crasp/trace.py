"""A run laid open: a row per definition, a column per position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import CapExceededError, NoSuchWordError
from ..markup import escape
from .interpreter import frame_word, run_program
from .kinds import Kind, require_meaning
from .printer import print_expression
from .syntax import ACCEPT, Program

MAX_POSITIONS = 2_000
"""The obvious interpreter looks at all earlier positions from each, and nobody reads longer tables."""

END = "⊣"
"""How the end marker is shown, which carries no symbol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One definition or output: its text, and its value at every position."""

    name: str
    kind: Kind
    text: str
    values: tuple[int, ...]

    def shown(self) -> list[str]:
        """Return the values as text: a truth is ✓ or ·, a count its number."""
        if self.kind is Kind.TRUTH:
            return ["✓" if value else "·" for value in self.values]
        return [str(value) for value in self.values]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """All values of a program on one word."""

    program: Program
    symbols: tuple[str, ...]  # as shown, markers among them
    rows: tuple[Row, ...]

    @property
    def result(self) -> str:
        """What comes of it, in words."""
        if not self.program.is_generator:
            accept = next(row for row in self.rows if row.name == ACCEPT)
            return "accepted" if accept.values[-1] else "rejected"
        following = [
            each.symbol
            for each, row in zip(self.program.next, self.rows[len(self.program.definitions) :], strict=True)
            if row.values[-1]
        ]
        return f"goes on with {' or '.join(following)}" if following else "goes on with nothing"

    def __repr__(self) -> str:
        return f"<Trace: {len(self.symbols)} positions, {self.result}>"

    def _repr_html_(self) -> str:
        """Return the table for a notebook, without the style of a page."""
        return f"{_table(self)}<p>Result: <strong>{escape(self.result)}</strong>.</p>"


def trace_program(program: Program, word: Iterable[str], *, offset: int = 0) -> Trace:
    """Return the values of every definition and output at every position of a word."""
    symbols = tuple(word)
    kinds = require_meaning(program)
    framed = frame_word(program, symbols)
    if not framed:
        raise NoSuchWordError(
            "the empty word has no position to look at.", hint="give a word, or let the program 'read at end'."
        )
    if len(framed) > MAX_POSITIONS:
        raise CapExceededError(
            f"the word has {len(framed):,} positions; a trace shows up to {MAX_POSITIONS:,}, the cap.",
            hint="give a shorter word; 'lengthwise crasp run' answers for long ones.",
        )
    values = run_program(program, symbols, offset=offset)
    rows = tuple(
        Row(name=each.name, kind=kinds[each.name], text=print_expression(each.body), values=tuple(values[each.name]))
        for each in (*program.definitions, *program.outputs)
    )
    return Trace(program=program, symbols=tuple(END if each is None else each for each in framed), rows=rows)


def trace_text(trace: Trace, width: int = 100) -> str:
    """Return the trace as a table for terminals; a word that is too long goes on in a second table."""
    cells = [row.shown() for row in trace.rows]
    parts = (trace.symbols, *cells, _positions(trace))
    columns = [max(len(part[number]) for part in parts) for number in range(len(trace.symbols))]
    lead = max(len("position"), *(len(row.name) for row in trace.rows))
    blocks = []
    for first, last in _blocks(columns, width - lead - 2):
        lines = [_line("position", _positions(trace), columns, lead, first, last)]
        lines.append(_line("symbol", trace.symbols, columns, lead, first, last))
        lines.append("─" * (lead + 1 + sum(columns[number] + 1 for number in range(first, last))))
        lines += [
            _line(row.name, shown, columns, lead, first, last) for row, shown in zip(trace.rows, cells, strict=True)
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def trace_html(trace: Trace) -> str:
    """Return the trace as one page without scripts."""
    listed = "\n".join(f"{escape(row.name)} := {escape(row.text)}" for row in trace.rows)
    return _PAGE.format(
        title=escape(f"Trace of {' '.join(trace.symbols)}"[:120]),
        result=escape(trace.result),
        table=_table(trace),
        listed=listed,
    )


def _table(trace: Trace) -> str:
    head = "".join(f"<th>{number}</th>" for number in _positions(trace))
    word = "".join(f"<th>{escape(symbol)}</th>" for symbol in trace.symbols)
    body = []
    num_definitions = len(trace.program.definitions)
    for number, row in enumerate(trace.rows):
        cells = "".join(
            f'<td class="{_cell_class(row.kind, value)}">{shown}</td>'
            for value, shown in zip(row.values, row.shown(), strict=True)
        )
        mark = ' class="output"' if number >= num_definitions else ""
        body.append(f'<tr{mark}><th title="{escape(row.text)}">{escape(row.name)}</th>{cells}</tr>')
    titles = f"<thead><tr><th>position</th>{head}</tr><tr><th>symbol</th>{word}</tr></thead>"
    rows = "\n".join(body)
    return f"<table>\n{titles}\n<tbody>\n{rows}\n</tbody>\n</table>"


def _positions(trace: Trace) -> list[str]:
    return [str(number + 1) for number in range(len(trace.symbols))]


def _blocks(columns: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Return ranges of columns that fit beside each other."""
    blocks = []
    first, used = 0, 0
    for number, column in enumerate(columns):
        if number > first and used + column + 1 > room:
            blocks.append((first, number))
            first, used = number, 0
        used += column + 1
    return [*blocks, (first, len(columns))]


def _line(name: str, cells: Sequence[str], columns: Sequence[int], lead: int, first: int, last: int) -> str:
    shown = " ".join(cells[number].rjust(columns[number]) for number in range(first, last))
    return f"{name.ljust(lead)}  {shown}"


def _cell_class(kind: Kind, value: int) -> str:
    if kind is Kind.TRUTH:
        return "yes" if value else "no"
    return "zero" if value == 0 else "number"


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --yes: #2e7d3233; --soft: #8888; }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25rem .5rem; text-align: center; border-bottom: 1px solid var(--line); }}
tbody th {{ text-align: left; position: sticky; left: 0; background: Canvas; font-weight: 500; white-space: nowrap; }}
thead th:first-child {{ text-align: left; position: sticky; left: 0; background: Canvas; }}
thead tr:first-child {{ color: var(--soft); font-size: .8rem; }}
td.yes {{ background: var(--yes); }}
td.no, td.zero {{ color: var(--soft); }}
tr.output {{ font-weight: 600; border-top: 2px solid var(--line); }}
pre {{ overflow-x: auto; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>Result: <strong>{result}</strong>. A row per definition, a column per position; ✓ is true, · is false.</p>
<div class="scroll">
{table}
</div>
<h2>Program</h2>
<pre>{listed}</pre>
</body>
</html>
"""
