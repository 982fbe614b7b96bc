"""Appendix G.7 of arXiv 2410.02140: copying every k-th token, so that an induction head has to look k back.

Published are the runs in the logs released with the code (github.com/lacoco-lab/length_generalization, appendix-G7): exact
match at three ranges of length, of which the first is trained. The task is our ``copy_every``
with whole inputs: as there, the number of tokens is a multiple of k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidOptionError
from ..experiment.plan import make_groups
from ..experiment.spec import Spec
from ..experiment.store import Result
from ..model.shape import Shape
from ..tasks.catalog import find_task
from ..tasks.lengths import LengthRange, length_bins
from ..train.settings import Training
from .paper import Spread

SOURCE = "arXiv 2410.02140, appendix G.7, released logs"
SEEDS = 5
STEPS = 30_000
COUNTED = 0.99
"""A run counts if it is right on this share of the training lengths, as in the paper."""

RANGES: dict[str, tuple[int, int]] = {"small": (50, 150), "large": (128, 384)}
"""The longest input in training and at test; the number of symbols is the latter."""

DIFFERENCES = (
    "No dropout: our model has none. All published configurations but one use 0.1 on embeddings and residuals.",
    "A run is scored when its steps are over; the published score is that of the evaluation, one every 3,000 steps, with the "
    "best accuracy at the second range, so that second range is no test there.",
    "A fixed number of seeds is trained; there, as many as it took to get five runs of at least 99 % at training lengths.",
    "Every seed has instances of its own; the published runs share one stream.",
    "GELU is exact, there the approximation by tanh; on a GPU matrix products in training are in bfloat16.",
    "2,000 instances for each range; there, 5,000.",
)
"""Where our way of training is not theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """One published row: how far back, which encoding and lengths, the selected configuration, the counted runs."""

    distance: int
    encoding: str
    lengths: str  # small or large
    layers: int
    heads: int
    width: int
    learning_rate: float
    dropout: float
    num_tries: int  # runs until five counted
    bins: tuple[Spread, Spread, Spread]

    @property
    def task(self) -> str:
        """The name of the task."""
        return find_task(f"copy_every({self.distance}, {RANGES[self.lengths][1]}, whole)").name

    @property
    def configuration(self) -> str:
        """The published configuration in print."""
        dropout = f", dropout {self.dropout:g}" if self.dropout else ""
        return f"{self.layers}l{self.heads}h{self.width}d lr {self.learning_rate:g}{dropout}"


Runs = tuple[float, ...]
_ALL: Runs = (1.0,) * 5
_NONE: Runs = (0.0,) * 5


def _row(
    distance: int,
    encoding: str,
    lengths: str,
    shape: tuple[int, int, int],
    rate: float,
    dropout: float,
    tries: int,
    bins: tuple[Runs, Runs, Runs],
) -> Distance:
    first, second, third = (Spread(values=values) for values in bins)
    layers, heads, width = shape
    return Distance(
        distance=distance,
        encoding=encoding,
        lengths=lengths,
        layers=layers,
        heads=heads,
        width=width,
        learning_rate=rate,
        dropout=dropout,
        num_tries=tries,
        bins=(first, second, third),
    )


# Distance, encoding, lengths; layers, heads and width, learning rate, dropout, tries; the counted runs at the three ranges.
# fmt: off
PUBLISHED: tuple[Distance, ...] = (
    _row(1, "ape", "small", (2, 1, 64), 0.001, 0.1, 5, (
        _ALL, _ALL, (0.9972, 0.9878, 0.9636, 0.9808, 0.9986))),
    _row(1, "nope", "small", (5, 2, 512), 0.001, 0.1, 5, (
        _ALL, (0.7084, 0.7246, 0.9764, 0.7094, 0.7316), (0.0, 0.0, 0.218, 0.0002, 0.0))),
    _row(2, "ape", "small", (2, 1, 256), 0.0001, 0.1, 5, (
        _ALL, _ALL, (0.9956, 0.9826, 0.9882, 0.924, 0.9922))),
    _row(2, "nope", "small", (5, 4, 256), 0.001, 0.1, 5, (
        (1.0, 0.9944, 1.0, 0.9994, 1.0), (0.3072, 0.1896, 0.3056, 0.1018, 0.256), _NONE)),
    _row(3, "ape", "small", (2, 1, 256), 0.001, 0.1, 5, (
        _ALL, (0.9998, 1.0, 1.0, 1.0, 1.0), (0.9988, 0.9894, 0.9926, 0.9912, 0.9766))),
    _row(3, "nope", "small", (5, 4, 256), 0.001, 0.0, 5, (
        _ALL, (0.1902, 0.1166, 0.08, 0.0654, 0.1256), _NONE)),
    _row(1, "ape", "large", (2, 1, 64), 0.001, 0.1, 5, (
        (0.9992, 0.9984, 1.0, 1.0, 1.0), _ALL, (0.9832, 1.0, 0.99, 0.9968, 0.9752))),
    _row(1, "nope", "large", (5, 1, 512), 0.001, 0.1, 5, (
        (1.0, 1.0, 1.0, 0.9998, 1.0), (0.7268, 0.4606, 0.5746, 0.6228, 0.6252), _NONE)),
    _row(2, "ape", "large", (2, 1, 256), 0.001, 0.1, 5, (
        _ALL, _ALL, (0.996, 1.0, 0.9998, 0.9984, 0.996))),
    _row(2, "nope", "large", (5, 2, 512), 0.001, 0.1, 6, (
        (1.0, 1.0, 0.9994, 0.9992, 1.0), (0.3124, 0.1488, 0.2854, 0.3054, 0.154), _NONE)),
    _row(3, "ape", "large", (2, 1, 256), 0.001, 0.1, 5, (
        _ALL, _ALL, (0.9964, 0.9994, 0.9992, 0.9932, 0.9988))),
    _row(3, "nope", "large", (5, 2, 512), 0.001, 0.1, 29, (
        (0.9958, 0.9996, 0.997, 0.997, 0.9976), (0.0768, 0.06, 0.0466, 0.0726, 0.0332), _NONE)),
)
# fmt: on


def published_rows(
    lengths: Sequence[str] = ("small",),
    distances: Sequence[int] = (1, 2, 3),
    encodings: Sequence[str] = ("ape", "nope"),
) -> list[Distance]:
    """Return the published rows of these lengths, distances and encodings."""
    for given, known, what in (
        (lengths, tuple(RANGES), "lengths"),
        (distances, (1, 2, 3), "distances"),
        (encodings, ("ape", "nope"), "encodings"),
    ):
        wrong = [each for each in given if each not in known]
        if wrong or not given:
            raise InvalidOptionError(
                f"published {what} are {', '.join(map(str, known))}; found {', '.join(map(str, wrong)) or 'none'}.",
                hint="choose among these.",
            )
    return [
        row for row in PUBLISHED if row.lengths in lengths and row.distance in distances and row.encoding in encodings
    ]


def spec_of_distance(row: Distance, *, seeds: int = SEEDS, steps: int = STEPS, most_width: int | None = None) -> Spec:
    """Return what repeats a row; ``most_width`` makes wider models narrower, which is no longer the published one."""
    train_length, test_length = RANGES[row.lengths]
    return Spec(
        tasks=(row.task,),
        encodings=(row.encoding,),
        seeds=seeds,
        train_length=train_length,
        test_length=test_length,
        learning_rates=(row.learning_rate,),
        model=Shape(layers=row.layers, heads=row.heads, width=min(row.width, most_width or row.width), tied=True),
        training=Training(
            steps=steps,
            batch=64,
            warmup=min(1_500, steps // 20),
            weight_decay=0.01,
            clip=1.0,
            evaluate_every=3_000,
            examples=2_000,
            stop_early=False,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceComparison:
    """A published row, and what was measured: the counted runs at the three ranges."""

    published: Distance
    num_runs: int
    width: int | None  # of the models that were trained, if any were
    steps: int
    bins: tuple[Spread, ...]  # over the counted runs; empty where there is none
    best_fit: float  # the largest share of training-length instances that a run matched


def compare_distances(
    results: Sequence[Result], rows: Sequence[Distance] = PUBLISHED, specs: Sequence[Spec] | None = None
) -> list[DistanceComparison]:
    """Return every row beside the results of its own runs; rows without results have no runs.

    ``specs`` are what was trained for each row, by default what repeats it as published. Results of any other settings
    are left out: another number of steps or another width is another experiment.
    """
    specs = [spec_of_distance(row) for row in rows] if specs is None else specs
    found = []
    for row, spec in zip(rows, specs, strict=True):
        train_length, test_length = RANGES[row.lengths]
        bins = length_bins(train_length, test_length)
        ids = {run.id for group in make_groups(spec) for run in group}
        own = [each for each in results if each.id in ids]
        shares = [tuple(_share(result, bounds) for bounds in bins) for result in own]
        counted = [each for each in shares if each[0] >= COUNTED]
        found.append(
            DistanceComparison(
                published=row,
                num_runs=len(own),
                width=spec.model.width if own else None,
                steps=max((result.steps for result in own), default=0),
                bins=tuple(Spread(values=values) for values in zip(*counted, strict=True)),
                best_fit=max((each[0] for each in shares), default=0.0),
            )
        )
    return found


def _share(result: Result, bounds: LengthRange) -> float:
    """Return the share of instances that were matched: 0 without any, where a report has no number."""
    inside = [(examples, matches) for length, examples, matches in result.scores if length in bounds]
    return sum(matches for _, matches in inside) / max(1, sum(examples for examples, _ in inside))


def distances_table(comparisons: Sequence[DistanceComparison]) -> list[tuple[str, ...]]:
    """Return the cells of the comparison; the first line is the header."""
    lines: list[tuple[str, ...]] = [
        (
            "k",
            "encoding",
            "lengths",
            "published configuration",
            "published",
            "measured",
            "counted of runs",
            "trained as",
        )
    ]
    for each in comparisons:
        row = each.published
        train_length, test_length = RANGES[row.lengths]
        if not each.num_runs:
            measured = trained = "not run"
        else:
            measured = " / ".join(map(_percent, each.bins)) or f"none fits: at best {100 * each.best_fit:.1f} %"
            trained = f"{row.layers}l{row.heads}h{each.width}d, {each.steps:,} steps"
        lines.append(
            (
                str(row.distance),
                row.encoding,
                f"{train_length} → {test_length}",
                row.configuration,
                " / ".join(map(_percent, row.bins)),
                measured,
                f"{len(each.bins[0].values) if each.bins else 0} of {each.num_runs}",
                trained,
            )
        )
    return lines


def _percent(spread: Spread) -> str:
    return f"{100 * spread.mean:.1f}±{100 * spread.deviation:.1f}"


def print_distances(comparisons: Sequence[DistanceComparison]) -> None:
    """Print the comparison as a Markdown table."""
    lines = distances_table(comparisons)
    lines.insert(1, tuple("---" for _ in lines[0]))
    for line in lines:
        print("| " + " | ".join(line) + " |")
