"""Checkpoints: training that was cut off and resumed comes out as if it had not been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from processes import wait_until
from spec_files import TINY, dump_spec
from stack_steps import train_all

from lengthwise.errors import InvalidOptionError, TrainingFailedError
from lengthwise.experiment.engines.local import Local
from lengthwise.experiment.engines.work import checkpoint_of
from lengthwise.experiment.models import models_folder
from lengthwise.experiment.plan import DEFAULT_CHOICE, Choice, Run, StackPlan, cut_group, make_groups, make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.sizing import bytes_per_model
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of, training_runs
from lengthwise.experiment.store import open_store
from lengthwise.experiment.workload import _cut_groups
from lengthwise.model.shape import Shape
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.train.checkpoints import read_checkpoint, read_notes, write_checkpoint
from lengthwise.train.groups import make_training_runs
from lengthwise.train.loop import Progress, Trained, _resume, _State
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


TRAINING = Training(steps=120, batch=32, warmup=10, evaluate_every=20, examples=64)


def make_stack() -> Stack:
    """One model that stops early, one that never fits, one in between."""
    return Stack.of(
        make_training_runs(
            task=find_task("TOMITA_1"),
            encoding="ape",
            shape=Shape(layers=1, heads=1, width=16),
            training=TRAINING,
            bins=length_bins(8, 16),
            seeds=[0, 1, 2],
            rates=[0.03, 1e-6, 0.004],
        )
    )


class CutOffError(Exception):
    """Stands for whatever ends a process."""


def results_of(trained: list[Trained]) -> list[tuple[object, ...]]:
    return [(each.scores, each.losses, each.steps) for each in trained]


@pytest.mark.parametrize(
    "at", [20, pytest.param(60, marks=pytest.mark.full), pytest.param(100, marks=pytest.mark.full)]
)
def test_a_resumed_stack_comes_out_as_one_that_was_not_cut_off(at: int, tmp_path: Path) -> None:
    whole = train_all(make_stack())
    assert whole[0].steps < whole[1].steps == 120
    file = tmp_path / "folder" / "stack.safetensors"
    cut_at: list[int] = []  # progress is reported every 20 steps

    def cut(progress: Progress) -> None:
        cut_at.append(progress.step)
        if 20 * len(cut_at) > at:
            raise CutOffError

    with pytest.raises(CutOffError):
        train_all(make_stack(), cut, checkpoint=file, seconds_per_checkpoint=0)
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    found = read_checkpoint(file, "cpu")
    assert found is not None
    assert found[1]["tick"] == at
    assert read_notes(file) == found[1]
    seen: list[int] = []
    resumed = train_all(make_stack(), lambda now: seen.append(now.step), checkpoint=file, seconds_per_checkpoint=0)
    assert seen[0] == cut_at[-1] > cut_at[-2]
    assert results_of(resumed) == results_of(whole)


def test_checkpoints_are_not_written_more_often_than_asked(tmp_path: Path) -> None:
    file = tmp_path / "stack.safetensors"
    train_all(make_stack(), checkpoint=file, seconds_per_checkpoint=1000)
    assert not file.exists()


@pytest.mark.parametrize("content", [b"", b"not a checkpoint at all", b"\x10" + b"\0" * 7 + b'{"a": 1}        '])
def test_a_file_that_is_no_checkpoint_is_as_good_as_none(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "stack.safetensors"
    file.write_bytes(content)
    assert read_checkpoint(file, "cpu") is None
    assert read_notes(file) == {}
    stack = make_stack()
    assert _resume(stack, _State.begin(3, 3), list(stack.runs.values()), file) is stack
    assert torch.equal(stack.step(), make_stack().step())


def test_a_checkpoint_holds_tensors_and_notes(tmp_path: Path) -> None:
    file = tmp_path / "stack.safetensors"
    tensor = torch.arange(6.0).reshape(2, 3).T  # not contiguous
    write_checkpoint(file, {"one": tensor}, {"step": 3, "losses": [[1, 0.1]]})
    found = read_checkpoint(file, "cpu")
    assert found is not None
    assert torch.equal(found[0]["one"], tensor)
    assert found[1] == {"step": 3, "losses": [[1, 0.1]]}
    assert read_checkpoint(tmp_path / "nothing", "cpu") is None


# In experiments

SPEC = replace(
    TINY,
    tasks=("repeat_copy",),
    train_length=6,
    test_length=12,
    model=Shape(layers=1, heads=1, width=16),
    training=replace(TINY.training, steps=600, warmup=10),
)
DRIVER = """
import sys
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.grid import load_specs
run_experiment(load_specs(sys.argv[1]), sys.argv[2], workers=1, device="cpu", seconds_per_checkpoint=0)
"""


def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:

    spec, store = tmp_path / "spec.toml", tmp_path / "runs.sqlite"
    spec.write_text(dump_spec(SPEC), encoding="utf-8")
    (plan,) = cut_group(make_groups(SPEC)[0], DEFAULT_CHOICE)
    file = checkpoint_of(plan, f"{store}.checkpoints")
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(spec), str(store)])
    wait_until(file.exists, "the first checkpoint")
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    found = read_checkpoint(file, "cpu")
    assert found is not None
    assert found[1]["tick"] >= 20
    steps: list[int] = []
    outcome = run_experiment(
        SPEC,
        store,
        workers=1,
        device="cpu",
        on_event=lambda event: steps.append(event.step) if hasattr(event, "step") else None,
    )
    assert steps[0] > 20, "it should not begin anew"
    fresh = run_experiment(SPEC, tmp_path / "fresh.sqlite", workers=1, device="cpu")
    for one, two in zip(outcome.results, fresh.results, strict=True):
        assert (one.id, one.scores, one.losses, one.steps) == (two.id, two.scores, two.losses, two.steps)
    assert not file.parent.exists(), "finished work needs no checkpoint"


BRIEF = replace(TINY, seeds=5, training=Training(steps=40, batch=32, evaluate_every=20, examples=16))


def leave_a_checkpoint(plan: StackPlan, store: Path) -> None:
    """Plan a stack, train it for a while and leave it, as a killed process does."""

    def cut(progress: Progress) -> None:
        if progress.slot_steps > 20 * len(plan.runs):
            raise CutOffError

    with open_store(store) as opened:
        opened.save_plan([plan])
    stack = stack_of(plan.runs)
    with pytest.raises(CutOffError):
        train_all(stack, cut, checkpoint=checkpoint_of(plan, f"{store}.checkpoints"))


@pytest.mark.full
@pytest.mark.parametrize(("asked", "sizes"), [(None, [2, 3]), (1, [1, 4])])
def test_a_stack_that_was_begun_goes_on_with_its_members_unless_a_size_is_asked_for(
    asked: int | None, sizes: list[int], tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    (group,) = make_groups(BRIEF)
    leave_a_checkpoint(StackPlan(runs=(group[4], group[0], group[2])), store)
    stacks: list[StackPlan] = []
    outcome = run_experiment(
        BRIEF, store, workers=1, device="cpu", models_per_stack=asked, on_plan=lambda plan, _: stacks.extend(plan)
    )
    assert sorted(len(stack.runs) for stack in stacks) == sizes
    assert asked is None or {stack.choice.models for stack in stacks} == {asked}
    begun = [result for result in outcome.results if result.provenance["models_in_stack"] == 3]
    assert {result.provenance["stacking"] for result in begun} <= {"3 models, as they were begun before"}
    fresh = run_experiment(BRIEF, tmp_path / "fresh.sqlite", workers=1, device="cpu")
    assert sorted((each.id, each.scores, each.losses) for each in outcome.results) == sorted(
        (each.id, each.scores, each.losses) for each in fresh.results
    )


def leave_a_stack_with_one_run_done(store: Path) -> tuple[list[Spec], StackPlan]:
    """Leave the checkpoint of a stack of two slots, in which the shorter run is done."""
    specs = [replace(BRIEF, seeds=1, training=replace(BRIEF.training, steps=steps)) for steps in (20, 40)]
    plan = StackPlan(runs=tuple(make_runs(specs)))
    leave_a_checkpoint(plan, store)
    notes = read_notes(checkpoint_of(plan, f"{store}.checkpoints"))
    assert (notes["num_slots"], list(notes["results"]), list(notes["slots"])) == (2, ["0"], ["1"])
    return specs, plan


@pytest.mark.full
def test_a_run_that_was_done_before_models_were_kept_is_trained_again(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    specs, plan = leave_a_stack_with_one_run_done(store)
    outcome = run_experiment(specs, store, workers=1, device="cpu", keep=True)
    assert {path.stem for path in models_folder(store).iterdir()} == {run.id for run in plan.runs}
    fresh = run_experiment(specs, tmp_path / "fresh.sqlite", workers=1, device="cpu")
    assert [(result.scores, result.losses) for result in outcome.results] == [
        (result.scores, result.losses) for result in fresh.results
    ]


def test_a_stack_that_was_begun_has_the_slots_of_its_checkpoint_on_the_same_kind_of_device(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    _, plan = leave_a_stack_with_one_run_done(store)
    planned, folder = [[run.id for run in plan.runs]], Path(f"{store}.checkpoints")
    (again,) = Local().begun_before(plan.runs, {plan.runs[0].id}, planned, folder, "cpu")
    assert again.choice.models == 2
    assert again.finished == {plan.runs[0].id}
    assert Local().begun_before(plan.runs, set(), planned, folder, "cuda") == [], "trained in another precision"


def test_a_task_that_changes_after_it_was_planned_is_not_trained_under_the_old_id() -> None:
    (run,) = make_runs([replace(BRIEF, seeds=1)])
    assert training_runs([run])
    with pytest.raises(TrainingFailedError, match="bin_majority has changed since its runs were planned"):
        training_runs([run, replace(run, task_revision=run.task_revision + 1)])


def test_a_stack_that_was_only_planned_is_planned_anew(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    (group,) = make_groups(BRIEF)
    with open_store(store) as opened:
        opened.save_plan(cut_group(group, Choice(models=1, compiled=False, reason="once")))
    stacks: list[StackPlan] = []
    run_experiment(BRIEF, store, workers=1, device="cpu", on_plan=lambda plan, _: stacks.extend(plan))
    assert [len(stack.runs) for stack in stacks] == [5]


@pytest.mark.full
def test_a_run_of_two_specs_is_trained_once(tmp_path: Path) -> None:
    outcome = run_experiment([replace(BRIEF, seeds=2), replace(BRIEF, seeds=3)], tmp_path / "runs.sqlite", device="cpu")
    assert [result.seed for result in outcome.results] == [0, 1, 2]


@pytest.mark.parametrize(
    "change",
    [
        lambda _tensors, notes: notes.clear(),
        lambda _tensors, notes: notes.update(precision="bf16"),
        lambda tensors, _notes: tensors.pop("means"),
        lambda tensors, _notes: tensors.update(extra=torch.zeros(3)),
        lambda tensors, _notes: tensors.update(means=torch.zeros(2)),
    ],
)
def test_a_checkpoint_of_something_else_is_as_good_as_none(change: Callable[..., object], tmp_path: Path) -> None:
    file = tmp_path / "stack.safetensors"

    def cut(progress: Progress) -> None:
        if progress.slot_steps > 3 * 20:
            raise CutOffError

    with pytest.raises(CutOffError):
        train_all(make_stack(), cut, checkpoint=file)
    found = read_checkpoint(file, "cpu")
    assert found is not None
    stack, state = make_stack(), _State.begin(3, 3)
    runs = list(stack.runs.values())
    _resume(stack, state, runs, file)
    assert state.tick == 20
    change(*found)
    write_checkpoint(file, *found)
    stack, state = make_stack(), _State.begin(3, 3)
    assert _resume(stack, state, runs, file) is stack
    assert state == _State.begin(3, 3)
    assert torch.equal(stack.step(), make_stack().step())


def test_a_stack_that_is_compiled_keeps_its_size_and_comes_out_the_same(tmp_path: Path) -> None:
    """Slots that are empty at the end cost less than a smaller program, as long as they are few."""
    whole = results_of(train_all(make_stack()))
    file = tmp_path / "stack.safetensors"

    def cut(progress: Progress) -> None:
        if progress.slot_steps > 3 * 100:
            raise CutOffError

    stack = make_stack()
    stack.is_compiled = True
    with pytest.raises(CutOffError):
        train_all(stack, cut, checkpoint=file)
    found = read_checkpoint(file, "cpu")
    assert found is not None
    assert found[1]["num_slots"] == 3
    assert len(found[1]["slots"]) < 3
    again = make_stack()
    again.is_compiled = True
    assert results_of(train_all(again, checkpoint=file)) == whole


def test_what_cannot_be_trained_is_found_before_anything_is(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with pytest.raises(
        InvalidOptionError, match="the penalty 'positional' acts on a table of positions, and 'nope' has none"
    ):
        run_experiment(replace(BRIEF, training=replace(BRIEF.training, penalties=(("positional", 0.1),))), store)
    tied = replace(BRIEF, tasks=("(aa)*",), model=replace(BRIEF.model, tied=True))
    with pytest.raises(
        InvalidOptionError, match=r"a tied readout has an output for each token, but '\(aa\)\*' asks for 2"
    ):
        run_experiment(tied, store)


# How many models train together


@pytest.mark.parametrize(
    ("runs", "begun", "workers", "tried"),
    [(8, 0, 3, [1]), (6, 1, 3, [2]), (8, 1, 3, [2, 3]), (40, 0, 3, [1, 3]), (40, 0, 1, [1])],
)
def test_stacks_share_memory_with_all_that_train_at_once(runs: int, begun: int, workers: int, tried: list[int]) -> None:
    groups, seen = make_groups(replace(BRIEF, seeds=runs)), list[int]()

    def chooser(together: int) -> Callable[[Run, int], Choice]:
        seen.append(together)
        return lambda _run, _number: Choice(models=12 // together, compiled=False, reason="by memory")

    stacks = _cut_groups(groups, chooser, partial(cut_group, waves=1), begun=begun, workers=workers)
    assert seen == tried
    assert sum(len(stack.runs) for stack in stacks) == runs
    assert {stack.choice.models for stack in stacks} == {12 // tried[-1]}


def test_memory_grows_with_everything_that_takes_it() -> None:
    (group,) = make_groups(SPEC)
    base = bytes_per_model(group[0])
    wider = replace(group[0], model=Shape(layers=1, heads=1, width=32))
    deeper = replace(group[0], model=Shape(layers=3, heads=1, width=16))
    longer = replace(group[0], train_length=60, test_length=120)
    assert min(map(bytes_per_model, (wider, deeper, longer))) > base
