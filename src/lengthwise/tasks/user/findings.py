"""What there is to say about a task file: every finding, with what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ...crasp.severity import Severity
from ...errors import InvalidOptionError, listed
from ..core.special_tokens import SPECIALS
from .source import brief

MOST_SYMBOLS = 10_000
"""How many symbols an alphabet may have, and how many an answer."""
MOST_CHARACTERS = 1000
"""How many characters a symbol may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to say: what, with the value seen and what is allowed, and what to do."""

    severity: Severity
    what: str
    hint: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the finding as JSON data."""
        return {"severity": str(self.severity), "what": self.what, "hint": self.hint}


def error(what: str, hint: str) -> Finding:
    """Return a finding that leaves the file without a task."""
    return Finding(severity=Severity.ERROR, what=what, hint=hint)


def warning(what: str, hint: str) -> Finding:
    """Return a finding about what is probably not meant."""
    return Finding(severity=Severity.WARNING, what=what, hint=hint)


def note(what: str, hint: str = "") -> Finding:
    """Return a finding that only tells something."""
    return Finding(severity=Severity.NOTE, what=what, hint=hint)


def counted(number: int, noun: str) -> str:
    """Return how many there are of something.

    >>> counted(1, "symbol"), counted(2, "symbol")
    ('1 symbol', '2 symbols')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def errors_of(findings: Iterable[Finding]) -> list[Finding]:
    """Return those that leave the file without a task."""
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def require_none(findings: Iterable[Finding], path: str) -> None:
    """Raise the first error among findings, if there is one."""
    for finding in errors_of(findings):
        told = finding.what if finding.what.startswith(repr(path)) else f"{path!r}: {finding.what}"
        raise InvalidOptionError(told, hint=finding.hint)


def check_symbols(name: str, given: object) -> list[Finding]:
    """Return what is wrong with a list of symbols that is called ``name``."""
    example = f'write it as a list, for example {name} = ["a", "b"].'
    if isinstance(given, str):
        return [
            error(
                f"{name} is one string, {brief(given)}; it must be a list of strings.",
                f"write {brief(list(given[:100]))}.",
            )
        ]
    if isinstance(given, (set, frozenset)):
        return [error(f"{name} is a set, whose order changes from process to process.", example)]
    if not isinstance(given, (list, tuple)):
        return [error(f"{name} must be a list of strings; found {brief(given)}.", example)]
    if not given:
        return [error(f"{name} is empty; it needs at least one symbol.", example)]
    if is_too_long(given):
        return [error(f"{name} has {len(given)} symbols; at most {MOST_SYMBOLS} are allowed.", "use fewer symbols.")]
    found = []
    wrong = [each for each in given if not isinstance(each, str) or not each or each.split() != [each]]
    if wrong:
        told, hint = listed(map(brief, wrong)), "write each as text."
        found.append(error(f"{name} has {told}; a symbol is a non-empty string without spaces.", hint))
    known = [each for each in given if isinstance(each, str)]
    found += [
        error(
            f"{name} has a symbol of {len(symbol)} characters, {brief(symbol)}; at most {MOST_CHARACTERS} are allowed.",
            "use shorter symbols.",
        )
        for symbol in known
        if len(symbol) > MOST_CHARACTERS
    ]
    found += [
        error(f"{name} has {brief(symbol)} {number} times.", "name each symbol once.")
        for symbol, number in Counter(known).items()
        if number > 1
    ]
    found += check_reserved(name, known)
    return found


def is_too_long(given: object) -> TypeGuard[Sequence[object]]:
    """Return whether a list has more symbols than an alphabet or an answer may have."""
    return isinstance(given, (list, tuple)) and len(given) > MOST_SYMBOLS


def mended_symbols(given: object) -> tuple[str, ...]:
    """Return the symbols that are left of a list when what is wrong with it is left out, once each; none of too many."""
    if not isinstance(given, (list, tuple, str, set, frozenset)) or len(given) > MOST_SYMBOLS:
        return ()
    ordered = sorted(map(str, given)) if isinstance(given, (set, frozenset)) else given
    known = [each for each in ordered if isinstance(each, str) and _is_symbol(each)]
    return tuple(dict.fromkeys(known))


def _is_symbol(text: str) -> bool:
    return text.split() == [text] and text not in SPECIALS and len(text) <= MOST_CHARACTERS


def check_reserved(name: str, symbols: Iterable[str]) -> list[Finding]:
    """Return a finding for every symbol that instances are framed with."""
    return [
        error(
            f"{name} has {symbol!r}; {', '.join(SPECIALS)} are reserved, because instances are framed with them.",
            "choose another symbol.",
        )
        for symbol in dict.fromkeys(symbols)
        if symbol in SPECIALS
    ]
