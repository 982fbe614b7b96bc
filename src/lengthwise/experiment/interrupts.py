"""Ctrl-C at a better moment: what must not be cut in half is done first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Let a Ctrl-C that comes inside wait until the end. Processes started inside never see one, not even as they start.

    Blocking the signal is enough for the children, which inherit the mask. It is not enough here: another thread of this
    process may take the signal, and Python then raises in the main thread all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(True))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if seen:
        signal.raise_signal(signal.SIGINT)
