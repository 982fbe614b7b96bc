"""The disputed pair of arXiv 2608.13433: its published grid, and the released runs.

The paper trains on predicting the state of an automaton. (ab|bbaa)* is in plain C-RASP and (ab|aabb)* is not. The question is
whether models without positions generalize on the first only. ``figures.json`` holds every line of the released search logs for
the two languages, mostly one run for each configuration.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from ...experiment.spec import Spec
from ...model.shape import Shape
from ...train.settings import Training
from ..published import LoggedRun
from ..sweep import SweepCell

FIRST, SECOND = "(ab|bbaa)*", "(ab|aabb)*"
"""The language that the paper expects to generalize, and the one that it does not."""
ENCODINGS = ("nope", "t5", "ape")
TRAIN_LENGTH, TEST_LENGTH = 50, 500
SEEDS = 16
RATES = (1e-3, 1e-4)
LAYERS, HEADS = (1, 2, 4), (1, 2, 4)
WIDTHS = (16, 64, 256)
DEEP = (
    *((layers, heads, width) for layers in (6, 8, 12) for heads in (4, 8) for width in (64, 256)),
    (12, 12, 768),
)
"""Layers, heads and width of the second published grid. The first has all combinations of the three lines above."""

PARTS = {
    **{f"pair_{width}": f"the pair with the {width}-wide models of the published grid" for width in WIDTHS},
    "pair_deep": "the pair with the 6, 8 and 12 layers of the second published grid",
    "next_64": "the pair asked for next symbols instead of states, 64-wide models: a control, as both are in plain C-RASP",
}


def shapes_of_part(part: str) -> list[Shape]:
    """Return the sizes of a part."""
    if part == "pair_deep":
        sizes = list(DEEP)
    else:
        sizes = [(layers, heads, int(part.rpartition("_")[2])) for layers in LAYERS for heads in HEADS]
    return [Shape(layers=layers, heads=heads, width=width) for layers, heads, width in sizes]


def cells_of_part(part: str) -> list[SweepCell]:
    """Return both languages with each encoding, with one grid for both."""
    tasks = {language: language if part.startswith("next") else f"states({language})" for language in (FIRST, SECOND)}
    return [
        SweepCell(
            part=part,
            task_title=language,
            task=task,
            encoding_title=encoding,
            encoding=encoding,
            specs=tuple(spec_of(task, encoding, shape, rate) for shape in shapes_of_part(part) for rate in RATES),
        )
        for encoding in ENCODINGS
        for language, task in tasks.items()
    ]


def spec_of(task: str, encoding: str, shape: Shape, rate: float) -> Spec:
    """Return how the paper trains a configuration, on a task with an encoding."""
    steps, warmup = (70_000, 3_000) if shape.layers > 4 else (40_000, 0)
    return Spec(
        tasks=(task,),
        encodings=(encoding,),
        seeds=SEEDS,
        train_length=TRAIN_LENGTH,
        test_length=TEST_LENGTH,
        room=TEST_LENGTH,
        learning_rate=rate,
        hard=True,
        model=shape,
        training=Training(steps=steps, batch=64, warmup=warmup, evaluate_every=3_000, examples=2_000),
    )


@cache
def released_runs() -> tuple[LoggedRun, ...]:
    """Return the lines of the released search logs for the pair."""
    data = json.loads(files(__package__).joinpath("figures.json").read_text("utf-8"))
    return tuple(
        LoggedRun(
            task=language,
            encoding="",
            layers=layers,
            heads=heads,
            width=width,
            learning_rate=rate,
            exact_match=tuple(shares),
        )
        for language, layers, heads, width, rate, shares in data["runs"]
    )
