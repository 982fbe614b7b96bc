"""Pieces of text that the programs of families are put together from."""

from __future__ import annotations

from collections.abc import Iterable

from ..syntax import quote


def any_of(parts: Iterable[str]) -> str:
    """Return that one of these holds."""
    return " or ".join(parts) or "false"


def all_of(parts: Iterable[str]) -> str:
    """Return that all of these hold; each part must bind at least as tightly as a comparison."""
    return " and ".join(parts) or "true"


def quoted(symbols: Iterable[str]) -> str:
    """Return symbols as a line of a program's head lists them."""
    return " ".join(map(quote, symbols))


def symbol_among(symbols: Iterable[str]) -> str:
    """Return that the position carries one of these symbols."""
    return any_of(map(quote, symbols))


def back(distance: int, symbol: str) -> str:
    """Return that the symbol this many positions back is this one."""
    return f"#{{{distance}}}[{quote(symbol)}] = 1" if distance else quote(symbol)


def ends_here(factor: str, *, distance: int = 0) -> str:
    """Return that this factor ends at the position, or so many positions back."""
    return all_of(back(distance + len(factor) - 1 - place, symbol) for place, symbol in enumerate(factor))


def lines(*parts: str) -> str:
    """Return a text of these lines, their definitions aligned."""
    split = [part.partition(" := ") for part in parts]
    width = max((len(name) for name, sign, _ in split if sign), default=0)
    return "\n".join(name.ljust(width) + sign + body if sign else name for name, sign, body in split)
