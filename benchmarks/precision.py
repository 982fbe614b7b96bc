"""Many seeds of one published cell, trained in bf16 and in fp32: final accuracy of both beside the paper's.

unique_copy with learned positions, 2 layers, 1 head, width 64, learning rate 0.001, at most 30,000 steps, a run stops
when it is right on 2,000 instances of training lengths. Needs a GPU.

    python benchmarks/precision.py --precision bf16 --seeds 16 > bf16.json
    python benchmarks/precision.py --show bf16.json fp32.json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from math import erf, sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

PUBLISHED = (1.0, 0.999, 0.987)  # means over 5 counted runs, arXiv 2410.02140, from its released logs


def train(precision: str, seeds: int, device: str, steps: int) -> dict[str, Any]:
    """Train all seeds as one stack; return the share of matches per bin, for each."""
    import torch

    from lengthwise.model.shape import Shape
    from lengthwise.tasks.core.catalog import find_task
    from lengthwise.tasks.core.lengths import length_bins
    from lengthwise.train.groups import make_training_runs
    from lengthwise.train.loop import train_runs
    from lengthwise.train.precision import Precision
    from lengthwise.train.settings import Training
    from lengthwise.train.stack import Stack

    bins = length_bins(50, 150)
    begun = time.perf_counter()
    runs = make_training_runs(
        task=find_task("unique_copy"),
        encoding="ape",
        shape=Shape(layers=2, heads=1, width=64, tied=True),
        training=Training(steps=steps, batch=64, warmup=0, evaluate_every=3000, examples=2000),
        bins=bins,
        seeds=range(seeds),
        rates=[1e-3] * seeds,
    )
    stack = Stack(runs[0].group, seeds, device=device, precision=Precision(precision))
    trained = train_runs(stack, runs, lambda now: print(f"{precision}: step {now.step}", file=sys.stderr, end="\r"))
    shares = []
    for run in trained:
        inside = [[score for score in run.scores if score.length in bounds] for bounds in bins]
        shares.append([sum(s.matches for s in scores) / sum(s.examples for s in scores) for scores in inside])
    return {
        "precision": precision,
        "hardware": torch.cuda.get_device_name() if device == "cuda" else "CPU",
        "torch": torch.__version__,
        "seconds": time.perf_counter() - begun,
        "steps": [run.steps for run in trained],
        "shares": shares,
    }


def show(files: list[str]) -> None:
    """Print the results of several precisions beside the published ones, and whether they differ beyond noise."""
    found = [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]
    print(f"unique_copy × ape, 2 layers, 1 head, width 64; {found[0]['hardware']}, torch {found[0]['torch']}")
    print(f"{'':28} {'1×':>14} {'2×':>14} {'3×':>14}   steps, seconds for all")
    print(f"{'published, 5 runs':28} " + " ".join(f"{100 * value:14.1f}" for value in PUBLISHED))
    for one in found:
        counted = [shares for shares in one["shares"] if shares[0] == 1.0]
        for label, rows in ((f"of {len(one['shares'])} that fit", counted), ("all", one["shares"])):
            cells = " ".join(
                f"{100 * mean(bin_):8.2f}±{100 * (stdev(bin_) if len(bin_) > 1 else 0.0):5.2f}"
                for bin_ in zip(*rows, strict=True)
            )
            what = f"{one['precision']}, {len(rows)} {label}" if rows is counted else f"{one['precision']}, all"
            print(f"{what:28} {cells}   {min(one['steps'])}–{max(one['steps'])}, {one['seconds']:.0f}")
    if len(found) == 2:
        for place, name in enumerate(("1×", "2×", "3×")):
            one, two = ([shares[place] for shares in each["shares"]] for each in found)
            print(f"{name}: two-sided p of a rank-sum test of bf16 against fp32, {rank_sum_p(one, two):.2f}")


def rank_sum_p(one: list[float], two: list[float]) -> float:
    """Return the two-sided p of the rank-sum test (Mann and Whitney), by its normal approximation with ties."""
    both = one + two
    wins = sum((a > b) + 0.5 * (a == b) for a in one for b in two)
    n, m, total = len(one), len(two), len(both)
    ties = sum(both.count(value) ** 3 - both.count(value) for value in set(both))
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if not variance:
        return 1.0
    return 1 - erf(abs(wins - n * m / 2) / sqrt(2 * variance))


def main() -> None:
    """Train one precision, or show several."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", choices=("bf16", "tf32", "fp32"), default="bf16")
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--show", nargs="+", metavar="FILE", help="print these results instead")
    options = parser.parse_args()
    if options.show:
        show(options.show)
    else:
        print(json.dumps(train(options.precision, options.seeds, options.device, options.steps)))


if __name__ == "__main__":
    main()
