"""`lengthwise crasp trace`: every value of a program on a word."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....crasp.trace import trace_html, trace_program, trace_text
from ....markup import visible
from ...programs import load_program, split_word
from ...text import print_json, width, write_file

EXAMPLES = """\
examples:
  lengthwise crasp trace dyck_1 '(()'
  lengthwise crasp trace mine.crasp aab --html trace.html"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("program", metavar="PROGRAM", help="a program: a file (.crasp), a library name, or -")
    parser.add_argument("word", metavar="WORD", help="a word")
    parser.add_argument("--html", metavar="FILE", help="also write the table as an HTML page")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="add N to every position (default: 0)")


def run(options: Namespace) -> int:
    """Print the trace of a program on a word."""
    program = load_program(options.program)
    trace = trace_program(program, split_word(options.word, program), offset=options.offset)
    if options.html is not None:
        write_file(options.html, trace_html(trace))
    if options.json:
        rows = {row.name: list(row.values) for row in trace.rows}
        print_json({"symbols": list(trace.symbols), "values": rows, "result": trace.result})
    else:
        print(trace_text(trace, width()))
        print()
        print(f"result: {visible(trace.result)}")
    return 0
