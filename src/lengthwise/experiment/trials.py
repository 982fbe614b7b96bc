"""Trials of training steps on a CPU: how long a step of so many models takes, measured once per shape and machine.

Times are kept in a file of the user's cache, apart from any store. They are of one kind of processor, one version of torch
and one of this program. A file that is damaged or was tampered with is ignored: nothing in it is run, and all it can do is
choose another of the sizes that would have been tried.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import UnreadableFileError
from ..evidence.measured import cache_folder
from ..files import make_folder_of, write_text
from ..tasks.core.catalog import find_task
from ..tasks.core.without_bos import without_bos
from ..train.groups import group_of
from ..train.settings import TRAINER_REVISION
from .plan import Run

_TRIAL_SECONDS = 0.15
_TRIAL_STEPS = 2
_FORMAT = "lengthwise trials 1"
_MOST_BYTES = 2**20
_MOST_ENTRIES = 2_000  # of the file; the oldest are dropped
_LONGEST = 1e6  # seconds that a file may claim of anything
_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Seconds of the processor that a step takes, and those before the first steady one."""

    step: float
    set_up: float


class Trials:
    """Trials by shape, size and whether the step is compiled, with the file that keeps them."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known = {} if file is None else _read(file)
        self._facts: dict[Run, str] = {}

    def has(self, run: Run) -> bool:
        """Return whether a model like this run was tried, alone at least."""
        return self._key(run, 1, compiled=False) in self._known

    def find(self, run: Run, models: int, *, compiled: bool = False) -> Trial:
        """Return the trial of so many models like this run, which is made only if it is not known."""
        key = self._key(run, models, compiled=compiled)
        if key not in self._known:
            self._known[key] = _try(run, models, compiled=compiled)
            self._write()
        return self._known[key]

    def _key(self, run: Run, models: int, *, compiled: bool) -> str:
        if run not in self._facts:
            self._facts[run] = _facts(run)
        return sha256(f"{self._facts[run]} {models} {compiled}".encode()).hexdigest()[:32]

    def _write(self) -> None:
        if self._file is None:
            return
        for key in list(self._known)[:-_MOST_ENTRIES]:
            del self._known[key]
        data = {"format": _FORMAT, "trials": {key: asdict(trial) for key, trial in self._known.items()}}
        with suppress(UnreadableFileError):  # without a cache, sizes are tried anew next time
            make_folder_of(self._file)
            write_text(self._file, json.dumps(data, indent=1) + "\n")


def trials_file() -> Path | None:
    """Return where trials are kept: in $LENGTHWISE_CACHE, else in the user's cache; None if there is no such place."""
    folder = cache_folder()
    return None if folder is None else folder / "trials.json"


def _read(file: Path) -> dict[str, Trial]:
    """Return what a file has; nothing if any of it is not as this program writes it."""
    try:
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return {}
        data: Any = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict) or set(data) != {"format", "trials"} or data["format"] != _FORMAT:
        return {}
    trials = data["trials"]
    if not isinstance(trials, dict) or len(trials) > _MOST_ENTRIES or not all(map(_is_sound, trials, trials.values())):
        return {}
    return {key: Trial(**trial) for key, trial in trials.items()}


def _is_sound(key: str, trial: object) -> bool:
    return (
        _KEY.fullmatch(key) is not None
        and isinstance(trial, dict)
        and set(trial) == {"step", "set_up"}
        and all(type(seconds) is float and 0 < seconds < _LONGEST for seconds in trial.values())
    )


def _facts(run: Run) -> str:
    """Return what decides how long a step of a model like this run takes: the program, the machine and the shape."""
    import torch

    from .._version import __version__
    from .provenance import processor

    task = find_task(run.task)
    task = without_bos(task) if run.model.no_bos else task
    group = group_of(task, run.encoding, run.model, run.training, run.bins, run.room)
    return repr(
        (
            __version__,
            TRAINER_REVISION,
            torch.__version__,
            processor(),
            torch.backends.cpu.get_cpu_capability(),
            replace(group, evaluate_every=1, examples=1),
            run.encoding_revision,
        )
    )


def _try(run: Run, models: int, *, compiled: bool) -> Trial:
    """Measure steps with their share of making batches, the best of a few, on one thread.

    It is time of the processor, not of the clock: a busy machine gives the same answer.
    """
    import torch

    from .stacks import stack_of

    brief = replace(run.training, evaluate_every=_TRIAL_STEPS, examples=1)  # so that few batches are made at once
    runs = [replace(run, seed=seed, hard=False, training=brief) for seed in range(models)]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        begun = _seconds_of_processor()
        with _compilation_in_this_process() if compiled else nullcontext():
            stack = stack_of(runs, compiled=compiled)
            stack.advance(_TRIAL_STEPS)
        set_up = _seconds_of_processor() - begun
        times: list[float] = []
        while not times or sum(times) < _TRIAL_SECONDS:
            started = time.process_time()
            stack.advance(_TRIAL_STEPS)
            times.append(time.process_time() - started)
    finally:
        torch.set_num_threads(threads)
    return Trial(step=max(min(times) / _TRIAL_STEPS, 1e-9), set_up=max(set_up, 1e-9))


def _seconds_of_processor() -> float:
    """Return the time that processors have spent on this process and on those it has started and that have ended."""
    times = os.times()
    return math.fsum((times.user, times.system, times.children_user, times.children_system))


def _compilation_in_this_process() -> Any:
    """Return a context in which torch compiles in this process, whose time counts, and not in others that stay."""
    from torch._inductor import config

    return config.patch(compile_threads=1)
