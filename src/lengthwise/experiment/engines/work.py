"""One stack of work, as every engine does it: this is where torch comes in."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UnreadableFileError
from ..plan import Run, StackPlan
from ..store import Result

if TYPE_CHECKING:
    from torch import Tensor

    from ...train.evaluation import Score
    from ...train.groups import Group
    from ...train.loop import Progress, Trained
    from ...train.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class StackProgress:
    """How far a stack is: steps of all its runs, runs that are done, and exact match on training lengths of those in slots.

    ``slot_steps`` counts the steps of all slots, empty ones too, ``new_steps`` those that runs took and that no checkpoint had;
    ``seconds`` are what the stack's time was spent on.
    """

    stack: int
    step: int
    steps: int
    done: int
    matched: tuple[float, ...]
    slot_steps: int = 0
    new_steps: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsDone:
    """Runs of a stack that have finished, while others go on."""

    stack: int
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackDone:
    """A stack that has finished, with the results of all runs it trained; each was in a :class:`RunsDone` before.

    ``leftovers`` are files that nobody needs once the results are saved.
    """

    stack: int
    results: tuple[Result, ...]
    leftovers: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to know that does not end the work, in a sentence."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesTried:
    """Before training on a CPU: stack sizes are being tried for one more shape, of so many that are to be trained."""

    label: str
    number: int
    shapes: int


Event = StackProgress | RunsDone | StackDone | Notice | SizesTried


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """Where checkpoints are kept, and how many seconds lie between two of a stack, at least."""

    folder: Path
    seconds: float


def checkpoint_of(plan: StackPlan, folder: str | Path) -> Path:
    """Return the checkpoint file of a stack, which depends on its runs alone."""
    return Path(folder) / f"{sha256(' '.join(run.id for run in plan.runs).encode()).hexdigest()[:16]}.safetensors"


def slots_begun(checkpoint: Path, device: str) -> int | None:
    """Return how many slots the stack in a checkpoint has; None if there is none that a device goes on with."""
    from ...train.checkpoints import read_notes
    from ...train.precision import precision_on

    notes = read_notes(checkpoint)
    slots = notes.get("num_slots")
    is_usable = isinstance(slots, int) and slots > 0 and notes.get("precision") == precision_on(device)
    return slots if is_usable else None


class Machine:
    """Trains one stack after the other in this process; a stack of the same group and size is used again as it is."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.slots = 0  # of the stack in training
        self._stack: Stack | None = None

    def train(
        self,
        number: int,
        plan: StackPlan,
        report: Callable[[Event], None] = lambda _: None,
        *,
        checkpoints: Checkpoints | None = None,
        models: Path | None = None,
    ) -> StackDone:
        """Train one stack, from its checkpoint if there is one; keep its models in a folder, if one is named."""
        from ...train.loop import train_runs
        from ..models import model_path, save_model
        from ..provenance import provenance
        from ..stacks import training_runs

        def keep(run: int, weights: dict[str, Tensor]) -> None:
            assert models is not None
            try:
                save_model(plan.runs[run], weights, models)
            except UnreadableFileError as error:  # its scores are still worth having
                report(Notice(text=f"a model of {plan.label} is not kept: {error.message}"))

        def on_failed_checkpoint(error: UnreadableFileError) -> None:
            report(Notice(text=f"training of {plan.label} goes on without a checkpoint: {error.message}"))

        def on_progress(now: Progress) -> None:
            report(
                StackProgress(
                    stack=number,
                    step=now.step,
                    steps=now.steps,
                    done=now.done,
                    matched=tuple(now.matched[run] for run in now.in_slots),
                    slot_steps=now.slot_steps,
                    new_steps=now.new_steps,
                    seconds=now.seconds,
                )
            )

        results: list[Result] = []

        def on_done(run: int, trained: Trained) -> None:
            origin = provenance(self.device) | stacking
            results.append(_result(plan.runs[run], trained, origin))
            report(RunsDone(stack=number, results=(results[-1],)))

        runs = training_runs(plan.runs)
        file = None if checkpoints is None else checkpoint_of(plan, checkpoints.folder)
        left = sum(run.id not in plan.finished for run in plan.runs)
        begun = None if file is None else slots_begun(file, self.device)
        self.slots = min(plan.choice.models, left) if begun is None else begun
        stack = self._stack_of(runs[0].group, self.slots, compiled=plan.choice.compiled)
        stacking = {
            "models_in_stack": stack.num_slots,
            "precision": str(stack.precision),
            "compiled": stack.is_compiled,
            "stacking": plan.choice.reason,
        }
        train_runs(
            stack,
            runs,
            on_progress,
            checkpoint=file,
            seconds_per_checkpoint=0.0 if checkpoints is None else checkpoints.seconds,
            keep=None if models is None else keep,
            on_done=on_done,
            on_failed_checkpoint=on_failed_checkpoint,
            finished=[place for place, run in enumerate(plan.runs) if run.id in plan.finished],
            forgotten=[]
            if models is None
            else [place for place, run in enumerate(plan.runs) if not model_path(models, run.id).is_file()],
        )
        order = {run.id: place for place, run in enumerate(plan.runs)}
        return StackDone(stack=number, results=tuple(sorted(results, key=lambda result: order[result.id])))

    def _stack_of(self, group: Group, slots: int, *, compiled: bool) -> Stack:
        from ...train.stack import Stack

        stack = self._stack
        if stack is None or (stack.group, stack.num_slots, stack.is_compiled) != (group, slots, compiled):
            self.release()
            del stack
            self._stack = Stack(group, slots, device=self.device, compiled=compiled)
        assert self._stack is not None
        return self._stack

    def release(self) -> None:
        """Let go of the stack, whose memory is needed for the next one."""
        import torch

        self._stack = None
        gc.collect()  # its programs hold on to it
        if self.device != "cpu":
            torch.cuda.empty_cache()


def train_planned(number: int, plan: StackPlan, device: str) -> StackDone:
    """Train one stack in this process."""
    return Machine(device).train(number, plan)


def _result(run: Run, trained: Trained, origin: dict[str, object]) -> Result:
    return Result(
        id=run.id,
        task=run.task,
        encoding=run.encoding,
        seed=run.seed,
        learning_rate=run.learning_rate,
        settings=run.settings,
        steps=trained.steps,
        seconds=trained.seconds,
        losses=trained.losses,
        provenance=origin,
        scores=_as_rows(trained.scores),
        fit=_as_rows(trained.fit),
        generated=_as_rows(trained.generated),
        forced=_as_rows(trained.forced),
        hard={kind: _as_rows(scores) for kind, scores in trained.hard.items()},
    )


def _as_rows(scores: Iterable[Score]) -> tuple[tuple[int, int, int], ...]:
    return tuple((score.length, score.examples, score.matches) for score in scores)
