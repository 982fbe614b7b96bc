"""The search of arXiv 2410.02140: 54 configurations for each task, then more seeds of the chosen ones; and what is published of it.

``search.json`` holds the released search logs of the eight algorithmic tasks, the averages of the runs with the regularizer, and
the constants of the paper's plots of 17 formal languages. For the languages no run, seed or configuration is released, and
their published labels have a defect (docs/log.md): ours ask a cleaner question.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from ...experiment.spec import Spec
from ...model.shape import Shape
from ...train.settings import Training
from ..published import LoggedRun
from ..sweep import SweepCell

TRAIN_LENGTH, TEST_LENGTH, FAR_LENGTH = 50, 150, 500
RATES = (1e-3, 1e-4)
SIZES = tuple((layers, heads, width) for layers in (1, 2, 4) for heads in (1, 2, 4) for width in (16, 64, 256))
ALGORITHMIC = (
    "bin_majority",
    "majority",
    "bin_majority_interleave",
    "sort",
    "unique_copy",
    "repeat_copy",
    "parity",
    "addition",
)
SHORT = ("sort", "unique_copy")
"""Tasks without repeated tokens, out of 150: they have no longer inputs."""
ENCODINGS = {
    "nope": ("nope", 0.0),
    "ape_0": ("ape", 0.0),
    "ape_0.0001": ("ape", 1e-4),
    "ape_0.001": ("ape", 1e-3),
}
"""The published encodings and weights of the regularizer."""

PARTS = {
    "grid": "the eight algorithmic tasks with all 54 configurations, then seeds of the chosen ones",
    "grid_500": "the same with positions and tests up to 500, without the tasks that end at 150",
    "languages": "the 17 formal languages with all 54 configurations, tests up to 500",
}


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files(__package__).joinpath("search.json").read_text("utf-8"))
    return data


@cache
def logged_runs() -> tuple[LoggedRun, ...]:
    """Return the runs of the released search."""
    return tuple(
        LoggedRun(
            task=task,
            encoding=encoding,
            layers=layers,
            heads=heads,
            width=width,
            learning_rate=rate,
            exact_match=tuple(shares),
        )
        for task, encoding, layers, heads, width, rate, shares in _data()["search"]
    )


def published_means(task: str, encoding: str) -> tuple[float, ...] | None:
    """Return the published means of a language, or of a task with the regularizer; None where there are none."""
    for language, ape, nope, regularized in _data()["languages"]:
        if language == task:
            means = {"ape_0": ape, "nope": nope, "ape_0.0001": regularized}.get(encoding)
            return None if means is None else tuple(means)
    for name, weight, means, counted, _ in _data()["regularized"]:
        if (name, f"ape_{weight:g}") == (task, encoding) and counted:
            return tuple(means)
    return None


def languages() -> list[str]:
    """Return the 17 languages by the names they have here."""
    return [row[0] for row in _data()["languages"]]


def cells_of_part(part: str) -> list[SweepCell]:
    """Return every task of a part with every encoding; the languages are published with one weight of the regularizer."""
    if part == "languages":
        return [_cell(part, task, name) for task in languages() for name in ENCODINGS if name != "ape_0.001"]
    tasks = ALGORITHMIC if part == "grid" else [task for task in ALGORITHMIC if task not in SHORT]
    return [_cell(part, task, name) for task in tasks for name in ENCODINGS]


def _cell(part: str, task: str, name: str) -> SweepCell:
    encoding, weight = ENCODINGS[name]
    longest = TEST_LENGTH if part == "grid" else FAR_LENGTH
    first = Spec(
        tasks=(task,),
        encodings=(encoding,),
        seeds=1,
        train_length=TRAIN_LENGTH,
        test_length=longest,
        room=longest,
        model=Shape(layers=1, heads=1, width=16, tied=part != "languages"),
        training=Training(
            steps=30_000,
            batch=64,
            warmup=0,
            evaluate_every=3_000,
            examples=2_000,
            penalties=(("positional", weight),) if weight else (),
        ),
    )
    return SweepCell(
        part=part,
        task_title=task,
        task=task,
        encoding_title=name,
        encoding=encoding,
        specs=tuple(
            replace(first, learning_rate=rate, model=replace(first.model, layers=layers, heads=heads, width=width))
            for layers, heads, width in SIZES
            for rate in RATES
        ),
    )
