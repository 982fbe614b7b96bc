"""One writer at a time: a lock on the store's own file, so that no second name, link or hard link leads past it."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import UnreadableFileError

_HELD: set[tuple[int, int]] = set()
"""The files that this process has locked, as (device, inode).

SQLite's own locks belong to the process and are lost when *any* descriptor of the file is closed, so a file that is open
here must not be opened a second time just to find it locked.
"""
_GUARD = threading.Lock()


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Hold the lock of a file, made empty if there is none; raise BlockingIOError if somebody else holds it.

    A file that was made here and is still empty at the end is removed.
    """
    is_new = not place.exists()
    with _GUARD:
        if not is_new and _identity(place.stat()) in _HELD:
            raise BlockingIOError
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        try:
            opened = os.fstat(handle)
            if not stat.S_ISREG(opened.st_mode):
                raise UnreadableFileError(f"the store {str(place)!r} is not a file.", hint="name a file, with --store.")
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(handle)
            raise
        _HELD.add(_identity(opened))
    try:
        yield
    finally:
        with _GUARD:
            if is_new and os.fstat(handle).st_size == 0:
                with suppress(OSError):
                    place.unlink()
            _HELD.discard(_identity(opened))
            os.close(handle)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
