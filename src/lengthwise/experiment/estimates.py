"""How long an experiment will take: before it begins from trials of steps, while it runs from what it has done so far.

Both need to know how many of their steps runs take, since they stop when they fit. That is learned from finished runs: of the same
task and encoding, else of the same task, else of all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean

from .engines.work import Event, RunsDone, StackDone, StackProgress
from .plan import Run, StackPlan, join_groups
from .sizing import bytes_per_model, is_worth_compiling, seconds_per_step_on_gpu
from .store import Result
from .trials import Trials
from .workload import Work

_USUAL_SHARE = (
    0.5  # of their steps that runs take where nothing is known: some stop at the first check, others never do
)
_STEPS_TO_SCORE = 40  # that scoring a finished model takes as long as, with the sets of the preset
_SECONDS_TO_START = 4.0  # of a worker: importing torch, making the first batches
_SECONDS_TO_RECORD = 3.0  # of a stack on a GPU
_SECONDS_TO_COMPILE = 30.0
_USUAL_HAZARD = 1.6  # of stopping, per share of the steps: that of runs that take half of their steps on average
_MEMORY = 110 * 2**30  # bytes that models may take on an H200
_LEAST_STEPS = 200  # of models, from which the speed of a running experiment is believed


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Seconds that the work takes: about ``seconds``, and ``most`` if no run stops early.

    ``steps`` are those of all models at most; ``learned_from`` is the number of finished runs that say how early runs stop.
    """

    seconds: float
    most: float
    steps: int
    learned_from: int


class StepShares:
    """Which share of their steps runs take, as far as finished runs say."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._by_key: dict[tuple[str, ...], list[float]] = {}
        for result in results:
            if not result.settings["training"].get("stop_early", True):
                continue  # such a run takes all of its steps whatever it learns
            share = result.steps / result.settings["training"]["steps"]
            for key in _keys(result.task, result.encoding):
                self._by_key.setdefault(key, []).append(share)

    @property
    def number(self) -> int:
        """The number of finished runs that are known, of those that could stop early."""
        return len(self._by_key.get((), ()))

    def share(self, run: Run) -> float:
        """Return the share of its steps that a run takes, most likely."""
        if not run.training.stop_early:
            return 1.0
        known = next((self._by_key[key] for key in _keys(run.task, run.encoding) if key in self._by_key), [])
        return fmean(known) if known else _USUAL_SHARE

    def steps(self, stack: StackPlan) -> float:
        """Return the steps that the unfinished runs of a stack take together, most likely."""
        return sum(self.share(run) * run.training.steps for run in stack.runs if run.id not in stack.finished)


def _keys(task: str, encoding: str) -> tuple[tuple[str, ...], ...]:
    """Return what runs may have in common, the closest first."""
    return (task, encoding), (task,), ()


def estimate_work(work: Work, trials: Trials) -> Estimate:
    """Return how long the work takes on this machine; steps that were never tried on its processor are tried now."""
    shares = StepShares(work.results)
    likely, most = [], []
    for stack in work.stacks:
        step, set_up = _seconds_of_step(stack, work.device, trials)
        waiting = [run for run in stack.runs if run.id not in stack.finished]
        scoring = _STEPS_TO_SCORE * len(waiting)
        slots = min(stack.choice.models, len(waiting)) or 1
        likely.append(set_up + step * (shares.steps(stack) + scoring) / slots)
        most.append(set_up + step * (sum(run.training.steps for run in waiting) + scoring) / slots)
    return Estimate(
        seconds=_together(likely, work.workers) + (_SECONDS_TO_START if likely else 0),
        most=_together(most, work.workers) + (_SECONDS_TO_START if most else 0),
        steps=sum(run.training.steps for stack in work.stacks for run in stack.runs if run.id not in stack.finished),
        learned_from=shares.number,
    )


def gpu_minutes(runs: Sequence[Run]) -> float:
    """Return about how many minutes runs train on an H200 if none stops early, without looking for one.

    Scoring is left out.
    """
    cells: dict[tuple[object, ...], list[Run]] = {}
    for run in dict.fromkeys(runs):
        cells.setdefault((run.task, run.encoding, run.model, run.training, run.test_length), []).append(run)
    seconds = 0.0
    for group in join_groups(list(cells.values())):
        fitting = max(1, int(_MEMORY / bytes_per_model(group[0])))
        full, rest = divmod(len(group), fitting)
        step = full * seconds_per_step_on_gpu(group[0], fitting) + (
            seconds_per_step_on_gpu(group[0], rest) if rest else 0
        )
        is_compiled, _ = is_worth_compiling(group[0], len(group))
        seconds += fmean(run.training.steps for run in group) * step
        seconds += _SECONDS_TO_COMPILE if is_compiled else _SECONDS_TO_RECORD
    return seconds / 60


def _seconds_of_step(stack: StackPlan, device: str, trials: Trials) -> tuple[float, float]:
    """Return the seconds of a step of a stack, and those before its first one."""
    run, choice = stack.runs[0], stack.choice
    models = min(choice.models, len(stack.runs))
    if device == "cuda":
        return seconds_per_step_on_gpu(run, models), _SECONDS_TO_COMPILE if choice.compiled else _SECONDS_TO_RECORD
    trial = trials.find(run, models, compiled=choice.compiled)
    return trial.step, trial.set_up


def _together(seconds: Sequence[float], workers: int) -> float:
    """Return how long jobs take on so many workers, each taking the longest that is left when it is free."""
    busy = [0.0] * max(1, workers)
    for job in sorted(seconds, reverse=True):
        busy[busy.index(min(busy))] += job
    return max(busy)


class Pace:
    """How much of a running experiment is done, in work rather than in stacks, and how long the rest takes.

    Work of a stack is steps times what a step of its models computes. Runs that stop early make the rest of their work vanish. The first
    runs to finish are those that stop early, so their mean says too little about the others. Hence the rate of stopping counts: how
    many runs have stopped, over the steps that all runs have taken, unfinished ones too.
    """

    def __init__(self, stacks: Sequence[StackPlan], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._stacks = [_Pace(stack) for stack in stacks]

    def note(self, event: Event) -> None:
        """Take in what has happened."""
        if isinstance(event, (RunsDone, StackProgress, StackDone)):
            self._stacks[event.stack].note(event)

    @property
    def share(self) -> float:
        """The share of all work that is done."""
        done = sum(stack.weight * stack.taken for stack in self._stacks)
        return done / (done + self._left()) if done else 0.0

    @property
    def runs_done(self) -> int:
        """The number of runs that are done."""
        return sum(len(stack.done) for stack in self._stacks)

    @property
    def speed(self) -> float:
        """Steps of models in a second."""
        return sum(stack.new for stack in self._stacks) / self._seconds

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes; None while too little is done to tell."""
        done = sum(stack.weight * stack.new for stack in self._stacks)
        if sum(stack.new for stack in self._stacks) < _LEAST_STEPS or not done:
            return None
        return self._left() * self._seconds / done

    @property
    def _seconds(self) -> float:
        return max(self._clock() - self._begun, 1e-9)

    def _left(self) -> float:
        """Return the work that is still to do, if runs go on stopping as often as so far."""
        stopped = sum(stack.num_stopped for stack in self._stacks)
        taken = sum(stack.shares_taken for stack in self._stacks)
        usual = (_USUAL_HAZARD + stopped) / (1 + taken)  # as if one run had told what is usual
        return sum(
            stack.weight * stack.left((usual + stack.num_stopped) / (1 + stack.shares_taken)) for stack in self._stacks
        )


class _Pace:
    """The pace of one stack, in steps of single models."""

    def __init__(self, stack: StackPlan) -> None:
        self.weight = _weight_of_step(stack)
        self.done: dict[str, int] = {}  # steps that finished runs took
        self._most = {run.id: run.training.steps for run in stack.runs if run.id not in stack.finished}
        self._stops = {run.id: run.training.stop_early for run in stack.runs}
        self._before = sum(run.training.steps for run in stack.runs if run.id in stack.finished)
        self._num_slots = stack.choice.models
        self._in_slots = 0
        self.new = 0  # steps taken since this experiment began: those before a checkpoint say nothing about its speed
        self._has_ended = False

    def note(self, event: RunsDone | StackProgress | StackDone) -> None:
        if isinstance(event, RunsDone):
            self.done |= {result.id: result.steps for result in event.results}
        elif isinstance(event, StackProgress):
            of_finished = self._before + sum(self._most.get(run_id, 0) for run_id in self.done)
            self._in_slots = max(0, event.step - of_finished)  # a progress counts finished runs with all of their steps
            self.new = event.new_steps
        else:
            self._has_ended, self._in_slots = True, 0

    @property
    def taken(self) -> int:
        """Steps taken so far, by runs that are done and by those in slots."""
        return sum(self.done.values()) + self._in_slots

    @property
    def num_stopped(self) -> int:
        """How many runs have stopped early."""
        return sum(steps < self._most.get(run_id, 0) for run_id, steps in self.done.items())

    @property
    def shares_taken(self) -> float:
        """The steps of runs that could stop early, each as a share of those it may take, of unfinished runs too."""
        finished = [
            steps / self._most[run_id]
            for run_id, steps in self.done.items()
            if run_id in self._most and self._stops[run_id]
        ]
        waiting = self._waiting()
        stopping = sum(self._stops[run_id] for run_id in waiting)
        return sum(finished) + stopping * self._share_in_slots(waiting) * self._in_slot(waiting)

    def left(self, hazard: float) -> float:
        """Return the steps that are still to be taken if runs stop at this rate per share of theirs."""
        if self._has_ended:
            return 0.0
        waiting = self._waiting()
        begun, progress = self._share_in_slots(waiting), self._in_slot(waiting)

        def share_left(begins: float, stops: bool) -> float:
            rest = 1 - begins
            return (1 - exp(-hazard * rest)) / hazard if stops else rest

        return sum(
            steps
            * (begun * share_left(progress, self._stops[run_id]) + (1 - begun) * share_left(0.0, self._stops[run_id]))
            for run_id, steps in waiting.items()
        )

    def _waiting(self) -> dict[str, int]:
        """Return the runs that are not done, with the steps that each may take."""
        return {run_id: steps for run_id, steps in self._most.items() if run_id not in self.done}

    def _share_in_slots(self, waiting: dict[str, int]) -> float:
        """Return which share of the waiting runs is in slots."""
        return min(1.0, self._num_slots / len(waiting)) if waiting else 0.0

    def _in_slot(self, waiting: dict[str, int]) -> float:
        """Return how far a run in a slot is on average, as a share of its steps."""
        most = sum(waiting.values()) * self._share_in_slots(waiting)
        return min(1.0, self._in_slots / most) if most else 0.0


def _weight_of_step(stack: StackPlan) -> float:
    """Return about what a step of one model costs, against those of other stacks."""
    run = stack.runs[0]
    shape, length = run.model, run.train_length
    overhead = 16 * 16 * 12  # operations on small tensors take time however small they are
    return run.training.batch * length * shape.layers * (overhead + shape.width * (12 * shape.width + length))
