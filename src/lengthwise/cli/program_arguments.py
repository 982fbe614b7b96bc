"""The arguments of the commands about C-RASP programs."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from .compiling import add_compile_command

_OVERVIEW = """\
examples:
  lengthwise crasp run dyck_1 '(())' '())('
  lengthwise crasp trace mine.crasp aab --html trace.html
  lengthwise crasp equal mine.crasp '(ab)*'
  lengthwise crasp simplify mine.crasp
  lengthwise crasp synthesize '(ab)*' --max-length 6
  lengthwise crasp compile dyck_1 --out folder

PROGRAM is a file (.crasp), - for standard input, or a name from 'lengthwise list programs'.
How to write one: docs/guides/crasp.md. What is wrong with one: lengthwise check FILE.crasp"""

_RUN = """\
examples:
  lengthwise crasp run dyck_1 '(())' '())('
  lengthwise crasp run mine.crasp 'a b a' ''
  lengthwise crasp run unique_copy 'c a b |' --generate

A word is written symbol by symbol, with spaces where a symbol has several characters; '' is the empty word."""

_TRACE = """\
examples:
  lengthwise crasp trace dyck_1 '(()'
  lengthwise crasp trace mine.crasp aab --html trace.html"""

_EQUAL = """\
examples:
  lengthwise crasp equal mine.crasp dyck_1
  lengthwise crasp equal mine.crasp '(ab)*' --max-length 14
  lengthwise crasp equal old.crasp new.crasp --json
  lengthwise crasp equal '(ab)*a' 'a(ba)*'               two languages, decided for all lengths

exit codes: 0 equal on every word compared, 1 different, 2 the input was wrong"""

_SIMPLIFY = """\
examples:
  lengthwise crasp simplify mine.crasp
  lengthwise crasp simplify mine.crasp --normal-form     no strict counts, no looking back except at symbols
  lengthwise crasp simplify mine.crasp --latex"""

_SYNTHESIZE = """\
examples:
  lengthwise crasp synthesize '(ab)*'
  lengthwise crasp synthesize TOMITA_4 --fragment LOCAL
  lengthwise crasp synthesize --examples labelled.txt --alphabet ab

A file of examples has a line per word: + or -, a space, the word. The answer is a smallest program that agrees with all
words up to the length; that it also agrees with longer ones is no theorem."""


def add_program_commands(crasp: argparse.ArgumentParser, add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add run, trace, equal, simplify, synthesize and compile."""
    crasp.epilog = _OVERVIEW
    crasp.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = crasp.add_subparsers(dest="action", metavar="ACTION", parser_class=type(crasp), required=True)

    run = add(actions, "run", "run a program on words", _RUN)
    run.add_argument("program", metavar="PROGRAM", help="a program")
    run.add_argument("word", nargs="+", metavar="WORD", help="words")
    run.add_argument("--generate", action="store_true", help="let a program that says what comes next write on")

    trace = add(actions, "trace", "show every value of a program on a word", _TRACE)
    trace.add_argument("program", metavar="PROGRAM", help="a program")
    trace.add_argument("word", metavar="WORD", help="a word")
    trace.add_argument("--html", metavar="FILE", help="also write the table as a page")
    for each in (run, trace):
        each.add_argument("--offset", type=int, default=0, metavar="N", help="add N to every position (default: 0)")

    equal = add(actions, "equal", "compare programs or languages, programs on all short words", _EQUAL)
    for side in ("left", "right"):
        equal.add_argument(
            side, metavar=side.upper(), help="a program, a language, a regular expression or an automaton file"
        )
    equal.add_argument(
        "--max-length",
        type=int,
        metavar="N",
        help="longest word (default: so that there are at most 200000; for two languages, all lengths)",
    )

    simplify = add(actions, "simplify", "write a program in a simpler way", _SIMPLIFY)
    simplify.add_argument("program", metavar="PROGRAM", help="a program")
    simplify.add_argument(
        "--normal-form", action="store_true", help="also remove strict counts and nested looking back"
    )
    simplify.add_argument("--latex", action="store_true", help="write LaTeX instead of the text form")

    learn = add(actions, "synthesize", "find a smallest program for a language or for labelled words", _SYNTHESIZE)
    learn.add_argument("what", nargs="?", metavar="WHAT", help="a language, an expression or an automaton file")
    learn.add_argument("--examples", metavar="FILE", help="labelled words instead: a line '+ word' or '- word' each")
    learn.add_argument("--max-length", type=int, default=6, metavar="N", help="longest word to learn from (default: 6)")
    learn.add_argument(
        "--fragment",
        choices=("PLAIN", "LOCAL", "PERIODIC", "PERIODIC_LOCAL"),
        default="PLAIN",
        help="what the program may use (default: PLAIN, counting only)",
    )
    learn.add_argument("--max-size", type=int, metavar="N", help="largest size to try")
    learn.add_argument(
        "--readout",
        choices=("end", "last"),
        default="last",
        metavar="{end,last}",
        help="where acceptance is read: last symbol (default) or end marker",
    )
    learn.add_argument("--alphabet", metavar="SYMBOLS", help="the alphabet (default: the symbols used)")
    learn.add_argument(
        "--regex", action="store_true", help="read WHAT as a regular expression even if it looks like a name"
    )
    add_compile_command(actions, add)
