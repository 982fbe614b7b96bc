"""Running an experiment: plan, skip what is finished, train the rest, record each stack as it finishes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidOptionError, MissingExtraError
from ..train.settings import check_number
from .engines.work import Checkpoints, StackDone, StackProgress, checkpoint_of
from .models import model_path, models_folder
from .plan import Choice, Run, StackPlan, cut_group, make_groups
from .sizing import Chooser, choose_on_cpu, choose_on_gpu, is_worth_compiling
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
    keep: bool = False,
    on_plan: Callable[[list[StackPlan], int], None] = lambda _stacks, _reused: None,
    on_event: Callable[[StackProgress | StackDone], None] = lambda _: None,
) -> Outcome:
    """Train what is not in the store yet; return the results of all runs of the specs.

    Interrupted at any moment, it loses at most what came after the last checkpoints; run again, it does only what is
    missing. ``device`` is "cpu" or "cuda"; by default a GPU if there is one. How many models train together is chosen by
    memory or by a short trial, unless ``models_per_stack`` says it. Checkpoints of long runs lie in a folder beside the store;
    with ``keep`` the trained models lie in another, and a run whose model is not there is trained again.
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
        models = models_folder(store) if keep else None
        finished = opened.finished()
        if models is not None:
            finished = {run_id for run_id in finished if model_path(models, run_id).is_file()}
        missing = _missing(groups, finished)
        checkpoints = Path(f"{store}.checkpoints")
        stacks: list[StackPlan] = []
        if missing:
            _require_torch()
            from .engines.local import choose_device, default_workers, train_locally

            chosen = choose_device(device)
            num_workers = workers or default_workers(chosen)
            if models_per_stack is None:
                stacks = _begun_before(missing, opened.planned(), checkpoints, on_gpu=chosen == "cuda")
            begun = {run.id for stack in stacks for run in stack.runs}
            fresh = _missing(missing, begun)
            choose = _chooser(chosen, num_workers, fresh, models_per_stack)
            stacks += [stack for group in fresh for stack in cut_group(group, choose(group[0], len(group)))]
        opened.save_plan(stacks)
        reused = sum(run.id in finished for run in runs)
        stacks.sort(key=lambda stack: -stack.work)  # the long ones first, so that all workers end at about one time
        on_plan(stacks, reused)
        if stacks:
            saving = Checkpoints(folder=checkpoints, seconds=seconds_per_checkpoint)
            for event in train_locally(stacks, workers=num_workers, device=chosen, checkpoints=saving, models=models):
                if isinstance(event, StackDone):
                    opened.save(event.results, again=keep)
                    checkpoint_of(stacks[event.stack], checkpoints).unlink(missing_ok=True)
                on_event(event)
            _tidy(checkpoints)
        return Outcome(runs=runs, results=tuple(opened.results_of(runs)), reused=reused)


def _missing(groups: Iterable[Sequence[Run]], known: set[str]) -> list[list[Run]]:
    """Return the groups without the runs that are known, and without repeating any."""
    seen = set(known)
    left = []
    for group in groups:
        own = [run for run in group if run.id not in seen]
        seen.update(run.id for run in own)
        left.append(own)
    return [own for own in left if own]


def _begun_before(
    missing: Iterable[Sequence[Run]], planned: Iterable[Sequence[str]], checkpoints: Path, *, on_gpu: bool
) -> list[StackPlan]:
    """Return the stacks that were cut off in training and have left a checkpoint, with the members they had."""
    left = {run.id: run for group in missing for run in group}
    again = []
    for members in planned:
        if not all(member in left for member in members):
            continue
        runs = tuple(left[member] for member in members)
        compiled = on_gpu and is_worth_compiling(runs[0], len(runs))[0]
        choice = Choice(models=len(runs), compiled=compiled, reason=f"{len(runs)} models, as they were begun before")
        plan = StackPlan(runs=runs, choice=choice)
        if checkpoint_of(plan, checkpoints).is_file():
            again.append(plan)
            for member in members:
                del left[member]
    return again


def _chooser(device: str, workers: int, groups: Sequence[Sequence[Run]], models: int | None) -> Chooser:
    if models is not None:

        def as_asked(run: Run, number: int) -> Choice:
            compiled = device == "cuda" and is_worth_compiling(run, min(models, number))[0]
            return Choice(models=models, compiled=compiled, reason=f"{models} models, as asked")

        return as_asked
    if device == "cuda":
        return choose_on_gpu(device, min(workers, max(1, len(groups))))
    return choose_on_cpu(workers, sum(map(len, groups)))


def _tidy(checkpoints: Path) -> None:
    """Remove what a killed process left half written, and the folder if nothing else is in it."""
    if checkpoints.is_dir():
        for half in checkpoints.glob("*.safetensors.*"):
            half.unlink(missing_ok=True)
        if not any(checkpoints.iterdir()):
            checkpoints.rmdir()


def _require_torch() -> None:
    from importlib.util import find_spec

    for name in ("torch", "safetensors"):
        if find_spec(name) is None:
            raise MissingExtraError(
                f"training needs {name}, which is not installed.", hint="pip install 'lengthwise[train]'"
            )
