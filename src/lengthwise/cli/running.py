"""The commands that train and report: run, report."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from statistics import median

from ..encodings.names import split_names
from ..errors import InvalidOptionError, listed, unknown_name
from ..experiment.engines.work import StackDone, StackProgress
from ..experiment.interrupts import interrupts_deferred
from ..experiment.models import models_folder
from ..experiment.plan import StackPlan
from ..experiment.run import run_experiment
from ..experiment.spec import Spec, load_spec
from ..experiment.store import Result, read_store
from ..files import make_folder_of, write_text
from ..model.shape import SWITCHES
from ..report.page import make_page
from ..report.statistics import sort_out, summarize
from ..report.tables import HARD_LEGEND, hard_header, hard_rows, header, legend, markdown, rows, summary, to_json
from .text import paragraph, print_json, printable, table


def run(options: Namespace) -> int:
    """Train what is asked for and missing, then print and write the report."""
    spec = _spec(options)
    make_folder_of(options.out)
    with Bars(quiet=options.json) as bars:
        outcome = run_experiment(
            spec,
            options.store,
            workers=options.workers,
            device=options.device,
            models_per_stack=options.models_per_stack,
            keep=options.keep,
            on_plan=bars.begin,
            on_event=bars.update,
        )
    _publish(list(outcome.results), options)
    if options.keep:
        print(f"models: {models_folder(options.store).resolve()}", file=sys.stderr)
    return 0


def report(options: Namespace) -> int:
    """Print and write the report of a store."""
    with read_store(options.store) as store:
        stored = store.results()
    results, others = sort_out(stored)
    for cause, runs in others.items():
        number = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
        tasks = listed(dict.fromkeys(result.task for result in runs))
        told = f"note: {number} of {tasks} {'is' if len(runs) == 1 else 'are'} left out: {cause}."
        print(printable(told), file=sys.stderr)
    if others and not results:
        raise InvalidOptionError(
            f"every finished run of the store {options.store!r} is left out, {len(stored)} in all.",
            hint="run them again, or go to the folder of the task files.",
        )
    if not results:
        raise InvalidOptionError(
            f"the store {options.store!r} has no finished run yet.", hint="finish one with 'lengthwise run'."
        )
    _publish(results, options)
    return 0


def _spec(options: Namespace) -> Spec:
    """Return the spec of a file, or of the tasks and options given."""
    files = [what for what in options.what if what.lower().endswith(".toml")]
    if files:
        given = [f"--{name.replace('_', '-')}" for name in _SPEC_OPTIONS if getattr(options, name) is not None]
        others = list(options.what)
        others.remove(files[0])
        if others or given:
            raise InvalidOptionError(
                f"the spec {files[0]!r} stands alone; found {', '.join([*others, *given])} beside it.",
                hint="put everything into the spec, or name tasks and options without one.",
            )
        return load_spec(files[0])
    chosen = {name: getattr(options, name) for name in _SPEC_OPTIONS if getattr(options, name) is not None}
    encodings = chosen.pop("encoding", None)
    if encodings is not None:
        chosen["encodings"] = tuple(name for group in encodings for name in split_names(group))
    steps, named = chosen.pop("steps", None), chosen.pop("switch", [])
    switches = [name.strip() for group in named for name in group.split(",")]
    for name in switches:
        if name not in SWITCHES:
            raise unknown_name("switch", name, SWITCHES)
    spec = Spec(tasks=tuple(options.what), **chosen)
    if switches:
        spec = replace(spec, model=replace(spec.model, **dict.fromkeys(switches, True)))
    return spec if steps is None else replace(spec, training=replace(spec.training, steps=steps))


_SPEC_OPTIONS = ("encoding", "switch", "seeds", "train_length", "test_length", "steps", "hard")


def _publish(results: list[Result], options: Namespace) -> None:
    cells = summarize(results)
    write_text(options.out, make_page(results))
    if options.markdown:
        write_text(options.markdown, markdown(cells))
    if options.json:
        print_json(to_json(cells))
    else:
        print(table(header(cells), rows(cells), coloured=2))
        print()
        print(paragraph(summary(cells)))
        print(paragraph(legend(cells)))
        hard = hard_rows(cells)
        if hard:
            print()
            print(table(hard_header(cells), hard))
            print()
            print(paragraph(HARD_LEGEND))
    print(f"report: {Path(options.out).resolve()}", file=sys.stderr)


class Bars:
    """Progress bars on stderr: one for each stack in training, one for all."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._console = Console(stderr=True, quiet=quiet)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),  # brackets belong to expressions
            BarColumn(),
            TextColumn("{task.fields[status]}"),
            TimeRemainingColumn(compact=True),
            console=self._console,
        )
        self._stacks: list[StackPlan] = []
        self._bars: dict[int, object] = {}

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stacks:
            with interrupts_deferred():
                self._progress.stop()

    def begin(self, stacks: list[StackPlan], reused: int) -> None:
        """Say what is to be done."""
        runs = sum(len(stack.runs) for stack in stacks)
        already = f"; {reused} finished before" if reused else ""
        models, groups = ("model" if runs == 1 else "models"), ("stack" if len(stacks) == 1 else "stacks")
        told = f"{runs} {models} to train in {len(stacks)} {groups}{already}"
        self._console.print(told, highlight=False, soft_wrap=True)
        for reason in dict.fromkeys(stack.choice.reason for stack in stacks):
            self._console.print(f"stacks of {reason}", highlight=False, soft_wrap=True)
        if stacks:
            with interrupts_deferred():  # half a start could not be stopped
                self._progress.start()
                self._stacks = stacks
            self._total = self._progress.add_task("all stacks", total=len(stacks), status=f"0/{len(stacks)}")
            self._done = 0

    def update(self, event: StackProgress | StackDone) -> None:
        """Move the bars."""
        stack = self._stacks[event.stack]
        if event.stack not in self._bars:
            self._bars[event.stack] = self._progress.add_task(stack.label, total=None, status="")
        bar = self._bars[event.stack]
        if isinstance(event, StackProgress):
            self._progress.update(bar, completed=event.step, total=event.steps, status=_fits(event.matched))  # type: ignore[arg-type]
            return
        self._done += 1
        self._progress.update(bar, visible=False)  # type: ignore[arg-type]
        self._progress.update(self._total, advance=1, status=f"{self._done}/{len(self._stacks)}")
        steps = max(result.steps for result in event.results)
        self._console.print(f"done: {stack.label}, {steps} steps", highlight=False, markup=False, soft_wrap=True)


def _fits(matched: tuple[float, ...]) -> str:
    """Return how well models fit, each by itself or, where there are many, in sum."""
    if len(matched) <= 8:
        return "fits " + ", ".join(f"{share:.0%}" for share in matched)
    return f"{sum(share == 1.0 for share in matched)} of {len(matched)} fit, median {median(matched):.0%}"
