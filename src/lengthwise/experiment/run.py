"""Running an experiment: plan, skip what is finished, train the rest, record each stack as it finishes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ..encodings.core.choice import encoding_files, find_encoding
from ..errors import InvalidOptionError, UnreadableFileError, check_number
from ..extras import require_extra
from ..files import DRAFT_MARK
from . import DEFAULT_STORE
from .descriptions import Description, add_audits, describe_cells
from .engines.work import Checkpoints, Event, Notice, RunsDone, SizesTried, StackDone, checkpoint_of, slots_begun
from .interrupts import interrupts_deferred
from .models import model_path, models_folder
from .plan import Choice, Run, StackPlan, cut_group, join_groups, longest_first, make_groups
from .sizing import Chooser, choose_on_cpu, choose_on_gpu, is_worth_compiling
from .spec import Spec
from .store import Result, Store, open_store
from .trials import Trials, trials_file

SECONDS_PER_CHECKPOINT = 30.0

_MOST_WAVES = 64  # runs for each slot of a stack: what a checkpoint holds of finished ones stays small
_WAVES_ON_CPU = 4
_TRIES_TO_SAVE = 5  # at the end, a second apart, when a store cannot be written: somebody may be making room


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
    on_event: Callable[[Event], None] = lambda _: None,
) -> Outcome:
    """Train what is not in the store yet; return the results of all runs of the specs.

    Interrupted at any moment, it loses at most what came after the last checkpoints; run again, it does only what is
    missing. ``device`` is "cpu" or "cuda"; by default a GPU if there is one. How many models train together is chosen by
    memory or by a short trial, kept in the user's cache, unless ``models_per_stack`` says it. Checkpoints of long runs lie
    in a folder beside the store; with ``keep`` the trained models lie in another, and a run whose model is not there is
    trained again.
    """
    if workers is not None:
        check_number("workers", workers, int, 1, 1000)
    if models_per_stack is not None:
        check_number("models per stack", models_per_stack, int, 1, 100_000)
    if device not in (None, "cpu", "cuda"):
        raise InvalidOptionError(
            f"device must be cpu or cuda; found {device!r}.", hint="leave it out to choose automatically."
        )
    check_number("seconds per checkpoint", seconds_per_checkpoint, float, 0, 10**6)
    groups = [group for spec in ([specs] if isinstance(specs, Spec) else specs) for group in make_groups(spec)]
    runs = tuple(dict.fromkeys(run for group in groups for run in group))
    described = describe_cells(runs)
    _require_torch_unless_finished(runs, store)
    with open_store(store) as opened:
        models = models_folder(store) if keep else None
        known = opened.descriptions()
        described = {key: _with_audit(description, known.get(key)) for key, description in described.items()}
        finished = {result.id for result in opened.results()}
        if models is not None:
            finished = {run_id for run_id in finished if model_path(models, run_id).is_file()}
        missing = _missing(groups, finished)
        checkpoints = Path(f"{store}.checkpoints")
        stacks: list[StackPlan] = []
        if missing:
            require_extra("training")
            _try_user_encodings({run.encoding for group in missing for run in group})
            from .engines.local import choose_device, count_devices, default_workers, train_locally

            chosen = choose_device(device)
            num_workers = workers or default_workers(chosen)
            if models_per_stack is None:
                stacks = _begun_before(runs, finished, opened.planned(), checkpoints, chosen)
            begun = {run.id for stack in stacks for run in stack.runs}
            fresh = join_groups(_missing(missing, begun))
            parts = min(num_workers, count_devices(chosen))
            waves = _MOST_WAVES if chosen == "cuda" else _WAVES_ON_CPU
            stacks += _cut_groups(
                fresh,
                _chooser(chosen, num_workers, fresh, models_per_stack, on_event),
                lambda group, choice: cut_group(group, choice, workers=parts, waves=waves),
                begun=len(stacks),
                workers=num_workers,
            )
        opened.save_plan(stacks, described)
        reused = sum(run.id in finished for run in runs)
        stacks = longest_first(stacks)
        on_plan(stacks, reused)
        audits = _Audits(described, runs, known, lambda text: on_event(Notice(text=text)))
        if stacks:
            saving = Checkpoints(folder=checkpoints, seconds=seconds_per_checkpoint)
            recorder = _Recorder(opened, again=keep, on_notice=on_event)
            training = train_locally(stacks, workers=num_workers, device=chosen, checkpoints=saving, models=models)
            with recorder, closing(training) as events:
                for event in events:
                    if isinstance(event, RunsDone):
                        recorder.record(event.results)
                    elif isinstance(event, StackDone):
                        recorder.record((), checkpoint_of(stacks[event.stack], checkpoints))
                    on_event(event)
            _tidy(checkpoints)
        opened.save_plan((), audits.wait())
        return Outcome(runs=runs, results=tuple(opened.results_of(runs)), reused=reused)


def _with_audit(description: Description, known: Description | None) -> Description:
    """Return a description with the audit that is known of it, if there is one."""
    is_same = known is not None and known.bins == description.bins
    return replace(description, audit=known.audit) if known is not None and is_same else description


class _Audits:
    """Looks for shortcuts in tasks while other processes train, in a thread of its own: many tasks take many seconds."""

    def __init__(
        self,
        described: dict[str, Description],
        runs: Sequence[Run],
        known: dict[str, Description],
        tell: Callable[[str], None],
    ) -> None:
        self._made: dict[str, Description] = {}
        self._error: BaseException | None = None

        def make() -> None:
            try:
                self._made = add_audits(described, runs, known, tell)
            except BaseException as error:  # raised where somebody waits for it
                self._error = error

        self._thread = threading.Thread(target=make, daemon=True)  # an interrupt does not wait for it
        self._thread.start()

    def wait(self) -> dict[str, Description]:
        """Return the descriptions with their audits."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made


class _Recorder:
    """Saves finished runs; what cannot be saved is kept in memory and tried again, so that training can go on."""

    def __init__(self, store: Store, *, again: bool, on_notice: Callable[[Notice], None]) -> None:
        self._store = store
        self._again = again
        self._on_notice = on_notice
        self._waiting: list[tuple[tuple[Result, ...], Path | None]] = []

    def __enter__(self) -> _Recorder:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Save what is still waiting, also after an error, which stays the one that is raised."""
        try:
            self.finish()
        except UnreadableFileError as unsaved:
            if error is None:
                raise
            self._on_notice(Notice(text=unsaved.message))

    def record(self, results: tuple[Result, ...], checkpoint: Path | None = None) -> None:
        """Save results; then remove the checkpoint of a stack that has finished, which stays until they are safe."""
        self._waiting.append((results, checkpoint))
        try:
            self._save()
        except UnreadableFileError as error:
            number = sum(len(waiting) for waiting, _ in self._waiting)
            self._on_notice(Notice(text=f"{error.message} {number} finished runs are kept in memory and saved later."))

    def finish(self) -> None:
        """Save what is still waiting; raise if that cannot be done."""
        for left in reversed(range(_TRIES_TO_SAVE)):
            try:
                self._save()
                return
            except UnreadableFileError as error:
                if not left:
                    number = sum(len(waiting) for waiting, _ in self._waiting)
                    raise UnreadableFileError(
                        f"{number} finished runs could not be saved. {error.message}", hint=error.hint
                    ) from None
            time.sleep(1)

    def _save(self) -> None:
        while self._waiting:
            results, checkpoint = self._waiting[0]
            with interrupts_deferred():
                self._store.save(results, again=self._again)
                del self._waiting[0]
            if checkpoint is not None:
                with suppress(OSError):
                    checkpoint.unlink(missing_ok=True)


def _try_user_encodings(names: Iterable[str]) -> None:
    """Raise for an encoding in a user's file that does not work, before anything is trained with it."""
    for name in sorted(name for name in names if encoding_files(name)):
        from ..encodings.user.probe import require_sound

        require_sound(find_encoding(name))


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
    runs: Iterable[Run], finished: set[str], planned: Iterable[Sequence[str]], checkpoints: Path, device: str
) -> list[StackPlan]:
    """Return the stacks that were cut off in training and have left a checkpoint, with the members they had."""
    known = {run.id: run for run in runs}
    again: list[StackPlan] = []
    taken: set[str] = set()
    for members in planned:
        missing = [member for member in members if member not in finished]
        if not missing or taken.intersection(members) or not all(member in known for member in members):
            continue
        plan = StackPlan(
            runs=tuple(known[member] for member in members), finished=frozenset(finished.intersection(members))
        )
        slots = slots_begun(checkpoint_of(plan, checkpoints), device)
        if slots is not None:
            compiled = device == "cuda" and is_worth_compiling(plan.runs[0], len(missing))[0]
            choice = Choice(models=slots, compiled=compiled, reason=f"{slots} models, as they were begun before")
            again.append(replace(plan, choice=choice))
            taken.update(members)
    return again


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
        return partial(choose_on_gpu, device)
    numbers = {group[0]: number for number, group in enumerate(groups)}

    def on_trial(run: Run) -> None:
        label = StackPlan(runs=tuple(groups[numbers[run]])).label
        on_event(SizesTried(label=label, number=numbers[run] + 1, shapes=len(groups)))

    # one chooser however many stacks train at once: it remembers what it has tried
    on_cpu = choose_on_cpu(workers, sum(map(len, groups)), Trials(trials_file()), on_trial)
    return lambda _: on_cpu


def _tidy(checkpoints: Path) -> None:
    """Remove what a killed process left half written, and the folder if nothing else is in it."""
    if checkpoints.is_dir():
        with suppress(OSError):
            for half in checkpoints.glob(f".*{DRAFT_MARK}*"):
                half.unlink(missing_ok=True)
            if not any(checkpoints.iterdir()):
                checkpoints.rmdir()


def _require_torch_unless_finished(runs: Sequence[Run], store: str | Path) -> None:
    """Raise if torch is missing, before an empty store is made for nothing."""
    if not Path(store).exists() and runs:
        require_extra("training")
