"""Published beside measured: what the runs of a part come to, and how far they are from the paper.

Only counted runs have a say. Which runs those are follows the paper, not our own threshold, so that the two sides are
means over the same kind of runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from ..experiment.plan import make_runs
from ..experiment.spec import Spec
from ..experiment.store import Result
from ..predict.predict import predict_task
from ..report.numbers import percent
from ..report.statistics import share_in
from ..tasks.core.catalog import find_task
from ..tasks.core.lengths import LengthRange
from ..theory.verdict import AnyVerdict
from .published import Published, Spread

DEVIATIONS = 2  # so many pooled standard deviations apart, two means still count as close
LEAST_DEVIATION = 0.01  # the comparison works with no smaller standard deviation than one point


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCell:
    """One task and encoding: the prediction, the published figures, and what was measured."""

    published: Published
    verdict: AnyVerdict
    left_out: str  # why it is not trained at all, or nothing
    num_planned: int
    num_runs: int
    num_fitted: int  # right on as many instances of training lengths as a counted run must be
    best_fit: float  # the largest share of training-length instances that a run matched
    bins: tuple[Spread, ...]  # over the counted runs; empty where there is none

    @property
    def num_counted(self) -> int:
        """How many runs the measured figures are over."""
        return len(self.bins[0].values) if self.bins else 0

    @property
    def distances(self) -> tuple[float, ...]:
        """By how much the measured mean is above the published one, in each bin."""
        if not self.bins:
            return ()
        pairs = zip(self.bins, self.published.bins, strict=True)
        return tuple(measured.mean - published.mean for measured, published in pairs)

    @property
    def far(self) -> tuple[int, ...]:
        """The bins in which the two means are further apart than the spread of the runs, as the legend defines it."""
        return tuple(
            number
            for number, distance in enumerate(self.distances)
            if abs(distance) > tolerance(self.bins[number], self.published.bins[number]) + 1e-9
        )

    @property
    def is_close(self) -> bool | None:
        """Whether the measured figures are close to the published ones in every bin; None where there are none."""
        return not self.far if self.bins else None

    @property
    def remark(self) -> str:
        """Return how the two compare, or why there is nothing to compare."""
        if self.left_out:
            return f"left out: {self.left_out}"
        if not self.num_runs:
            return "not run"
        notes = [self._finding()]
        if not self.published.counted_from and not self.num_fitted:
            notes.append("no run fitted, as published: no evidence about longer inputs")
        if self.num_runs < self.num_planned:
            notes.append(f"{self.num_runs} of {self.num_planned} runs so far")
        return "; ".join(notes)

    def _finding(self) -> str:
        if not self.bins:
            return f"no run fitted: no evidence (best {percent(self.best_fit)} at 1×)"
        if not self.far:
            return f"within {DEVIATIONS} sd of published"
        return ", ".join(
            f"{abs(self.distances[number]) * 100:.1f} points {'above' if self.distances[number] > 0 else 'below'} "
            f"published at {number + 1}×"
            for number in self.far
        )


def compare_cell(cell: Published, spec: Spec | None, left_out: str, results: Mapping[str, Result]) -> ComparedCell:
    """Return a cell beside the results of its own runs, those of ``spec``; there are none if it is left out."""
    runs = make_runs([spec]) if spec else []
    found = [results[run.id] for run in runs if run.id in results]
    shares = [_shares(result, runs[0].bins) for result in found]
    fitted = [row for row in shares if row[0] >= (cell.counted_from or 1.0)]
    counted = fitted if cell.counted_from else shares
    return ComparedCell(
        published=cell,
        verdict=predict_task(find_task(cell.task), cell.encoding),
        left_out=left_out,
        num_planned=len(runs),
        num_runs=len(found),
        num_fitted=len(fitted),
        best_fit=max((row[0] for row in shares), default=0.0),
        bins=tuple(Spread(values=values) for values in zip(*counted, strict=True)),
    )


def _shares(result: Result, bins: Sequence[LengthRange]) -> tuple[float, ...]:
    shares = [share_in(result, bounds) for bounds in bins]
    assert None not in shares, "the tasks of a paper have instances in all of its bins"
    return tuple(share for share in shares if share is not None)


def tolerance(one: Spread, two: Spread) -> float:
    """Return how far apart the means of two groups of runs may lie and still count as close.

    >>> tolerance(Spread(values=(0.5, 0.6, 0.7)), Spread(values=(0.8,)))
    0.2
    >>> tolerance(Spread(values=(1.0, 1.0)), Spread(values=(1.0, 1.0)))
    0.02
    """
    squares = sum((len(spread.values) - 1) * spread.deviation**2 for spread in (one, two))
    freedom = len(one.values) + len(two.values) - 2
    pooled = sqrt(squares / freedom) if freedom else 0.0
    return round(DEVIATIONS * max(pooled, LEAST_DEVIATION), 9)
