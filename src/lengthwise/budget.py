"""A budget of CPU time: the last guard of work whose cost cannot be seen from the size of its input.

Caps on states, elements and vertices come first, because they do not depend on the machine. The budget stops what they let
through. Whoever starts a piece of work opens a budget with :func:`time_budget`; long loops call :func:`checkpoint`, which
raises :class:`~lengthwise.errors.OutOfTimeError` when the budget is spent. Time is that of the calling thread on a
processor, so neither a busy machine nor another thread changes an answer.

>>> with time_budget(0.01, "this sum"):
...     for number in range(10**9):
...         checkpoint()
Traceback (most recent call last):
lengthwise.errors.OutOfTimeError: this sum took more than 0.01 s of CPU time, the cap.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from .errors import OutOfTimeError

_cpu_time = getattr(
    time, "thread_time", time.process_time
)  # some platforms, among them browsers, have no clock for threads


class Budget:
    """CPU seconds that a piece of work may take, counted from when the budget is made."""

    __slots__ = ("_end", "_hint", "_look", "_what", "seconds")

    def __init__(self, seconds: float, what: str, hint: str = "") -> None:
        self.seconds = seconds
        self._what = what
        self._hint = hint
        self._end = _cpu_time() + seconds
        self._look = perf_counter() + seconds

    @property
    def is_spent(self) -> bool:
        """Whether all of it is used up.

        CPU time passes no faster than wall-clock time, and the wall clock is cheaper to read. So the clock of the thread is
        read only when what was left the last time can have been used.
        """
        now = perf_counter()
        if now < self._look:
            return False
        left = self._end - _cpu_time()
        self._look = now + left
        return left <= 0

    def error(self) -> OutOfTimeError:
        """Return the error that names this cap."""
        return OutOfTimeError(f"{self._what} took more than {self.seconds:g} s of CPU time, the cap.", hint=self._hint)


_BUDGETS: ContextVar[tuple[Budget, ...]] = ContextVar("lengthwise_budgets", default=())


@contextmanager
def time_budget(seconds: float, what: str, *, hint: str = "") -> Iterator[Budget]:
    """Open a budget for what runs inside; budgets that are open already go on counting."""
    budget = Budget(seconds, what, hint)
    token = _BUDGETS.set((*_BUDGETS.get(), budget))
    try:
        yield budget
    finally:
        _BUDGETS.reset(token)


def checkpoint() -> None:
    """Raise :class:`OutOfTimeError` if an open budget is spent; without one, do nothing."""
    for budget in _BUDGETS.get():
        if budget.is_spent:
            raise budget.error()


@contextmanager
def default_time_budget(seconds: float, what: str, *, hint: str = "") -> Iterator[None]:
    """Open a budget only where none is open yet, so that all parts of one question share one."""
    if _BUDGETS.get():
        yield
    else:
        with time_budget(seconds, what, hint=hint):
            yield
