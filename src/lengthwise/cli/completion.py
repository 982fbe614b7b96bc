"""A script that completes commands, options and names of encodings in bash and zsh, written from the parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

from ..encodings.catalog import ENCODINGS
from .parser import build_parser

_SCRIPT = """\
# Completion for lengthwise, written by 'lengthwise completion'.
{zsh}_lengthwise() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" path="" words="" word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
{commands}
        esac
    done
    case "$path" in
{options}
    esac
    if [ "$before" = --encoding ]; then words={encodings}; fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _lengthwise lengthwise
"""


def completion_script(shell: str) -> str:
    """Return the script for a shell, bash or zsh, to be sourced; file names are completed where nothing else fits."""
    paths = dict(_paths(build_parser(), ""))
    return _SCRIPT.format(
        zsh="autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else "",
        commands="\n".join(f"            {shlex.quote(path)}) path={shlex.quote(path)} ;;" for path in paths if path),
        options="\n".join(
            f"        {shlex.quote(path)}) words={shlex.quote(' '.join(words))} ;;" for path, words in paths.items()
        ),
        encodings=shlex.quote(" ".join(ENCODINGS)),
    )


def _paths(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every command with what can follow it: its commands, else its options."""
    words: list[str] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += action.choices
            for name, child in action.choices.items():
                yield from _paths(child, f"{path} {name}")
        else:
            words += [option for option in action.option_strings if option.startswith("--")]
    yield path, words
