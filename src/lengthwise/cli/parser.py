"""The parser: the commands of the folder ``commands``, each with the arguments that its module declares."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from .._version import __version__
from ..errors import UsageError
from . import commands


class _Parser(argparse.ArgumentParser):
    """A parser whose errors read like all others."""

    suggest_option: Callable[[Sequence[str]], str | None] | None = None
    """Finds the option that is meant by words that are none; a command may bring it."""

    def parse_args(self, args: Sequence[str], namespace: Any = None) -> Any:  # type: ignore[override]
        """Read arguments, with the action of a group where none is named."""
        return super().parse_args(_with_action(args), namespace)

    def error(self, message: str) -> NoReturn:
        name = self.prog.removeprefix("lengthwise").strip()
        _, is_unknown, words = message.partition("unrecognized arguments: ")
        meant = self.suggest_option(words.split()) if is_unknown and self.suggest_option else None
        if meant:
            raise UsageError(f"{message}.", hint=f"did you mean {meant!r}?")
        raise UsageError(
            f"{message[:1].lower()}{message[1:]}.", hint=f"see 'lengthwise {f'{name} ' if name else ''}--help'."
        )


def build_parser(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands; with ``arguments``, only the command they name is imported."""
    parser = _Parser(
        prog="lengthwise",
        description="Will a transformer trained on short inputs keep working on longer ones, and why?",
    )
    parser.add_argument("--version", action="version", version=f"lengthwise {__version__}")
    _add_debug(parser)
    words = None if arguments is None else [word for word in _with_action(arguments) if not word.startswith("-")]
    _add_commands(parser, commands, words, level="command")
    return parser


def _with_action(given: Sequence[str]) -> list[str]:
    """Return the arguments with the action of a group where none is named: ``atlas --json`` is ``atlas page --json``."""
    place = next((number for number, word in enumerate(given) if not word.startswith("-")), len(given))
    follows = given[place + 1 : place + 2]
    is_named = bool(follows) and (not follows[0].startswith("-") or follows[0] in ("-h", "--help"))
    action = None if is_named or place == len(given) else commands.DEFAULT_ACTIONS.get(given[place])
    return [*given[: place + 1], *([action] if action else []), *given[place + 1 :]]


def _add_commands(parser: _Parser, package: ModuleType, words: Sequence[str] | None, *, level: str) -> None:
    """Add the commands of a package; ``words`` are the arguments that may name one, None to import all."""
    group = parser.add_subparsers(
        dest=level, metavar=level.upper(), parser_class=_Parser, required=package is not commands
    )
    for name, summary in package.COMMANDS.items():
        command = group.add_parser(
            name,
            help=summary,
            description=f"{summary[:1].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if words is None or words[:1] == [name]:
            module = import_module(f"{package.__name__}.{name}")
            command.epilog = module.EXAMPLES
            if hasattr(module, "COMMANDS"):
                _add_commands(command, module, None if words is None else words[1:], level="action")
                continue
            if hasattr(module, "suggest_option"):
                parser.suggest_option = module.suggest_option
            module.add_arguments(command)
            command.add_argument("--json", action="store_true", help="print JSON instead of text")
            _add_debug(command)
            command.set_defaults(function=module.run)


def _add_debug(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
