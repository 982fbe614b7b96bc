"""The commands about tasks of one's own: new, and check for their files."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import InvalidOptionError, LengthwiseError
from ..files import read_json
from .text import colour, paragraph, print_json, printable

if TYPE_CHECKING:  # main reads this module for every command
    from ..tasks.yours.findings import Finding

_NEW_EXAMPLES = """\
examples:
  lengthwise new task mine                         writes mine.py: a small task to start from
  lengthwise new task mine --force                 writes over what is there

How to write one: docs/guides/tasks.md. What is wrong with one: lengthwise check mine.py"""


def add_new_command(command: Callable[[str, str, str], ArgumentParser]) -> None:
    """Add ``new`` and its arguments."""
    fresh = command("new", "write a file to start from: a task of your own", _NEW_EXAMPLES)
    fresh.add_argument("kind", choices=("task",), metavar="KIND", help="task")
    fresh.add_argument("name", metavar="NAME", help="the task's name; the file is NAME.py in the current folder")
    fresh.add_argument("--force", action="store_true", help="write over a file that is there")


def new(options: Namespace) -> int:
    """Write a task file to start from."""
    from ..tasks.yours.template import write_template

    path = write_template(options.name, force=options.force)
    if options.json:
        print_json({"path": path})
        return 0
    print(f"wrote {path}", file=sys.stderr)
    print("Change it, then:")
    for command, what in (("check", "what is wrong with it"), ("show task", "an example"), ("predict", "a verdict")):
        print(f"  {f'lengthwise {command} {path}':32} {what}")
    print(f"  {f'lengthwise run {path}':32} train on it")
    return 0


def check_task(options: Namespace) -> int:
    """Print every finding about a task file; exit with 1 if one of them is an error."""
    if options.language is not None:
        raise InvalidOptionError(
            f"--for is about certificates and programs; {options.file!r} is a task file.",
            hint="leave it out; a Python file says itself what theory may rest on.",
        )
    from ..tasks.yours.findings import errors_of

    found = findings_about(options.file)
    if options.json:
        print_json({"findings": [finding.to_json() for finding in found]})
    else:
        for finding in found:
            _print_finding(finding)
    return 1 if errors_of(found) else 0


def is_task_file(path: str) -> bool:
    """Return whether ``check`` is about a task file: a Python file, a file of pairs, or JSON that holds an automaton."""
    if path.lower().endswith((".py", ".jsonl")):
        return True
    if not path.lower().endswith(".json"):
        return False
    from ..tasks.yours.automata import is_automaton

    try:
        return is_automaton(read_json(path))
    except LengthwiseError:  # whoever reads it next will say what is wrong
        return False


def _say(text: str) -> None:
    """Tell someone who waits what is going on; a file or another program need not know."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr)


def findings_about(path: str) -> list[Finding]:
    """Return every finding about a Python file, a file of pairs or an automaton file."""
    if path.lower().endswith(".py"):
        from ..tasks.yours.checks import check_python

        return check_python(path, on_slow=lambda: _say(f"asking {path} …"))
    if path.lower().endswith(".jsonl"):
        from ..tasks.yours.pairs import check_pairs

        return check_pairs(path)
    from ..tasks.yours.automata import check_automaton

    return check_automaton(path)


def _print_finding(finding: Finding) -> None:
    colours = {"error": "error", "warning": "UNKNOWN", "note": "dim"}
    word = str(finding.severity)
    print(paragraph(f"{colour(word, colours[word])}: {printable(finding.what)}", "  ", ""))
    if finding.hint:
        print(paragraph(f"hint: {printable(finding.hint)}", "    ", "  "))
