"""Python files of users: loading them, and what their exceptions mean in a sentence."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from ...errors import InvalidOptionError
from ...files import read_text
from ...languages.alphabet import show_word
from ..host import Numbers

Value = TypeVar("Value")


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


def load_module(path: str) -> tuple[ModuleType, str]:
    """Run a Python file and return its names and its text; what it raises becomes one sentence.

    The text is compiled as it was read, without Python's cache of modules, so that code and revision always agree.
    """
    text = read_source(path)
    module = ModuleType(f"lengthwise_task_{Path(path).stem}_{revision_of(text)}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # while it runs: dataclasses look there
    try:
        with quiet():
            exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as problem:
        hint = "correct the file; it is run from top to bottom when the task is used."
        if isinstance(problem, ModuleNotFoundError):
            hint = "a task is one file: move what it needs into it, or install what it imports."
        raise InvalidOptionError(f"{path!r} cannot be run: {describe(problem, path)}.", hint=hint) from None
    finally:
        del sys.modules[module.__name__]
    return module, text


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Send what a user's code prints to stderr, because stdout is for data."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


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
    told = (problem.msg if isinstance(problem, SyntaxError) else str(problem)).strip().split("\n")[0].rstrip(".")
    what = f"{type(problem).__name__}: {told}" if told else type(problem).__name__
    return what if line is None else f"line {line}: {what}"


def brief(value: object) -> str:
    """Return a value in print, as a short text.

    >>> brief(["a", "b"]), len(brief("a" * 1000))
    ("['a', 'b']", 58)
    """
    text = repr(value[:100] if isinstance(value, (str, list, tuple)) else value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def show_prompt(prompt: Sequence[str]) -> str:
    """Return a prompt in print, as a short text."""
    text = show_word(prompt) if all(isinstance(each, str) for each in prompt) else repr(prompt)
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
