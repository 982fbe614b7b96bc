"""Lists of factors as options of encodings: ``longrope(long=(1, 1.5, 4))``; torch-free."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...errors import InvalidOptionError
from ...names import show_value

_MOST = 10_000


def write_factors(factors: Sequence[float]) -> str:
    """Return factors as an option of an encoding is written.

    >>> write_factors((1.0, 1.25))
    '(1, 1.25)'
    >>> read_factors(write_factors((1.0, 1.25)))
    (1.0, 1.25)
    """
    return f"({', '.join(map(show_value, factors))})"


def read_factors(text: str) -> tuple[float, ...]:
    """Return the factors that are written like this; raise if they are not positive numbers.

    >>> read_factors("2")
    (2.0,)
    """
    inside = text.strip().removeprefix("(").removesuffix(")")
    try:
        factors = tuple(float(part) for part in inside.split(","))
    except ValueError:
        factors = ()
    if not factors or not all(math.isfinite(factor) and 0 < factor <= _MOST for factor in factors):
        raise InvalidOptionError(
            f"factors are written as numbers above 0 and up to {_MOST:,} in parentheses; found {text!r}.",
            hint="for example (1, 1.5, 4).",
        )
    return factors
