"""Training runs to the end in the slots of a stack: evaluate now and then, give a slot that is free to the next run, and
resume where it was cut off."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from ..errors import UnreadableFileError
from .checkpoints import read_checkpoint, write_checkpoint
from .evaluation import Score
from .groups import TrainingRun
from .settings import EVEN_SIZES
from .stack import Stack

_STEPS_PER_REPORT = 50
_SHRINKS_AT = 8  # a stack of M slots that is compiled on a CPU goes on uncompiled when M over this many are left
_WORTH_SHRINKING = 500  # steps
_LEAST_STEP = 0.002  # seconds of a recorded step however few models it has, measured on an H200
_GAIN = 1.25  # how often a smaller stack on a GPU must save the time that it takes to record one


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What one run came to: its scores at every length, on hard sets too, its losses, and when it stopped.

    ``fit`` is its score on fresh instances of the longest training lengths. ``generated`` are scores of real decoding, if that
    was asked for, and ``forced`` those of teacher forcing on the same instances.
    """

    scores: tuple[Score, ...]
    fit: tuple[Score, ...] = ()
    generated: tuple[Score, ...] = ()
    forced: tuple[Score, ...] = ()
    hard: Mapping[str, tuple[Score, ...]] = field(default_factory=dict)
    losses: tuple[tuple[int, float], ...]
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the runs of a stack are.

    ``step`` counts the steps of all runs, those that a stopped run did not need among them; ``steps`` is where that ends.
    ``matched`` is the exact match of each run on the training lengths at its last evaluation. ``in_slots`` are the numbers
    of the runs in training, ``done`` is the number of runs that are done. ``slot_steps`` counts the steps of all slots,
    empty ones too, and ``new_steps`` those that runs took since this process went on with them; ``seconds`` are what time was
    spent on.
    """

    step: int
    steps: int
    matched: tuple[float, ...]
    in_slots: tuple[int, ...]
    done: int
    slot_steps: int
    new_steps: int
    seconds: Mapping[str, float]


@dataclass(slots=True, kw_only=True)
class _State:
    """How far the runs are, apart from tensors; ``slots`` says which run is in which slot, and since which tick."""

    tick: int = 0
    num_slots: int
    queue: list[int]
    slots: dict[int, tuple[int, int]] = field(default_factory=dict)
    losses: list[list[tuple[int, float]]]
    matched: list[float]
    spent: list[float]
    results: dict[int, Trained] = field(default_factory=dict)

    @classmethod
    def begin(cls, num_slots: int, num_runs: int) -> _State:
        """Return the state before the first step."""
        return cls(
            num_slots=num_slots,
            queue=list(range(num_runs)),
            losses=[[] for _ in range(num_runs)],
            matched=[0.0] * num_runs,
            spent=[0.0] * num_runs,
        )


def train_runs(
    stack: Stack,
    runs: Sequence[TrainingRun],
    report: Callable[[Progress], None] = lambda _: None,
    *,
    checkpoint: str | Path | None = None,
    seconds_per_checkpoint: float = 0.0,
    keep: Callable[[int, dict[str, Tensor]], None] | None = None,
    on_done: Callable[[int, Trained], None] = lambda _number, _trained: None,
    on_failed_checkpoint: Callable[[UnreadableFileError], None] | None = None,
    finished: Collection[int] = (),
    forgotten: Collection[int] = (),
) -> list[Trained]:
    """Train each run until it is right on all of its evaluation set, or its steps run out; return each one's result.

    Runs wait in a queue for an empty slot of the stack. With ``checkpoint``, a file, training goes on from
    there if the file is of these runs and this precision, and the file is written anew whenever progress is reported, not more often
    than every so many seconds. On a CPU, not compiled, it comes out as if nothing had been cut off; otherwise up to rounding.
    ``keep`` gets the number and the weights of each run that is done, ``on_done`` its result. With ``on_failed_checkpoint``, which is
    called once, training goes on where no checkpoint can be written. Runs whose numbers are ``finished`` are left out. Results
    of the checkpoint whose numbers are ``forgotten`` are not used: those runs are trained again.
    """
    loop = _Loop(stack, runs, report, checkpoint, keep, on_done, on_failed_checkpoint)
    return loop.run(frozenset(finished), frozenset(forgotten), seconds_per_checkpoint)


class _Loop:
    """The runs of a stack on their way to the end."""

    def __init__(
        self,
        stack: Stack,
        runs: Sequence[TrainingRun],
        report: Callable[[Progress], None],
        checkpoint: str | Path | None,
        keep: Callable[[int, dict[str, Tensor]], None] | None,
        on_done: Callable[[int, Trained], None],
        on_failed_checkpoint: Callable[[UnreadableFileError], None] | None,
    ) -> None:
        self.stack, self.runs, self.report, self.checkpoint = stack, runs, report, checkpoint
        self.keep, self.on_done, self.on_failed_checkpoint = keep, on_done, on_failed_checkpoint
        self.state = _State.begin(stack.num_slots, len(runs))
        self.has_failed = False
        self.slot_steps = self.new_steps = 0

    def run(self, finished: frozenset[int], forgotten: frozenset[int], seconds_per_checkpoint: float) -> list[Trained]:
        """Train all runs that are not finished."""
        stack, state = self.stack, self.state
        stack.empty()
        if self.checkpoint is not None:
            self.stack = stack = _resume(stack, state, self.runs, self.checkpoint)
        self._leave_out(finished, forgotten)
        wanted = [number for number in range(len(self.runs)) if number not in finished]
        for number, trained in state.results.items():
            self.on_done(number, trained)
        every = stack.group.evaluate_every
        self._last = written = time.perf_counter()
        since_report = 0
        while len(state.results) < len(wanted):
            self._fill_slots()
            stack = self.stack
            to_event = min(
                min(every - stack.step_of(slot) % every, run.training.steps - stack.step_of(slot))
                for slot, run in stack.runs.items()
            )
            taken = min(to_event, _STEPS_PER_REPORT - since_report)
            stack.advance(taken)
            self.slot_steps += taken * stack.num_slots
            self.new_steps += taken * len(stack.runs)
            state.tick, since_report = stack.tick, since_report + taken
            is_evaluation = taken == to_event
            if is_evaluation:
                self._evaluate()
            if not is_evaluation and since_report < _STEPS_PER_REPORT:
                continue
            since_report = 0
            self._spend()
            self.report(self._progress())
            is_due = time.perf_counter() - written >= seconds_per_checkpoint
            if self.checkpoint is not None and is_due and len(state.results) < len(wanted):
                self._write(self.checkpoint)
                written = time.perf_counter()
        return [state.results[number] for number in wanted]

    def _leave_out(self, finished: frozenset[int], forgotten: frozenset[int]) -> None:
        """Forget runs whose results somebody has already, and results that are not wanted; queue what nobody has.

        A checkpoint does not hold runs that were finished when it was written, and fewer may be finished now.
        """
        state, unwanted = self.state, finished | forgotten
        state.queue = [number for number in state.queue if number not in finished]
        state.results = {number: trained for number, trained in state.results.items() if number not in unwanted}
        gone = [slot for slot, (number, _) in state.slots.items() if number in finished]
        for slot in gone:
            del state.slots[slot]
        self.stack.clear(gone)
        held = {*state.queue, *state.results, *(number for number, _ in state.slots.values())}
        for number in range(len(self.runs)):
            if number not in held and number not in finished:
                state.queue.append(number)
                state.losses[number], state.matched[number], state.spent[number] = [], 0.0, 0.0

    def _fill_slots(self) -> None:
        """Put waiting runs into empty slots, if slots may begin now; make a stack smaller that has nothing to wait for."""
        stack, state = self.stack, self.state
        if not stack.runs:
            stack.tick = -(-stack.tick // stack.group.period) * stack.group.period
        if not state.queue:
            self._shrink()
        elif stack.tick % stack.group.period == 0:
            free = [slot for slot in range(stack.num_slots) if slot not in stack.runs][: len(state.queue)]
            for slot, number in zip(free, self._take_next(len(free)), strict=True):
                state.slots[slot] = (number, stack.tick)
            with stack.timed("initial weights"):
                stack.put({slot: self.runs[state.slots[slot][0]] for slot in free})

    def _take_next(self, number: int) -> list[int]:
        """Return so many of the waiting runs: those that may take longest, so that brief ones are left for the end.

        A run takes about as long as others of its task have taken until now; one of a task that nobody has begun comes first.
        """
        state = self.state
        taken = {number: result.steps for number, result in state.results.items()}
        taken |= {number: self.stack.tick - begun for number, begun in state.slots.values()}
        longest: dict[int, float] = {}
        for run, steps in taken.items():
            task = id(self.runs[run].task)
            longest[task] = max(longest.get(task, 0), steps)
        chosen: list[int] = []
        for _ in range(number):
            run = max(state.queue, key=lambda run: longest.get(id(self.runs[run].task), float("inf")))
            longest.setdefault(id(self.runs[run].task), 0)
            state.queue.remove(run)
            chosen.append(run)
        return chosen

    def _shrink(self) -> None:
        """Move the last runs into a smaller stack where that saves time: at once on a CPU, if it is not compiled."""
        stack, state = self.stack, self.state
        busy = sorted(stack.runs)
        if len(busy) == stack.num_slots:
            return
        left = max(stack.runs[slot].training.steps - stack.step_of(slot) for slot in busy)
        size = len(busy)
        if stack.on_gpu:
            size = smaller_size(stack.num_slots, size, left, step=stack.step_seconds, set_up=stack.set_up)
        elif stack.is_compiled and (size * _SHRINKS_AT > stack.num_slots or left < _WORTH_SHRINKING):
            return
        if size == stack.num_slots:
            return
        idle = [slot for slot in range(stack.num_slots) if slot not in stack.runs]
        self.stack = stack.moved([*busy, *idle[: size - len(busy)]], compiled=stack.on_gpu and stack.is_compiled)
        state.slots = {number: state.slots[slot] for number, slot in enumerate(busy)}
        state.num_slots = size

    def _spend(self) -> None:
        """Share the time since this was last done among the runs in training."""
        now = time.perf_counter()
        for number, _ in self.state.slots.values():
            self.state.spent[number] += (now - self._last) / len(self.state.slots)
        self._last = now

    def _evaluate(self) -> None:
        """Score the runs that are due on the training lengths; those that are done get their results and free their slots."""
        stack, state = self.stack, self.state
        with stack.timed("evaluation"):
            losses, shares = stack.losses_M.tolist(), stack.matched()
        done = []
        for slot, run in stack.runs.items():
            step, number = stack.step_of(slot), state.slots[slot][0]
            is_last = step == run.training.steps
            if step % stack.group.evaluate_every and not is_last:
                continue
            state.losses[number].append((step, losses[slot]))
            state.matched[number] = shares[slot]
            if is_last or (run.training.stop_early and shares[slot] == 1.0):
                done.append(slot)
        if not done:
            return
        with stack.timed("tests"):
            tested = stack.test(done)
        self._spend()
        for slot in done:
            number = state.slots[slot][0]
            state.results[number] = Trained(
                **tested[slot]._asdict(),
                losses=tuple(state.losses[number]),
                steps=stack.step_of(slot),
                seconds=state.spent[number],
            )
            if self.keep is not None:
                self.keep(number, stack.named_weights(slot))
            self.on_done(number, state.results[number])
            del state.slots[slot]
        stack.clear(done)

    def _progress(self) -> Progress:
        state = self.state
        waiting = sum(self.runs[number].training.steps for number in state.queue)
        in_slots = sum(
            self.runs[number].training.steps - (self.stack.tick - begun) for number, begun in state.slots.values()
        )
        steps = sum(run.training.steps for run in self.runs)
        return Progress(
            step=steps - waiting - in_slots,
            steps=steps,
            matched=tuple(state.matched),
            in_slots=tuple(number for number, _ in state.slots.values()),
            done=len(state.results),
            slot_steps=self.slot_steps,
            new_steps=self.new_steps,
            seconds=dict(self.stack.seconds),
        )

    def _write(self, checkpoint: str | Path) -> None:
        notes = _notes(self.state) | {"precision": str(self.stack.precision)}
        try:
            with self.stack.timed("checkpoints"):
                write_checkpoint(checkpoint, self.stack.tensors(), notes)
        except UnreadableFileError as error:
            if self.on_failed_checkpoint is None:
                raise
            if not self.has_failed:
                self.on_failed_checkpoint(error)
            self.has_failed = True


def smaller_size(slots: int, busy: int, left: int, *, step: float, set_up: float) -> int:
    """Return how many slots a recorded stack goes on with, of which some are busy for so many steps more at most.

    ``step`` is the time of a step and ``set_up`` that of recording one, compilation included, both in seconds as they were
    for this stack: a smaller one is set up about as fast, faster if its programs are known from an earlier process.
    """
    size = next(size for size in EVEN_SIZES if size >= min(busy, EVEN_SIZES[-1]))
    saved = left * max(0.0, step - _LEAST_STEP) * (1 - size / slots)
    return size if busy <= size < slots and saved >= _GAIN * set_up else slots


def _notes(state: _State) -> dict[str, Any]:
    return {
        "tick": state.tick,
        "num_slots": state.num_slots,
        "queue": state.queue,
        "slots": state.slots,
        "losses": state.losses,
        "matched": state.matched,
        "spent": state.spent,
        "results": {number: asdict(result) for number, result in state.results.items()},
    }


def _resume(stack: Stack, state: _State, runs: Sequence[TrainingRun], checkpoint: str | Path) -> Stack:
    """Return the stack as it was when a checkpoint was written, with its state, if there is one; else as it is."""
    found = read_checkpoint(checkpoint, stack.device)
    if found is None:
        return stack
    tensors, notes = found
    num_slots = notes.get("num_slots", 0)
    needed = {name: (num_slots, *tensor.shape[1:]) for name, tensor in stack.tensors().items()}
    if notes.get("precision") != stack.precision or needed != {
        name: tuple(tensor.shape) for name, tensor in tensors.items()
    }:
        return stack
    if num_slots != stack.num_slots:
        stack = Stack(
            stack.group, num_slots, device=stack.device, precision=stack.precision, compiled=stack.is_compiled
        )
    state.tick, state.num_slots, state.queue = notes["tick"], num_slots, notes["queue"]
    state.slots = {int(slot): (number, begun) for slot, (number, begun) in notes["slots"].items()}
    state.losses = [[(step, loss) for step, loss in losses] for losses in notes["losses"]]
    state.matched, state.spent = notes["matched"], notes["spent"]
    state.results = {int(number): _trained(result) for number, result in notes["results"].items()}
    stack.restore(
        tensors,
        {slot: runs[number] for slot, (number, _) in state.slots.items()},
        {slot: begun for slot, (_, begun) in state.slots.items()},
        state.tick,
    )
    return stack


def _trained(data: dict[str, Any]) -> Trained:
    return Trained(
        **{
            name: tuple(Score(**score) for score in data.get(name, ()))
            for name in ("scores", "fit", "generated", "forced")
        },
        hard={kind: tuple(Score(**score) for score in scores) for kind, scores in data.get("hard", {}).items()},
        losses=tuple((step, loss) for step, loss in data["losses"]),
        steps=data["steps"],
        seconds=data["seconds"],
    )
