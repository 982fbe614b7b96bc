"""What simple rules reach on a task file: an accuracy that says nothing about a model which has it too."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.lengths import LengthRange
from .findings import Finding, note, warning
from .python_task import PythonTask

TRAIN_LENGTHS, TEST_LENGTHS = 10, 20
"""How many lengths rules are fitted on, and how many longer ones they are scored at."""
_TOLD = 0.75
_CLEARLY_ABOVE = 0.05
_TRAIN_EXAMPLES, _EXAMPLES, _FEWEST = 400, 300, 100
_SECONDS = 2.0
"""How long drawing instances may take; a slower task has fewer of them, or no audit."""


def check_shortcuts(task: PythonTask) -> Iterator[Finding]:
    """Yield the best constant answer if it is right on most longer prompts, and the best simple rule if it is better."""
    low = task.min_length
    longer = LengthRange(low=low + TRAIN_LENGTHS, high=low + TRAIN_LENGTHS + TEST_LENGTHS - 1)
    lengths = task.lengths(longer.low, longer.high)
    if not lengths:
        return
    (seconds,) = task.process.ask("seconds", [(lengths[-1],)])
    affordable = min(1.0, _SECONDS / ((_TRAIN_EXAMPLES + 2 * _EXAMPLES) * max(seconds, 1e-6)))
    if affordable * _EXAMPLES < _FEWEST:
        return
    from ..audit.shortcuts import audit_shortcuts  # NumPy is loaded for a task that can be drawn, and not before

    audit = audit_shortcuts(
        task,
        (LengthRange(low=low, high=longer.low - 1), longer),
        train_examples=int(affordable * _TRAIN_EXAMPLES),
        examples=int(affordable * _EXAMPLES),
    )
    chance, best = audit.chance, audit.best(1)
    constant, reached = chance.shares[1], best.shares[1]
    assert constant is not None
    assert reached is not None
    where = f"at lengths {LengthRange(low=lengths[0], high=lengths[-1])}"
    if _TOLD <= constant < 1:  # that all answers are one is told anyway
        what = chance.name.removeprefix("always ")
        told = f"always answering {what!r}" if what != chance.name else f"a constant answer ({chance.name})"
        yield warning(
            f"{told} is right on {100 * constant:.1f} % {where}; models must beat this.",
            "let sample() return prompts with all answers in equal shares, at every length.",
        )
    if reached >= max(_TOLD, constant + _CLEARLY_ABOVE):
        yield note(
            f"a rule that sees nothing but the {best.name} is right on {100 * reached:.1f} % {where}; models must beat this.",
            "if the task is meant to need more, let sample() return prompts on which this rule fails.",
        )
