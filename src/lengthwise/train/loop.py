"""Training a stack to the end: evaluate now and then, let go of models that are done, resume where it was cut off."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .checkpoints import read_checkpoint, write_checkpoint
from .evaluation import Score
from .stack import Stack

_STEPS_PER_REPORT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What one run came to: its scores at every length, on hard sets too, its losses, and when it stopped."""

    scores: tuple[Score, ...]
    hard: Mapping[str, tuple[Score, ...]] = field(default_factory=dict)
    losses: tuple[tuple[int, float], ...]
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a stack is: the step, and the exact match of each model on the training lengths at the last evaluation."""

    step: int
    steps: int
    matched: tuple[float, ...]


@dataclass(slots=True, kw_only=True)
class _State:
    """How far a stack is, apart from its tensors; ``places`` says which model is at each place of the stack."""

    step: int = 0
    places: list[int]
    losses: list[list[tuple[int, float]]]
    matched: list[float]
    spent: list[float]
    results: dict[int, Trained] = field(default_factory=dict)

    @classmethod
    def begin(cls, num_models: int) -> _State:
        """Return the state before the first step."""
        return cls(
            places=list(range(num_models)),
            losses=[[] for _ in range(num_models)],
            matched=[0.0] * num_models,
            spent=[0.0] * num_models,
        )

    @property
    def remaining(self) -> list[int]:
        """The places of models that are not done."""
        return [place for place, model in enumerate(self.places) if model not in self.results]


def train_stack(
    stack: Stack,
    report: Callable[[Progress], None] = lambda _: None,
    *,
    checkpoint: str | Path | None = None,
    seconds_per_checkpoint: float = 0.0,
    keep: Callable[[int, dict[str, Tensor]], None] | None = None,
) -> list[Trained]:
    """Train until every model is right on all of its evaluation set, or the steps run out; return each one's result.

    With ``checkpoint``, a file, training goes on from there if the file is of this stack and precision, and the file is
    written anew whenever progress is reported, not more often than every so many seconds. On a CPU, not compiled, it
    comes out as if nothing had been cut off; otherwise up to rounding. ``keep`` gets the number and the weights of each
    model that is done.
    """
    training = stack.training
    num_models = stack.model.num_models
    state = _State.begin(num_models)
    if checkpoint is not None:
        _resume(stack, state, checkpoint)
    pace = _Pace(stack)
    written = time.perf_counter()
    while state.remaining:
        losses_M = stack.step(state.step)
        state.step += 1
        pace.count()
        is_evaluation = state.step % training.evaluate_every == 0 or state.step == training.steps
        if is_evaluation:
            done = _evaluate(stack, state, losses_M.tolist(), pace)
            if keep is not None:
                for place in done:
                    keep(state.places[place], stack.weights(place))
            _let_go(stack, state, pace)
        is_report = is_evaluation or state.step % _STEPS_PER_REPORT == 0
        if is_report:
            _wait(stack)
            report(Progress(step=state.step, steps=training.steps, matched=tuple(state.matched)))
        is_due = is_report and time.perf_counter() - written >= seconds_per_checkpoint
        if checkpoint is not None and is_due and state.remaining:
            write_checkpoint(checkpoint, stack.tensors(), _notes(state) | {"precision": str(stack.precision)})
            written = time.perf_counter()
    return [state.results[model] for model in range(num_models)]


def _evaluate(stack: Stack, state: _State, losses: list[float], pace: _Pace) -> list[int]:
    """Score every model on the training lengths; those that are done get their result. Return their places."""
    shares = stack.matched().tolist()
    remaining = state.remaining
    share_of_time = pace.seconds_since_last() / len(remaining)
    for place in remaining:
        model = state.places[place]
        state.losses[model].append((state.step, losses[place]))
        state.matched[model] = shares[place]
        state.spent[model] += share_of_time
    is_last = state.step == stack.training.steps
    stops = stack.training.stop_early
    done = [place for place in remaining if (stops and shares[place] == 1.0) or is_last]
    if not done:
        return []
    scores, hard = stack.scores(), stack.hard_scores()
    for place in done:
        model = state.places[place]
        state.results[model] = Trained(
            scores=tuple(scores[place]),
            hard=hard[place],
            losses=tuple(state.losses[model]),
            steps=state.step,
            seconds=state.spent[model],
        )
        stack.freeze(place)
    return done


def _let_go(stack: Stack, state: _State, pace: _Pace) -> None:
    """Make the stack smaller where that saves time: at once if it need not be compiled anew, else if that pays."""
    remaining = state.remaining
    gone = len(state.places) - len(remaining)
    if not gone or not remaining:
        return
    if stack.is_compiled:
        if not pace.set_up_seconds:
            return  # too few steps to know what they take
        left = (stack.training.steps - state.step) * pace.seconds_per_step
        if left * gone / len(state.places) < 2 * pace.set_up_seconds:
            return
    stack.keep(remaining)
    state.places = [state.places[place] for place in remaining]
    pace.restart()


class _Pace:
    """How long the steps of a stack take: the first ones, which may include compilation, and the others."""

    _FIRST = 10

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._last = time.perf_counter()
        self.restart()

    def restart(self) -> None:
        """Begin anew, with a program that has to be made first."""
        self._begun = time.perf_counter()
        self._steps = 0
        self.set_up_seconds = 0.0

    def count(self) -> None:
        """Count a step."""
        self._steps += 1
        if self._steps == self._FIRST:
            _wait(self._stack)
            self.set_up_seconds = time.perf_counter() - self._begun

    @property
    def seconds_per_step(self) -> float:
        """The time per step, without the first ones; evaluations count."""
        steps = self._steps - self._FIRST
        return (time.perf_counter() - self._begun - self.set_up_seconds) / steps if steps > 0 else 0.0

    def seconds_since_last(self) -> float:
        """Return the time since this was last asked."""
        now = time.perf_counter()
        since, self._last = now - self._last, now
        return since


def _wait(stack: Stack) -> None:
    """Wait for the work under way, so that progress and times are those of steps that were taken."""
    if stack.on_gpu:
        torch.cuda.synchronize(stack.device)


def _notes(state: _State) -> dict[str, Any]:
    return {
        "step": state.step,
        "places": state.places,
        "losses": state.losses,
        "matched": state.matched,
        "spent": state.spent,
        "results": {model: asdict(result) for model, result in state.results.items()},
    }


def _resume(stack: Stack, state: _State, checkpoint: str | Path) -> None:
    """Bring a fresh stack and its state to where a checkpoint was written, if there is one."""
    found = read_checkpoint(checkpoint, stack.device)
    if found is None:
        return
    tensors, notes = found
    if notes.get("precision") != stack.precision or not stack.fits(tensors, len(notes.get("places", ()))):
        return
    if notes["places"] != state.places:
        stack.keep(notes["places"])
    stack.load(tensors)
    state.step = notes["step"]
    state.places = notes["places"]
    state.losses = [[(step, loss) for step, loss in losses] for losses in notes["losses"]]
    state.matched = notes["matched"]
    state.spent = notes["spent"]
    state.results = {int(model): _trained(result) for model, result in notes["results"].items()}


def _trained(data: dict[str, Any]) -> Trained:
    return Trained(
        scores=tuple(Score(**score) for score in data["scores"]),
        hard={kind: tuple(Score(**score) for score in scores) for kind, scores in data.get("hard", {}).items()},
        losses=tuple((step, loss) for step, loss in data["losses"]),
        steps=data["steps"],
        seconds=data["seconds"],
    )
