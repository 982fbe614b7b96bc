"""Progress bars of a training command, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

from ..experiment.engines.work import Event, Notice, RunsDone, SizesTried, StackProgress
from ..experiment.estimates import Pace
from ..experiment.interrupts import interrupts_deferred
from ..experiment.plan import StackPlan
from ..markup import visible
from .durations import show_duration
from .streams import unsafe

_SECONDS_BETWEEN_LINES = 60.0  # of a log, where there are no bars


class Bars:
    """Progress bars on stderr: one for each stack in training, one for all of the work with the time left."""

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._console = Console(file=unsafe(sys.stderr), quiet=quiet)  # it writes control sequences of its own
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),  # brackets belong to expressions
            BarColumn(),
            TextColumn("{task.fields[status]}"),
            console=self._console,
        )
        self._stacks: list[StackPlan] = []
        self._bars: dict[int, object] = {}
        self._clock = clock
        self._told: float | None = None  # when a line of a log last said how far all is

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stacks:
            with interrupts_deferred():
                self._progress.stop()

    def begin(self, stacks: list[StackPlan], reused: int) -> None:
        """Say what is to be done."""
        runs = self._runs = sum(len(stack.runs) - len(stack.finished) for stack in stacks)
        already = f"; {reused} finished before" if reused else ""
        models, groups = ("model" if runs == 1 else "models"), ("stack" if len(stacks) == 1 else "stacks")
        text = f"{runs} {models} to train in {len(stacks)} {groups}{already}"
        self._print(text)
        for reason in dict.fromkeys(stack.choice.reason for stack in stacks):
            self._print(f"stacks of {reason}")
        if stacks:
            with interrupts_deferred():  # half a start could not be stopped
                self._progress.start()
                self._stacks = stacks
            self._pace = Pace(stacks)
            self._total = self._progress.add_task("all", total=1.0, status=self._whole())

    def update(self, event: Event) -> None:
        """Move the bars."""
        if isinstance(event, Notice):
            if self._console.quiet:
                print(visible(f"note: {event.text}"), file=sys.stderr)
            self._print(f"note: {event.text}")
            return
        if isinstance(event, SizesTried):
            self._print(f"trying stack sizes {event.number}/{event.shapes}: {event.label}")
            return
        self._pace.note(event)
        self._progress.update(self._total, completed=self._pace.share, status=self._whole())
        if isinstance(event, RunsDone):
            return
        stack = self._stacks[event.stack]
        if event.stack not in self._bars:
            self._bars[event.stack] = self._progress.add_task(visible(stack.label), total=None, status="")
        bar = self._bars[event.stack]
        if isinstance(event, StackProgress):
            self._progress.update(bar, completed=event.step, total=event.steps, status=_fits(event.done, event.matched))  # type: ignore[arg-type]
            self._log(event, stack.label)
            return
        self._progress.update(bar, visible=False)  # type: ignore[arg-type]
        steps = max(result.steps for result in event.results)
        self._print(f"done: {stack.label}, {steps} steps; {self._whole()}")

    def _log(self, event: StackProgress, label: str) -> None:
        """Where no terminal shows bars, say now and then how far all is: a log must not be silent for hours."""
        if self._console.is_terminal or (
            self._told is not None and self._clock() - self._told < _SECONDS_BETWEEN_LINES
        ):
            return
        self._told = self._clock()
        self._print(f"step {event.step:,} of {event.steps:,} of {label}; {self._whole()}")

    def _whole(self) -> str:
        """Return how far all stacks are, and how long they still take."""
        done = f"{self._pace.runs_done}/{self._runs} runs"
        seconds = self._pace.seconds_left
        if self._pace.runs_done == self._runs or seconds is None:
            return done
        return f"{done}, {self._pace.speed:,.0f} model·steps/s, about {show_duration(seconds)} left"

    def _print(self, text: str) -> None:
        self._console.print(visible(text), highlight=False, markup=False, soft_wrap=True)


def _fits(done: int, matched: tuple[float, ...]) -> str:
    """Return how many runs are done, and how well those in training fit: each by itself, or the median of many."""
    if not matched:
        return f"{done} done"
    shares = ", ".join(f"{share:.0%}" for share in matched) if len(matched) <= 8 else f"{median(matched):.0%} (median)"
    return f"{done} done, others fit {shares}"
