"""`lengthwise crasp synthesize`: a smallest program for a language or for labelled words."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ....crasp.fragments import Readout
from ....crasp.printer import print_program
from ....crasp.synthesis import NO_BOUND, Caps, synthesize
from ....errors import InvalidOptionError
from ....files import read_text
from ....languages.dfa import DFA
from ...arguments import add_language_arguments, add_readout_argument
from ...programs import language_of, program_data
from ...text import paragraph, passing_line, print_json, table

EXAMPLES = """\
examples:
  lengthwise crasp synthesize '(ab)*'
  lengthwise crasp synthesize TOMITA_4 --fragment LOCAL
  lengthwise crasp synthesize --examples labelled.txt --alphabet ab

A file of examples has one line per word: + or -, a space, the word. The answer is a smallest program that agrees with
all words up to the length. It may disagree with longer ones."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", nargs="?", metavar="WHAT", help="a language, an expression or an automaton file")
    parser.add_argument("--examples", metavar="FILE", help="labelled words instead: a line '+ word' or '- word' each")
    parser.add_argument(
        "--max-length", type=int, default=6, metavar="N", help="longest word to learn from (default: 6)"
    )
    parser.add_argument(
        "--fragment",
        choices=("PLAIN", "LOCAL", "PERIODIC", "PERIODIC_LOCAL"),
        default="PLAIN",
        help="what the program may use: PLAIN is counting only (default), LOCAL adds earlier symbols at a fixed distance, "
        "PERIODIC adds positions modulo a number",
    )
    parser.add_argument("--max-size", type=int, metavar="N", help="largest size to try")
    add_readout_argument(parser, default="last", usual="last")
    add_language_arguments(parser)


def run(options: Namespace) -> int:
    """Print a smallest program."""
    if (options.what is None) == (options.examples is None):
        raise InvalidOptionError(
            "synthesize needs a language or a file of examples, and not both.",
            hint="for example: lengthwise crasp synthesize '(ab)*', or --examples labelled.txt",
        )
    if options.examples is not None and options.regex:
        raise InvalidOptionError(
            "--regex is about a language, but --examples gives labelled words.", hint="leave one of the two out."
        )
    target: DFA | list[tuple[tuple[str, ...], bool]]
    if options.examples is not None:
        target = _read_examples(options.examples)
    else:
        target = language_of(options.what, options.alphabet, regex=options.regex)
    with passing_line() as show:
        found = synthesize(
            target,
            alphabet=options.alphabet if options.examples is not None else None,
            max_length=options.max_length,
            fragment=options.fragment,
            readout=Readout.END_MARKER if options.readout == "end" else Readout.LAST_SYMBOL,
            caps=Caps() if options.max_size is None else Caps(max_size=options.max_size),
            progress=lambda size, candidates, kept: show(f"size {size}: {candidates:,} candidates, {kept:,} kept"),
        )
    if options.json:
        answers = [{"length": answer.length, "size": answer.size, "accept": answer.text} for answer in found.answers]
        print_json(
            {
                "program": print_program(found.program),
                **program_data(found.program),
                "candidates": found.num_candidates,
                "classes": found.num_classes,
                "stabilization_length": found.stabilization_length,
                "complete": found.complete,
                "answers": answers,
            }
        )
        return 0
    print(print_program(found.program), end="")
    print()
    rows = [(str(answer.length), str(answer.size), answer.text) for answer in found.answers]
    print(table(("words up to", "size", "smallest program"), rows))
    print()
    last = found.answers[-1].length
    settled = (
        f"unchanged from length {found.stabilization_length} to {last}"
        if found.stabilization_length < last
        else f"not settled: it changed at length {last}, the last that was tried"
    )
    print(f"{found.num_candidates:,} candidates, {found.num_classes:,} different behaviours kept; {settled}.")
    print(paragraph(NO_BOUND, "", ""))
    return 0


def _read_examples(path: str) -> list[tuple[tuple[str, ...], bool]]:
    """Return the labelled words of a file: a line for each, + or -, a space, the word."""
    found = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        sign, _, word = line.strip().partition(" ")
        if sign not in ("+", "-"):
            raise InvalidOptionError(
                f"line {number} of {path!r} begins with {sign[:20]!r}; a line is + or -, a space and a word.",
                hint="for example: + aab",
            )
        symbols = tuple(word.split()) if " " in word.strip() else tuple(word.strip())
        found.append((symbols, sign == "+"))
    if not found:
        raise InvalidOptionError(
            f"{path!r} has no labelled word; at least one is needed.", hint="write a line for each, for example: + aab"
        )
    return found
