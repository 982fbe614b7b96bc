"""What tests do with a stack: look at the batch of any step, or train what is in its slots to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from lengthwise.train.loop import Progress, Trained, train_runs
from lengthwise.train.packing import Rows
from lengthwise.train.ring import Placed
from lengthwise.train.stack import Stack


def rows_of(stack: Stack, number: int) -> Rows:
    """Return the rows of step ``number`` of all runs in a stack; the stack stays at its step."""
    stack.ring.fill({slot: Placed(run, number) for slot, run in stack.runs.items()}, number, 1)
    rows = stack.ring.rows(torch.tensor([0]))
    stack.ring.filled = 0
    return rows


def train_all(stack: Stack, report: Callable[[Progress], None] = lambda _: None, **options: Any) -> list[Trained]:
    """Train the runs in the slots of a stack to the end."""
    return train_runs(stack, [stack.runs[slot] for slot in range(stack.num_slots)], report, **options)
