"""Standard streams that a file cannot steer and that no character can break.

Text from files may hold escape sequences, and a terminal may not know the characters we write. All output of a command goes
through here: control characters are written out, apart from those that lengthwise itself has marked with a number that is
drawn anew in every process; characters that the terminal's encoding lacks become plain ones.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from ..markup import visible

_MARK = f"\x1b{int.from_bytes(os.urandom(8)) % 10**12:012d}"
_LINES = re.compile(r"([\n\t])")
_SUSPECT = re.compile(r"[^\n\t -~]")
_OURS = re.compile(rf"{_MARK}(\[[0-9]*[mK]|\r)")

_PLAIN = str.maketrans(
    {
        **{"–": "-", "—": "-", "−": "-", "×": "x", "·": "*", "…": "...", "→": "->", "≥": ">=", "≤": "<=", "≠": "!="},
        **{"’": "'", "‘": "'", "“": '"', "”": '"', "✓": "yes", "✗": "no", "Σ": "Sigma", "λ": "lambda", "τ": "tau"},
        **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)),
    }
)


def control(sequence: str, stream: object) -> str:
    """Return a control sequence that lengthwise itself means, for a stream: a colour, the clearing of a line, its beginning."""
    if isinstance(stream, SafeStream):
        return f"{_MARK}{sequence}"
    return sequence if sequence == "\r" else f"\x1b{sequence}"


class SafeStream:
    """A text stream on which nothing but what :func:`control` has marked can act as a control sequence."""

    def __init__(self, stream: TextIO) -> None:
        self.unsafe = stream

    def write(self, text: str) -> int:
        """Write text; lines and tabs stay, other control characters are written out."""
        if _SUSPECT.search(text):
            pieces = _OURS.split(text)  # every second one is a sequence of ours
            pieces[::2] = [_escaped(piece) for piece in pieces[::2]]
            pieces[1::2] = [piece if piece == "\r" else f"\x1b{piece}" for piece in pieces[1::2]]
            self.unsafe.write("".join(pieces))
        else:
            self.unsafe.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unsafe, name)


def _escaped(text: str) -> str:
    return "".join(piece if piece in "\n\t" else visible(piece) for piece in _LINES.split(text))


def unsafe(stream: Any) -> Any:
    """Return the stream itself, for what writes control sequences of its own and escapes the text."""
    return stream.unsafe if isinstance(stream, SafeStream) else stream


@contextmanager
def safe_streams() -> Iterator[None]:
    """Put safe streams in the place of standard output and standard error."""
    codecs.register_error("lengthwise", _in_plain_characters)
    before = sys.stdout, sys.stderr
    errors = [_set_errors(stream, "lengthwise") for stream in before]
    sys.stdout, sys.stderr = (
        stream if stream is None or isinstance(stream, SafeStream) else SafeStream(stream) for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream, kept in zip(before, errors, strict=True):
            _set_errors(stream, kept)


def _set_errors(stream: Any, errors: str | None) -> str | None:
    """Let a stream treat characters it cannot encode in a way; return what it did before, None if it has no choice."""
    if errors is None or not hasattr(unsafe(stream), "reconfigure"):
        return None
    kept: str = unsafe(stream).errors
    unsafe(stream).reconfigure(errors=errors)
    return kept


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks by plain ones or, where there is none, by their number."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return missing.translate(_PLAIN).encode("ascii", "backslashreplace").decode("ascii"), error.end
