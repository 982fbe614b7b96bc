"""What measured runs say about a prediction, and when they say too little.

A YES promises that runs succeed, so it is judged by the success rate of the fitted runs. A NO says that no solution is right at
every length: one run that seems to have a solution challenges it. Neither is judged by what most runs do, nor by fewer than three.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..theory.claims import Answer
from .intervals import SuccessRate

FITTED = 0.99  # the exact match on fresh instances of the longest training lengths from which a run counts as fitted
GENERALIZED = 0.90  # the exact match where success is judged, from which a fitted run counts as generalizing
CHALLENGING = (
    0.99  # the exact match at the longest lengths, and on longer hard instances, from which a run challenges a NO
)
FEWEST_RUNS = 3  # the fitted runs from which a cell is judged: one or two decide nothing in either direction
MOST_SUCCEED = 0.90  # the success rate that a YES predicts, at least
FEW_SUCCEED = 0.10  # the success rate that a NO predicts, at most


class Standing(StrEnum):
    """How prediction and measurement stand to each other in a cell."""

    CHALLENGED = "challenged"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    AGREES = "agrees"
    NO_PREDICTION = "no prediction"
    NO_EVIDENCE = "no evidence"

    @property
    def mark(self) -> str:
        """One character for tables and pictures."""
        return _MARKS[self]


_MARKS = {
    Standing.CHALLENGED: "!",
    Standing.DIFFERS: "✗",
    Standing.UNDECIDED: "?",
    Standing.AGREES: "✓",
    Standing.NO_PREDICTION: "·",
    Standing.NO_EVIDENCE: "–",
}

MARKS_LEGEND = (
    f"Marks: ✓ agrees, ✗ differs, ? undecided (fewer than {FEWEST_RUNS} fitted runs, or too few to tell), ! a NO that a run "
    "challenges, · no prediction, "
    "– no evidence."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """One run of a cell: whether it fits and generalizes, and its exact match by bin and by length.

    ``hard`` has its exact match by kind of hard set and bin. A share is None where a bin has no instances.
    """

    id: str
    seed: int
    fitted: bool
    generalizes: bool
    by_bin: tuple[float | None, ...]
    curve: tuple[tuple[int, float], ...]
    hard: dict[str, tuple[float | None, ...]]

    @property
    def is_right_at_the_end(self) -> bool:
        """Whether it fits, and has at least 99 % in the longest bin beyond the training lengths that has instances."""
        longer = beyond_training(self.by_bin)
        return self.fitted and bool(longer) and longer[-1] >= CHALLENGING

    @property
    def lacks_pumped_pairs(self) -> bool:
        """Whether it was tested on no pumped pair that is longer than the training lengths."""
        return not beyond_training(self.hard.get(PUMPED, ()))

    @property
    def fails_hard_instances(self) -> bool:
        """Whether it has less than 99 % on hard instances of some kind in some bin beyond the training lengths."""
        return any(share < CHALLENGING for shares in self.hard.values() for share in beyond_training(shares))


PUMPED = "pumped"
"""The hard set that is made from the proof of a NO."""


def beyond_training(shares: Sequence[float | None]) -> list[float]:
    """Return the shares of the bins after the first one, of those that have instances."""
    return [share for share in shares[1:] if share is not None]


def measured_answer(rate: SuccessRate | None) -> Answer:
    """Return what runs alone say: YES if at least 90 % of them succeed, NO if at most 10 %; otherwise, or below three, UNKNOWN.

    >>> from .intervals import success_rate
    >>> [str(measured_answer(success_rate(number, 3))) for number in range(4)]
    ['NO', 'UNKNOWN', 'UNKNOWN', 'YES']
    """
    if rate is None or rate.num_runs < FEWEST_RUNS or FEW_SUCCEED < rate.share < MOST_SUCCEED:
        return Answer.UNKNOWN
    return Answer.YES if rate.share >= MOST_SUCCEED else Answer.NO


def judge(predicted: Answer, rate: SuccessRate | None, *, challenged: bool) -> Standing:
    """Return how a prediction stands to the success rate of the fitted runs; None where no run fitted.

    It agrees if the share of successes is on its side of the rate that it predicts. It differs only if that rate lies outside of the
    95 % interval: what few runs do may be chance. One or two runs could agree but never differ, so they leave it undecided.
    """
    if rate is None:
        return Standing.NO_EVIDENCE
    if predicted is Answer.UNKNOWN:
        return Standing.NO_PREDICTION
    if predicted is Answer.NO and challenged:
        return Standing.CHALLENGED
    if rate.num_runs < FEWEST_RUNS:
        return Standing.UNDECIDED
    if measured_answer(rate) is predicted:
        return Standing.AGREES
    contradicts = rate.high < MOST_SUCCEED if predicted is Answer.YES else rate.low > FEW_SUCCEED
    return Standing.DIFFERS if contradicts else Standing.UNDECIDED


def explain_standing(standing: Standing, predicted: Answer, rate: SuccessRate | None) -> str:
    """Return what a standing means for a cell, with the counts behind it."""
    if rate is None:
        return "no evidence: no run fitted"
    counts = f"{rate.successes} of {rate.num_runs} fitted runs"
    if standing is Standing.NO_PREDICTION:
        return f"no prediction to compare with; {counts} generalize"
    if standing is Standing.CHALLENGED:
        return f"challenged: {counts} generalize, and at least one is right at the longest lengths and on pumped pairs"
    if rate.num_runs < FEWEST_RUNS:
        return f"too few runs: {counts} generalize"
    if predicted is Answer.NO:
        if standing is Standing.AGREES:
            return (
                "agrees" if not rate.successes else f"agrees, but {counts} are better than predicted at these lengths"
            )
        return f"better than predicted at these lengths in {counts}"
    if standing is Standing.AGREES:
        return "agrees" if rate.successes == rate.num_runs else f"agrees: came true in {counts}"
    if standing is Standing.UNDECIDED:
        return f"undecided: came true in {counts}"
    return f"a solution exists, but {counts} found it"


def advice_on_pumped_pairs(run: RunOutcome) -> str:
    """Return what to do about a run that was tested on no pumped pair beyond the training lengths."""
    if not run.hard:
        return "test it with --hard"
    return "there are no pumped pairs of the tested lengths; test it at longer lengths"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How many cells agree, differ and are undecided, of those with a prediction and a fitted run; a challenged NO differs."""

    agree: int
    differ: int
    undecided: int

    @property
    def judged(self) -> int:
        """The cells that have a prediction and a run that fits the training lengths."""
        return self.agree + self.differ + self.undecided


def agreement(standings: Iterable[Standing]) -> Agreement:
    """Return how many cells agree, how many differ, and how many are undecided, from how each of them stands."""
    found = Counter(standings)
    return Agreement(
        agree=found[Standing.AGREES],
        differ=found[Standing.DIFFERS] + found[Standing.CHALLENGED],
        undecided=found[Standing.UNDECIDED],
    )
