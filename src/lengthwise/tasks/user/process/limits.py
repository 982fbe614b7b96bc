"""What a user's code may use: CPU time for each question, memory, and its parent's lifetime."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time

OUT_OF_MEMORY = 86
"""The exit code of a task process that ran out of memory; nothing longer could be told without memory."""

_SECONDS_BETWEEN_LOOKS = 0.5


def begin_question(patience: float) -> None:
    """End this process when it has used so many further seconds of CPU time, unless another question begins before.

    The signal's default action ends the process without Python, so that it works inside of a long computation in C too.
    """
    signal.setitimer(signal.ITIMER_PROF, patience)


def limit_memory(most: int) -> None:
    """Let this process have so many bytes; what asks for more gets a MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # an end by a signal leaves no file


def take_default_signals() -> None:
    """Undo what this process inherited: a signal that is ignored or blocked would pass the limits by."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def end_with_parent(parent: int) -> None:
    """End this process soon after its parent has ended, however that was; while it is in C code, its CPU time is limited."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
