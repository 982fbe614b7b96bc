"""Files of users: their text and its revision, what exceptions and values look like in a sentence, random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

from ...files import read_text
from ...languages.alphabet import show_word
from ..core.random_numbers import Numbers

Value = TypeVar("Value")

_MOST_CHARACTERS = 300  # of the message of an exception


def revision_of(*texts: str) -> int:
    """Return a number of 31 bits that changes with the texts: the revision of a task that was read from them."""
    digest = sha256("\0".join(texts).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def language_revision(text: str) -> int:
    """Return the revision of a task about a language: that of the file, if the language is in one, or else 1."""
    return revision_of(read_text(text)) if text.lower().endswith(".json") else 1


def read_source(path: str) -> str:
    """Return the text of a file without the mark that some editors write before it."""
    return read_text(path).removeprefix("\ufeff")


def describe(problem: BaseException, path: str) -> str:
    """Return where in a file something was raised, and what.

    >>> describe(ValueError("no"), "mine.py")
    'ValueError: no'
    """
    line = problem.lineno if isinstance(problem, SyntaxError) else None
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    told = _text_of(problem).strip().split("\n")[0].rstrip(".")[:_MOST_CHARACTERS]
    what = f"{type(problem).__name__}: {told}" if told else type(problem).__name__
    return what if line is None else f"line {line}: {what}"


def _text_of(problem: BaseException) -> str:
    """Return the message of an exception; one of a user's own may fail even at that."""
    try:
        return str(problem.msg if isinstance(problem, SyntaxError) else problem)
    except Exception:
        return ""


def brief(value: object) -> str:
    """Return a value in print, as a short text; what has none is named by its type.

    >>> brief(["a", "b"]), len(brief("a" * 1000))
    ("['a', 'b']", 58)
    """
    try:
        text = repr(value[:100] if isinstance(value, (str, list, tuple)) else value)
    except MemoryError:
        raise
    except Exception:  # a user's own, or an int of too many digits
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}…"


def show_prompt(prompt: Sequence[str]) -> str:
    """Return a prompt in print, as a short text."""
    text = show_word(prompt) if all(isinstance(each, str) for each in prompt) else brief(prompt)
    return text if len(text) <= 60 else f"{text[:57]}…"


class Random:
    """Random numbers for a user's sampler: few of the methods of Python's own, the same in every version of it."""

    def __init__(self, key: int) -> None:
        self._numbers = Numbers(key)

    def randrange(self, stop: int) -> int:
        """Return a number from 0 to stop − 1."""
        if stop < 1:
            raise ValueError(f"randrange needs at least 1 number to choose from; found {stop}")
        return self._numbers.below(stop)

    def randint(self, low: int, high: int) -> int:
        """Return a number from low to high, both included."""
        return low + self.randrange(high - low + 1)

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        return self._numbers.below(2**31) / 2**31

    def choice(self, values: Sequence[Value]) -> Value:
        """Return one of the values."""
        return values[self.randrange(len(values))]

    def shuffle(self, values: list[Value]) -> None:
        """Put the values into a random order."""
        values[:] = [values[place] for place in self._numbers.shuffle(list(range(len(values))))]

    def sample(self, values: Sequence[Value], k: int) -> list[Value]:
        """Return k of the values, each at most once."""
        if not 0 <= k <= len(values):
            raise ValueError(f"sample needs k from 0 to {len(values)}; found {k}")
        return [values[place] for place in self._numbers.shuffle(list(range(len(values))))[:k]]
