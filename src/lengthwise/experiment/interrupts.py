"""Stopping at a good moment: Ctrl-C, a request to terminate and a closed terminal all end a command in the same way."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MOST_IGNORED = 4  # requests to stop while a command is stopping; one who asks more often means it


class Stopped(KeyboardInterrupt):
    """A request to stop, by a signal; like Ctrl-C, it is no error."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def stopping_once() -> Iterator[None]:
    """Turn the first signal to stop into Stopped; later ones do not disturb the saving and closing that it leads to.

    Signals that whoever started us has switched off (``nohup``) stay off.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers, and only it is interrupted
        return
    seen = 0

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal seen
        seen += 1
        if seen == 1:
            raise Stopped(number)
        if seen > _MOST_IGNORED:
            os._exit(128 + number)

    before = {number: signal.getsignal(number) for number in _STOPPING}
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    try:
        for number in heard:
            signal.signal(number, stop)
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number] or signal.SIG_DFL)


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Let a signal to stop that comes inside wait until the end. Processes started inside never see one, not even as they start.

    Blocking the signals is enough for the children, which inherit the mask. It is not enough here: another thread of this
    process may take a signal, and Python then calls its handler in the main thread all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    seen: list[int] = []
    before = {number: signal.getsignal(number) for number in _STOPPING}
    handled = [number for number, handler in before.items() if callable(handler)]
    for number in handled:
        signal.signal(number, lambda number, _frame: seen.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in handled:
            signal.signal(number, before[number] or signal.SIG_DFL)
    if seen:
        signal.raise_signal(seen[0])
