"""A Formal Framework for Understanding Length Generalization in Transformers: the eight algorithmic tasks.

Huang, Yang, Bhattamishra, Sarrof, Krebs, Zhou, Nakkiran, Hahn; ICLR 2025, arXiv 2410.02140. The figures are those of
the logs that the authors released with their code (github.com/lacoco-lab/length_generalization): exact match in percent
of each counted run at lengths up to 50, 51–100 and 101–150.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..experiment.spec import Spec
from ..model.shape import Shape
from ..train.settings import Training
from .paper import Paper, Published, Spread

TRAIN_LENGTH, TEST_LENGTH = 50, 150
SEEDS = 5
_LARGE = 12
"""The layers of the model that the authors fall back on where none of their 54 configurations fits."""

_ALL = (100.0,) * 5
_NONE = (0.0,) * 5

Runs = tuple[float, ...]


def _published(
    task: str,
    encoding: str,
    predicted: bool,
    shape: tuple[int, int, int],
    learning_rate: float,
    num_tries: int,
    bins: tuple[Runs, Runs, Runs],
) -> Published:
    layers, heads, width = shape
    is_large = layers == _LARGE
    return Published(
        task=task,
        encoding=encoding,
        predicted=predicted,
        layers=layers,
        heads=heads,
        width=width,
        learning_rate=learning_rate,
        steps=60_000 if is_large else 30_000,
        warmup=3_000 if is_large else 0,
        num_tries=num_tries,
        counts_unfitted=is_large,
        bins=tuple(Spread(values=tuple(round(percent / 100, 6) for percent in runs)) for runs in bins),
    )


# Task, encoding, published prediction; layers, heads and width, learning rate, tries; the runs at each of the three bins.
# fmt: off
_FIGURES = (
    _published("bin_majority", "nope", True, (1, 1, 16), 0.001, 5, (
        _ALL, _ALL, _ALL)),
    _published("bin_majority", "ape", True, (1, 1, 16), 0.001, 5, (
        _ALL, (100.0, 100.0, 100.0, 99.95, 100.0), (99.95, 100.0, 99.9, 99.95, 100.0))),
    _published("majority", "nope", True, (1, 1, 64), 0.001, 16, (
        _ALL, (100.0, 100.0, 99.75, 100.0, 99.55), (98.7, 99.4, 98.35, 98.75, 97.1))),
    _published("majority", "ape", True, (1, 2, 256), 0.001, 5, (
        _ALL, (98.5, 99.85, 99.9, 99.95, 99.9), (95.2, 98.4, 98.65, 98.7, 98.1))),
    _published("bin_majority_interleave", "nope", False, (12, 12, 768), 0.0001, 5, (
        (96.95, 95.85, 96.9, 94.35, 96.75), (74.75, 41.75, 77.75, 76.05, 73.75), (39.45, 11.05, 55.0, 46.85, 45.0))),
    _published("bin_majority_interleave", "ape", True, (2, 4, 256), 0.0001, 5, (
        _ALL, (92.9, 97.85, 97.6, 98.6, 96.8), (50.4, 97.6, 86.5, 97.95, 91.05))),
    _published("sort", "nope", True, (1, 1, 256), 0.001, 5, (
        _ALL, (99.75, 99.45, 100.0, 99.85, 100.0), (92.25, 41.95, 83.9, 89.25, 95.65))),
    _published("sort", "ape", True, (1, 2, 256), 0.0001, 7, (
        _ALL, (99.95, 100.0, 100.0, 100.0, 99.85), (99.85, 100.0, 99.95, 99.95, 97.1))),
    _published("unique_copy", "nope", False, (4, 4, 256), 0.001, 5, (
        _ALL, (12.4, 10.85, 21.0, 30.95, 14.8), _NONE)),
    _published("unique_copy", "ape", True, (2, 1, 64), 0.001, 5, (
        _ALL, (99.75, 99.9, 99.85, 99.95, 99.85), (96.15, 99.75, 98.05, 99.85, 99.9))),
    _published("repeat_copy", "nope", False, (4, 4, 256), 0.001, 6, (
        _ALL, (31.5, 24.4, 29.8, 28.45, 25.9), _NONE)),
    _published("repeat_copy", "ape", False, (4, 4, 256), 0.001, 5, (
        _ALL, (14.55, 24.2, 23.4, 23.7, 41.9), _NONE)),
    _published("parity", "nope", False, (12, 12, 768), 3e-05, 5, (
        (97.25, 98.25, 96.25, 97.6, 98.25), (73.2, 75.85, 72.8, 73.7, 76.95), (60.7, 63.4, 64.65, 63.6, 64.15))),
    _published("parity", "ape", False, (4, 2, 256), 0.0001, 7, (
        _ALL, (84.05, 81.7, 82.85, 84.1, 82.05), (63.9, 55.05, 59.35, 67.3, 64.7))),
    _published("addition", "nope", False, (12, 12, 768), 0.0001, 5, (
        (99.85, 99.6, 99.45, 98.75, 99.85), (29.55, 25.5, 31.8, 24.1, 27.5), _NONE)),
    _published("addition", "ape", False, (12, 12, 768), 0.0001, 5, (
        (99.65, 99.65, 99.65, 99.85, 99.9), (29.35, 21.0, 27.1, 27.6, 28.85), _NONE)),
)
# fmt: on


def _spec_of(published: Published, seeds: int) -> Spec:
    return Spec(
        tasks=(published.task,),
        encodings=(published.encoding,),
        seeds=seeds,
        train_length=TRAIN_LENGTH,
        test_length=TEST_LENGTH,
        learning_rates=(published.learning_rate,),
        model=Shape(layers=published.layers, heads=published.heads, width=published.width, tied=True),
        training=Training(
            steps=published.steps,
            batch=64,
            warmup=published.warmup,
            weight_decay=0.01,
            clip=1.0,
            evaluate_every=3_000,
            examples=2_000,
        ),
    )


def _too_long(published: Published) -> str:
    return f"{_LARGE} layers" if published.layers == _LARGE else ""


PAPER = Paper(
    name="huang2025",
    title="A Formal Framework for Understanding Length Generalization in Transformers",
    authors="Huang, Yang, Bhattamishra, Sarrof, Krebs, Zhou, Nakkiran, Hahn",
    source="ICLR 2025, arXiv 2410.02140",
    figures_from="the logs released with the code, github.com/lacoco-lab/length_generalization",
    counted=(
        "As in the paper, a run counts if it is right on all 2,000 instances of training lengths that also decide when it "
        "stops; in the cells with 12 layers, where no smaller configuration fitted, every run counts."
    ),
    selection=(
        "The configurations are the published ones. Among those that fitted, the authors chose the best at lengths 51–100, so "
        "that figures at 2× speak of the chosen configuration, not of the usual one."
    ),
    differences=(
        "Every seed has instances of its own (of lengths that are the same for all seeds at each step); the published runs "
        "of a cell share one stream.",
        "Batches hold pairs of complementary lengths, l and 51 − l for most tasks; each length by itself is uniform, as there.",
        "addition has a separator after '='; there, '=' is the separator.",
        "A fixed number of seeds is trained; there, as many as it took to get five runs that fit.",
        "GELU is exact; there, it is the approximation by tanh.",
        "On a GPU, matrix products in training are in bfloat16 (a run's provenance tells); there, all numbers have 32 bits.",
    ),
    train_length=TRAIN_LENGTH,
    test_length=TEST_LENGTH,
    published=_FIGURES,
    spec_of=_spec_of,
    too_long=_too_long,
)


def specs(*, quick: bool, only: Sequence[str] = (), seeds: int = SEEDS) -> list[Spec]:
    """Return what is to be trained, one spec for each cell; ``quick`` leaves out what takes 12 layers."""
    cells = PAPER.cells(quick=quick, only=only, seeds=seeds)
    return [cell.spec for cell in cells if cell.spec is not None]
