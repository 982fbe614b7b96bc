"""The preregistered analysis of the disputed pair: which runs count, and the exact test. See docs/results/yang2026-plan.md.

Everything here was fixed before any run. Test lengths choose nothing: neither configurations, nor seeds, nor when a run stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...experiment.store import Result
from ...report.exact_tests import PValue, adjust, compare_rates
from ...report.intervals import SuccessRate, success_rate
from ...report.statistics import share_in
from ...tasks.core.lengths import LengthRange

FITTED = 0.99
"""The exact match at training lengths from which a run counts; the released logs mark runs from there on."""
ENOUGH = 10
"""Fitted runs of each language that a configuration must have; of more, those with the lowest seeds count."""
GOOD = 0.9
"""The exact match from which a fitted run generalizes."""
TRAINED = LengthRange(low=0, high=50)
JUDGED = (LengthRange(low=101, high=150), LengthRange(low=451, high=500))

Configuration = tuple[int, int, int, float]
"""Layers, heads, width and learning rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of the counted runs of a language generalize."""

    good: int
    runs: int

    @property
    def rate(self) -> SuccessRate | None:
        """The share with its exact 95 % interval; None without runs."""
        return success_rate(self.good, self.runs) if self.runs else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The two languages at one range of length, with one encoding."""

    lengths: LengthRange
    configurations: int  # with enough fitted runs of both languages
    first: Share
    second: Share
    test: PValue
    adjusted: Fraction | None  # None where the test could show nothing


def configuration_of(result: Result) -> Configuration:
    """Return the configuration of a run."""
    model = result.settings["model"]
    return model["layers"], model["heads"], model["width"], result.learning_rate


def is_fitted(result: Result) -> bool:
    """Return whether a run counts."""
    return (share_in(result, TRAINED) or 0.0) >= FITTED


def counted_runs(results: Sequence[Result]) -> dict[Configuration, list[Result]]:
    """Return the fitted runs with the lowest seeds by configuration, where there are enough."""
    found: dict[Configuration, list[Result]] = {}
    for result in sorted(results, key=lambda result: result.seed):
        if is_fitted(result):
            found.setdefault(configuration_of(result), []).append(result)
    return {key: group[:ENOUGH] for key, group in found.items() if len(group) >= ENOUGH}


def answer_pair(first: Sequence[Result], second: Sequence[Result]) -> list[Answer]:
    """Return the share of good runs of both languages over the configurations that both fit, and Fisher's exact test.

    Both sides have as many runs of each configuration, so neither gains by a configuration that the other lacks. The p-values
    hold for both ranges of length together.
    """
    one, two = counted_runs(first), counted_runs(second)
    shared = [key for key in one if key in two]
    shares = [
        tuple(_share([run for key in shared for run in side[key]], lengths) for side in (one, two))
        for lengths in JUDGED
    ]
    tests = [compare_rates(left.good, left.runs, right.good, right.runs) for left, right in shares]
    return [
        Answer(lengths=lengths, configurations=len(shared), first=left, second=right, test=test, adjusted=adjusted_p)
        for lengths, (left, right), test, adjusted_p in zip(JUDGED, shares, tests, adjust(tests), strict=True)
    ]


def _share(results: Sequence[Result], lengths: LengthRange) -> Share:
    return Share(good=sum((share_in(run, lengths) or 0.0) >= GOOD for run in results), runs=len(results))
