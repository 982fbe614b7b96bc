"""The entry point: arguments in, one library function, text or JSON out.

Data goes to stdout, everything else to stderr. Exit code 0: answered; 2: the input was wrong. ``check`` exits with 1
when it rejects, ``crasp equal`` when the two differ, ``conform`` when a check fails, and ``predict --exit-code`` with 1 for
any NO and 3 for any UNKNOWN.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from .._version import __version__
from ..errors import LengthwiseError, ProgramSyntaxError, RegexSyntaxError, UnreadableFileError, did_you_mean
from . import examples
from .inferring import add_infer_parser
from .inspecting import add_inspect_parser
from .own_tasks import add_new_command
from .program_arguments import add_program_commands
from .relations import add_relations_parser

_WELCOME = """\
lengthwise: will a transformer trained on short inputs keep working on longer ones?

Three commands to try:

  lengthwise predict '(ab|bbaa)*'              a verdict for a regular expression, with and without positions
  lengthwise predict PARITY D_3 --explain      the same for named languages, with the whole story
  lengthwise run bin_majority '(aa)*'          train small models and set what they do beside the prediction

'lengthwise --help' lists all commands, 'lengthwise COMMAND --help' explains one."""

_CRASP = "run, trace, compare, simplify and find C-RASP programs"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors read like all others."""

    def error(self, message: str) -> NoReturn:
        name = self.prog.removeprefix("lengthwise").strip()
        raise _UsageError(
            f"{message[:1].lower()}{message[1:]}.", hint=f"see 'lengthwise {f'{name} ' if name else ''}--help'."
        )


class _UsageError(LengthwiseError, ValueError):
    """Arguments that do not fit the command."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    shared = _Parser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print data instead of text")
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")

    parser = _Parser(prog="lengthwise", description="Will it length-generalize, and why?")
    parser.add_argument("--version", action="version", version=f"lengthwise {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    def command(name: str, summary: str, examples: str) -> argparse.ArgumentParser:
        return add(commands, name, summary, examples)

    def add(group: Any, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = group.add_parser(
            name,
            help=summary,
            description=f"{summary[:1].upper()}{summary[1:]}.",
            epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[shared],
        )
        return made

    one = command(
        "predict", "answer for languages and encodings, with reasons and certificates", examples.PREDICT_EXAMPLES
    )
    one.add_argument(
        "what",
        nargs="+",
        metavar="WHAT",
        help="a task, language or program name, a regular expression, an automaton file (.json) or a program (.crasp)",
    )
    one.add_argument(
        "--encoding", action="append", metavar="E", help="encodings, separated by commas (default: nope,ape)"
    )
    one.add_argument("--explain", action="store_true", help="tell the whole story: theorem, program or obstruction")
    one.add_argument(
        "--readout",
        choices=("end", "last"),
        metavar="{end,last}",
        help="where acceptance is read: end marker (default) or last symbol",
    )
    one.add_argument(
        "--asked",
        choices=("membership", "next"),
        default="membership",
        help="about a language: is the word in it (default), or which symbols can come next at every prefix",
    )
    one.add_argument(
        "--max-states", type=int, metavar="N", help="cap on the states of an expression's automaton (default: 10000)"
    )
    one.add_argument("--pairs", type=int, default=0, metavar="N", help="instead: N hard word pairs for every NO")
    one.add_argument(
        "--effort",
        type=int,
        default=1,
        metavar="N",
        help="multiply by N the caps on the semigroup, the graph, the vertices, the window and the period that are "
        "tried before an answer is UNKNOWN or a YES comes without a program (default: 1)",
    )
    one.add_argument("--exit-code", action="store_true", help="exit with 1 for any NO, 3 for any UNKNOWN")

    best = command(
        "recommend", "rank the encodings for a problem, every rank with its reason", examples.RECOMMEND_EXAMPLES
    )
    best.add_argument("what", metavar="WHAT", help="a task, language or program name, an expression, or a file")
    best.add_argument(
        "--asked",
        choices=("membership", "next"),
        default="membership",
        help="about a language: membership (default) or next",
    )
    for each in (one, best):
        each.add_argument(
            "--alphabet", metavar="SYMBOLS", help="the alphabet, for example abc (default: the symbols used)"
        )
        each.add_argument(
            "--regex", action="store_true", help="read WHAT as a regular expression even if it looks like a name"
        )

    train = command("run", "train models and set the measurement beside the prediction", examples.RUN_EXAMPLES)
    train.add_argument("what", nargs="+", metavar="TASK", help="tasks, languages or expressions; or one spec (.toml)")
    train.add_argument(
        "--encoding", action="append", metavar="E", help="encodings, separated by commas (default: nope,ape)"
    )
    train.add_argument(
        "--switch",
        action="append",
        metavar="S",
        help="switches of the model, separated by commas: log_n, qk_norm, softmax_1, token_shift, no_bos",
    )
    train.add_argument("--seeds", type=int, metavar="N", help="models per task and encoding (default: 3)")
    train.add_argument("--train-length", type=int, metavar="N", help="longest input in training (default: 10)")
    train.add_argument(
        "--test-length",
        type=_test_length,
        metavar="N",
        help="longest input at test (default: 30); or lengths to test at, separated by commas",
    )
    train.add_argument(
        "--steps", type=int, metavar="N", help="most training steps (default: see docs/reference/spec.md)"
    )
    train.add_argument(
        "--hard", action="store_true", default=None, help="also test on hard instances: docs/concepts/hard-tests.md"
    )
    train.add_argument(
        "--keep",
        action="store_true",
        help="keep the trained models, in a folder beside the store ('inspect' reads them)",
    )
    train.add_argument(
        "--workers", type=int, metavar="N", help="training processes (default: one per core, or 3 per GPU)"
    )
    train.add_argument("--device", choices=("cpu", "cuda"), help="where to train (default: a GPU if there is one)")
    train.add_argument("--resume", action="store_true", help="go on with what is missing, which is what happens anyway")

    again = command(
        "reproduce", "repeat a paper: its published figures beside measured ones", examples.REPRODUCE_EXAMPLES
    )
    again.add_argument("paper", metavar="PAPER", help="the paper's name, for example huang2025 (see 'list papers')")
    again.add_argument("--quick", action="store_true", help="leave out the cells, or the stage, whose models are large")
    again.add_argument(
        "--only",
        action="extend",
        nargs="+",
        metavar="TASK",
        help="only these tasks, and for chen2025 encodings (default: all)",
    )
    again.add_argument(
        "--part",
        action="extend",
        nargs="+",
        metavar="PART",
        help="parts of chen2025: first (default), plain, outside, second, controls, or all",
    )
    again.add_argument("--seeds", type=int, default=5, metavar="N", help="models per task and encoding (default: 5)")
    again.add_argument("--store", metavar="FILE", help="where results are kept (default: PAPER.sqlite)")
    again.add_argument("--out", metavar="FILE", help="the page (default: PAPER.html; with --dry-run, none)")
    again.add_argument("--markdown", metavar="FILE", help="also write the table as Markdown")
    again.add_argument(
        "--workers", type=int, metavar="N", help="training processes (default: one per core, or 3 per GPU)"
    )
    again.add_argument("--device", choices=("cpu", "cuda"), help="where to train (default: a GPU if there is one)")
    again.add_argument(
        "--dry-run", action="store_true", help="train nothing; show what is there and what is to be done"
    )

    for each in (train, again):
        each.add_argument(
            "--models-per-stack",
            type=int,
            metavar="N",
            help="how many models train as one (default: by trial or memory)",
        )

    tell = command("report", "write the report of a store", examples.REPORT_EXAMPLES)
    tell.add_argument(
        "store", nargs="?", default="lengthwise-runs.sqlite", metavar="STORE", help="default: lengthwise-runs.sqlite"
    )
    train.add_argument(
        "--store",
        default="lengthwise-runs.sqlite",
        metavar="FILE",
        help="where results are kept (default: lengthwise-runs.sqlite)",
    )
    for each in (train, tell):
        each.add_argument(
            "--out", default="lengthwise-report.html", metavar="FILE", help="the page (default: lengthwise-report.html)"
        )
        each.add_argument("--markdown", metavar="FILE", help="also write the table as Markdown")

    two = command(
        "check",
        "check certificates independently of how they were found, a program, or a task",
        examples.CHECK_EXAMPLES,
    )
    two.add_argument(
        "file",
        metavar="FILE",
        help="certificates, or the output of predict --json (- reads standard input); a program (.crasp); or a task of "
        "your own (.py, .jsonl, or an automaton in .json)",
    )
    two.add_argument(
        "--for",
        dest="language",
        metavar="WHAT",
        help="also require that they speak of this language; a program is compared with it on all short words",
    )

    add_new_command(command)
    add_infer_parser(command)
    add_relations_parser(command)
    add_inspect_parser(command)

    crasp = commands.add_parser("crasp", help=_CRASP, description=f"{_CRASP[:1].upper()}{_CRASP[1:]}.")
    add_program_commands(crasp, add)

    three = command("list", "list what has a name", examples.LIST_EXAMPLES)
    three.add_argument(
        "kind",
        choices=("tasks", "languages", "programs", "encodings", "theorems", "bounds", "papers"),
        metavar="KIND",
        help="tasks, languages, programs, encodings, theorems, bounds or papers",
    )

    three.add_argument("--svg", metavar="FILE", help="for encodings: draw what they do to attention to this file")
    three.add_argument("--why", action="store_true", help="for tasks: the reason, witness or source of every verdict")
    three.add_argument("--group", metavar="GROUP", help="for tasks: only those of a group, such as arithmetic")

    four = command("show", "show one thing in full", examples.SHOW_EXAMPLES)
    four.add_argument(
        "kind",
        choices=("task", "language", "program", "encoding", "theorem", "bound", "paper"),
        metavar="KIND",
        help="task, language, program, encoding, theorem, bound or paper",
    )
    four.add_argument(
        "name", metavar="NAME", help="its name; for a language also a regular expression or an automaton file"
    )
    four.add_argument(
        "--svg", metavar="FILE", help="for a language: draw the automaton to this file; for an encoding: what it does"
    )
    four.add_argument("--head", type=int, metavar="N", help="for an encoding: the head to draw, 0 to 3 (default: 0)")
    four.add_argument("--length", type=int, metavar="N", help="for a task: the length of the examples")
    four.add_argument("--count", type=int, metavar="N", help="for a task: how many examples to print (default: 1)")
    four.add_argument("--latex", action="store_true", help="for a program: write it in LaTeX")

    many = command(
        "complexity",
        "count the operators a problem needs by scale, for each kind of positions",
        examples.COMPLEXITY_EXAMPLES,
    )
    many.add_argument(
        "what", nargs="?", metavar="PROBLEM", help="a problem, a task that is one, or with --linear a formula"
    )
    many.add_argument(
        "--encoding", action="append", metavar="E", help="encodings or relations, separated by commas; ipe is the ideal"
    )
    many.add_argument("--scale-hint", action="store_true", help="let positions see the scale too")
    many.add_argument("--scales", type=int, default=8, metavar="N", help="how many scales (default: 8)")
    many.add_argument(
        "--exact", type=int, metavar="K", help="also the fewest operators of arity K of any circuit, by search"
    )
    many.add_argument("--solver", choices=("search", "sat"), help="for --exact (default: search; sat: [solver])")
    many.add_argument(
        "--seconds", type=float, default=20.0, metavar="S", help="stop after so many seconds (default: 20)"
    )
    many.add_argument("--svg", metavar="FILE", help="draw which positions share a label to this file")
    many.add_argument("--all", action="store_true", help="all problems, beside the verdicts of predict")
    many.add_argument(
        "--linear", action="store_true", help="a matrix A(i, j) instead of a problem: a formula or a name"
    )

    suite = command(
        "conform", "measure whether encodings do what they must and what they declare", examples.CONFORM_EXAMPLES
    )
    suite.add_argument("names", nargs="*", metavar="NAME", help="encodings (default: all)")

    source = command("cite", "print BibTeX for what is named, or for lengthwise itself", examples.CITE_EXAMPLES)
    source.add_argument(
        "names", nargs="*", metavar="NAME", help="encodings, papers, tasks or languages (default: lengthwise)"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            return _dispatch(build_parser().parse_args(_checked_command(given)))
        finally:
            if sys.stdout is not None:  # a closed one is None
                sys.stdout.flush()  # so that a reader who has gone is noticed here, not at exit
    except LengthwiseError as error:
        if "--debug" in given:
            raise
        _report(error)
        return 2
    except KeyboardInterrupt:
        print("interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone; there is nobody left to tell
        _drop_output()
        return 0
    except OSError as error:
        if "--debug" in given:
            raise
        _drop_output()
        failed = "cannot write the output" if error.filename is None else f"cannot use {error.filename!r}"
        _report(
            UnreadableFileError(f"{failed}: {error.strerror or error}.", hint="make room, or choose another place.")
        )
        return 2


def _drop_output() -> None:
    """Let what is still to be written go nowhere, so that Python does not try again at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_NAMES = (
    "predict recommend complexity infer relations run report reproduce inspect check new crasp list show conform cite"
)
_COMMANDS = tuple(_NAMES.split())


def _test_length(text: str) -> int | tuple[int, ...]:
    """Return the longest length to test at, or the lengths that are listed."""
    try:
        lengths = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, nor numbers separated by commas") from None
    return lengths if "," in text else lengths[0]


def _checked_command(given: list[str]) -> list[str]:
    word = next((argument for argument in given if not argument.startswith("-")), None)
    if word is not None and word not in _COMMANDS:
        suggestion = did_you_mean(word, _COMMANDS)
        hint = f"did you mean {suggestion!r}?" if suggestion else f"for a verdict: lengthwise predict {word!r}"
        raise _UsageError(f"command {word!r} is unknown. Known: {', '.join(_COMMANDS)}.", hint=hint)
    return given


def _dispatch(options: argparse.Namespace) -> int:
    if options.command is None:
        print(_WELCOME)
        return 0
    from . import commands  # here, so that --help and --version stay instant

    if options.command in ("run", "report"):
        from . import running

        return (running.run if options.command == "run" else running.report)(options)
    if options.command == "reproduce":
        from . import reproduce

        return reproduce.reproduce(options)
    if options.command == "crasp" or (options.command == "check" and options.file.lower().endswith(".crasp")):
        from . import programs

        return (programs.crasp if options.command == "crasp" else programs.check_file)(options)
    modules = {
        "complexity": "complexity",
        "infer": "inferring",
        "relations": "relations",
        "inspect": "inspecting",
        "new": "own_tasks",
        "conform": "encodings",
        "cite": "encodings",
    }
    if options.command in modules:
        module = import_module(f".{modules[options.command]}", __package__)
        return int(getattr(module, options.command)(options))
    run = {
        "predict": commands.predict,
        "recommend": commands.recommend,
        "check": commands.check,
        "list": commands.list_kind,
        "show": commands.show,
    }
    return run[options.command](options)


def _report(error: LengthwiseError) -> None:
    from .text import colour, printable

    print(f"{colour('error:', 'error', sys.stderr)} {printable(error.message)}", file=sys.stderr)
    if isinstance(error, (RegexSyntaxError, ProgramSyntaxError)):
        line = error.text.count("\n", 0, error.span[0]) + 1
        if line > 1:
            print(f"  line {line}:", file=sys.stderr)
        print("\n".join(f"  {line}" for line in error.caret().split("\n")), file=sys.stderr)
    if error.hint:
        print(f"hint: {printable(error.hint)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
