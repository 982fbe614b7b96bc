"""Compiled models trained further on their own task: whether they stay at the program, and whether perturbed ones return.

Exact match is the share of 200 random words that are right at every position. Baseline, in the same run: the compiled model
as it is, and the perturbed one before training.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from further_training import distance, exact_match, perturbed, train_further

from lengthwise.crasp.programs.catalog import find_program
from lengthwise.model.compiled.model import compile_to_transformer

PROGRAMS = ("majority", "mostly_ahead", "dyck_1", "tomita_4")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--slope", type=float, default=64.0, help="of comparisons; exact up to half of it")
    parser.add_argument("--bias", type=float, default=20.0, help="of local heads")
    parser.add_argument("--train-length", type=int, default=16)
    parser.add_argument("--lengths", type=int, nargs="*", default=[16, 32, 64, 128])
    parser.add_argument("--sigmas", type=float, nargs="*", default=[0.0, 0.01, 0.03, 0.1])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    start = time.process_time()
    print(
        f"torch {torch.__version__.split('+')[0]}, one core, float32; {options.steps} steps of AdamW at {options.rate:g}, "
        f"64 random words of length 1 to {options.train_length} each; slope {options.slope:g}, bias {options.bias:g}"
    )
    print(f"exact match in % at lengths {options.lengths}, mean of {options.seeds} seeds; distances in all parameters")
    print()
    print(
        f"{'program':16}{'sigma':>6}{'before':>24}{'after':>24}{'first loss':>12}{'last loss':>12}"
        f"{'moved away':>12}{'from program':>14}"
    )
    for name in options.programs:
        model = compile_to_transformer(
            find_program(name).program, slope=options.slope, bias=options.bias, dtype=torch.float32
        )
        for sigma in options.sigmas:
            before, after, numbers = [], [], []
            for seed in range(options.seeds):
                moved = perturbed(model, sigma, seed=seed)
                trained, losses = train_further(
                    moved, steps=options.steps, rate=options.rate, max_length=options.train_length, seed=seed
                )
                before.append(exact_match(moved, options.lengths, seed=seed))
                after.append(exact_match(trained, options.lengths, seed=seed))
                last = sum(losses[-20:]) / len(losses[-20:])
                numbers.append((losses[0], last, distance(trained, moved), distance(trained, model)))
            first, last, moved_by, from_program = (sum(column) / len(column) for column in zip(*numbers, strict=True))
            print(
                f"{name:16}{sigma:>6}{mean_match(before):>24}{mean_match(after):>24}{first:>12.5f}{last:>12.5f}"
                f"{moved_by:>12.3f}{from_program:>14.3f}",
                flush=True,
            )
    print()
    print(f"{time.process_time() - start:.0f} s of processor time in all")


def mean_match(found: list[dict[int, float]]) -> str:
    return " / ".join(f"{100 * sum(row[length] for row in found) / len(found):.0f}" for length in found[0])


if __name__ == "__main__":
    main()
