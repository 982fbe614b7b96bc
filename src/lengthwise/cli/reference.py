"""The page of all commands, written from the parser: what each takes, with its examples."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..markup import escape_markdown
from .parser import build_parser

_START = """\
# Commands

Written from the parser by `scripts/docs`. Every command takes `--json` for JSON instead of text, `--debug` for the traceback of an
error, and `--help`. Data goes to standard output and the rest to standard error. Exit code 0 means that the command answered, 2 that the
input was wrong.
"""
_EVERYWHERE = ("--help", "--json", "--debug")


def commands_page() -> str:
    """Return the page as Markdown."""
    parts = [_START, *_commands(build_parser(), "lengthwise", 2)]
    return "\n".join(parts)


def _commands(parser: argparse.ArgumentParser, name: str, level: int) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command, child in action.choices.items():
                yield from _command(child, f"{name} {command}", level)


def _command(parser: argparse.ArgumentParser, name: str, level: int) -> Iterator[str]:
    shown = [action for action in parser._actions if not set(_EVERYWHERE) & set(action.option_strings)]
    arguments = [action for action in shown if not isinstance(action, argparse._SubParsersAction)]
    yield f"{'#' * level} {name}\n\n{escape_markdown(parser.description or '')}\n"
    if arguments:
        rows = [
            f"| {_written(action)} | {escape_markdown((action.help or '').replace('%%', '%'))} |"
            for action in arguments
        ]
        yield "\n".join(["| argument | meaning |", "|---|---|", *rows, ""])
    if parser.epilog:
        yield "\n".join(f"    {line}".rstrip() for line in parser.epilog.split("\n")) + "\n"
    yield from _commands(parser, name, level + 1)


def _written(action: argparse.Action) -> str:
    """Return an argument as it is typed."""
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    value = action.metavar or choices or action.dest.upper()
    value = " ".join(value) if isinstance(value, tuple) else value
    if not action.option_strings:
        text = f"{value} …" if action.nargs in ("+", "*") else value
    else:
        text = ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")
    return f"`{text}`".replace("|", "\\|")
