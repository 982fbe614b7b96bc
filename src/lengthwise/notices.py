"""Telling that a user's code runs: the library calls, and whoever talks to the user decides what to say."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

on_user_code: ContextVar[Callable[[str, str], None]] = ContextVar("on_user_code", default=lambda _path, _where: None)
"""Called with the path of a user's file before its code runs, and with where it runs: in which process."""
