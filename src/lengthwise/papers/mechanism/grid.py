"""Five tasks with the verdict YES for ``ape``, each with five weights of the regularizer, with and without log n scaling."""

from __future__ import annotations

from ...experiment.spec import Spec
from ...model.shape import Shape
from ...train.settings import Training
from ..sweep import SweepCell

TASKS = {
    "majority": "counting alone: positions are not needed",
    "sort": "comparing alone: positions are not needed",
    "unique_copy": "needs a local function of positions",
    "bin_majority_interleave": "needs a periodic function of positions",
    "(aaaa)*": "needs a periodic function of positions",
}
WEIGHTS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1)
SEEDS = 16
STEPS = 30_000
TRAIN_LENGTH, TEST_LENGTH = 50, 150
LAYERS, HEADS, WIDTH = 2, 4, 64


def setting_name(weight: float, *, log_n: bool) -> str:
    """Return what a setting is called."""
    return f"weight_{weight:g}{'_log_n' if log_n else ''}"


def cells_of_task(task: str) -> list[SweepCell]:
    """Return a cell for every weight, with and without log n scaling."""
    return [
        SweepCell(
            part=task,
            task_title=task,
            task=task,
            encoding_title=setting_name(weight, log_n=log_n),
            encoding="ape",
            specs=(_spec(task, weight, log_n=log_n),),
        )
        for log_n in (False, True)
        for weight in WEIGHTS
    ]


def _spec(task: str, weight: float, *, log_n: bool) -> Spec:
    return Spec(
        tasks=(task,),
        encodings=("ape",),
        seeds=SEEDS,
        train_length=TRAIN_LENGTH,
        test_length=TEST_LENGTH,
        room=TEST_LENGTH,
        learning_rate=0.001,
        model=Shape(layers=LAYERS, heads=HEADS, width=WIDTH, log_n=log_n),
        training=Training(
            steps=STEPS,
            batch=64,
            warmup=1_000,
            evaluate_every=3_000,
            examples=2_000,
            stop_early=False,
            penalties=(("positional", weight),) if weight else (),
        ),
    )
