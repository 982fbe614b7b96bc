"""Ordered alphabets.

An alphabet is a tuple of distinct symbols in code-point order. The order is part of the value, never of a
hash, so that the same language is the same object in every process.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InvalidAlphabetError

Alphabet = tuple[str, ...]


def make_alphabet(symbols: Iterable[str]) -> Alphabet:
    """Return the ordered alphabet of these symbols; duplicates and empty symbols are errors."""
    given = list(symbols)
    if not given:
        raise InvalidAlphabetError(
            "an alphabet needs at least one symbol; none was given.", hint="name its symbols, for example 'ab'."
        )
    seen: set[str] = set()
    for symbol in given:
        if not isinstance(symbol, str) or not symbol:
            raise InvalidAlphabetError(
                f"a symbol must be a non-empty string; found {symbol!r}.",
                hint="write symbols as text, for example 'a'.",
            )
        if symbol in seen:
            raise InvalidAlphabetError(
                f"symbol {symbol!r} appears twice in the alphabet.", hint="name each symbol once."
            )
        seen.add(symbol)
    return tuple(sorted(given))


def show_alphabet(alphabet: Alphabet) -> str:
    """Return ``{a, b}``."""
    return "{" + ", ".join(alphabet) + "}"


def show_word(word: Iterable[str]) -> str:
    """Return a word as text: its symbols side by side, or with spaces where a symbol has several characters; ε if empty."""
    symbols = list(word)
    if not symbols:
        return "ε"
    return ("" if all(len(symbol) == 1 for symbol in symbols) else " ").join(symbols)
