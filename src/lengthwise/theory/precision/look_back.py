"""Up to which length rotations can single out a distance exactly, and from which length on penalties leave a window.

A head with rotary pairs of angles θ_t and amplitudes C_t prefers one distance. A key n tokens further away scores less by
Σ C_t (1 − cos θ_t n). If that is at least the range below which exp is 0 in the number format, for all n from 1 to L, the head sees
this distance alone, exactly, up to length L. The condition is sufficient, not necessary (theorem bounded_look_back).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from ...errors import InvalidOptionError

MOST_LENGTH = 1_000_000


class NumberFormat(StrEnum):
    """A number format of floats, by the name that torch has for it."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"

    @property
    def underflow(self) -> float:
        """How far below the best a score must be for its exp to be 0, subnormal numbers included."""
        return {"float32": 103.97, "bfloat16": 92.88, "float16": 17.33}[self]

    @property
    def horizon(self) -> int:
        """Up to how many tokens the format tells 1/n from 1/(n + 1), as a rule of thumb."""
        return {"float32": 2**24, "bfloat16": 2**8, "float16": 2**11}[self]


def rotary_angles(base: float, width: int) -> list[float]:
    """Return the angles of the pairs of a head, θ_t = base^(−2t/width)."""
    if width < 2 or width % 2:
        raise InvalidOptionError(
            f"the rotary width must be an even number from 2 on; found {width}.", hint="it is the width of a head."
        )
    return [base ** (-2 * pair / width) for pair in range(width // 2)]


def longest_look_back(angles: Sequence[float], amplitude: float, number_format: NumberFormat, most: int) -> int:
    """Return the largest L up to ``most`` for which the condition holds, all pairs having one amplitude.

    >>> longest_look_back(rotary_angles(10_000, 8), 500, NumberFormat.FLOAT32, 10_000)
    5654
    """
    if not 1 <= most <= MOST_LENGTH:
        raise InvalidOptionError(f"a length must be from 1 to {MOST_LENGTH:,}; found {most}.", hint="correct it.")
    needed = number_format.underflow / amplitude
    for distance in range(1, most + 1):
        if sum(2 * math.sin(angle * distance / 2) ** 2 for angle in angles) < needed:
            return distance - 1
    return most


def least_amplitude(angles: Sequence[float], length: int, number_format: NumberFormat) -> float:
    """Return the least amplitude of all pairs with which a distance is singled out up to a length."""
    closest = min(sum(2 * math.sin(angle * distance / 2) ** 2 for angle in angles) for distance in range(1, length + 1))
    return number_format.underflow / closest


def penalty_reach(slope: float, largest_score: float, number_format: NumberFormat = NumberFormat.FLOAT32) -> int:
    """Return how many tokens back a head sees under a linear penalty, with content scores from −B to B.

    >>> penalty_reach(1 / 256, 0)
    26616
    """
    return math.floor((2 * largest_score + number_format.underflow) / slope)
