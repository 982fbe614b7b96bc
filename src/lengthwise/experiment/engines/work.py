"""One stack of work, as every engine does it: this is where torch comes in."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..plan import StackPlan
from ..store import Result

if TYPE_CHECKING:
    from torch import Tensor

    from ...train.evaluation import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class StackProgress:
    """How far a stack is: step of steps, and the exact match on training lengths at the last evaluation."""

    stack: int
    step: int
    steps: int
    matched: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackDone:
    """A stack that has finished, with the results of its runs."""

    stack: int
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """Where checkpoints are kept, and how many seconds lie between two of a stack, at least."""

    folder: Path
    seconds: float


def checkpoint_of(plan: StackPlan, folder: str | Path) -> Path:
    """Return the checkpoint file of a stack, which depends on its runs alone."""
    return Path(folder) / f"{sha256(' '.join(run.id for run in plan.runs).encode()).hexdigest()[:16]}.safetensors"


def train_planned(
    number: int,
    plan: StackPlan,
    device: str,
    report: Callable[[StackProgress], None] = lambda _: None,
    *,
    checkpoints: Checkpoints | None = None,
    models: Path | None = None,
) -> StackDone:
    """Train one stack in this process, from its checkpoint if there is one; keep its models in a folder, if one is named."""
    from ...train.loop import train_stack
    from ..models import save_model
    from ..provenance import provenance
    from ..stacks import stack_of

    def keep(number: int, weights: dict[str, Tensor]) -> None:
        if models is not None:
            save_model(plan.runs[number], weights, models)

    stack = stack_of(plan.runs, device=device, compiled=plan.choice.compiled)
    trained = train_stack(
        stack,
        lambda now: report(StackProgress(stack=number, step=now.step, steps=now.steps, matched=now.matched)),
        checkpoint=None if checkpoints is None else checkpoint_of(plan, checkpoints.folder),
        seconds_per_checkpoint=0.0 if checkpoints is None else checkpoints.seconds,
        keep=None if models is None else keep,
    )
    precision, is_compiled = str(stack.precision), stack.is_compiled
    del stack  # its programs hold on to it; its memory is needed for the next one
    gc.collect()
    origin = provenance(device) | {
        "models_in_stack": len(plan.runs),
        "precision": precision,
        "compiled": is_compiled,
        "stacking": plan.choice.reason,
    }
    results = [
        Result(
            id=run.id,
            task=run.task,
            encoding=run.encoding,
            seed=run.seed,
            learning_rate=run.learning_rate,
            settings=run.settings,
            steps=outcome.steps,
            seconds=outcome.seconds,
            losses=outcome.losses,
            provenance=origin,
            scores=_as_rows(outcome.scores),
            hard={kind: _as_rows(scores) for kind, scores in outcome.hard.items()},
        )
        for run, outcome in zip(plan.runs, trained, strict=True)
    ]
    return StackDone(stack=number, results=tuple(results))


def _as_rows(scores: Iterable[Score]) -> tuple[tuple[int, int, int], ...]:
    return tuple((score.length, score.examples, score.matches) for score in scores)
