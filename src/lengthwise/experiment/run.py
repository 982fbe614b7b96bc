"""Running an experiment: plan, skip what is finished, train the rest, record each stack as it finishes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidOptionError, MissingExtraError
from ..train.settings import check_number
from .engines.work import Checkpoints, StackDone, StackProgress, checkpoint_of
from .plan import Choice, Run, StackPlan, cut_group, make_groups
from .sizing import Chooser, choose_on_cpu, choose_on_gpu
from .spec import Spec
from .store import Result, open_store

DEFAULT_STORE = "lengthwise-runs.sqlite"
SECONDS_PER_CHECKPOINT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an experiment came to: its results, and how many of them were there before."""

    runs: tuple[Run, ...]
    results: tuple[Result, ...]
    reused: int


def run_experiment(
    specs: Spec | Sequence[Spec],
    store: str | Path = DEFAULT_STORE,
    *,
    workers: int | None = None,
    device: str | None = None,
    models_per_stack: int | None = None,
    seconds_per_checkpoint: float = SECONDS_PER_CHECKPOINT,
    on_plan: Callable[[list[StackPlan], int], None] = lambda _stacks, _reused: None,
    on_event: Callable[[StackProgress | StackDone], None] = lambda _: None,
) -> Outcome:
    """Train what is not in the store yet; return the results of all runs of the specs.

    Interrupted at any moment, it loses at most what came after the last checkpoints; run again, it does only what is
    missing. ``device`` is "cpu" or "cuda"; by default a GPU if there is one. How many models train together is chosen by
    memory or by a short trial, unless ``models_per_stack`` says it. Checkpoints of long runs lie in a folder beside the store.
    """
    if workers is not None:
        check_number("workers", workers, int, 1, 1000)
    if models_per_stack is not None:
        check_number("models per stack", models_per_stack, int, 1, 100_000)
    if device not in (None, "cpu", "cuda"):
        raise InvalidOptionError(
            f"device must be cpu or cuda; found {device!r}.", hint="leave it out to let us choose."
        )
    groups = [group for spec in ([specs] if isinstance(specs, Spec) else specs) for group in make_groups(spec)]
    runs = tuple(dict.fromkeys(run for group in groups for run in group))
    with open_store(store) as opened:
        finished = opened.finished()
        missing = [left for group in groups if (left := [run for run in group if run.id not in finished])]
        stacks: list[StackPlan] = []
        if missing:
            _require_torch()
            from .engines.local import choose_device, default_workers, train_locally

            chosen = choose_device(device)
            num_workers = workers or default_workers(chosen)
            choose = _chooser(chosen, num_workers, sum(map(len, missing)), models_per_stack)
            planned = opened.planned()
            stacks = [stack for group in missing for stack in _stacks_of(group, planned, choose)]
        opened.save_plan(stacks)
        reused = sum(run.id in finished for run in runs)
        stacks.sort(key=lambda stack: -stack.work)  # the long ones first, so that all workers end at about one time
        on_plan(stacks, reused)
        if stacks:
            checkpoints = Path(f"{store}.checkpoints")
            saving = Checkpoints(folder=checkpoints, seconds=seconds_per_checkpoint)
            for event in train_locally(stacks, workers=num_workers, device=chosen, checkpoints=saving):
                if isinstance(event, StackDone):
                    opened.save(event.results)
                    checkpoint_of(stacks[event.stack], checkpoints).unlink(missing_ok=True)
                on_event(event)
            if checkpoints.is_dir() and not any(checkpoints.iterdir()):
                checkpoints.rmdir()
        return Outcome(runs=runs, results=tuple(opened.results_of(runs)), reused=reused)


def _stacks_of(group: Sequence[Run], planned: Sequence[Sequence[str]], choose: Chooser) -> list[StackPlan]:
    """Return the stacks of a group: those planned before that are still to do, as they were, and the rest anew."""
    left = {run.id: run for run in group}
    choice = choose(group[0], len(group))
    again = [
        StackPlan(runs=tuple(left.pop(member) for member in members), choice=choice)
        for members in planned
        if all(member in left for member in members)
    ]
    return again + cut_group(list(left.values()), choice)


def _chooser(device: str, workers: int, num_runs: int, models: int | None) -> Chooser:
    if models is not None:
        asked = Choice(models=models, compiled=device == "cuda", reason=f"{models} models, as asked")
        return lambda _run, _number: asked
    return choose_on_gpu(device, workers) if device == "cuda" else choose_on_cpu(workers, num_runs)


def _require_torch() -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise MissingExtraError("training needs torch, which is not installed.", hint="pip install 'lengthwise[train]'")
