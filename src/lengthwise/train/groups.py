"""Which runs can train in the slots of one stack; torch-free, so that planning can ask.

A group is everything that the program of a training step depends on. Runs of one group may differ in task, seed, learning
rate, number of steps, warm-up, decay, clip and penalty weights: those are numbers that the program reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..encodings.core.choice import encoding_files, find_encoding
from ..errors import InvalidOptionError
from ..model.shape import Shape
from ..tasks.core.lengths import LengthRange, top_quarter
from ..tasks.core.task import Objective, Task
from ..tasks.core.without_bos import without_bos
from ..tasks.hard.apply import hard_sets
from .settings import Training

_MULTIPLE = 8  # tokens and outputs are padded to multiples of this, so that tasks with almost as many share a group
_DRAWS_PER_LENGTH = 16  # of each training length, at least, before the schedule of lengths begins again
_LONGEST_CYCLE = 10_000  # steps of a schedule that is kept, where that is enough draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The lengths that rows are laid out for, with the number of tokens and the scored positions of each.

    They are the training lengths of a task. Where the instances of a task are asked at every prefix, they are all lengths from its
    shortest on (``is_nested``): a language that lacks a length has its next shorter word in that room, with padding behind
    it that no scored position sees. So languages that lack different lengths share a layout.
    """

    lengths: tuple[int, ...]
    sizes: tuple[int, ...]
    scored: tuple[range, ...]
    is_nested: bool

    @property
    def width(self) -> int:
        """The number of tokens of an instance of the longest length, to which all instances are padded."""
        return self.sizes[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What the runs in the slots of one stack have in common.

    ``num_tokens`` and ``num_outputs`` are padded. Everything that changes a model if it is rounded up is exact: the room for
    positions (``max_length``) and the longest training instance (``trained``), both in tokens.
    """

    encoding: str
    shape: Shape
    objective: Objective
    layout: Layout
    num_tokens: int
    num_outputs: int
    max_length: int
    trained: int
    digits: tuple[int, ...]
    batch: int
    evaluate_every: int
    examples: int
    penalties: tuple[str, ...]

    @property
    def period(self) -> int:
        """The steps after which the schedule of lengths begins again: a multiple of ``evaluate_every``.

        Slots begin at multiples of the period, so that slots at different steps draw the same lengths at every moment.
        """
        draws = self.evaluate_every * max(1, self.batch // 2)
        return self.evaluate_every * -(-_DRAWS_PER_LENGTH * len(self.layout.lengths) // draws)

    @property
    def cycle(self) -> int:
        """The steps after which lengths repeat within a period: all of it, unless it is very long."""
        enough = -(-_DRAWS_PER_LENGTH * len(self.layout.lengths) // max(1, self.batch // 2))
        return min(self.period, max(_LONGEST_CYCLE, enough))


def group_of(
    task: Task,
    encoding: str,
    shape: Shape,
    training: Training,
    bins: Sequence[LengthRange],
    room: int | None = None,
) -> Group:
    """Return the group of a run; with ``no_bos`` the task must have been cut already.

    ``room`` is the longest input that an encoding has positions for; without it, that is the longest one it is tested on.
    """
    own = task.lengths(bins[0].low, bins[0].high)
    if not own:
        raise InvalidOptionError(
            f"{task.name!r} has no instance of a length from {bins[0]}.", hint="train on longer inputs."
        )
    is_nested = is_asked_at_every_prefix(task)
    lengths = tuple(range(own[0], bins[0].high + 1)) if is_nested else own
    return Group(
        encoding=encoding,
        shape=shape,
        objective=task.objective,
        layout=Layout(
            lengths=lengths,
            sizes=tuple(task.size(length) for length in lengths),
            scored=tuple(task.scored(length) for length in lengths),
            is_nested=is_nested,
        ),
        num_tokens=_padded(len(task.vocabulary)),
        num_outputs=_padded(task.num_outputs),
        max_length=task.size(bins[-1].high if room is None else room),
        trained=task.size(bins[0].high),
        digits=task.digits if _looks_at_digits(encoding) else (),
        batch=training.batch,
        evaluate_every=min(training.evaluate_every, training.steps),  # more means the same: at the end only
        examples=training.examples,
        penalties=tuple(sorted(name for name, weight in training.penalties if weight)),
    )


def _looks_at_digits(encoding: str) -> bool:
    """Return whether an encoding may ask which tokens are digits; a user's own may."""
    return bool(encoding_files(encoding)) or any(
        part.card.ids_from == "digits" for part in find_encoding(encoding).parts
    )


def is_asked_at_every_prefix(task: Task) -> bool:
    """Return whether the scored positions of an instance are scored in a longer one too."""
    return task.objective in (Objective.NEXT_SYMBOLS, Objective.STATES)


def _padded(number: int) -> int:
    return -(-number // _MULTIPLE) * _MULTIPLE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainingRun:
    """One model to train: what a slot holds. ``bins`` are the lengths it is scored on, the training lengths first."""

    task: Task
    group: Group
    training: Training
    bins: tuple[LengthRange, ...]
    seed: int
    rate: float
    hard_sets: Mapping[str, Task] = field(default_factory=dict)
    generates: bool = False  # whether some instances are decoded token by token, too

    @property
    def fit_lengths(self) -> LengthRange:
        """The longest quarter of the training lengths: a run that is right there fits."""
        return top_quarter(self.task, self.bins[0])


def make_training_runs(
    *,
    task: Task,
    encoding: str,
    shape: Shape,
    training: Training,
    bins: Sequence[LengthRange],
    seeds: Sequence[int],
    rates: Sequence[float],
    hard: bool = False,
    room: int | None = None,
    generate: bool = False,
) -> list[TrainingRun]:
    """Return runs of one task, one for each seed with its rate.

    With ``generate`` some instances are decoded token by token; with encodings for which that differs from one pass over
    whole instances, they always are.
    """
    own = hard_sets(task) if hard else {}
    tests = {kind: without_bos(hard_set) if shape.no_bos else hard_set for kind, hard_set in own.items()}
    task = without_bos(task) if shape.no_bos else task
    group = group_of(task, encoding, shape, training, bins, room)
    generates = generate or not find_encoding(encoding).prefix_consistent
    scored = tuple(bounds for bounds in bins if task.lengths(bounds.low, bounds.high))
    return [
        TrainingRun(
            task=task,
            group=group,
            training=training,
            bins=scored,
            seed=seed,
            rate=rate,
            hard_sets=tests,
            generates=generates,
        )
        for seed, rate in zip(seeds, rates, strict=True)
    ]
