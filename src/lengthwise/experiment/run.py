"""Running an experiment: plan, skip what is finished, train the rest, record each stack as it finishes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import UnreadableFileError, check_number
from ..extras import require_extra
from ..files import DRAFT_MARK
from . import DEFAULT_STORE
from .descriptions import Description, add_audits, describe_cells
from .engines.engine import Engine
from .engines.local import Local
from .engines.work import Checkpoints, Event, Notice, RunsDone, StackDone, checkpoint_of
from .interrupts import interrupts_deferred
from .models import model_path, models_folder
from .plan import Run, StackPlan, make_groups
from .progress_file import ProgressFile
from .spec import Spec
from .store import Result, Store, open_store
from .workload import check_options, plan_work, without_known

SECONDS_PER_CHECKPOINT = 30.0

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
    engine: Engine = Local(),  # noqa: B008  # it is frozen
    on_plan: Callable[[list[StackPlan], int], None] = lambda _stacks, _reused: None,
    on_event: Callable[[Event], None] = lambda _: None,
) -> Outcome:
    """Train what is not in the store yet; return the results of all runs of the specs.

    Interrupted at any moment, it loses at most what came after the last checkpoints; run again, it does only what is
    missing. ``device`` is "cpu" or "cuda"; by default a GPU if there is one. How many models train together is chosen by
    memory or by a short trial, kept in the user's cache, unless ``models_per_stack`` says it. Checkpoints of long runs lie
    in a folder beside the store; with ``keep`` the trained models lie in another, and a run whose model is not there is
    trained again. The ``engine`` says where: on this machine unless it is a
    :class:`~lengthwise.experiment.engines.slurm.Slurm` or a :class:`~lengthwise.experiment.engines.ray.Ray`.
    """
    check_options(workers, device, models_per_stack)
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
        missing = without_known(groups, finished)
        checkpoints = engine.checkpoints_of(Path(store))
        planned = opened.planned() if models_per_stack is None else ()
        work = plan_work(
            missing, runs, finished, planned, checkpoints, engine, workers, device, models_per_stack, on_event
        )
        stacks = work.stacks
        opened.save_plan(stacks, described)
        reused = sum(run.id in finished for run in runs)
        on_plan(stacks, reused)
        audits = _Audits(described, runs, known, lambda text: on_event(Notice(text=text)))
        if stacks:
            saving = Checkpoints(folder=checkpoints, seconds=seconds_per_checkpoint)
            recorder = _Recorder(opened, again=keep, on_notice=on_event)
            training = engine.train(
                stacks,
                store=Path(store),
                workers=work.workers,
                device=work.device,
                checkpoints=saving,
                models=models,
            )
            with recorder, ProgressFile(store, stacks) as progress, closing(training) as events:
                for event in events:
                    progress.note(event)
                    if isinstance(event, RunsDone):
                        recorder.record(event.results)
                    elif isinstance(event, StackDone):
                        recorder.record((), (checkpoint_of(stacks[event.stack], checkpoints), *event.leftovers))
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
        self._waiting: list[tuple[tuple[Result, ...], Sequence[Path]]] = []

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

    def record(self, results: tuple[Result, ...], leftovers: Sequence[Path] = ()) -> None:
        """Save results; then remove files of a stack that has finished, which stay until they are safe."""
        self._waiting.append((results, leftovers))
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
            results, leftovers = self._waiting[0]
            with interrupts_deferred():
                self._store.save(results, again=self._again)
                del self._waiting[0]
            for file in leftovers:
                with suppress(OSError):
                    file.unlink(missing_ok=True)


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
