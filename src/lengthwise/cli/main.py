"""The entry point: arguments in, one library function, text or JSON out.

Data goes to stdout, everything else to stderr. Exit code 0: answered; 2: the input was wrong; 70: an error of lengthwise
itself; 128 and more: stopped by a signal. ``check`` exits with 1 when it rejects, ``crasp equal`` when the two differ,
``conform`` when a check fails, ``store verify`` when there is damage, and ``predict --exit-code`` with 1 for any NO and 3 for
any UNKNOWN.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from signal import SIGINT

from ..errors import (
    LengthwiseError,
    ProgramSyntaxError,
    RegexSyntaxError,
    UnreadableFileError,
    UsageError,
    did_you_mean,
)
from ..experiment.interrupts import Stopped, stopping_once
from ..markup import visible
from ..notices import keeping_inputs, on_user_code
from .commands import COMMANDS
from .parser import build_parser
from .streams import safe_streams

_WELCOME = """\
lengthwise: will a transformer trained on short inputs keep working on longer ones?

Three commands to try:

  lengthwise predict '(aa)*'                   a verdict for a regular expression, with and without positions
  lengthwise predict PARITY D_3 --explain      the same for named languages, with theorem, program or obstruction
  lengthwise run bin_majority '(aa)*'          train small models and compare them with the prediction

'lengthwise --help' lists all commands, 'lengthwise COMMAND --help' explains one."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    notice = on_user_code.set(_tell_user_code(given))
    with safe_streams():
        try:
            with stopping_once(), keeping_inputs():
                return _run_command(given)
        except LengthwiseError as error:
            if "--debug" in given:
                raise
            _report(error)
            return 2
        except KeyboardInterrupt as stop:
            print(_interrupted(given), file=sys.stderr)
            return 128 + (stop.number if isinstance(stop, Stopped) else SIGINT)
        except BrokenPipeError:  # the reader of our output has gone; there is nobody left to tell
            _drop_output()
            return 0
        except OSError as error:
            if "--debug" in given:
                raise
            _drop_output()
            failed = "cannot write the output" if error.filename is None else f"cannot use {error.filename!r}"
            _report(
                UnreadableFileError(
                    f"{failed}: {error.strerror or error}.", hint="free some disk space, or choose another path."
                )
            )
            return 2
        except Exception as error:
            if "--debug" in given:
                raise
            print(f"internal error: {type(error).__name__}: {visible(str(error))[:500]}", file=sys.stderr)
            print("hint: this is a bug in lengthwise. --debug shows the traceback; please report it.", file=sys.stderr)
            return _INTERNAL_ERROR
        finally:
            on_user_code.reset(notice)


def _run_command(given: list[str]) -> int:
    try:
        options = build_parser(_checked_command(given)).parse_args(given)
        if options.command is None:
            print(_WELCOME)
            return 0
        return int(options.function(options))
    finally:
        if sys.stdout is not None:  # a closed one is None
            sys.stdout.flush()  # so that a reader who has gone is noticed here, not at exit


def _interrupted(given: Sequence[str]) -> str:
    """Return the last line of a command that was stopped."""
    command = given[0] if given else ""
    if command in ("run", "reproduce", "atlas"):
        return "interrupted: finished runs are saved; run the same command again to continue."
    if command == "probe" and any(word.partition("=")[0] == "--out" for word in given):
        return "interrupted: what is measured is saved; run the same command again to continue."
    return "interrupted."


def _drop_output() -> None:
    """Let what is still to be written go nowhere, so that Python does not try again at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_INTERNAL_ERROR = 70  # never 1, which means NO


def _checked_command(given: list[str]) -> list[str]:
    word = next((argument for argument in given if not argument.startswith("-")), None)
    if word is not None and word not in COMMANDS:
        suggestion = did_you_mean(word, COMMANDS)
        hint = f"did you mean {suggestion!r}?" if suggestion else f"for a verdict: lengthwise predict {word!r}"
        raise UsageError(f"command {word!r} is unknown. Known: {', '.join(COMMANDS)}.", hint=hint)
    return given


def _tell_user_code(given: Sequence[str]) -> Callable[[str, str], None]:
    """Return a function that says on stderr, once for each file, that its code runs, and which argument named it."""
    named: set[str] = set()

    def tell(path: str, process: str) -> None:
        if path in named or sys.stderr is None:
            return
        named.add(path)
        where = "on the command line"
        if not any(path in argument for argument in given):
            where = next((f"in {argument}" for argument in given if argument.lower().endswith(".toml")), where)
        text = f"note: running the code in {path} (named {where}), {process}."
        print(visible(text), file=sys.stderr)

    return tell


def _report(error: LengthwiseError) -> None:
    from .text import colour

    print(f"{colour('error:', 'error', sys.stderr)} {visible(error.message)}", file=sys.stderr)
    if isinstance(error, (RegexSyntaxError, ProgramSyntaxError)):
        line = error.text.count("\n", 0, error.span[0]) + 1
        if line > 1:
            print(f"  line {line}:", file=sys.stderr)
        print("\n".join(f"  {line}" for line in error.caret().split("\n")), file=sys.stderr)
    if error.hint:
        print(f"hint: {visible(error.hint)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
