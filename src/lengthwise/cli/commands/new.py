"""`lengthwise new`: a template to start from."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ...encodings.user.template import TEMPLATE as ENCODING_TEMPLATE
from ...tasks.user.template import TEMPLATE, write_template
from ..text import print_json

EXAMPLES = """\
examples:
  lengthwise new task mine                         writes mine.py: a small task to start from
  lengthwise new encoding ripple                   writes ripple.py: a small position encoding to start from
  lengthwise new task mine --force                 replaces the file

How to write one: docs/guides/tasks.md, docs/guides/encodings.md. To check one: lengthwise check mine.py"""

_TASK_COMMANDS = {
    "check {}": "what is wrong with it",
    "show task {}": "an example",
    "predict {}": "a verdict",
    "run {}": "train on it",
}
_ENCODING_COMMANDS = {
    "check {}": "what is wrong with it: its card and its hooks, measured",
    "show encoding {}": "its card, and a picture",
    "predict parity --encoding {}": "a verdict",
    "run bin_majority --encoding {}": "train with it",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kind", choices=("task", "encoding"), metavar="KIND", help="task or encoding")
    parser.add_argument("name", metavar="NAME", help="its name; the file is NAME.py in the current folder")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")


def run(options: Namespace) -> int:
    """Write a file to start from."""
    template = ENCODING_TEMPLATE if options.kind == "encoding" else TEMPLATE
    path = write_template(options.name, kind=options.kind, template=template, force=options.force)
    if options.json:
        print_json({"path": path})
        return 0
    print(f"wrote {path}", file=sys.stderr)
    print("Change it, then:")
    commands = _ENCODING_COMMANDS if options.kind == "encoding" else _TASK_COMMANDS
    wide = max(len(command) for command in commands) + len(path)
    for command, what in commands.items():
        print(f"  lengthwise {command.format(path):{wide}} {what}")
    return 0
