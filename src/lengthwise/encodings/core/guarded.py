"""Relations that hold for some keys only: an equation, the part of the instance that a key must lie in, and a remainder.

Torch-free, so that names of encodings can speak of them. Ids count from 0, which is <bos>; i is the key, q the query, n the scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InvalidOptionError
from ...theory.positions.relations_ideal import Equation

NUMBERS = 10
"""How many numbers a relation is written with: a, b, c, d, the two of each bound, modulus and remainder."""
EVERYWHERE = -1
"""The upper bound of keys that have none, at n = 0 and for every n more."""
_MOST = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """a·i + b·q + c·n + d = 0, where low ≤ i ≤ high and i − low is ``remainder`` modulo ``modulus``.

    Bounds are (for every n, at n = 0): ``low=(1, 2)`` is n + 2. A query that has no such key points to <bos>.
    """

    equation: Equation
    low: tuple[int, int] = (0, 0)
    high: tuple[int, int] = (0, EVERYWHERE)
    modulus: int = 1
    remainder: int = 0

    def key(self, query: int, scale: int) -> int:
        """Return the id of the key that a query points to, in plain Python; 0 if there is none."""
        equation = self.equation
        rest = -(equation.query * query + equation.scale * scale + equation.constant)
        key, low, high = rest // equation.key, at_scale(self.low, scale), at_scale(self.high, scale)
        is_one = key * equation.key == rest and low <= key <= query and (self.has_no_end or key <= high)
        return key if is_one and (key - low) % self.modulus == self.remainder else 0

    @property
    def has_no_end(self) -> bool:
        """Whether keys have no upper bound."""
        return self.high == (0, EVERYWHERE)

    @property
    def numbers(self) -> tuple[int, ...]:
        """What it is written with."""
        told = self.equation
        four = (told.key, told.query, told.scale, told.constant)
        return (*four, *self.low, *self.high, self.modulus, self.remainder)


def at_scale(bound: tuple[int, int], scale: int) -> int:
    """Return a bound at a scale."""
    return bound[0] * scale + bound[1]


def write_guarded(relations: Sequence[Guarded]) -> str:
    """Return relations as an option of an encoding is written.

    >>> copy = Guarded(equation=Equation(key=1, query=-1, scale=1, constant=0), low=(0, 1), high=(1, 0))
    >>> write_guarded([copy])
    'r(1, -1, 1, 0, 0, 1, 1, 0, 1, 0)'
    >>> read_guarded(write_guarded([copy])) == (copy,)
    True
    """
    return f"r({', '.join(str(number) for relation in relations for number in relation.numbers)})"


def read_guarded(text: str) -> tuple[Guarded, ...]:
    """Return the relations that are written like this; raise if the numbers are none."""
    inside = text.strip().removeprefix("r").strip().removeprefix("(").removesuffix(")")
    parts = [part.strip() for part in inside.split(",") if part.strip()]
    if not parts or len(parts) % NUMBERS or not all(part.lstrip("-").isdecimal() for part in parts):
        raise InvalidOptionError(
            f"relations are written r(…) with {NUMBERS} whole numbers for each; found {text!r}.",
            hint="a, b, c, d of a·i + b·q + c·n + d = 0, two for each bound of i, then modulus and remainder.",
        )
    every = [int(part) for part in parts]
    found = []
    for start in range(0, len(every), NUMBERS):
        a, b, c, d, low, low_0, high, high_0, modulus, remainder = every[start : start + NUMBERS]
        if a < 1 or not 0 <= remainder < modulus or max(map(abs, every)) > _MOST:
            raise InvalidOptionError(
                f"relation {every[start : start + NUMBERS]} is not allowed: a ≥ 1 and 0 ≤ remainder < modulus.",
                hint=f"numbers up to {_MOST}.",
            )
        found.append(
            Guarded(
                equation=Equation(key=a, query=b, scale=c, constant=d),
                low=(low, low_0),
                high=(high, high_0),
                modulus=modulus,
                remainder=remainder,
            )
        )
    return tuple(found)
