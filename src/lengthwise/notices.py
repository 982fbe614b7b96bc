"""What the library and whoever talks to the user tell each other: that a user's code runs, and which files are inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

on_user_code: ContextVar[Callable[[str, str], None]] = ContextVar("on_user_code", default=lambda _path, _where: None)
"""Called with the path of a user's file before its code runs, and with where it runs: in which process."""

inputs_of_command: ContextVar[set[str] | None] = ContextVar("inputs_of_command", default=None)
"""The files that a command has read, by their real paths; None outside of commands. ``files`` fills and obeys it."""


@contextmanager
def keeping_inputs() -> Iterator[None]:
    """Within this block, as every command has one, no output replaces a file that was read in it."""
    token = inputs_of_command.set(set())
    try:
        yield
    finally:
        inputs_of_command.reset(token)
