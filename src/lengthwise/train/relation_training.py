"""Transformers that are told which relations a task reads, trained beside the table of a search: do they extrapolate?

Ours; the frame is our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from ..model.shape import Shape
from ..tasks.core.lengths import LengthRange
from ..tasks.core.task import Task
from .groups import make_training_runs
from .settings import Training
from .stack import Stack

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """How a transformer with given relations does: for each seed the steps it took, and the share of instances by scale."""

    encoding: str
    fitted: tuple[float, ...]
    steps: int
    shares: tuple[dict[int, float], ...]
    seconds: float

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data."""
        return {
            "encoding": self.encoding,
            "fitted": [round(share, 6) for share in self.fitted],
            "steps": self.steps,
            "exact_match": [{str(scale): round(share, 6) for scale, share in told.items()} for told in self.shares],
            "seconds": round(self.seconds, 1),
        }


def train_with(
    task: Task,
    encoding: str,
    *,
    scales: int = 12,
    tested: Sequence[int] = (),
    layers: int = 1,
    heads: int = 2,
    width: int = 32,
    steps: int = 1500,
    rate: float = 3e-3,
    seeds: Sequence[int] = (0,),
    device: str = "cpu",
    report: Report | None = None,
) -> Trained:
    """Train transformers with an encoding on scales up to ``scales`` until all fit or the steps end; return how they do by scale."""
    started = monotonic()
    bins = [LengthRange(low=1, high=scales), *(LengthRange(low=scale, high=scale) for scale in tested)]
    training = Training(steps=steps, batch=32, warmup=min(50, steps), examples=200)
    runs = make_training_runs(
        task=task,
        encoding=encoding,
        shape=Shape(layers=layers, heads=heads, width=width),
        training=training,
        bins=bins,
        seeds=list(seeds),
        rates=[rate] * len(seeds),
    )
    stack = Stack.of(runs, device=device)
    taken, fitted = 0, [0.0] * len(seeds)
    while taken < steps:
        stack.advance(min(250, steps - taken))
        taken = stack.tick
        fitted = list(stack.matched().values())
        if report:
            report(
                f"step {taken}: loss {float(stack.losses_M.mean()):.3f}, fitted {', '.join(f'{each:.2f}' for each in fitted)}"
            )
        if min(fitted) == 1.0 and taken >= steps // 2:
            break
    asked = {max(task.lengths(1, scales)), *tested}
    shares = tuple(
        {score.length: score.matches / score.examples for score in tested.scores if score.length in asked}
        for tested in stack.test(range(len(seeds))).values()
    )
    return Trained(encoding=encoding, fitted=tuple(fitted), steps=taken, shares=shares, seconds=monotonic() - started)
