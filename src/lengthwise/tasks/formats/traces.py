"""Scratchpads: the task of the catalogue that asks a task's question and wants the work shown."""

from __future__ import annotations

from ...errors import InvalidOptionError, listed
from ..task import Task

TRACES = {
    "parity": "parity_cot",
    "addition": "add_cot",
    "add_decimal": "add_cot",
    "mul_nx1": "mul_cot",
    "mul_nx2": "mul_cot",
    "mul_nxm": "mul_cot",
    "divide": "div_cot",
    "sort": "sort_cot",
    "bin_majority": "majority_cot",
    "majority": "majority_cot",
    "count_symbol": "count_cot",
    "dyck": "dyck_cot",
    "dyck_1": "dyck_cot",
    "word_problem": "state_track_cot",
}
"""Tasks and those that show their work."""

THEMSELVES = (*dict.fromkeys(TRACES.values()), "turing_program")
"""Tasks whose answers are traces as they are."""

_KEEP_PARAMETERS = ("sort", "word_problem")
_GROUPS = ("S3", "Z5")


def trace_of(task: Task) -> Task:
    """Return the task that shows its work; raise if there is none."""
    from ..catalog import find_task
    from .formatted import Formatted

    if isinstance(task, Formatted):
        raise InvalidOptionError(
            f"scratchpad cannot be put around {task.format_name}: a trace is not {task.inner.name!r} in another format.",
            hint=f"write it the other way round: {task.format_name}(scratchpad({task.inner.name})).",
        )
    family, _, inside = task.name.partition("(")
    if family in THEMSELVES:
        return task
    if family not in TRACES:
        raise InvalidOptionError(
            f"there is no trace for {task.name!r}. Those with one: {listed(TRACES)}.",
            hint="use one of these, or a task that is a trace itself: " + listed(THEMSELVES) + ".",
        )
    inside = inside.removesuffix(")")
    if family == "word_problem" and inside not in _GROUPS:
        raise InvalidOptionError(
            f"there is a trace for word_problem in the groups {' and '.join(_GROUPS)} only; found {task.name!r}.",
            hint="for example scratchpad(word_problem(S3)).",
        )
    return find_task(f"{TRACES[family]}({inside})" if inside and family in _KEEP_PARAMETERS else TRACES[family])
