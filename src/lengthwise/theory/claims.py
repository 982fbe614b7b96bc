"""The words of a claim: an answer, about a fragment of C-RASP, read out at a place."""

from __future__ import annotations

from enum import StrEnum


class Answer(StrEnum):
    """Will it length-generalize, under the idealized learner of the theorem that is named beside the answer?"""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"


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
