"""How many phases of pope still learn after a few hundred steps: clipped as in the paper, and free as here.

A phase that is clipped and has left −2π … 0 gets no gradient. Both kinds start at 0, on the same weights and batches.

    python benchmarks/pope_phases.py
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from lengthwise.encodings.core import build
from lengthwise.encodings.methods.pope import PoPE
from lengthwise.model.shape import Shape
from lengthwise.tables import Table
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.train.groups import make_training_runs
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

TASKS = ("bin_majority", "unique_copy", "TOMITA_4")
SEEDS = 5


class ClippedPoPE(PoPE):
    """Phases kept within −2π … 0, as in the paper."""

    def phases(self) -> Tensor:
        """Return the phases, clipped."""
        return super().phases().clamp(-2 * math.pi, 0.0)


def train(task: str, kind: type[PoPE], steps: int, rate: float) -> tuple[float, float, float]:
    """Return the share of phases outside of −2π … 0, the share without a gradient, and the mean loss of the last step."""
    right: Any = build.load_encoding
    build.load_encoding = lambda choice: kind if choice.card.name == "pope" else right(choice)
    try:
        runs = make_training_runs(
            task=find_task(task),
            encoding="pope",
            shape=Shape(layers=2, heads=4, width=32),
            training=Training(steps=30_000, batch=64),
            bins=length_bins(10, 30),
            seeds=range(SEEDS),
            rates=[rate] * SEEDS,
        )
        stack = Stack.of(runs, device="cpu")
        for _ in range(steps):
            losses_M = stack.step()
    finally:
        build.load_encoding = right
    phases = [part for name, part in stack.model.named_parameters() if name.endswith("phase_MHK")]
    stack.step()  # the gradients of this step are looked at
    gradients = torch.cat([part.grad.flatten() for part in phases if part.grad is not None])
    values = torch.cat([part.detach().flatten() for part in phases])
    outside = ((values > 0) | (values < -2 * math.pi)).float().mean().item()
    return outside, (gradients == 0).float().mean().item(), losses_M.mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rate", type=float, default=1e-3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    header = ("task", "phases", "outside of −2π … 0", "without a gradient", "loss")
    rows = [
        (task, word, *(f"{share:.0%}" for share in shares), f"{loss:.3f}")
        for task in TASKS
        for word, kind in (("clipped", ClippedPoPE), ("free", PoPE))
        for *shares, loss in [train(task, kind, options.steps, options.rate)]
    ]
    print(Table(header=header, rows=rows).to_text())
    print(
        f"\nafter {options.steps} steps at rate {options.rate:g}: {SEEDS} models of 2 layers, 4 heads, width 32; loss of the last step"
    )


if __name__ == "__main__":
    main()
