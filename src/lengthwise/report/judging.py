"""What measured runs say about a prediction, and when they say too little.

A YES promises that runs succeed, so it is judged by the success rate of the fitted runs. A NO says that no solution is right at
every length: one run that seems to have a solution challenges it. Neither is judged by what most runs do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..theory.claims import Answer
from .intervals import SuccessRate

FITTED = 0.99  # the exact match on fresh instances of the longest training lengths from which a run counts as fitted
GENERALIZED = 0.90  # the exact match where success is judged, from which a fitted run counts as generalizing
CHALLENGING = 0.99  # the exact match at the longest lengths, and on every hard set, from which a run challenges a NO
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
    "Marks: ✓ agrees, ✗ differs, ? undecided (too few runs to tell), ! a NO that a run challenges, · no prediction, "
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
    def is_right_throughout(self) -> bool:
        """Whether it fits, and has at least 99 % at the longest lengths, and at the longest of every hard set it was tested on."""
        tested = [self.by_bin, *self.hard.values()]
        return self.fitted and all((_last(shares) or 0.0) >= CHALLENGING for shares in tested)


def _last(shares: tuple[float | None, ...]) -> float | None:
    """Return the share in the last bin with instances."""
    return next((share for share in reversed(shares) if share is not None), None)


def measured_answer(rate: SuccessRate | None) -> Answer:
    """Return what runs alone say: YES if at least 90 % of them succeed, NO if at most 10 %, otherwise UNKNOWN.

    >>> from .intervals import success_rate
    >>> [str(measured_answer(success_rate(number, 3))) for number in range(4)]
    ['NO', 'UNKNOWN', 'UNKNOWN', 'YES']
    """
    if rate is None or FEW_SUCCEED < rate.share < MOST_SUCCEED:
        return Answer.UNKNOWN
    return Answer.YES if rate.share >= MOST_SUCCEED else Answer.NO


def judge(predicted: Answer, rate: SuccessRate | None, *, challenged: bool) -> Standing:
    """Return how a prediction stands to the success rate of the fitted runs; None where no run fitted.

    It agrees if the share of successes is on its side of the rate that it predicts. It differs only if that rate lies outside of the
    95 % interval: what few runs do may be chance.
    """
    if rate is None:
        return Standing.NO_EVIDENCE
    if predicted is Answer.UNKNOWN:
        return Standing.NO_PREDICTION
    if predicted is Answer.NO and challenged:
        return Standing.CHALLENGED
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
        return f"challenged: {counts} generalize, and at least one is right at the longest lengths"
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
