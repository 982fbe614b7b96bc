"""`lengthwise crasp run`: a program on words."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....crasp.batched import run_outputs
from ...programs import load_program, print_runs, require_generator, run_on_words, split_word
from ...text import print_json

EXAMPLES = """\
examples:
  lengthwise crasp run dyck_1 '(())' '())('
  lengthwise crasp run mine.crasp 'a b a' ''
  lengthwise crasp run unique_copy 'c a b |' --generate

Write a word symbol by symbol, with spaces where a symbol has several characters; '' is the empty word."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("program", metavar="PROGRAM", help="a program: a file (.crasp), a library name, or -")
    parser.add_argument("word", nargs="+", metavar="WORD", help="words")
    parser.add_argument(
        "--generate", action="store_true", help="let a program that predicts the next symbol continue the word"
    )
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="add N to every position (default: 0)")


def run(options: Namespace) -> int:
    """Print what a program answers on words."""
    program = load_program(options.program)
    if options.generate:
        require_generator(program, options.program)
    words = [split_word(text, program) for text in options.word]
    rows = run_on_words(program, words, run_outputs, generating=options.generate, offset=options.offset)
    if options.json:
        print_json(rows)
    else:
        print_runs(rows)
    return 0
