"""Estimates of time: before an experiment from trials and from finished runs, while it runs from what it has done."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from made_results import make_plan, make_result
from spec_files import TINY

from lengthwise.experiment.engines.work import Event, RunsDone, StackDone, StackProgress
from lengthwise.experiment.estimates import Pace, StepShares, estimate_work
from lengthwise.experiment.plan import StackPlan, make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.trials import Trial, Trials
from lengthwise.experiment.workload import Work, plan_experiment

SPEC = replace(
    TINY,
    tasks=("parity", "bin_majority"),
    encodings=("nope", "ape"),
    seeds=3,
    training=replace(TINY.training, steps=1000, evaluate_every=100),
)
FIXED = replace(SPEC, tasks=("parity",), encodings=("nope",), training=replace(SPEC.training, stop_early=False))


class KnownTrials(Trials):
    """Trials that say a step of a model takes a millisecond, however many train together."""

    def find(self, _run: object, models: int, *, compiled: bool = False) -> Trial:  # type: ignore[override]
        assert not compiled
        return Trial(step=0.001 * models, set_up=0.1)


def work_of(stacks: list[StackPlan], **fields: object) -> Work:
    runs = tuple(run for stack in stacks for run in stack.runs)
    return Work(runs=runs, stacks=stacks, reused=0, **fields)  # type: ignore[arg-type]


def test_runs_stop_as_the_closest_finished_runs_did() -> None:
    runs = make_runs([SPEC])
    known = [
        make_result(run, steps={("parity", "nope"): 1000, ("parity", "ape"): 200}[run.task, run.encoding])
        for run in runs
        if run.task == "parity"
    ]
    shares = StepShares(known)
    assert shares.number == 6
    by_cell = {(run.task, run.encoding): shares.share(run) for run in runs}
    assert by_cell["parity", "nope"] == 1.0
    assert by_cell["parity", "ape"] == pytest.approx(0.2)
    assert by_cell["bin_majority", "nope"] == pytest.approx(0.6), "of this task nothing is known: the mean of all"
    assert shares.share(make_runs([FIXED])[0]) == 1.0, "it does not stop early"
    assert StepShares([]).share(runs[0]) == 0.5
    fixed = [make_result(run, steps=1000) for run in make_runs([FIXED])]
    assert StepShares(fixed).number == 0, "runs that cannot stop early say nothing about it"


def test_steps_without_early_stopping_make_the_estimate_and_the_most_equal() -> None:
    estimate = estimate_work(work_of(make_plan(FIXED)), KnownTrials())
    assert estimate.steps == 3000
    assert estimate.seconds == estimate.most == pytest.approx(4 + 0.1 + 0.001 * (3000 + 3 * 40))


def test_work_is_divided_among_the_workers() -> None:
    stacks = make_plan(FIXED) + make_plan(replace(FIXED, encodings=("ape",)))
    seconds = [estimate_work(work_of(stacks, workers=number), KnownTrials()).seconds - 4 for number in (1, 2, 5)]
    assert seconds[0] == pytest.approx(2 * seconds[1])
    assert seconds[2] == pytest.approx(seconds[1]), "a stack is not divided"


def test_what_is_finished_needs_no_time() -> None:
    (stack,) = make_plan(FIXED)
    half = replace(stack, finished=frozenset(run.id for run in stack.runs[:2]))
    assert estimate_work(work_of([half]), KnownTrials()).steps == 1000
    nothing = estimate_work(work_of([]), KnownTrials())
    assert (nothing.seconds, nothing.most, nothing.steps) == (0, 0, 0)


# While it runs


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_what_the_rest_takes_at_the_speed_so_far() -> None:
    clock = Clock()
    (stack,) = make_plan(FIXED)
    pace = Pace([stack], clock)
    assert (pace.share, pace.runs_done, pace.seconds_left) == (0.0, 0, None)
    clock.now += 10
    pace.note(StackProgress(stack=0, step=600, steps=3000, done=0, matched=(), new_steps=600))
    assert pace.share == pytest.approx(0.2)
    assert pace.speed == pytest.approx(60)
    assert pace.seconds_left == pytest.approx(40)


def test_the_speed_of_what_went_on_from_a_checkpoint_does_not_count_the_steps_before() -> None:
    clock = Clock()
    pace = Pace(make_plan(FIXED), clock)
    pace.note(StackProgress(stack=0, step=2000, steps=3000, done=0, matched=()))
    assert pace.seconds_left is None
    clock.now += 10
    pace.note(StackProgress(stack=0, step=2500, steps=3000, done=0, matched=(), new_steps=500))
    assert pace.speed == pytest.approx(50)
    assert pace.seconds_left == pytest.approx(10)


def test_runs_that_stop_early_shorten_what_is_left() -> None:
    clock = Clock()
    spec = replace(SPEC, tasks=("parity",), encodings=("nope",), seeds=10)
    (stack,) = [replace(make_plan(replace(spec, seeds=10))[0], runs=make_runs([spec]))]
    pace = Pace([stack], clock)
    clock.now += 10
    done = tuple(make_result(run, steps=100) for run in stack.runs[:8])
    pace.note(RunsDone(stack=0, results=done))
    pace.note(StackProgress(stack=0, step=8000 + 2 * 100, steps=10_000, done=8, matched=(), new_steps=1000))
    assert pace.runs_done == 8
    assert pace.speed == pytest.approx(100), "8 runs of 100 steps, and 2 that have taken 100 each"
    left = pace.seconds_left
    assert left is not None
    assert left < 5, "two runs are past the point where the others stopped: not all of their 900 steps are likely"
    pace.note(StackDone(stack=0, results=done))
    assert pace.seconds_left == 0
    assert pace.share == 1


def test_the_pace_of_a_real_run_ends_at_one(tmp_path: Path) -> None:
    seen: list[tuple[float, int]] = []
    stacks: list[StackPlan] = []
    spec = replace(TINY, tasks=("parity", "bin_majority"), seeds=2)
    holder: list[Pace] = []

    def begin(plans: list[StackPlan], _reused: int) -> None:
        stacks.extend(plans)
        holder.append(Pace(plans, time.monotonic))

    def note(event: Event) -> None:
        if holder:
            holder[0].note(event)
            seen.append((holder[0].share, holder[0].runs_done))

    run_experiment(spec, tmp_path / "runs.sqlite", workers=1, device="cpu", on_plan=begin, on_event=note)
    assert seen[-1] == (1.0, 4)
    assert all(0 <= share <= 1 for share, _ in seen)


def test_an_experiment_is_planned_without_a_store_and_leaves_none(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    work = plan_experiment(TINY, store, workers=1, device="cpu")
    assert (len(work.runs), work.reused, work.device) == (len(make_runs([TINY])), 0, "cpu")
    assert list(tmp_path.iterdir()) == []
    run_experiment(TINY, store, workers=1, device="cpu")
    again = plan_experiment([TINY, replace(TINY, train_length=5, test_length=9)], store, workers=1, device="cpu")
    assert again.reused == len(work.runs)
    assert sum(len(stack.runs) for stack in again.stacks) == len(again.runs) - again.reused
