"""What a file is asked right now, in memory that outlives the process that runs it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from mmap import mmap

SIZE = 4096
_HEAD = struct.Struct("QH")  # how many notes there were, and how long the present one is
_BETWEEN = "\x1f"
_MOST_SYMBOLS = 64  # more of a prompt is never shown
TOP_LEVEL = "top level"


class Note:
    """One note in shared memory. The task process writes it before each call; ours reads it when no answer comes.

    A pipe would not do: one round trip asks for thousands of answers, and a process that is killed tells nothing.
    """

    def __init__(self, memory: mmap) -> None:
        self._memory = memory
        self._number = 0

    def write(self, name: str, kind: str = "", value: Sequence[str] = ()) -> None:
        """Tell which function is called, and with a prompt or a length."""
        text = _BETWEEN.join((name, kind, *value[:_MOST_SYMBOLS])).encode("utf-8", "surrogatepass")
        text = text[: SIZE - _HEAD.size]
        self._number += 1
        self._memory[_HEAD.size : _HEAD.size + len(text)] = text
        _HEAD.pack_into(self._memory, 0, self._number, len(text))

    @property
    def number(self) -> int:
        """How many notes there were."""
        return int(_HEAD.unpack_from(self._memory)[0])

    def read(self) -> tuple[str, str, list[str]]:
        """Return the function, the kind of its argument and the argument; empty texts where there is no note yet."""
        size = min(_HEAD.unpack_from(self._memory)[1], SIZE - _HEAD.size)
        parts = self._memory[_HEAD.size : _HEAD.size + size].decode("utf-8", "replace").split(_BETWEEN)
        return parts[0], "".join(parts[1:2]), parts[2:]
