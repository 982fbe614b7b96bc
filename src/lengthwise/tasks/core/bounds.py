"""The communication matrices of tasks, by name: what bounds how much of the first half of an input must be known."""

from __future__ import annotations

from ...theory.communication import TwoHalves
from .catalog import ByName

BOUNDS: ByName[TwoHalves] = ByName(
    {
        "counting.majorities": "majority parity",
        "languages.counters": "dyck_1",
        "languages.brackets": "dyck_2",
        "copying.copies": "copy",
        "arithmetic.binary_addition": "addition",
    },
    lambda module: {family.halves.name: family.halves for family in module.FAMILIES if family.halves is not None},
)
"""What the families of these modules declare; a module is imported when its bound is asked for."""
