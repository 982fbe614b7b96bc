"""The sweep behind the preset: exact match on training lengths, and on nothing longer, for the tasks that are hard to fit.

Runs from the source tree as it is: python benchmarks/preset.py cuda. On a CPU it takes hours.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import torch

from lengthwise.model.shape import Shape
from lengthwise.tasks.catalog import find_task
from lengthwise.tasks.lengths import length_bins
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

RATES = (0.001, 0.002, 0.003, 0.004)
SEEDS = (0, 1, 2)
TRAIN_LENGTH = 10
TEST_LENGTH = 30  # sets the number of positions; nothing longer than TRAIN_LENGTH is scored here
SIZES = ((4, 64), (2, 64), (4, 32))  # heads, batch


def fitted(task: str, encoding: str, heads: int, batch: int, device: str) -> list[list[float]]:
    """Return the exact match on training lengths of each seed, for each learning rate, at the end of training."""
    training = Training(batch=batch)
    stack = Stack(
        task=find_task(task),
        encoding=encoding,
        shape=Shape(heads=heads),
        training=training,
        bins=length_bins(TRAIN_LENGTH, TEST_LENGTH),
        seeds=[seed for _ in RATES for seed in SEEDS],
        rates=[rate for rate in RATES for _ in SEEDS],
        device=device,
    )
    for number in range(training.steps):
        stack.step(number)
    shares = stack.matched().tolist()
    return [shares[place : place + len(SEEDS)] for place in range(0, len(shares), len(SEEDS))]


def main(device: str = "cpu") -> None:
    hardware = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    print(
        f"torch {torch.__version__} on {hardware}; {Training().steps} steps, lengths up to {TRAIN_LENGTH}, width 32, two layers"
    )
    for heads, batch in SIZES:
        for task in ("parity", "repeat_copy"):
            for encoding in ("nope", "ape"):
                start = time.perf_counter()
                rows = fitted(task, encoding, heads, batch, device)
                shown = " | ".join(
                    f"{rate:g}: " + " ".join(f"{share:.3f}" for share in row)
                    for rate, row in zip(RATES, rows, strict=True)
                )
                seconds = time.perf_counter() - start
                print(f"heads {heads} batch {batch} {task:11} {encoding:4} {shown}  ({seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
