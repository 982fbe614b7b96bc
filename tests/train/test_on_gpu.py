"""On a GPU: a recorded step is the step of a CPU up to rounding, for every encoding and kind of task, in refilled slots too.

These tests need a GPU; elsewhere they are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.model.shape import Shape
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.train.groups import TrainingRun, make_training_runs
from lengthwise.train.loop import Progress, train_runs
from lengthwise.train.precision import Precision
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
    pytest.mark.filterwarnings("ignore"),  # compilers of torch warn about parts of torch
]

SHAPE = Shape(layers=2, heads=2, width=16)


def runs_of(task: str, encoding: str, seeds: list[int], steps: int = 40, rate: float = 0.01) -> list[TrainingRun]:
    return make_training_runs(
        task=find_task(task),
        encoding=encoding,
        shape=SHAPE,
        training=Training(steps=steps, batch=32, warmup=5, evaluate_every=10, examples=64),
        bins=length_bins(8, 16),
        seeds=seeds,
        rates=[rate] * len(seeds),
    )


def require_same_losses(runs: list[TrainingRun], *, compiled: bool = False, steps: int = 8) -> None:
    on_cpu = Stack.of(runs)
    on_gpu = Stack.of(runs, device="cuda", precision=Precision.FP32, compiled=compiled)
    for _ in range(steps):  # the first are taken as they are, then one is recorded and the others are replayed
        torch.testing.assert_close(on_gpu.step().cpu(), on_cpu.step(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_recorded_step_is_that_of_a_cpu_with_every_encoding(encoding: str) -> None:
    require_same_losses(runs_of("unique_copy" if encoding == "coupling" else "addition", encoding, [0, 1]))


@pytest.mark.parametrize("task", ["bin_majority", "parity", "TOMITA_4", "(aa)*", "states(PARITY)", "sort", "listops"])
def test_a_recorded_step_is_that_of_a_cpu_with_every_kind_of_task(task: str) -> None:
    if find_task(task).host_only:
        stack = Stack.of(runs_of(task, "ape", [0, 1]), device="cuda", compiled=False)
        assert stack.step().isfinite().all()
    else:
        require_same_losses(runs_of(task, "ape", [0, 1]))


@pytest.mark.parametrize("encoding", ["nope", "ape", "rope", "alibi"])
def test_a_compiled_step_is_that_of_a_cpu(encoding: str) -> None:
    require_same_losses([*runs_of("TOMITA_4", encoding, [0, 1]), *runs_of("(aa)*", encoding, [5])], compiled=True)


@pytest.mark.parametrize("compiled", [False, True])
def test_runs_in_refilled_slots_come_out_as_they_do_alone(compiled: bool) -> None:
    runs = [
        *runs_of("TOMITA_1", "ape", [0, 1], rate=0.03),
        *runs_of("(aa)*", "ape", [0]),
        *runs_of("D_3", "ape", [2], 25),
    ]
    stack = Stack(runs[0].group, 2, device="cuda", precision=Precision.FP32, compiled=compiled)
    together = train_runs(stack, runs)
    for run, found in zip(runs, together, strict=True):
        (alone,) = train_runs(Stack(run.group, 1, device="cuda", precision=Precision.FP32, compiled=False), [run])
        assert [step for step, _ in found.losses] == [step for step, _ in alone.losses]
        assert [loss for _, loss in found.losses] == pytest.approx([loss for _, loss in alone.losses], rel=0.02)


def test_a_stack_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    runs = [*runs_of("TOMITA_4", "rope", [0, 1]), *runs_of("(aa)*", "rope", [0])]

    def stack() -> Stack:
        return Stack(runs[0].group, 2, device="cuda", precision=Precision.FP32, compiled=False)

    class CutOffError(Exception):
        pass

    def cut(progress: Progress) -> None:
        if progress.done:
            raise CutOffError

    whole = train_runs(stack(), runs)
    with pytest.raises(CutOffError):
        train_runs(stack(), runs, cut, checkpoint=tmp_path / "stack.safetensors")
    resumed = train_runs(stack(), runs, checkpoint=tmp_path / "stack.safetensors")
    for one, two in zip(whole, resumed, strict=True):
        assert [loss for _, loss in one.losses] == pytest.approx([loss for _, loss in two.losses], rel=0.02)
