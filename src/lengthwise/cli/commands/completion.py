"""`lengthwise completion`: a script for the shell."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..text import print_json

EXAMPLES = """\
examples:
  lengthwise completion bash > ~/.local/share/bash-completion/completions/lengthwise
  lengthwise completion zsh > lengthwise.zsh

In bash the file is read when the shell starts. In zsh, add 'source lengthwise.zsh' with the file's full path to .zshrc."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=("bash", "zsh"), help="the shell that reads the script")


def run(options: Namespace) -> int:
    """Print the script."""
    from ..completion import completion_script

    script = completion_script(options.shell)
    if options.json:
        print_json({"shell": options.shell, "script": script})
    else:
        print(script, end="")
    return 0
