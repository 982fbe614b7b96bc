"""Which instances a run is tested on, and making those of many runs: a GPU makes them at once, a CPU a task at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..arrays import Arrays
from ..encodings.core.base import Encoding
from ..seeds import EVALUATION, Draw, open_stream
from ..tasks.core.lengths import LengthRange
from ..tasks.core.task import Task
from ..tasks.languages.regular import NextSymbols
from .evaluation import Examples, make_examples, make_mixed_examples
from .groups import TrainingRun
from .settings import FIT_EXAMPLES

FIT = "fit"
"""The kind of the set that says whether a run fits."""

_LEAST_TOKENS_ON_GPU = 2**18  # of the instances of all slots; fewer of them a CPU makes sooner
_MOST_TOKENS_ON_GPU = 2**25  # that are made in one call


class Wanted(NamedTuple):
    """A set of instances: the task, its lengths, and how many they are."""

    task: Task
    bounds: LengthRange
    number: int


def test_set(run: TrainingRun, kind: str, number: int) -> Wanted | None:
    """Return what a test set of a run holds, if it has that set.

    ``kind`` names a hard set, or the one that says whether a run fits; without it, the set has usual instances of a bin.
    """
    if kind == FIT:
        return Wanted(run.task, run.fit_lengths, FIT_EXAMPLES) if number == 0 else None
    task = run.hard_sets.get(kind) if kind else run.task
    if task is None or number >= len(run.bins) or not task.lengths(run.bins[number].low, run.bins[number].high):
        return None
    return Wanted(task, run.bins[number], run.training.examples)


def make_sets(
    wanted: Mapping[int, Wanted],
    seeds: Mapping[int, int],
    draw_of: Callable[[Draw], Draw],
    encoding: Encoding,
    *,
    xp: Arrays,
    host_xp: Arrays,
    gpu_xp: Arrays | None,
) -> dict[int, Examples]:
    """Return the instances that are wanted for slots whose runs have these seeds.

    ``draw_of`` gives their draw by that of evaluation. They are arrays of ``xp``, made by ``host_xp``, or by ``gpu_xp`` where
    that is given and the instances of several tasks that can be made together are many: they are the same.
    """
    alike: dict[tuple[int, LengthRange, int], list[int]] = {}
    mixed: dict[tuple[int, int], list[int]] = {}
    for slot, (task, bounds, number) in wanted.items():
        alike.setdefault((id(task), bounds, number), []).append(slot)
        if gpu_xp is not None and type(task) is NextSymbols:
            mixed.setdefault((bounds.high, number), []).append(slot)

    def draw_for(slots: list[int], arrays: Arrays) -> Draw:
        return draw_of(open_stream(EVALUATION, seed=[seeds[slot] for slot in slots], xp=arrays))

    found: dict[int, Examples] = {}
    for (longest, number), slots in mixed.items():
        if gpu_xp is not None and len(slots) * number * longest >= _LEAST_TOKENS_ON_GPU:
            at_once = max(1, _MOST_TOKENS_ON_GPU // (number * longest))
            for start in range(0, len(slots), at_once):
                some = slots[start : start + at_once]
                tasks = [each for slot in some if isinstance(each := wanted[slot].task, NextSymbols)]
                bins = [wanted[slot].bounds for slot in some]
                examples = make_mixed_examples(tasks, bins, number, draw_for(some, gpu_xp), xp, encoding)
                found.update(zip(some, examples.split(), strict=True))
    for slots in alike.values():
        if slots[0] not in found:
            task, bounds, number = wanted[slots[0]]
            examples = make_examples(task, bounds, number, draw_for(slots, host_xp), xp, encoding)
            found.update(zip(slots, examples.split(), strict=True))
    return {slot: found[slot] for slot in wanted}
