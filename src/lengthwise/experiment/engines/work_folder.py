"""The folder that a collector and the workers of a cluster share: plans of stacks, leases, results and checkpoints.

::

    stacks/KEY.json            what a worker is to train; written by the collector
    leases/KEY.json            which attempt trains the stack, and how far it is; written by its worker (leases)
    results/KEY.ATTEMPT.jsonl  what an attempt has finished; appended by its worker (result_files)
    checkpoints/KEY.safetensors
    models/RUN.safetensors     only with --keep, until the collector has copied it
    logs/                      what Slurm's jobs print

A stack's key is a hash of the ids of its runs. Only its owner can read or write the folder. Everything in it is data, none of it is
pickled, and all of it is checked when it is read: a worker never opens a task or encoding file that its command line does not name.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...errors import LengthwiseError, UnreadableFileError, check_number
from ...files import parse_json, write_text
from ..plan import Choice, Run, StackPlan
from ..run_settings import run_from_settings
from .work import checkpoint_of

_FORMAT = "lengthwise stack 1"
_OWNER_FORMAT = "lengthwise work folder 1"
_FOLDERS = ("stacks", "leases", "results", "checkpoints", "models", "logs")
_KEY = re.compile(r"[0-9a-f]{16}")
_ID = re.compile(r"[0-9a-f]{16}")
_MOST_BYTES = 256 * 2**20  # of a plan
_MOST_RUNS = 200_000  # of a stack
_LONGEST = 1_000_000  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A stack with all that a worker has to know about it."""

    plan: StackPlan
    device: str
    keep: bool
    seconds_per_checkpoint: float
    seconds_per_beat: float

    @property
    def key(self) -> str:
        """The name of the stack in the folder."""
        return key_of(self.plan)


def key_of(plan: StackPlan) -> str:
    """Return the name of a stack in a work folder, which depends on its runs alone."""
    return checkpoint_of(plan, "").stem


class WorkFolder:
    """Opened with :func:`open_work_folder`, which checks that nobody else can write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.models = path / "models"
        self.logs = path / "logs"
        self.results = path / "results"

    def plan_file(self, key: str) -> Path:
        """Return the file that says what a stack is."""
        return self.path / "stacks" / f"{key}.json"

    def lease_file(self, key: str) -> Path:
        """Return the file that says who trains a stack."""
        return self.path / "leases" / f"{key}.json"

    def result_files(self, key: str) -> list[Path]:
        """Return the files with results of a stack, one for each attempt."""
        return sorted(self.results.glob(f"{key}.*.jsonl"))

    def write(self, assignment: Assignment) -> None:
        """Write down what a worker is to train."""
        plan = assignment.plan
        data = {
            "format": _FORMAT,
            "runs": [run.settings for run in plan.runs],
            "finished": sorted(plan.finished),
            "choice": asdict(plan.choice),
            "device": assignment.device,
            "keep": assignment.keep,
            "seconds_per_checkpoint": assignment.seconds_per_checkpoint,
            "seconds_per_beat": assignment.seconds_per_beat,
        }
        write_text(self.plan_file(assignment.key), json.dumps(data) + "\n")

    def read(self, key: str) -> Assignment:
        """Return what a worker is to train; raise if the file is not as this version writes it."""
        path = self.plan_file(key)
        text = read_regular(path, _MOST_BYTES)
        try:
            found = _assignment(parse_json(text.decode("utf-8", "replace"), repr(str(path))))
            if found.key != key:
                raise ValueError("its name is not that of its runs")
            return found
        except (ValueError, KeyError, TypeError, LengthwiseError) as error:
            told = error.message if isinstance(error, LengthwiseError) else str(error)
            raise UnreadableFileError(
                f"{str(path)!r} is not the plan of a stack: {told.rstrip('.')}.",
                hint="it is of another version, or damaged. Remove the file, and run the same command again.",
            ) from None

    def planned_keys(self) -> list[str]:
        """Return the keys of all stacks that have a plan."""
        return sorted(path.stem for path in self.path.glob("stacks/*.json") if _KEY.fullmatch(path.stem))

    def files_of(self, plan: StackPlan) -> tuple[Path, ...]:
        """Return all files of a stack. The plan is the first, so that a worker that comes late sees there is nothing to do."""
        key = key_of(plan)
        logs = sorted(self.logs.glob(f"{key}-*"))
        checkpoint = checkpoint_of(plan, self.checkpoints)
        return (self.plan_file(key), *self.result_files(key), self.lease_file(key), checkpoint, *logs)

    def tidy(self) -> None:
        """Remove the folder if no stack is left in it."""
        if self.planned_keys():
            return
        for path in (self.path / "owner.json", *(self.path / "leases").glob("*.json")):
            with suppress(OSError):
                path.unlink()
        for folder in (*(self.path / name for name in _FOLDERS), self.path):
            with suppress(OSError):  # something of the user's is in it
                folder.rmdir()


def open_work_folder(path: str | Path, store: Path | None = None) -> WorkFolder:
    """Return a work folder that is its owner's alone; for a ``store``, made if need be, and of no other store."""
    place = Path(path).absolute()
    try:
        if store is not None:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _require_private(place)
        if store is not None:
            _require_same_store(place / "owner.json", store)
        for name in _FOLDERS:
            (place / name).mkdir(mode=0o700, exist_ok=True)
            _require_private(place / name)
    except OSError as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(
            f"cannot use the work folder {str(place)!r}: {error.strerror}.",
            hint="name one on a file system that all nodes share, with --work-folder.",
        ) from None
    return WorkFolder(place)


def _require_private(folder: Path) -> None:
    """Raise if somebody else could write to a folder, or if it is none."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise UnreadableFileError(
            f"the work folder {str(folder)!r} is not a folder.", hint="name another one with --work-folder."
        )
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise UnreadableFileError(
            f"others can write to the work folder {str(folder)!r}: it has the owner {found.st_uid} and the mode "
            f"{stat.S_IMODE(found.st_mode):o}.",
            hint=f"chmod -R go-w {folder}, or name another one with --work-folder.",
        )


def _require_same_store(file: Path, store: Path) -> None:
    """Raise if a work folder belongs to another store, whose collector would take results away."""
    mine = {"format": _OWNER_FORMAT, "store": os.path.realpath(store)}
    if not file.exists():
        write_text(file, json.dumps(mine) + "\n")
        return
    found = parse_json(read_regular(file, 2**16).decode("utf-8", "replace"), repr(str(file)))
    if found != mine:
        other = found.get("store") if isinstance(found, dict) else None
        raise UnreadableFileError(
            f"the work folder {str(file.parent)!r} belongs to the store {other!r}, not to {mine['store']!r}.",
            hint=f"name another one with --work-folder; if the store was moved, remove {str(file)!r}.",
        )


def read_regular(path: Path, most_bytes: int, offset: int = 0) -> bytes:
    """Return bytes of a regular file, at most so many; no link is followed, and nothing else is waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableFileError(f"cannot read {str(path)!r}: {error.strerror}.", hint="check the path.") from None
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnreadableFileError(f"{str(path)!r} is not a regular file.", hint="remove it.")
        opened.seek(offset)
        try:
            return opened.read(most_bytes)
        except OSError as error:
            raise UnreadableFileError(f"cannot read {str(path)!r}: {error.strerror}.", hint="check the disk.") from None


def _assignment(data: Any) -> Assignment:
    """Return the assignment in JSON data; raise ValueError or a sentence if it is none."""
    names = ("runs", "finished", "choice", "device", "keep", "seconds_per_checkpoint", "seconds_per_beat")
    if not isinstance(data, dict) or data.get("format") != _FORMAT or set(data) != {"format", *names}:
        raise ValueError(f"it must have the format {_FORMAT!r} and its keys")
    if not isinstance(data["runs"], list) or not 1 <= len(data["runs"]) <= _MOST_RUNS:
        raise ValueError("its runs are not a list")
    if data["device"] not in ("cpu", "cuda") or type(data["keep"]) is not bool:
        raise ValueError(f"its device is {data['device']!r}, its keep {data['keep']!r}")
    for name in ("seconds_per_checkpoint", "seconds_per_beat"):
        check_number(name, data[name], float, 0, _LONGEST)
    runs = tuple(map(run_from_settings, data["runs"]))
    return Assignment(
        plan=StackPlan(
            runs=runs, choice=_choice(data["choice"]), finished=frozenset(_finished(data["finished"], runs))
        ),
        device=data["device"],
        keep=data["keep"],
        seconds_per_checkpoint=data["seconds_per_checkpoint"],
        seconds_per_beat=data["seconds_per_beat"],
    )


def _choice(data: Any) -> Choice:
    if not isinstance(data, dict) or set(data) != {"models", "compiled", "reason"}:
        raise ValueError("its choice must have models, compiled and reason")
    check_number("models", data["models"], int, 1, 100_000)
    if type(data["compiled"]) is not bool or type(data["reason"]) is not str:
        raise ValueError("its choice must say whether it is compiled, and why")
    return Choice(**data)


def _finished(data: Any, runs: Sequence[Run]) -> Iterable[str]:
    if not isinstance(data, list) or not all(type(run) is str and _ID.fullmatch(run) for run in data):
        raise ValueError("its finished runs are not a list of ids")
    return {run.id for run in runs}.intersection(data)
