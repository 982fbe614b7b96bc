"""The progress that a store tells, in lines for a terminal and as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..experiment.progress_file import StackInTraining
from ..experiment.rows import Result
from ..experiment.store_progress import PlannedStack, StoreProgress
from ..report.numbers import percent
from ..report.run_list import SHORT_ID, bins_of, run_to_json
from ..report.statistics import fit_share, share_of
from .durations import show_duration

_MOST_LABELS = 10
_MOST_RUNS = 8
_BAR = 24


def progress_lines(found: StoreProgress) -> list[str]:
    """Return the whole of it, what is not finished by the labels of stacks, and the runs that finished last."""
    lines = [_whole(found)]
    in_training = () if found.training is None else found.training.stacks
    lines += [_training_line(stack) for stack in in_training[:_MOST_LABELS]]
    if len(in_training) > _MOST_LABELS:
        lines.append(f"  … and {len(in_training) - _MOST_LABELS} more stacks in training")
    labels: dict[str, list[PlannedStack]] = {}
    for stack in found.stacks:
        labels.setdefault(stack.label, []).append(stack)
    unfinished = {label: stacks for label, stacks in labels.items() if _left(stacks)}
    begun_first = sorted(unfinished, key=lambda label: not any(stack.finished for stack in unfinished[label]))
    lines += [_label_line(label, unfinished[label]) for label in begun_first[:_MOST_LABELS]]
    if len(unfinished) > _MOST_LABELS:
        lines.append(f"  … and {len(unfinished) - _MOST_LABELS} more")
    complete = sum(not _left([stack]) for stack in found.stacks)
    if complete:
        lines.append(f"  {complete} of {len(found.stacks)} stacks complete")
    if found.latest:
        lines += ["", "finished last (exact match in %: at the longest training lengths | in each bin):"]
        lines += [_run_line(result) for result in found.latest[:_MOST_RUNS]]
    return lines


def _left(stacks: Sequence[PlannedStack]) -> int:
    return sum(stack.planned - stack.finished for stack in stacks)


def _whole(found: StoreProgress) -> str:
    if not found.planned:
        return "nothing is planned yet" + _writer(found)
    parts = [f"{_bar(found.finished, found.planned)} {found.finished}/{found.planned} runs"]
    if found.training is not None and not found.is_complete:
        parts.append(f"{found.training.model_steps_per_second:,.0f} model·steps/s")
    elif found.runs_per_minute is not None and not found.is_complete:
        parts.append(f"{found.runs_per_minute:.3g} runs per minute")
    if found.seconds_left is not None:
        parts.append(f"about {show_duration(found.seconds_left)} left")
    return ", ".join(parts) + ("; complete" if found.is_complete else _writer(found))


def _training_line(stack: StackInTraining) -> str:
    done = f", {stack.done} done" if stack.done else ""
    return f"  {_bar(stack.step, stack.steps)} step {stack.step:,} of {stack.steps:,}  {stack.label}, in training{done}"


def _writer(found: StoreProgress) -> str:
    return "; no process is training now" if found.is_writing is False else ""


def _label_line(label: str, stacks: Sequence[PlannedStack]) -> str:
    planned = sum(stack.planned for stack in stacks)
    finished = planned - _left(stacks)
    several = f" ({len(stacks)} stacks)" if len(stacks) > 1 else ""
    return f"  {_bar(finished, planned)} {finished}/{planned}  {label}{several}"


def _bar(done: int, planned: int) -> str:
    filled = min(_BAR, _BAR * done // max(1, planned))
    return f"[{'#' * filled}{'.' * (_BAR - filled)}]"


def _run_line(result: Result) -> str:
    scores = [percent(share) for share in _shares(result)]
    seed = f"seed {result.seed}"
    return f"  {result.id[:SHORT_ID]}  {result.task} × {result.encoding}, {seed}: {percent(fit_share(result))} | {' '.join(scores)}"


def _shares(result: Result) -> Sequence[float | None]:
    return [share_of(result.scores, bounds) for bounds in bins_of(result)]


def progress_to_json(found: StoreProgress) -> dict[str, Any]:
    """Return the progress as JSON data."""
    return {
        "planned": found.planned,
        "finished": found.finished,
        "complete": found.is_complete,
        "runs_per_minute": found.runs_per_minute,
        "seconds_left": found.seconds_left,
        "training": found.is_writing,
        "model_steps_per_second": None if found.training is None else found.training.model_steps_per_second,
        "in_training": [] if found.training is None else [asdict(stack) for stack in found.training.stacks],
        "stacks": [
            {"label": stack.label, "planned": stack.planned, "finished": stack.finished} for stack in found.stacks
        ],
        "latest": [run_to_json(result) for result in found.latest[:_MOST_RUNS]],
    }
