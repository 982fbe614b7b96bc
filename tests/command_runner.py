"""The command line, run inside the process of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from lengthwise.cli.main import main


class Outcome(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


class Runner:
    """Runs commands, which begin with the words given here; ``folder`` is where they run."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path | None = None, *first: str) -> None:
        self.capsys = capsys
        self.folder = folder or Path.cwd()
        self.first = first

    def __call__(self, *arguments: str) -> Outcome:
        try:
            code = main([*self.first, *arguments])
        except SystemExit as stop:  # argparse leaves this way after --help and --version
            code = int(stop.code or 0)
        printed = self.capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    def answers(self, *arguments: str) -> str:
        """Run a command that must succeed without a word on stderr; return what it printed."""
        outcome = self(*arguments)
        assert (outcome.code, outcome.err) == (0, "")
        return outcome.out

    def fails(self, *arguments: str) -> str:
        """Run a command that must fail with nothing on stdout; return what it said."""
        outcome = self(*arguments)
        assert (outcome.code, outcome.out) == (2, "")
        return outcome.err


def printed_by(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must succeed; return what it printed on stdout."""
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def refusal_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command whose input is wrong; return what it said."""
    assert main(list(arguments)) == 2
    return capsys.readouterr().err
