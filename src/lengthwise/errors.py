"""Every error a user can meet, in one tree.

::

    LengthwiseError
    ├── UnknownNameError (LookupError)          a name that a family does not have
    ├── RegexSyntaxError (ValueError)           a regular expression that cannot be read, with the place
    ├── ProgramSyntaxError (ValueError)         a C-RASP program that cannot be read, with the place
    ├── InvalidProgramError (ValueError)        a C-RASP program that has no meaning, or not the one needed
    ├── InvalidAlphabetError (ValueError)       symbols that cannot form an alphabet
    ├── UnknownSymbolError (ValueError)         a symbol outside the alphabet at hand
    ├── InvalidAutomatonError (ValueError)      transitions that do not form a complete automaton
    ├── AlphabetMismatchError (ValueError)      two languages over different alphabets
    ├── CapExceededError (ValueError)           a construction that would pass a stated cap
    ├── OutOfTimeError (RuntimeError)           work that passed its budget of CPU time
    ├── NoSuchWordError (ValueError)            a word was asked for where there is none
    ├── InvalidSeedError (ValueError)           a seed or draw outside its range
    ├── InvalidCertificateError (ValueError)    data that is not a certificate at all
    ├── InvalidOptionError (ValueError)         an option with a value that is not allowed
    ├── UsageError (ValueError)                 arguments that do not fit a command
    ├── InvalidSpecError (ValueError)           an experiment that is not described as it should be
    ├── StoreInUseError (RuntimeError)          a store that another process is writing to
    ├── TrainingFailedError (RuntimeError)      a training process that ended before its work was done
    ├── UserCodeError (RuntimeError)            a task file whose code does not come back: it never ends, or ends its process
    ├── MissingExtraError (ImportError)         a command whose libraries are not installed
    ├── UnreadableFileError (OSError)           a file that cannot be read or written
    └── ThreeAnswersError (TypeError)           a verdict used as a truth value

Each message says what is wrong, the value seen and what is allowed; ``hint`` says what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

Value = TypeVar("Value")

_WIDEST_LINE = 120
_LONGEST_MESSAGE = 2_000  # characters; the longest of our own, a list of known names, has about 1,000


class LengthwiseError(Exception):
    """The root of all errors: a mistake in the input, with a hint on what to do about it.

    Messages show the value seen, which can be of any length. So message and hint are shortened here, once for all.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        message = shortened(message)
        super().__init__(message)
        self.message = message
        self.hint = shortened(hint)

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class UnknownNameError(LengthwiseError, LookupError):
    """A name that a family does not have."""


class _PlacedError(LengthwiseError, ValueError):
    """A text that cannot be read; ``span`` is the half-open range of characters at fault."""

    def __init__(self, message: str, *, text: str, span: tuple[int, int], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.span = span

    def caret(self) -> str:
        """Return the line at fault and, below it, a mark under the characters."""
        return draw_caret(self.text, self.span)

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.caret()}"


class RegexSyntaxError(_PlacedError):
    """A regular expression that cannot be read; a line end is one of its symbols, so that it is one line."""

    def caret(self) -> str:
        """Return the expression and, below it, a mark under the characters."""
        start, end = self.span
        return _marked_line(self.text.replace("\t", "?"), start, max(1, end - start))


class ProgramSyntaxError(_PlacedError):
    """A C-RASP program that cannot be read."""


class InvalidProgramError(LengthwiseError, ValueError):
    """A C-RASP program that has no meaning, or not the one that is needed."""


class InvalidAlphabetError(LengthwiseError, ValueError):
    """Symbols that cannot form an alphabet."""


class UnknownSymbolError(LengthwiseError, ValueError):
    """A symbol outside the alphabet at hand."""


class InvalidAutomatonError(LengthwiseError, ValueError):
    """Transitions that do not form a complete automaton."""


class AlphabetMismatchError(LengthwiseError, ValueError):
    """Two languages over different alphabets."""


class CapExceededError(LengthwiseError, ValueError):
    """A construction that would pass a stated cap."""


class OutOfTimeError(LengthwiseError, RuntimeError):
    """Work that passed its budget of CPU time; no CapExceededError, because nothing follows from where it stopped."""


class NoSuchWordError(LengthwiseError, ValueError):
    """A word was asked for where there is none."""


class InvalidSeedError(LengthwiseError, ValueError):
    """A seed or a draw outside its range."""


class InvalidCertificateError(LengthwiseError, ValueError):
    """Data that is not a certificate at all, so that there is nothing to check."""


class InvalidOptionError(LengthwiseError, ValueError):
    """An option with a value that is not allowed."""


class UsageError(LengthwiseError, ValueError):
    """Arguments that do not fit a command."""


class InvalidSpecError(LengthwiseError, ValueError):
    """An experiment that is not described as it should be."""


class StoreInUseError(LengthwiseError, RuntimeError):
    """A store that another process is writing to."""


class TrainingFailedError(LengthwiseError, RuntimeError):
    """A training process that ended before its work was done.

    Where that may be mended, it says how: a process that ``has_died`` is started again; where ``slots`` models did not fit
    into the memory of the device, fewer may.
    """

    def __init__(self, message: str, *, hint: str = "", has_died: bool = False, slots: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.has_died = has_died
        self.slots = slots


class UserCodeError(LengthwiseError, RuntimeError):
    """A task file whose code does not come back: it never ends, takes too much memory, or ends its process."""


class MissingExtraError(LengthwiseError, ImportError):
    """A command whose libraries are not installed."""

    def __str__(self) -> str:  # ImportError has a __str__ of its own
        return LengthwiseError.__str__(self)


class UnreadableFileError(LengthwiseError, OSError):
    """A file that cannot be read or written."""

    def __str__(self) -> str:  # OSError has a __str__ of its own, which would hide the message
        return LengthwiseError.__str__(self)


class ThreeAnswersError(LengthwiseError, TypeError):
    """A verdict used as a truth value, although there are three answers."""


def draw_caret(text: str, span: tuple[int, int]) -> str:
    """Return the line of a text in which a span begins and, below it, a mark under the characters of the span."""
    start, end = span
    before = text.rfind("\n", 0, start) + 1
    after = text.find("\n", start)
    line = text[before : len(text) if after < 0 else after]
    return _marked_line(line, start - before, max(1, min(end, before + len(line)) - start))


def _marked_line(line: str, indent: int, width: int) -> str:
    """Return a line, of a long one what stands around the mark, and below it a mark under ``width`` characters."""
    if len(line) > _WIDEST_LINE:
        first = max(0, min(indent - _WIDEST_LINE // 4, len(line) - _WIDEST_LINE))
        last = first + _WIDEST_LINE
        width = min(width, last - indent) or 1
        line = ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")
        indent += bool(first) - first
    shown = "".join(each if each.isprintable() else " " if each == "\t" else "?" for each in line)
    return f"{shown}\n{' ' * indent}{'^' * width}"


def shortened(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    """Return a text of at most about so many characters: of a longer one its head and tail, and how many are left out.

    >>> shortened("the name 'aaaaaaaaaaaaaaaa' is unknown.", 30)
    "the name 'aaaaa… (9 characters left out) …aa' is unknown."
    """
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}… ({len(text) - 2 * half:,} characters left out) …{text[-half:]}"


_MOST_LISTED = 24  # names in a sentence


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to ``name``, whatever its case, or None when nothing is close."""
    if len(name) > _WIDEST_LINE:  # no name of ours is so long, and comparing takes long
        return None
    from difflib import get_close_matches  # here, because only a failing look-up pays for it

    spelled: dict[str, str] = {}
    for candidate in known:
        spelled.setdefault(candidate.casefold(), candidate)
    close = get_close_matches(name.casefold(), list(spelled), n=1, cutoff=0.6)
    return spelled[close[0]] if close else None


def lookup(family: str, name: str, table: Mapping[str, Value]) -> Value:
    """Return ``table[name]``, or raise an error that lists the family and suggests the closest name."""
    if name in table:
        return table[name]
    raise unknown_name(family, name, table)


def unknown_name(family: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Return the error for a name that a family does not have."""
    names = list(known)
    suggestion = did_you_mean(name, names)
    hint = f"did you mean {suggestion!r}?" if suggestion else f"choose one of the known {family} names."
    return UnknownNameError(f"{family} {name!r} is unknown. Known: {listed(names)}.", hint=hint)


def listed(names: Iterable[str]) -> str:
    """Return names with commas between them; of many only the first, and how many there are.

    >>> listed(["alibi", "rope"]), listed(map(str, range(30)))
    ('alibi, rope', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (30 in all)')
    """
    told = list(names)
    return ", ".join(told) if len(told) <= _MOST_LISTED else f"{', '.join(told[:12])}, … ({len(told)} in all)"


def check_number(name: str, value: object, kind: type, low: float, high: float) -> None:
    """Raise unless a setting is a number of its kind within its range."""
    right_kind = type(value) is int or (kind is float and type(value) is float)
    if not right_kind or not low <= value <= high:  # type: ignore[operator]  # a number, if it is of the right kind
        what = "a whole number" if kind is int else "a number"
        raise InvalidOptionError(
            f"{name} must be {what} from {low:g} to {high:g}; found {value!r}.", hint="correct the value."
        )
