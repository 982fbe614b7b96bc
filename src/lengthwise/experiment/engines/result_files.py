"""Results on their way from a worker to the collector: lines appended to a file that one attempt alone writes.

A line is a checksum and JSON data: a finished run, a notice, or how the attempt ended. A line that was cut off is written again by its
worker or trained again by the next attempt; reading ignores it. A run may come twice, from two attempts: the reader counts it once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ... import errors
from ...errors import LengthwiseError, TrainingFailedError, UnreadableFileError
from ..rows import DamagedRowError, Result, read_result, write_result
from .work_folder import WorkFolder, read_regular

_MOST_BYTES = 32 * 2**20  # read from a file at once, and so of a line
_LONGEST_NOTICE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an attempt of a job ended: ``error`` is None if it trained all it was given."""

    job: str
    error: LengthwiseError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What is new in the files of a stack."""

    results: tuple[Result, ...] = ()
    notices: tuple[str, ...] = ()
    endings: tuple[Ending, ...] = ()


class ResultWriter:
    """Appends lines to the file of one attempt; each is on the disk before the next. What cannot be written waits."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[bytes] = []
        self._is_torn = False

    def add_result(self, result: Result) -> None:
        """Append a finished run."""
        hard = {kind: [list(score) for score in scores] for kind, scores in result.other_scores.items()}
        self._add({"run": write_result(result), "scores": [list(score) for score in result.scores], "hard": hard})

    def add_notice(self, text: str) -> None:
        """Append a sentence for the user."""
        self._add({"notice": text[:_LONGEST_NOTICE]})

    def add_ending(self, job: str, error: BaseException | None) -> None:
        """Append how the attempt ended."""
        told: dict[str, Any] = {"job": job}
        if error is not None:
            told |= {"error": type(error).__name__, "slots": getattr(error, "slots", 0)}
            if isinstance(error, LengthwiseError):
                told |= {"message": error.message, "hint": error.hint}
            else:
                told |= {"message": f"{type(error).__name__}: {error}.", "hint": "the job's log has the traceback."}
        self._add({"end": told})

    def flush(self) -> None:
        """Append what is waiting; raise OSError if that cannot be done."""
        while self._waiting:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                line = (b"\n" if self._is_torn else b"") + self._waiting[0]
                self._is_torn = True
                while line:
                    line = line[os.write(handle, line) :]
                os.fsync(handle)
                self._is_torn = False
                del self._waiting[0]
            finally:
                os.close(handle)

    def _add(self, data: Mapping[str, Any]) -> None:
        text = json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
        self._waiting.append(_checksum(text) + b" " + text + b"\n")
        with suppress(OSError):  # tried again with the next line
            self.flush()


@dataclass(slots=True, kw_only=True)
class ResultReader:
    """Reads what the attempts of one stack have written since the last time; every run once, and only those of the stack."""

    folder: WorkFolder
    key: str
    members: frozenset[str]
    seen: set[str] = field(default_factory=set)
    _offsets: dict[Path, int] = field(default_factory=dict)

    def read(self) -> News:
        """Return what is new."""
        results: list[Result] = []
        notices: list[str] = []
        endings: list[Ending] = []
        for path in self.folder.result_files(self.key):
            for data in self._lines(path, notices):
                found = _parsed(data, path, notices)
                if isinstance(found, Ending):
                    endings.append(found)
                elif isinstance(found, Result) and found.id not in self.members:
                    notices.append(f"{str(path)!r} has a run of another stack, which is not taken.")
                elif isinstance(found, Result) and found.id not in self.seen:
                    self.seen.add(found.id)
                    results.append(found)
        return News(results=tuple(results), notices=tuple(notices), endings=tuple(endings))

    def _lines(self, path: Path, notices: list[str]) -> Iterable[Any]:
        """Yield the data of whole lines that are as they were written."""
        offset = self._offsets.get(path, 0)
        if offset < 0:
            return
        try:
            found = read_regular(path, _MOST_BYTES, offset)
        except UnreadableFileError as error:
            if path.exists() or path.is_symlink():  # else it was removed meanwhile
                self._offsets[path] = -1
                notices.append(f"{error.message} It is left alone.")
            return
        whole, newline, rest = found.rpartition(b"\n")
        if len(rest) == _MOST_BYTES:
            self._offsets[path] = -1
            notices.append(f"{str(path)!r} has a line that never ends, and is not read any further.")
            return
        self._offsets[path] = offset + len(whole) + len(newline)
        for line in whole.split(b"\n"):
            saved, _, text = line.partition(b" ")
            if line and saved == _checksum(text):
                with suppress(ValueError, RecursionError):
                    yield json.loads(text)


def _checksum(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:16].encode()


def _parsed(data: Any, path: Path, notices: list[str]) -> Result | Ending | None:
    """Return what a line says; a notice is noted, and what makes no sense is told."""
    try:
        if "run" in data:
            return _result(data)
        if "end" in data:
            return Ending(job=str(data["end"]["job"]), error=_error(data["end"]))
        notices.append(str(data["notice"])[:_LONGEST_NOTICE])
    except (DamagedRowError, KeyError, TypeError, ValueError, AttributeError, LengthwiseError) as problem:
        notices.append(f"a line of {str(path)!r} cannot be read: {problem}.")
    return None


def _result(data: Mapping[str, Any]) -> Result:
    """Return a run through the same checks as a row of a store."""
    hard = {kind: [tuple(score) for score in scores] for kind, scores in data["hard"].items()}
    return read_result(data["run"], [tuple(score) for score in data["scores"]], hard, {})


def _error(told: Mapping[str, Any]) -> LengthwiseError | None:
    """Return an error of ours by its name; any other becomes a failure of training."""
    if "error" not in told:
        return None
    message, hint, slots = str(told["message"]), str(told["hint"]), told["slots"]
    kind = getattr(errors, str(told["error"]), None)
    if kind in (errors.UserCodeError, errors.InvalidOptionError, errors.UnreadableFileError, errors.MissingExtraError):
        return kind(message, hint=hint)  # type: ignore[no-any-return]
    return TrainingFailedError(message, hint=hint, slots=slots if type(slots) is int and 0 <= slots <= 10**6 else 0)
