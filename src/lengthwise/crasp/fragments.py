"""The classes of programs, and where a program is read."""

from __future__ import annotations

from enum import StrEnum

from ..errors import InvalidOptionError


class Fragment(StrEnum):
    """Which positional information a C-RASP program may use."""

    PLAIN = "PLAIN"
    LOCAL = "LOCAL"
    PERIODIC = "PERIODIC"
    PERIODIC_LOCAL = "PERIODIC_LOCAL"

    @property
    def has_windows(self) -> bool:
        """Whether a program may look a fixed number of letters back."""
        return self in (Fragment.LOCAL, Fragment.PERIODIC_LOCAL)

    @property
    def has_periods(self) -> bool:
        """Whether a program may see its position modulo a fixed number."""
        return self in (Fragment.PERIODIC, Fragment.PERIODIC_LOCAL)

    def includes(self, other: Fragment) -> bool:
        """Return whether every program of the other fragment is one of this."""
        return self.has_windows >= other.has_windows and self.has_periods >= other.has_periods

    @property
    def notation(self) -> str:
        """The name in print: C-RASP, C-RASP[local], …"""
        inside = ", ".join(
            name for name, there in (("periodic", self.has_periods), ("local", self.has_windows)) if there
        )
        return f"C-RASP[{inside}]" if inside else "C-RASP"


class Readout(StrEnum):
    """Where acceptance is read: at an end marker that hides the last symbol, or at the last symbol itself."""

    END_MARKER = "END_MARKER"
    LAST_SYMBOL = "LAST_SYMBOL"

    @property
    def notation(self) -> str:
        """The readout in a sentence."""
        return "read at the end marker" if self is Readout.END_MARKER else "read at the last symbol"


_READOUTS = {"end": Readout.END_MARKER, "last": Readout.LAST_SYMBOL}
"""The short names, which are those of the command line."""


def as_readout(value: str | None) -> Readout | None:
    """Return a readout for its name or its short name, and None for None."""
    if value is None:
        return None
    try:
        return _READOUTS.get(value) or Readout(value)
    except (ValueError, TypeError):
        raise InvalidOptionError(
            f"readout {value!r} is unknown. Known: {', '.join((*_READOUTS, *Readout))}.",
            hint="use Readout.END_MARKER or Readout.LAST_SYMBOL.",
        ) from None


def as_fragment(value: str) -> Fragment:
    """Return a fragment for its name."""
    try:
        return Fragment(value)
    except ValueError:
        raise InvalidOptionError(
            f"fragment {value!r} is unknown. Known: {', '.join(Fragment)}.", hint="use one of these names."
        ) from None
