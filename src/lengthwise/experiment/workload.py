"""What of an experiment is left to train, cut into stacks: for a run, and for a look at what a run would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ..encodings.core.choice import encoding_files, find_encoding
from ..errors import InvalidOptionError, check_number
from ..extras import require_extra
from . import DEFAULT_STORE
from .engines.engine import Engine
from .engines.local import Local
from .engines.work import Event, SizesTried
from .plan import Choice, Run, StackPlan, cut_group, join_groups, longest_first, make_groups
from .sizing import Chooser, choose_on_cpu, choose_on_gpu, is_worth_compiling
from .spec import Spec
from .store import Result, read_store
from .trials import Trials, trials_file

_MOST_WAVES = 64  # runs for each slot of a stack: what a checkpoint holds of finished ones stays small
_WAVES_ON_CPU = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an experiment would train, and on what; ``reused`` runs are finished before."""

    runs: tuple[Run, ...]
    stacks: list[StackPlan]
    reused: int
    results: tuple[Result, ...] = ()  # the finished runs of the store, also those of other experiments
    workers: int = 1
    device: str = "cpu"


def plan_experiment(
    specs: Spec | Sequence[Spec],
    store: str | Path = DEFAULT_STORE,
    *,
    workers: int | None = None,
    device: str | None = None,
    models_per_stack: int | None = None,
    engine: Engine = Local(),  # noqa: B008  # it is frozen
    on_event: Callable[[Event], None] = lambda _: None,
) -> Work:
    """Return what :func:`run_experiment` would do, and do nothing; stack sizes are tried if they are not known."""
    check_options(workers, device, models_per_stack)
    groups = [group for spec in ([specs] if isinstance(specs, Spec) else specs) for group in make_groups(spec)]
    runs = tuple(dict.fromkeys(run for group in groups for run in group))
    results: list[Result] = []
    planned: list[list[str]] = []
    if Path(store).exists():
        with read_store(store) as opened:
            results, planned = opened.results(), opened.planned() if models_per_stack is None else []
    finished = {result.id for result in results}
    missing = without_known(groups, finished)
    checkpoints = engine.checkpoints_of(Path(store))
    work = plan_work(missing, runs, finished, planned, checkpoints, engine, workers, device, models_per_stack, on_event)
    return replace(work, results=tuple(results))


def check_options(workers: int | None, device: str | None, models_per_stack: int | None) -> None:
    """Raise unless the options that say how training uses the machine are allowed."""
    if workers is not None:
        check_number("workers", workers, int, 1, 1000)
    if models_per_stack is not None:
        check_number("models per stack", models_per_stack, int, 1, 100_000)
    if device not in (None, "cpu", "cuda"):
        raise InvalidOptionError(
            f"device must be cpu or cuda; found {device!r}.", hint="leave it out to choose automatically."
        )


def plan_work(
    missing: Sequence[Sequence[Run]],
    runs: tuple[Run, ...],
    finished: set[str],
    planned: Iterable[Sequence[str]],
    checkpoints: Path,
    engine: Engine,
    workers: int | None,
    device: str | None,
    models_per_stack: int | None,
    on_event: Callable[[Event], None],
) -> Work:
    """Return the stacks of what is missing, the longest first; those that were cut off go on as they were."""
    reused = sum(run.id in finished for run in runs)
    if not missing:
        return Work(runs=runs, stacks=[], reused=reused)
    require_extra("training")
    _try_user_encodings({run.encoding for group in missing for run in group})
    chosen = engine.choose_device(device)
    num_workers, num_devices = engine.count_workers(workers, chosen), engine.count_devices(chosen)
    stacks = engine.begun_before(runs, finished, planned, checkpoints, chosen)
    begun = {run.id for stack in stacks for run in stack.runs}
    fresh = join_groups(without_known(missing, begun))
    parts = min(num_workers, num_devices)
    waves = _MOST_WAVES if chosen == "cuda" else _WAVES_ON_CPU
    stacks += _cut_groups(
        fresh,
        _chooser(chosen, num_workers, num_devices, fresh, models_per_stack, on_event),
        lambda group, choice: cut_group(group, choice, workers=parts, waves=waves),
        begun=len(stacks),
        workers=num_workers,
    )
    return Work(runs=runs, stacks=longest_first(stacks), reused=reused, workers=num_workers, device=chosen)


def _try_user_encodings(names: Iterable[str]) -> None:
    """Raise for an encoding in a user's file that does not work, before anything is trained with it."""
    for name in sorted(name for name in names if encoding_files(name)):
        from ..encodings.user.probe import require_sound

        require_sound(find_encoding(name))


def without_known(groups: Iterable[Sequence[Run]], known: set[str]) -> list[list[Run]]:
    """Return the groups without the runs that are known, and without repeating any."""
    seen = set(known)
    left = []
    for group in groups:
        own = [run for run in group if run.id not in seen]
        seen.update(run.id for run in own)
        left.append(own)
    return [own for own in left if own]


def _cut_groups(
    groups: Sequence[Sequence[Run]],
    chooser: Callable[[int], Chooser],
    cut: Callable[[Sequence[Run], Choice], list[StackPlan]],
    *,
    begun: int,
    workers: int,
) -> list[StackPlan]:
    """Return groups as stacks, sized for as many as train at once beside those that were begun before.

    One group may make several stacks, and smaller ones the less memory each has, so the number is found by trying.
    """
    together = 0
    stacks: list[StackPlan] = []
    while together < min(workers, begun + max(len(groups), len(stacks))):
        together = min(workers, begun + max(len(groups), len(stacks)))
        choose = chooser(together)
        stacks = [stack for group in groups for stack in cut(group, choose(group[0], len(group)))]
    return stacks


def _chooser(
    device: str,
    workers: int,
    num_devices: int,
    groups: Sequence[Sequence[Run]],
    models: int | None,
    on_event: Callable[[Event], None],
) -> Callable[[int], Chooser]:
    """Return what chooses where so many stacks train at once."""
    if models is not None:

        def as_asked(run: Run, number: int) -> Choice:
            compiled = device == "cuda" and is_worth_compiling(run, number)[0]
            return Choice(models=models, compiled=compiled, reason=f"{models} models, as asked")

        return lambda _: as_asked
    if device == "cuda":
        return partial(choose_on_gpu, device, num_devices)
    numbers = {group[0]: number for number, group in enumerate(groups)}

    def on_trial(run: Run) -> None:
        label = StackPlan(runs=tuple(groups[numbers[run]])).label
        on_event(SizesTried(label=label, number=numbers[run] + 1, shapes=len(groups)))

    # one chooser however many stacks train at once: it remembers what it has tried
    on_cpu = choose_on_cpu(workers, sum(map(len, groups)), Trials(trials_file()), on_trial)
    return lambda _: on_cpu
