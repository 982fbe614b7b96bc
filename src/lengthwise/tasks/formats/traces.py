"""Scratchpads: the task of the catalogue that asks a task's question and wants the work shown."""

from __future__ import annotations

from ...errors import InvalidOptionError, listed
from ...names import read_call, write_call
from ..core.family import Group
from ..core.task import Task

_KEEP_PARAMETERS = ("sort", "word_problem")
_GROUPS = ("S3", "Z5")


def trace_of(task: Task) -> Task:
    """Return the task that shows its work; raise if there is none."""
    from ..core.catalog import TASKS, find_task
    from .formatted import Formatted

    if isinstance(task, Formatted):
        raise InvalidOptionError(
            f"scratchpad cannot be put around {task.format_name}: a trace is not {task.inner.name!r} in another format.",
            hint=f"write it the other way round: {task.format_name}(scratchpad({task.inner.name})).",
        )
    call = read_call(task.name)
    family = None if call is None else TASKS.get(call.name)
    if family is not None and family.group is Group.SCRATCHPADS:
        return task
    if call is None or family is None or not family.scratchpad:
        families = [TASKS[name] for name in TASKS]
        traces = [family.name for family in families if family.group is Group.SCRATCHPADS]
        raise InvalidOptionError(
            f"there is no trace for {task.name!r}. Those with one: "
            f"{listed(family.name for family in families if family.scratchpad)}.",
            hint="use one of these, or a task that is a trace itself: " + listed(traces) + ".",
        )
    inside = call.inside or ""
    if family.name == "word_problem" and inside not in _GROUPS:
        raise InvalidOptionError(
            f"there is a trace for word_problem in the groups {' and '.join(_GROUPS)} only; found {task.name!r}.",
            hint="for example scratchpad(word_problem(S3)).",
        )
    return find_task(write_call(family.scratchpad, [inside] if family.name in _KEEP_PARAMETERS else []))
