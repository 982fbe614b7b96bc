"""Running an experiment: plan, skip what is finished, train the rest, record each stack as it finishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import MissingExtraError
from ..train.settings import check_number
from .engines.work import StackDone, StackProgress
from .plan import Run, StackPlan, make_plan
from .spec import Spec
from .store import Result, open_store

DEFAULT_STORE = "lengthwise-runs.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an experiment came to: its results, and how many of them were there before."""

    runs: tuple[Run, ...]
    results: tuple[Result, ...]
    reused: int


def run_experiment(
    spec: Spec,
    store: str | Path = DEFAULT_STORE,
    *,
    workers: int | None = None,
    on_plan: Callable[[list[StackPlan], int], None] = lambda _stacks, _reused: None,
    on_event: Callable[[StackProgress | StackDone], None] = lambda _: None,
) -> Outcome:
    """Train what is not in the store yet; return the results of all runs of the spec.

    Interrupted at any moment, it loses at most the stacks in training; run again, it does only what is missing.
    """
    if workers is not None:
        check_number("workers", workers, int, 1, 1000)
    stacks = make_plan(spec)
    runs = tuple(run for stack in stacks for run in stack.runs)
    with open_store(store) as opened:
        finished = opened.finished()
        missing = [
            StackPlan(runs=left)
            for stack in stacks
            if (left := tuple(run for run in stack.runs if run.id not in finished))
        ]
        if missing:
            _require_torch()
        opened.save_plan(missing)
        reused = sum(run.id in finished for run in runs)
        on_plan(missing, reused)
        if missing:
            from .engines.local import train_locally

            for event in train_locally(missing, workers=workers):
                if isinstance(event, StackDone):
                    opened.save(event.results)
                on_event(event)
        return Outcome(runs=runs, results=tuple(opened.results_of(runs)), reused=reused)


def _require_torch() -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise MissingExtraError("training needs torch, which is not installed.", hint="pip install 'lengthwise[train]'")
