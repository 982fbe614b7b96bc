"""Programs of the form that tasks with one answer symbol need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...crasp.parser import parse_program
from ...crasp.programs.templates import quoted
from ...crasp.syntax import Program
from .special_tokens import BOS, EOS, SEP


def short_answer_program(symbols: Sequence[str], rows: Iterable[str]) -> Program:
    """Return the program of these definitions, which write one symbol at the separator, and then the end."""
    head = [f"alphabet {quoted([*symbols, SEP])}", f"start {quoted([BOS])}", f"stop {quoted([EOS])}"]
    done = f"next {quoted([EOS])} := not {quoted([SEP])} and #[{quoted([SEP])}] = 1"
    return parse_program("\n".join([*head, *rows, done]))
