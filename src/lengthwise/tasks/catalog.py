"""Tasks by name, and every regular language as a task."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..errors import InvalidOptionError, unknown_name
from ..languages.catalog import LANGUAGES, find_language
from ..languages.dfa import DFA
from ..languages.regex import compile_regex
from .arithmetic import Addition
from .copying import RepeatCopy, UniqueCopy
from .counting import BinMajority, BinMajorityInterleave, Majority, Parity
from .regular import NextSymbols, States
from .sorting import Sort
from .task import Task

TASKS: dict[str, Callable[[], Task]] = {
    "bin_majority": BinMajority,
    "majority": Majority,
    "bin_majority_interleave": BinMajorityInterleave,
    "unique_copy": UniqueCopy,
    "repeat_copy": RepeatCopy,
    "sort": Sort,
    "parity": Parity,
    "addition": Addition,
}

_SIZED: dict[str, Callable[[int], Task]] = {"unique_copy": UniqueCopy, "sort": Sort}

_CALL = re.compile(r"([a-z_][a-z0-9_]*)\((.*)\)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, ]*\))?")


def task_names() -> list[str]:
    """Return the names of all tasks that are not regular languages."""
    return list(TASKS)


def find_named_task(name: str, *, alphabet: Iterable[str] | None = None) -> Task | None:
    """Return the task of a name, ``unique_copy(N)``, ``sort(N)`` or ``states(LANGUAGE)``, or None."""
    if name in TASKS:
        return TASKS[name]()
    call = _CALL.fullmatch(name)
    if call and call[1] == "states":
        return States(_language(call[2], alphabet), call[2])
    if call and call[1] in _SIZED:
        if not re.fullmatch("[0-9]{1,6}", call[2]):
            raise InvalidOptionError(
                f"{call[1]} takes the number of its symbols; found {call[2]!r}.", hint=f"for example {call[1]}(64)."
            )
        return _SIZED[call[1]](int(call[2]))
    return None


def find_task(name: str, *, alphabet: Iterable[str] | None = None) -> Task:
    """Return the task of a name, or the next symbols of a named language or a regular expression.

    >>> find_task("states((ab)*)").size(3)
    8
    """
    task = find_named_task(name, alphabet=alphabet)
    if task is not None:
        return task
    if _NAME.fullmatch(name) and not _is_language(name):
        raise unknown_name("task", name, [*TASKS, *LANGUAGES])
    return NextSymbols(_language(name, alphabet), _spelled(name))


def _spelled(name: str) -> str:
    """Return the name of a language as the catalogue spells it, and any other text as it is."""
    return find_language(name).name if _is_language(name) else name


def _is_language(name: str) -> bool:
    try:
        find_language(name)
    except LookupError:
        return False
    return True


def _language(text: str, alphabet: Iterable[str] | None) -> DFA:
    if _is_language(text):
        return find_language(text).language
    if _NAME.fullmatch(text):
        raise unknown_name("language", text, LANGUAGES)
    return compile_regex(text, alphabet=alphabet)
