"""`lengthwise show`: one thing in full."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module

from ...errors import InvalidOptionError
from ...experiment import DEFAULT_STORE
from ..kinds import KINDS

EXAMPLES = """\
examples:
  lengthwise show language D_3
  lengthwise show language '(ab|bbaa)*' --svg automaton.svg
  lengthwise show task 'add_decimal(reversed)' --length 14 --count 5
  lengthwise show program dyck_1
  lengthwise show encoding rope
  lengthwise show encoding 'randomized(rope, length=2048)'
  lengthwise show encoding alibi --svg alibi.svg --head 2
  lengthwise show theorem balanced_refinement
  lengthwise show bound copy                       a communication matrix, row by row
  lengthwise show paper huang2025                  published figures
  lengthwise show run 3f9c --store runs.sqlite     the same as 'store show runs.sqlite 3f9c'"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kind", choices=tuple(KINDS.values()), metavar="KIND", help=", ".join(KINDS.values()))
    parser.add_argument(
        "name", metavar="NAME", help="its name; for a language also a regular expression or an automaton file"
    )
    parser.add_argument(
        "--svg", metavar="FILE", help="for a language: draw its automaton to this file; for an encoding: what it does"
    )
    parser.add_argument("--head", type=int, metavar="N", help="for an encoding: the head to draw, 0 to 3 (default: 0)")
    parser.add_argument("--length", type=int, metavar="N", help="for a task: the length of the examples")
    parser.add_argument("--count", type=int, metavar="N", help="for a task: how many examples to print (default: 1)")
    parser.add_argument("--latex", action="store_true", help="for a program: write it in LaTeX")
    parser.add_argument("--store", metavar="FILE", help=f"for a run: its store (default: {DEFAULT_STORE})")


def run(options: Namespace) -> int:
    """Print one thing in full."""
    for given, option, kinds, effect in (
        (options.svg is not None, "--svg", ("language", "encoding"), "draws an automaton, or what an encoding does"),
        (options.latex, "--latex", ("program",), "writes a program in LaTeX"),
        (options.head is not None, "--head", ("encoding",), "chooses the head that is drawn"),
        (options.length is not None, "--length", ("task",), "sets the length of the examples"),
        (options.count is not None, "--count", ("task",), "sets how many examples to print"),
        (options.store is not None, "--store", ("run",), "names the store of a run"),
    ):
        if given and options.kind not in kinds:
            allowed = " or ".join(f"show {kind} NAME" for kind in kinds)
            raise InvalidOptionError(f"{option} {effect}; found kind {options.kind!r}.", hint=f"use it with: {allowed}")
    modules = {kind: module for module, kind in KINDS.items()}
    import_module(f"...kinds.{modules[options.kind]}", __name__).print_one(options)
    return 0
