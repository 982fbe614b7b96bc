"""Regular expressions as pure data: what the parser returns and the automaton is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbols:
    """One symbol out of a set, in order."""

    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concatenation:
    """The parts one after the other; no part at all is the empty word."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """Any one of the parts."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """The part at least ``least`` and at most ``most`` times; None is without bound."""

    part: Regex
    least: int
    most: int | None


Regex = Symbols | Concatenation | Union | Repetition

EMPTY_WORD = Concatenation(parts=())


def leaves(tree: Regex) -> Iterator[Symbols]:
    """Yield every place where a symbol stands, from left to right."""
    match tree:
        case Symbols():
            yield tree
        case Repetition():
            yield from leaves(tree.part)
        case _:
            for part in tree.parts:
                yield from leaves(part)


def num_positions(tree: Regex) -> int:
    """Return how many symbols stand there once all counts are written out."""
    match tree:
        case Symbols():
            return 1
        case Repetition():
            return num_positions(tree.part) * max(tree.least, tree.most or 1)
        case _:
            return sum(num_positions(part) for part in tree.parts)
