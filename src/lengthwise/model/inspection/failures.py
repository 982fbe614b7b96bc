"""Where a model breaks: the first wrong position of failing instances, by length, and examples token by token.

Shapes: B batch, L tokens, O outputs; there is one model, M = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from torch import Tensor

from ...errors import InvalidOptionError
from ...tasks.core.task import IGNORE, Objective, Task
from ..transformer import Transformer
from .inspect import INSTANCES, require_measurable, spread_lengths
from .watching import AtLength, Seen, margins_of, measure_at, watch

EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A failing instance: its tokens, and for each what should come next and what the model says; empty where nothing is scored.

    ``first`` is the place of the first wrong output, counted from 0.
    """

    tokens: tuple[str, ...]
    expected: tuple[str, ...]
    given: tuple[str, ...]
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """The failing instances of one length: for each, which of the scored positions is the first wrong one, counted from 1.

    ``scored`` is how many positions are scored in the longest instance.
    """

    measured: AtLength
    scored: int
    first_wrong: tuple[int, ...]

    @property
    def usual(self) -> float | None:
        """The median of the first wrong position; None where no instance fails."""
        return median(self.first_wrong) if self.first_wrong else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """How a model breaks with length; ``examples`` are of the first length at which less than 90 % are right, or else of the worst."""

    trained_length: int
    by_length: tuple[Breaks, ...]
    example_length: int | None
    examples: tuple[Example, ...]


_FEW_RIGHT = 0.9


def find_failures(
    model: Transformer,
    task: Task,
    train_length: int,
    test_length: int,
    *,
    first_length: int = 1,
    instances: int = INSTANCES,
    seed: int = 0,
    report: Callable[[str], None] = lambda _: None,
) -> Failures:
    """Look for the instances that a model gets wrong, at several lengths; a function of the seed.

    Lengths go from ``first_length`` to ``test_length``, which may be longer than what the model was tested on. ``task`` may be a hard set.
    """
    require_measurable(model)
    possible = task.lengths(first_length, test_length)
    if not possible:
        raise InvalidOptionError(
            f"{task.name!r} has no instance of a length from {first_length} to {test_length}.",
            hint="choose another kind of hard instances." if first_length == 1 else "choose other lengths.",
        )
    chosen = spread_lengths(possible, train_length)
    found = []
    for length in chosen:
        report(f"length {length} of {chosen[-1]}")
        found.append(_breaks_at(model, task, length, instances, seed))
    failing = [breaks for breaks in found if breaks.first_wrong]
    low = [breaks for breaks in failing if breaks.measured.matched < _FEW_RIGHT]
    shown = low[0] if low else min(failing, key=lambda breaks: breaks.measured.matched, default=None)
    at = None if shown is None else shown.measured.length
    return Failures(
        trained_length=max((each for each in task.lengths(1, train_length)), default=possible[0]),
        by_length=tuple(found),
        example_length=at,
        examples=() if at is None else _examples_at(model, task, at, instances, seed),
    )


def _breaks_at(model: Transformer, task: Task, length: int, instances: int, seed: int) -> Breaks:
    first_wrong: list[int] = []
    scored = 0
    for seen in watch(model, task, [length] * instances, seed):
        wrong_BL, scored_BL = _wrong(task, seen), seen.targets_BL != IGNORE
        scored = max(scored, int(scored_BL.sum(1).max()))
        for row in range(len(wrong_BL)):
            if wrong_BL[row].any():
                place = int(wrong_BL[row].int().argmax())
                first_wrong.append(int(scored_BL[row, : place + 1].sum()))
    measured = measure_at(model, task, length, instances, seed)
    return Breaks(measured=measured, scored=scored, first_wrong=tuple(sorted(first_wrong)))


def _wrong(task: Task, seen: Seen) -> Tensor:
    """Return where a scored output is wrong, [B, L]."""
    margins_BL = margins_of(task.objective, seen.outputs_BLO, seen.targets_BL)
    return ~(margins_BL > 0) & (seen.targets_BL != IGNORE)


def _examples_at(model: Transformer, task: Task, length: int, instances: int, seed: int) -> tuple[Example, ...]:
    """Return the first failing instances of a length, each once."""
    examples: dict[Example, None] = {}
    for seen in watch(model, task, [length] * instances, seed):
        wrong_BL = _wrong(task, seen)
        for row in range(len(wrong_BL)):
            if wrong_BL[row].any() and len(examples) < EXAMPLES:
                examples[_read_example(task, seen, row, int(wrong_BL[row].int().argmax()))] = None
    return tuple(examples)


def _read_example(task: Task, seen: Seen, row: int, first: int) -> Example:
    size = int(seen.sizes_B[row])
    targets = seen.targets_BL[row, :size].tolist()
    answers = _answers(task.objective, seen.outputs_BLO[row, :size])
    return Example(
        tokens=tuple(task.vocabulary[token] for token in seen.tokens_BL[row, :size].tolist()),
        expected=tuple("" if target == IGNORE else show_target(task, target) for target in targets),
        given=tuple(
            "" if target == IGNORE else show_target(task, answer)
            for target, answer in zip(targets, answers, strict=True)
        ),
        first=first,
    )


def _answers(objective: Objective, outputs_LO: Tensor) -> Sequence[int]:
    """Return what the model says at every place, written as targets are: a class, or a set as the bits of a number."""
    if objective is Objective.NEXT_SYMBOLS:
        return [sum(1 << bit for bit, value in enumerate(row) if value > 0) for row in outputs_LO.tolist()]
    answers: list[int] = outputs_LO.argmax(-1).tolist()
    return answers


def show_target(task: Task, target: int) -> str:
    """Return a target in print: a token, a state's number, or a set of symbols, in which $ is the end of the word."""
    if task.objective is Objective.STATES:
        return str(target)
    if task.objective is Objective.NEXT_SYMBOLS:
        return "".join(name for bit, name in enumerate([*task.symbols, "$"]) if target >> bit & 1) or "∅"
    return task.vocabulary[target]
