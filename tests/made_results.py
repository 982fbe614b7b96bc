"""Plans and results of runs that were never trained: what is stored and reported can be chosen freely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lengthwise.experiment.plan import DEFAULT_CHOICE, Run, StackPlan, cut_group, join_groups, make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result


def make_plan(*specs: Spec) -> list[StackPlan]:
    """Return all runs of some specs in stacks of one encoding and layout."""
    groups = [group for spec in specs for group in make_groups(spec)]
    return [stack for group in join_groups(groups) for stack in cut_group(group, DEFAULT_CHOICE)]


def make_result(run: Run, shares: Sequence[float] = (), *, examples: int = 1000, **fields: Any) -> Result:
    """Return a result of a run with these shares of exact matches at the end of each bin."""
    result = Result(
        id=run.id,
        task=run.task,
        encoding=run.encoding,
        seed=run.seed,
        learning_rate=run.learning_rate,
        settings=json.loads(json.dumps(run.settings)),
        steps=20,
        seconds=0.125,
        losses=((10, 0.1), (20, 1 / 3)),
        provenance={"hardware": "a <fast> machine", "torch": "2.13"},
        scores=scores_of(run, [round(examples * share) for share in shares], examples),
    )
    return replace(result, **fields)


def scores_of(run: Run, matches: Sequence[int], examples: int) -> tuple[tuple[int, int, int], ...]:
    """Return scores with so many matches at the end of each bin; none at all where no number is given."""
    return tuple((bounds.high, examples, number) for bounds, number in zip(run.bins, matches, strict=bool(matches)))
