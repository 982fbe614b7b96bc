"""The user's own measurements: a file in the user's cache, which ``lengthwise atlas add`` fills and predictions read.

It lies in $LENGTHWISE_CACHE or, without that, in ``lengthwise`` inside the user's cache (``~/.cache``), and is called
``evidence.jsonl``. After its first line, each line is a cell with its runs by their ids, so that adding a store again changes
nothing. The file can be deleted at any time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import UnreadableFileError
from ..theory.claims import Asked
from .measured import own_file

_FORMAT = {"format": "lengthwise evidence 1"}
_TEXTS = ("name", "summary", "hardware", "date", "command", "source", "options")  # of a setting
_FIELDS = {"key", "problem", "asked", "task_revision", "encoding", "encoding_revision", "setting", "runs"}


def own_rows() -> tuple[dict[str, Any], ...]:
    """Return the cells that the user has added; none where nothing was."""
    path = own_file()
    try:
        found = None if path is None else path.stat()
    except OSError:
        return ()
    return () if found is None else _read(str(path), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=2)
def _read(path: str, _changed: int, _size: int) -> tuple[dict[str, Any], ...]:
    try:
        text = Path(path).read_text(encoding="utf-8")
        head, *rows = map(json.loads, text.splitlines())
        sound = head == _FORMAT and all(isinstance(row, dict) and set(row) == _FIELDS for row in rows)
        sound = sound and all(map(_is_sound, rows))
    except (OSError, ValueError, TypeError, RecursionError):
        sound, rows = False, []
    if not sound:
        raise UnreadableFileError(
            f"{path!r} is damaged: it should hold your own measurements.",
            hint="delete it, then add your stores again (lengthwise atlas add STORE).",
        )
    return tuple(rows)


def _is_sound(row: dict[str, Any]) -> bool:
    runs, setting = row["runs"], row["setting"]
    return (
        isinstance(setting, dict)
        and set(setting) == {*_TEXTS, "train_length", "at"}
        and all(isinstance(setting[name], str) for name in _TEXTS)
        and type(setting["train_length"]) is int
        and type(setting["at"]) in (int, float)
        and row["asked"] in (None, *Asked)
        and isinstance(runs, dict)
        and len(runs) > 0
        and all(isinstance(row[name], str) for name in ("key", "problem", "encoding"))
        and all(
            len(run) == 3
            and type(run[0]) is bool
            and type(run[1]) is bool
            and (run[2] is None or (type(run[2]) in (int, float) and 0 <= run[2] <= 1))
            for run in runs.values()
        )
    )


def add_rows(rows: Iterable[dict[str, Any]]) -> int:
    """Add cells to the user's file, run by run; return how many runs are new."""
    from ..files import make_folder_of, write_text

    path = own_file()
    if path is None:
        raise UnreadableFileError(
            "there is no folder for your own measurements: LENGTHWISE_CACHE is empty, or no home is known.",
            hint="set LENGTHWISE_CACHE to a folder.",
        )
    cells = {_place(row): row | {"runs": dict(row["runs"])} for row in own_rows()}
    before = sum(len(row["runs"]) for row in cells.values())
    for row in rows:
        known = cells.setdefault(_place(row), row | {"runs": {}})
        known["runs"] = row["runs"] | known["runs"]  # a run that is there is never replaced
    lines = [json.dumps(_FORMAT), *(json.dumps(row, ensure_ascii=False) for _, row in sorted(cells.items()))]
    make_folder_of(path)
    write_text(path, "\n".join(lines) + "\n")
    return sum(len(row["runs"]) for row in cells.values()) - before


def _place(row: dict[str, Any]) -> tuple[str, ...]:
    """Return what tells a cell from others."""
    names = ("key", "problem", "asked", "task_revision", "encoding", "encoding_revision")
    return (*(str(row[name]) for name in names), row["setting"]["name"])
