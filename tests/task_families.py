"""The families of tasks that a test module is about."""

from __future__ import annotations

from lengthwise.tasks.core.catalog import MODULES, TASKS
from lengthwise.tasks.core.family import Family


def families_of(*modules: str) -> dict[str, Family]:
    """Return the families that stand in these modules or folders of the package's tasks, by name."""
    return {
        name: TASKS[name]
        for module, names in MODULES.items()
        if module in modules or module.split(".")[0] in modules
        for name in names.split()
    }
