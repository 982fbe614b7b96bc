"""On a GPU: a recorded step is the step of a CPU up to rounding, for every encoding and task, in refilled slots too.

These tests need a GPU; elsewhere they are skipped. ``scripts/test --gpu`` runs exactly these. With LENGTHWISE_GPU_TESTS=cpu they
run on a CPU, where nothing is recorded: a rehearsal that finds mistakes of the tests themselves.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pipe
from pathlib import Path

import pytest
import torch

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.errors import InvalidOptionError, TrainingFailedError
from lengthwise.experiment.engines.work import Machine
from lengthwise.experiment.engines.worker import Orders, train_stack
from lengthwise.experiment.plan import Choice, StackPlan, make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.model.shape import Shape
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.core.pool import Pool
from lengthwise.tasks.core.task import Task
from lengthwise.train.groups import TrainingRun, make_training_runs
from lengthwise.train.loop import Progress, train_runs
from lengthwise.train.precision import Precision
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

DEVICE = os.environ.get("LENGTHWISE_GPU_TESTS", "cuda")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
pytestmark = [
    pytest.mark.skipif(DEVICE == "cuda" and not torch.cuda.is_available(), reason="needs a GPU"),
    pytest.mark.filterwarnings("ignore"),  # compilers of torch warn about parts of torch
]

SHAPE = Shape(layers=2, heads=2, width=16)


def runs_of(
    task: str | Task,
    encoding: str,
    seeds: Sequence[int],
    steps: int = 40,
    rate: float = 0.01,
    longest: int = 8,
    penalties: tuple[tuple[str, float], ...] = (),
) -> list[TrainingRun]:
    return make_training_runs(
        task=find_task(task) if isinstance(task, str) else task,
        encoding=encoding,
        shape=SHAPE,
        training=Training(steps=steps, batch=32, warmup=5, evaluate_every=10, examples=64, penalties=penalties),
        bins=length_bins(longest, 2 * longest),
        seeds=seeds,
        rates=[rate] * len(seeds),
    )


def stack_on_gpu(runs: Sequence[TrainingRun], slots: int | None = None, *, compiled: bool = False) -> Stack:
    """Return an empty stack on the GPU in full precision, or a stack with these runs in its slots."""
    stack = Stack(
        runs[0].group,
        slots or len(runs),
        device=DEVICE,
        precision=Precision.FP32,
        compiled=compiled and DEVICE == "cuda",
    )
    if slots is None:
        stack.put(dict(enumerate(runs)))
    return stack


def require_same_losses(runs: list[TrainingRun], *, compiled: bool = False, steps: int = 8) -> None:
    on_cpu, on_gpu = Stack.of(runs), stack_on_gpu(runs, compiled=compiled)
    for _ in range(steps):  # the first are taken as they are, then one is recorded and the others are replayed
        torch.testing.assert_close(on_gpu.step().cpu(), on_cpu.step(), rtol=1e-3, atol=1e-4)


# A step


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_recorded_step_is_that_of_a_cpu_with_every_encoding(encoding: str) -> None:
    require_same_losses(runs_of("unique_copy" if encoding == "coupling" else "addition", encoding, [0, 1]))


@pytest.mark.parametrize("encoding", ["ape", "rope", "t5", "dynamic_bias", "cope"])
def test_a_recorded_step_is_the_step_as_it_is(encoding: str) -> None:
    runs = runs_of("TOMITA_4", encoding, [0, 1])
    recorded, plain = stack_on_gpu(runs), stack_on_gpu(runs)
    plain._advance = plain._step
    for _ in range(10):
        torch.testing.assert_close(recorded.step(), plain.step(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("task", ["bin_majority", "parity", "TOMITA_4", "(aa)*", "states(PARITY)", "sort"])
def test_a_recorded_step_is_that_of_a_cpu_with_every_kind_of_task(task: str) -> None:
    require_same_losses(runs_of(task, "ape", [0, 1]))


def first_runs_of(name: str) -> list[TrainingRun]:
    """Return two runs of a family's usual task, with the shortest training lengths that it has instances of."""
    for longest in (8, 16, 32, 64):
        try:
            return runs_of(TASKS[name](), "nope", [0, 1], longest=longest)
        except InvalidOptionError:
            continue
    raise AssertionError(f"{name} has no short instances")


@pytest.mark.parametrize("name", TASKS)
def test_every_task_takes_a_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lengthwise.train.ring.Pool", partial(Pool, per_length=8))
    runs = first_runs_of(name)
    if not runs[0].task.host_only:
        require_same_losses(runs, steps=2)
        return
    stack = stack_on_gpu(runs)
    for _ in range(2):
        assert stack.step().isfinite().all()


@pytest.mark.parametrize("penalty", ["positional", "key_query_norm", "value_nuclear"])
def test_a_recorded_step_with_a_penalty_is_that_of_a_cpu(penalty: str) -> None:
    require_same_losses(runs_of("TOMITA_4", "ape", [0, 1], penalties=((penalty, 0.1),)))


@needs_gpu
@pytest.mark.parametrize("encoding", ["nope", "ape", "rope", "alibi", "dynamic_bias"])
def test_a_compiled_step_is_that_of_a_cpu(encoding: str) -> None:
    require_same_losses([*runs_of("TOMITA_4", encoding, [0, 1]), *runs_of("(aa)*", encoding, [5])], compiled=True)


def test_training_in_half_precision_learns() -> None:
    runs = runs_of("bin_majority", "ape", [0, 1, 2], steps=200, rate=0.003)
    stack = Stack.of(runs, device=DEVICE, compiled=False)
    losses = [stack.step().mean().item() for _ in range(200)]
    assert sum(losses[-20:]) < 0.5 * sum(losses[:20])


# What is made one by one


@pytest.mark.parametrize("task", ["listops", "sudoku_row"])
def test_a_pool_gives_the_same_instances_on_a_gpu(task: str) -> None:
    made = find_task(task)
    lengths = made.lengths(1, 16)
    batches = []
    for xp in (torch_arrays(DEVICE), numpy_arrays()):
        pool = Pool(made, lengths, xp, per_length=16)
        draw = open_stream(DATA, seed=[3, 4], xp=xp)
        batches.append(pool.sample(draw, xp.asarray([lengths[0], lengths[-1]] * 4), lengths[-1], xp))
    on_gpu, on_cpu = batches
    for name in ("tokens_MBL", "targets_MBL", "sizes_MB", "scale_MB"):
        assert torch.equal(getattr(on_gpu, name).cpu(), torch.as_tensor(getattr(on_cpu, name))), name


# Slots


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_gpu)])
def test_runs_in_refilled_slots_come_out_as_they_do_alone(compiled: bool) -> None:
    runs = [
        *runs_of("TOMITA_1", "ape", [0, 1], rate=0.03),
        *runs_of("(aa)*", "ape", [0]),
        *runs_of("D_3", "ape", [2], 25),
    ]
    together = train_runs(stack_on_gpu(runs, 2, compiled=compiled), runs)
    for run, found in zip(runs, together, strict=True):
        (alone,) = train_runs(stack_on_gpu([run], 1), [run])
        assert [step for step, _ in found.losses] == [step for step, _ in alone.losses]
        assert [loss for _, loss in found.losses] == pytest.approx([loss for _, loss in alone.losses], rel=0.02)


class CutOffError(Exception):
    """Stands for whatever ends a process."""


def test_a_stack_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    runs = [*runs_of("TOMITA_4", "rope", [0, 1]), *runs_of("(aa)*", "rope", [0])]

    def cut(progress: Progress) -> None:
        if progress.done:
            raise CutOffError

    whole = train_runs(stack_on_gpu(runs, 2), runs)
    with pytest.raises(CutOffError):
        train_runs(stack_on_gpu(runs, 2), runs, cut, checkpoint=tmp_path / "stack.safetensors")
    resumed = train_runs(stack_on_gpu(runs, 2), runs, checkpoint=tmp_path / "stack.safetensors")
    for one, two in zip(whole, resumed, strict=True):
        assert [loss for _, loss in one.losses] == pytest.approx([loss for _, loss in two.losses], rel=0.02)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_gpu)])
def test_runs_go_on_in_a_smaller_stack(compiled: bool) -> None:
    runs = runs_of("TOMITA_4", "ape", [0, 1, 2, 3])
    large = stack_on_gpu(runs, compiled=compiled)
    large.advance(10)
    large.clear([0, 2])
    small = large.moved([1, 3, 0], compiled=large.is_compiled)
    for _ in range(10):
        torch.testing.assert_close(small.step()[:2], large.step()[[1, 3]], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("task", ["TOMITA_4", "addition", "listops"])
def test_evaluation_sets_made_on_a_cpu_are_those_made_on_a_gpu(task: str) -> None:
    runs = runs_of(task, "ape", [0, 1])
    scores = []
    for host_xp in (numpy_arrays(), torch_arrays(DEVICE)):
        stack = stack_on_gpu(runs, 2)
        stack.host_xp = host_xp
        stack.put(dict(enumerate(runs)))
        stack.advance(10)
        scores.append((stack.matched(), stack.test([0, 1])))
    assert scores[0] == scores[1]


# Processes


SPEC = Spec(
    tasks=("TOMITA_1", "(aa)*"),
    encodings=("ape",),
    seeds=2,
    train_length=8,
    test_length=16,
    model=SHAPE,
    training=Training(steps=40, batch=32, evaluate_every=10, examples=64),
)


def test_an_experiment_on_a_gpu_is_stored_and_not_done_twice(tmp_path: Path) -> None:
    stacks: list[int] = []

    def run() -> tuple[int, int]:
        outcome = run_experiment(
            SPEC, tmp_path / "runs.sqlite", device=DEVICE, workers=2, on_plan=lambda plans, _: stacks.append(len(plans))
        )
        return len(outcome.results), outcome.reused

    assert run() == (4, 0)
    assert run() == (4, 4)
    assert stacks == [1, 0] if DEVICE == "cuda" else stacks[1] == 0


@needs_gpu
def test_a_stack_that_does_not_fit_says_how_many_slots_it_had() -> None:
    runs = tuple(make_runs([SPEC]))
    ours, theirs = Pipe()
    plan = StackPlan(runs=runs, choice=Choice(models=4, compiled=False, reason="a test"))
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1e-5)
    try:
        error = train_stack(Machine("cuda"), Orders("cuda", None, None), 0, plan, theirs.send)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
        ours.close()
    assert isinstance(error, TrainingFailedError)
    assert error.slots == 4
    assert "4 models of 2 tasks × ape do not fit into the memory of cuda." in str(error)
