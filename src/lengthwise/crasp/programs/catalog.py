"""Programs by name: the library."""

from __future__ import annotations

import re

from ...errors import InvalidOptionError, unknown_name
from . import answers, brackets, continuations, counters, lists, majorities, orders, periods, potentials, windows
from .entry import Entry, Family

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        *majorities.THRESHOLDS,
        *brackets.FAMILIES,
        *orders.FAMILIES,
        *potentials.FAMILIES,
        *windows.FAMILIES,
        *periods.FAMILIES,
        *answers.FAMILIES,
        *lists.FAMILIES,
        *continuations.FAMILIES,
    )
}
"""The entries that have a parameter."""


def _table(*parts: tuple[Entry | Family, ...]) -> dict[str, Entry]:
    return {
        part.name: part.build(part.default) if isinstance(part, Family) else part for some in parts for part in some
    }


PROGRAMS: dict[str, Entry] = _table(
    majorities.SHARES,
    majorities.PREFIXES,
    majorities.THRESHOLDS,
    brackets.DYCK,
    brackets.FAMILIES,
    counters.COUNTERS,
    orders.ORDERS,
    orders.FAMILIES,
    potentials.POTENTIALS,
    potentials.FAMILIES,
    windows.WINDOWS,
    windows.FAMILIES,
    periods.PERIODS,
    periods.FAMILIES,
    answers.ANSWERS,
    answers.FAMILIES,
    lists.FAMILIES,
    continuations.LEGAL,
    continuations.SEEN,
    continuations.FAMILIES,
)
"""Every entry; of a family, the member with the default parameter."""

_CALL = re.compile(r"([^()]*)\((.*)\)", re.DOTALL)


def find_program(name: str) -> Entry:
    """Return the program of a name, or of a family and a parameter.

    >>> find_program("bounded_dyck(3)").definition
    'a opens, b closes: balanced, nested at most 3 deep'
    """
    if name in PROGRAMS:
        return PROGRAMS[name]
    call = _CALL.fullmatch(name)
    family = call[1].strip() if call else name
    if call is None or family not in PROGRAMS:
        raise unknown_name("program", family, PROGRAMS)
    if family not in FAMILIES:
        raise InvalidOptionError(
            f"program {family} takes no parameter; found {call[2]!r}.", hint=f"write {family} alone."
        )
    return FAMILIES[family].build(call[2].strip())
