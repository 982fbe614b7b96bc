"""Programs by name: the library."""

from __future__ import annotations

from ...errors import InvalidOptionError, unknown_name
from ...names import read_call
from . import (
    answers,
    brackets,
    continuations,
    counters,
    lists,
    majorities,
    orders,
    padding,
    periods,
    potentials,
    recall,
    windows,
)
from .entry import Entry, Family

_PARTS: tuple[Entry | Family, ...] = (
    *majorities.SHARES,
    *majorities.PREFIXES,
    *majorities.THRESHOLDS,
    *brackets.DYCK,
    *brackets.FAMILIES,
    *counters.COUNTERS,
    *orders.ORDERS,
    *orders.FAMILIES,
    *potentials.POTENTIALS,
    *potentials.FAMILIES,
    *windows.WINDOWS,
    *windows.FAMILIES,
    *periods.PERIODS,
    *periods.FAMILIES,
    *answers.ANSWERS,
    *answers.FAMILIES,
    *lists.FAMILIES,
    *recall.FAMILIES,
    *padding.FAMILIES,
    *continuations.LEGAL,
    *continuations.SEEN,
    *continuations.FAMILIES,
)

FAMILIES: dict[str, Family] = {part.name: part for part in _PARTS if isinstance(part, Family)}
"""The entries that have a parameter."""

PROGRAMS: dict[str, Entry] = {
    part.name: part.build(part.default) if isinstance(part, Family) else part for part in _PARTS
}
"""Every entry; of a family, the member with the default parameter."""


def find_program(name: str) -> Entry:
    """Return the program of a name, or of a family and a parameter.

    >>> find_program("bounded_dyck(3)").definition
    'a opens, b closes: balanced, nested at most 3 deep'
    """
    if name in PROGRAMS:
        return PROGRAMS[name]
    call = read_call(name)
    if call is None or call.name not in PROGRAMS:
        raise unknown_name("program", name if call is None else call.name, PROGRAMS)
    inside = "" if call.inside is None else call.inside.strip()
    if call.name not in FAMILIES:
        raise InvalidOptionError(
            f"program {call.name} takes no parameter; found {inside!r}.", hint=f"write {call.name} alone."
        )
    return FAMILIES[call.name].build(inside)
