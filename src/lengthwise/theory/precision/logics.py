"""The logics of the past that describe transformers of fixed precision, and how they lie in each other.

A formula of these logics speaks of a position and of the positions before it. Every operator is strict: it never looks
at the position itself. ``P φ`` says that φ held at some earlier position, ``Y φ`` that it held at the previous one,
``pos % m = r`` gives the position modulo m, and ``φ since ψ`` says that ψ held at an earlier position and φ at all
positions after that one.
"""

from __future__ import annotations

from enum import StrEnum

from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError, unknown_name


class Logic(StrEnum):
    """A logic of the past, by the operators that its formulas may use beside letters and Boolean operations."""

    P = "LTL[P]"
    P_Y = "LTL[P,Y]"
    P_MOD = "LTL[P,MOD]"
    P_Y_MOD = "LTL[P,Y,MOD]"
    Y = "LTL[Y]"
    S = "LTL[S]"

    @property
    def has_past(self) -> bool:
        """Whether formulas can say that something held at some earlier position; ``since`` can say it too."""
        return self is not Logic.Y

    @property
    def has_yesterday(self) -> bool:
        """Whether formulas can speak of the previous position; ``since`` can say it too: false since φ."""
        return self in (Logic.P_Y, Logic.P_Y_MOD, Logic.Y, Logic.S)

    @property
    def has_modulus(self) -> bool:
        """Whether formulas see the position modulo a number."""
        return self in (Logic.P_MOD, Logic.P_Y_MOD)

    @property
    def has_since(self) -> bool:
        """Whether formulas may use ``since``."""
        return self is Logic.S

    def includes(self, other: Logic | Fragment) -> bool:
        """Return whether this logic expresses every regular language that the other class expresses.

        >>> Logic.S.includes(Logic.P_Y), Logic.P_Y.includes(Logic.P_MOD), Logic.S.includes(Fragment.LOCAL)
        (True, False, True)
        """
        if isinstance(other, Fragment):
            return self is Logic.S and not other.has_periods
        return (
            self.has_past >= other.has_past
            and self.has_yesterday >= other.has_yesterday
            and self.has_modulus >= other.has_modulus
            and self.has_since >= other.has_since
        )

    @property
    def fragment_around(self) -> Fragment | None:
        """The smallest fragment of C-RASP that includes this logic; None for LTL[S], which no fragment includes."""
        if self is Logic.S:
            return None
        return {
            (False, False): Fragment.PLAIN,
            (True, False): Fragment.LOCAL,
            (False, True): Fragment.PERIODIC,
            (True, True): Fragment.PERIODIC_LOCAL,
        }[self.has_yesterday, self.has_modulus]

    @property
    def notation(self) -> str:
        """The name in print: LTL[P], LTL[P,Y], …"""
        return self.value

    @property
    def meaning(self) -> str:
        """What a formula of the logic looks at, in one sentence."""
        return _MEANINGS[self]

    @property
    def settles_next_symbols(self) -> bool:
        """Whether the verdict for membership is also that for next symbols, which takes both P and Y."""
        return self.has_past and self.has_yesterday


_MEANINGS = {
    Logic.P: "whether something has occurred before, nested to a fixed depth",
    Logic.P_Y: "what has occurred before, and the last few letters",
    Logic.P_MOD: "what has occurred before, and the position modulo a fixed number",
    Logic.P_Y_MOD: "what has occurred before, the last few letters, and the position modulo a fixed number",
    Logic.Y: "the last few letters and nothing else",
    Logic.S: "what has held since something else occurred: first-order logic over the positions before",
}


def as_logic(value: str) -> Logic:
    """Return a logic for its name.

    >>> as_logic("LTL[P, Y]")
    <Logic.P_Y: 'LTL[P,Y]'>
    """
    if not isinstance(value, str):
        raise InvalidOptionError(
            f"a logic is named by text; found {value!r}. Known: {', '.join(Logic)}.", hint="use one of these names."
        )
    try:
        return Logic(value.replace(" ", "").upper())
    except ValueError:
        raise unknown_name("logic", value, tuple(Logic)) from None
