"""Appendix G.7 of arXiv 2410.02140: copying every k-th token with and without positions, published beside measured.

Runs are kept in a store; run again, only what is missing is trained. First see what it would cost:

    python benchmarks/distances_g7.py --dry-run
    python benchmarks/distances_g7.py --device cuda --store g7.sqlite
    python benchmarks/distances_g7.py --device cuda --encoding nope --distance 1 --seeds 2     the widest model, fewer seeds
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from lengthwise.experiment.engines.work import StackDone, StackProgress  # noqa: E402
from lengthwise.experiment.plan import StackPlan, make_groups  # noqa: E402
from lengthwise.experiment.run import run_experiment  # noqa: E402
from lengthwise.experiment.spec import Spec  # noqa: E402
from lengthwise.papers.huang2025_distances import (  # noqa: E402
    DIFFERENCES,
    SEEDS,
    SOURCE,
    STEPS,
    compare_distances,
    print_distances,
    published_rows,
    spec_of_distance,
)


def seconds_at_most(spec: Spec) -> float:
    """Return about how long a spec takes on an H200 at most: 2 ms a step, 28 TFLOP/s, no packing (experiment/sizing.py)."""
    work = sum(StackPlan(runs=group).work for group in make_groups(spec))
    return 0.002 * spec.training.steps + 6 * work / 28e12


def main() -> None:
    """Train what is missing, and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--store", default="g7.sqlite")
    parser.add_argument("--lengths", nargs="+", default=["small"], metavar="{small,large}")
    parser.add_argument("--distance", type=int, nargs="+", default=[1, 2, 3], metavar="K")
    parser.add_argument("--encoding", nargs="+", default=["ape", "nope"], metavar="E")
    parser.add_argument("--most-width", type=int, help="make wider models this wide: not the published ones")
    parser.add_argument("--workers", type=int, help="training processes (default: 3 per GPU)")
    parser.add_argument("--dry-run", action="store_true", help="train nothing; say what each row may cost on an H200")
    options = parser.parse_args()
    rows = published_rows(options.lengths, options.distance, options.encoding)
    specs = [
        spec_of_distance(row, seeds=options.seeds, steps=options.steps, most_width=options.most_width) for row in rows
    ]
    if options.dry_run:
        for row, spec in zip(rows, specs, strict=True):
            minutes = seconds_at_most(spec) / 60
            print(f"{row.task} × {row.encoding}: {spec.seeds} seeds of {row.configuration}, at most {minutes:.0f} min")
        print(f"together at most {sum(map(seconds_at_most, specs)) / 60:.0f} min on an H200, one after another")
        return
    begun = time.perf_counter()
    stacks: list[StackPlan] = []

    def tell(event: StackProgress | StackDone) -> None:
        spent = time.perf_counter() - begun
        what = "done" if isinstance(event, StackDone) else f"step {event.step:,}"
        print(f"{spent:.0f} s: {stacks[event.stack].label}: {what}", file=sys.stderr, flush=True)

    outcome = run_experiment(
        specs,
        options.store,
        device=options.device,
        workers=options.workers,
        on_plan=lambda planned, _: stacks.extend(planned),
        on_event=tell,
    )
    hardware = {str(result.provenance["hardware"]) for result in outcome.results}
    print(f"published: {SOURCE}; exact match in percent, mean and deviation over five counted runs")
    print(
        f"measured: {options.seeds} seeds, {', '.join(sorted(hardware))}; {time.perf_counter() - begun:.0f} s in this call, "
        f"{outcome.reused} runs were there before"
    )
    print()
    print_distances(compare_distances(outcome.results, rows, specs))
    print()
    for difference in DIFFERENCES:
        print(f"- {difference}")


if __name__ == "__main__":
    main()
