"""Settings of a spec as options: for a run without a file, or in place of what files say."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import Any

from ..encodings.core.choice import split_names
from ..errors import UsageError, unknown_name
from ..experiment.grid import TABLES, Grid, load_grid, setting_meant
from ..experiment.spec import Spec
from ..model.shape import SWITCHES
from .arguments import add_encoding_argument

_NUMBERS = {
    "seeds": "models per cell (default: 3)",
    "train_length": "longest input in training (default: 10)",
    "test_length": "longest input at test (default: three times the training length), or several test lengths",
    "learning_rate": "learning rate (default: 0.003)",
    "layers": "layers (default: 2)",
    "heads": "heads (default: 4)",
    "width": "width of the model (default: 32)",
    "steps": "most training steps (default: 4000)",
    "batch": "instances per step (default: 64)",
    "room": "longest input that encodings with a table of positions, or with random ones, are made for (default: 3 times the "
    "training length)",
    "success_at": "judge success at so many times the training length (default: 3, if that is tested)",
}
_FLAGS = {
    "hard": "also test on hard instances (docs/concepts/hard-tests.md)",
    "generate": "also decode some instances token by token, and report the difference",
}


def add_spec_options(parser: ArgumentParser) -> None:
    """Add the options that are settings."""
    group = parser.add_argument_group(
        "settings", "A list of values, separated by commas, trains all combinations: --width 16,32 --lr 0.001,0.003"
    )
    add_encoding_argument(group)
    for name, meaning in _NUMBERS.items():
        options = [f"--{name.replace('_', '-')}", *(["--lr"] if name == "learning_rate" else [])]
        group.add_argument(*options, dest=name, type=_numbers, metavar="N", help=meaning)
    for name, meaning in _FLAGS.items():
        group.add_argument(f"--{name}", action="store_true", default=None, help=meaning)
    group.add_argument(
        "--switch", action="append", metavar="S", help=f"switches of the model to turn on: {', '.join(SWITCHES)}"
    )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=V",
        help="any other setting (docs/reference/spec.md), for example --set weight_decay=0,0.1",
    )
    group.add_argument(
        "--zip",
        action="append",
        default=[],
        type=lambda text: text.split(","),
        metavar="NAMES",
        help="vary these settings together instead of in all combinations: --width 16,32 --heads 2,4 --zip width,heads",
    )


def specs_of(options: Namespace) -> tuple[Spec, ...]:
    """Return the specs that are asked for: those of the files, or of the tasks, with the options in place of their own."""
    files = [what for what in options.what if what.lower().endswith(".toml")]
    tasks = [what for what in options.what if what not in files]
    if files and tasks:
        raise UsageError(
            f"the spec {files[0]!r} names its own tasks; found {', '.join(tasks)} beside it.",
            hint="put the tasks into the spec, or leave the spec out.",
        )
    settings = _given_settings(options)
    if files:
        return tuple(spec for file in files for spec in load_grid(file).override(settings, options.zip).specs())
    return Grid(settings={"tasks": tasks}, source="the command line").override(settings, options.zip).specs()


def _given_settings(options: Namespace) -> dict[str, Any]:
    """Return the settings that options give, by name."""
    settings = {name: getattr(options, name) for name in (*_NUMBERS, *_FLAGS) if getattr(options, name) is not None}
    if options.encoding is not None:
        settings["encodings"] = [name for group in options.encoding for name in split_names(group)]
    for name in [name.strip() for group in options.switch or [] for name in group.split(",")]:
        if name not in SWITCHES:
            raise unknown_name("switch", name, SWITCHES)
        settings[name] = True
    return settings | dict(map(_assignment, options.set))


def _numbers(text: str) -> Any:
    """Return a value, or the list of values that commas separate."""
    values = [_value(part.strip()) for part in text.split(",")]
    return values if "," in text else values[0]


def _value(text: str) -> int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise ArgumentTypeError(f"{text!r} is no number, nor true or false")


def _assignment(text: str) -> tuple[str, Any]:
    """Return the setting and its value in NAME=V."""
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not values.strip():
        raise UsageError(f"--set takes NAME=VALUE; found {text!r}.", hint="for example --set weight_decay=0.1")
    if name not in TABLES or name in _NOT_SET:
        meant = setting_meant(name)
        raise UsageError(
            f"setting {name!r} is unknown.",
            hint=f"did you mean {meant!r}?" if meant and meant not in _NOT_SET else _WHERE,
        )
    try:
        return name, _numbers(values)
    except ArgumentTypeError as error:
        raise UsageError(f"--set {name}: {error}.", hint=_WHERE) from None


_NOT_SET = ("tasks", "encodings", "version")  # names are given otherwise
_WHERE = "docs/reference/spec.md lists all settings."


def option_meant(words: Sequence[str]) -> str | None:
    """Return the option of a setting that somebody who writes these words may mean, or None.

    >>> option_meant(["--d-model", "32"]), option_meant(["--weight-decay=0.1"]), option_meant(["--xyzzy"])
    ('--width', '--set weight_decay=V', None)
    """
    name = next((word for word in words if word.startswith("--")), "--").removeprefix("--").partition("=")[0]
    meant = setting_meant(name) if name else None
    if meant is None or meant in ("tasks", "version"):
        return None
    meant = "encoding" if meant == "encodings" else meant
    has_option = meant in _NUMBERS or meant in _FLAGS or meant == "encoding"
    return f"--{meant.replace('_', '-')}" if has_option else f"--set {meant}=V"
