"""The hard sets of a task, by kind and by name: ``hard(TASK, KIND)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import InvalidOptionError, unknown_name
from ..core.catalog import find_task
from ..core.task import Task
from . import near, powers, pumped
from .repeats import REPEATS

KINDS: dict[str, Callable[[Task], Task | None]] = {
    "boundary": lambda task: task.hard_sets().get("boundary"),
    REPEATS: lambda task: task.hard_sets().get(REPEATS),
    pumped.KIND: pumped.pumped,
    powers.KIND: powers.powers,
    near.KIND: near.near,
}
"""What makes the hard set of each kind, or None where a task has none."""


def hard_sets(task: Task) -> dict[str, Task]:
    """Return the hard sets of a task, by kind.

    >>> list(hard_sets(find_task("parity"))), list(hard_sets(find_task("sort")))
    (['boundary', 'pumped', 'powers'], [])
    """
    made = ((kind, make(task)) for kind, make in KINDS.items())
    return {kind: found for kind, found in made if found is not None}


def read_hard(arguments: Sequence[str]) -> Task:
    """Return the hard set that is written ``hard(TASK, KIND)``."""
    if len(arguments) < 2 or not arguments[0]:
        raise InvalidOptionError(
            f"hard takes a task and a kind of hard instances; found {', '.join(map(repr, arguments))}.",
            hint="for example hard(parity, boundary).",
        )
    name, kind = ",".join(arguments[:-1]), arguments[-1]  # a comma within an expression separates nothing
    if kind not in KINDS:
        raise unknown_name("kind", kind, KINDS)
    task = find_task(name)
    found = KINDS[kind](task)
    if found is None:
        others = list(hard_sets(task))
        raise InvalidOptionError(
            f"{task.name!r} has no hard instances of the kind {kind!r}. It has: {', '.join(others) or 'none'}.",
            hint=f"for example hard({task.name}, {others[0]})." if others else "choose another task.",
        )
    return found
