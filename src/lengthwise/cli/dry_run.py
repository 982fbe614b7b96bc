"""What a run would do, before anything starts."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import Any

from ..experiment.estimates import Estimate, estimate_work
from ..experiment.plan import StackPlan
from ..experiment.settings import flat_settings, show_setting, varying_settings
from ..experiment.trials import Trials, trials_file
from ..experiment.workload import Work
from ..tables import Table
from .durations import show_duration
from .text import paint, print_json, width

_MOST_ROWS = 20
_OF_ONE_RUN = (
    "learning_rate",
    "weight_decay",
    "clip",
    "warmup",
    "steps",
    "room",
)  # runs that differ in them share a stack


def print_work(work: Work, options: Namespace) -> None:
    """Print what is left to train, and about how long it takes on this machine."""
    estimate = estimate_work(work, Trials(trials_file()))
    if options.json:
        print_json(_to_json(work, estimate))
        return
    if work.stacks:
        table = _table(work)
        print(replace(table, rows=table.rows[:_MOST_ROWS]).to_text(width(), paint))
        left_out = len(table.rows) - _MOST_ROWS
        print(f"… and {left_out} more rows\n" if left_out > 0 else "")
    print(_summary(work, estimate))


def _table(work: Work) -> Table:
    """Return a row for stacks of a kind, the most work first: what they hold, and which settings tell them from others."""
    settings, varying = _settings(work)
    kinds: dict[tuple[str, ...], list[StackPlan]] = {}
    for stack, values in zip(work.stacks, settings, strict=True):
        kind = (stack.label, *(show_setting(values[name]) for name in varying), stack.choice.reason)
        kinds.setdefault(kind, []).append(stack)
    rows = [
        [*kind[:-1], str(len(stacks)), str(sum(map(_num_left, stacks))), f"{sum(map(_steps_left, stacks)):,}", kind[-1]]
        for kind, stacks in kinds.items()
    ]
    header = ["cell", *varying, "stacks", "runs", "model·steps", "trained as"]
    numbers = dict.fromkeys(range(1, len(header) - 1), "number")
    return Table(header=header, rows=rows, kinds={0: "name", **numbers, len(header) - 1: "remark"})


def _settings(work: Work) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the settings of each stack, and the names of those that tell stacks apart."""
    settings = [flat_settings(stack.runs[0].settings) for stack in work.stacks]
    return settings, [name for name in varying_settings(settings) if name not in _OF_ONE_RUN]


def _summary(work: Work, estimate: Estimate) -> str:
    new = sum(map(_num_left, work.stacks))
    before = f" ({work.reused} finished before)" if work.reused else ""
    if not new:
        return f"{len(work.runs)} runs, all finished before: nothing is left to train."
    where = f"{work.workers} {'process' if work.workers == 1 else 'processes'} on {work.device}"
    return (
        f"{len(work.runs)} runs{before}, {new} to train in {len(work.stacks)} "
        f"{'stack' if len(work.stacks) == 1 else 'stacks'}: at most {estimate.steps:,} model·steps.\n"
        f"About {show_duration(estimate.seconds)} with {where}{_how_early(work, estimate)}."
    )


def _how_early(work: Work, estimate: Estimate) -> str:
    """Say how long it takes at most, and what is known about how early runs stop, if any may."""
    may_stop = {run.training.stop_early for stack in work.stacks for run in stack.runs if run.id not in stack.finished}
    if True not in may_stop:
        return "; no run stops early (stop_early = false)"
    if estimate.learned_from:
        source = f"runs stop early as the {estimate.learned_from} finished ones in the store did"
    else:
        source = "no finished run says how early runs stop; half of their steps is assumed"
    others = "" if False not in may_stop else " where stop_early is true"
    return f", at most {show_duration(estimate.most)}; {source}{others}"


def _to_json(work: Work, estimate: Estimate) -> dict[str, object]:
    settings, varying = _settings(work)
    return {
        "runs": len(work.runs),
        "finished": work.reused,
        "model_steps": estimate.steps,
        "seconds": round(estimate.seconds, 1),
        "most_seconds": round(estimate.most, 1),
        "learned_from": estimate.learned_from,
        "device": work.device,
        "workers": work.workers,
        "stacks": [
            {
                "label": stack.label,
                "encoding": stack.runs[0].encoding,
                "tasks": list(dict.fromkeys(run.task for run in stack.runs)),
                "settings": {name: values[name] for name in varying},
                "runs": _num_left(stack),
                "model_steps": _steps_left(stack),
                "slots": stack.choice.models,
                "compiled": stack.choice.compiled,
                "reason": stack.choice.reason,
            }
            for stack, values in zip(work.stacks, settings, strict=True)
        ],
    }


def _num_left(stack: StackPlan) -> int:
    return sum(run.id not in stack.finished for run in stack.runs)


def _steps_left(stack: StackPlan) -> int:
    return sum(run.training.steps for run in stack.runs if run.id not in stack.finished)
