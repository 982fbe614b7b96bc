"""Ranges of length, and the bins that an experiment reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import InvalidOptionError, InvalidSpecError, check_number
from .calls import FILE_ENDINGS

if TYPE_CHECKING:
    from .task import Task

MOST_LENGTH = 100_000
MOST_BINS = 1_000
USUAL_SUCCESS = 3.0
"""The multiple of the training length at which success is judged."""

_TRIED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRange:
    """Lengths from ``low`` to ``high``, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}–{self.high}" if self.low < self.high else str(self.low)

    def __contains__(self, length: int) -> bool:
        return self.low <= length <= self.high


def length_bins(train_length: int, test_length: int | Sequence[int]) -> tuple[LengthRange, ...]:
    """Return the training lengths 0–T, then T+1–2T, and so on up to the test length, or just the test lengths if listed.

    >>> [str(bounds) for bounds in length_bins(12, 36)]
    ['0–12', '13–24', '25–36']
    >>> [str(bounds) for bounds in length_bins(16, [32, 64])]
    ['0–16', '32', '64']
    """
    if not isinstance(test_length, int):
        return LengthRange(low=0, high=train_length), *(LengthRange(low=each, high=each) for each in test_length)
    edges = [*range(train_length, test_length, train_length), test_length]
    return tuple(
        LengthRange(low=low + 1 if low else 0, high=high) for low, high in zip([0, *edges[:-1]], edges, strict=True)
    )


def top_quarter(task: Task, bounds: LengthRange) -> LengthRange:
    """Return the longest quarter, at least one, of the lengths that a task has between two.

    >>> from ..counting.majorities import Parity
    >>> str(top_quarter(Parity(), LengthRange(low=0, high=10)))
    '8–10'
    """
    lengths = task.lengths(bounds.low, bounds.high)
    return LengthRange(low=lengths[-max(1, -(-len(lengths) // 4))], high=bounds.high)


def multiple_of(bounds: LengthRange, train_length: int) -> float:
    """Return how many times the training length the longest input of a bin has.

    >>> [multiple_of(bounds, 10) for bounds in length_bins(10, 35)]
    [1.0, 2.0, 3.0, 3.5]
    """
    return bounds.high / train_length


def success_bin(bins: Sequence[LengthRange], success_at: float) -> int | None:
    """Return the number of the bin that ends at so many times the training length; None if there is none."""
    train_length = bins[0].high
    found = [number for number, bounds in enumerate(bins) if multiple_of(bounds, train_length) == success_at]
    return found[0] if found else None


def default_success(bins: Sequence[LengthRange]) -> float:
    """Return at which multiple of the training length success is judged unless something else is said: 3, if it is tested.

    Otherwise it is the largest one that is tested below 3 or, if all are above, the smallest.
    """
    multiples = [multiple_of(bounds, bins[0].high) for bounds in bins[1:]]
    return max((each for each in multiples if each <= USUAL_SUCCESS), default=min(multiples, default=1.0))


def check_lengths(train_length: object, test_length: object) -> None:
    """Raise unless tests are on longer inputs than training, in increasing order if they are listed, and not too many."""
    check_number("train_length", train_length, int, 1, MOST_LENGTH)
    assert isinstance(train_length, int)
    lengths = test_length if isinstance(test_length, (tuple, list)) else (test_length,)
    before = train_length
    if not lengths:
        raise InvalidSpecError("test_length lists no length.", hint="for example [32, 64, 128].")
    for number, length in enumerate(lengths):
        check_number("test_length", length, int, 1, MOST_LENGTH)
        if length <= before:
            what = f"{lengths[number - 1]} before it" if number else f"train_length {train_length}"
            raise InvalidSpecError(
                f"test_length {length} is not above {what}.",
                hint=f"test on longer inputs than you train on, for example {3 * train_length}.",
            )
        before = length
    num_bins = len(lengths) if isinstance(test_length, (tuple, list)) else -(-lengths[0] // train_length)
    if num_bins > MOST_BINS:
        raise InvalidSpecError(
            f"test_length asks for {num_bins} bins of length; at most {MOST_BINS} are allowed.",
            hint="list fewer test lengths, or train on longer inputs.",
        )


def has_length(task: Task, length: int) -> bool:
    """Return whether a task has instances of a length; one that is too long for it has none."""
    try:
        return bool(task.lengths(length, length))
    except InvalidOptionError:
        return False


def shortest_length(task: Task) -> int:
    """Return the first length that has instances, of a hundred from the shortest on; raise if none has.

    Lengths are looked at one by one, because a task may refuse a range that reaches too far.
    """
    low, problem = task.min_length, None
    for length in range(low, low + _TRIED):
        try:
            if task.lengths(length, length):
                return length
        except InvalidOptionError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    is_file = task.name.lower().endswith(FILE_ENDINGS)
    raise InvalidOptionError(
        f"{task.name!r} has no instance of any length that was tried, from {low} to {low + _TRIED - 1}.",
        hint=f"lengthwise check {task.name!r} says more." if is_file else "choose another task.",
    )
