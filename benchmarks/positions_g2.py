"""Appendix G.2 of arXiv 2410.02140: which relations of distances products of position vectors learn and extend.

Nine relations at widths 32 and 256, five seeds each; all fits of a width train as one program. Prints published errors
beside measured ones, with hardware, seeds and time.

    python benchmarks/positions_g2.py --device cuda --out positions.json
    python benchmarks/positions_g2.py --quick            a few steps of three relations on the CPU, to see that it works
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from lengthwise.experiment.provenance import provenance  # noqa: E402
from lengthwise.papers.huang2025_positions import (  # noqa: E402
    DIFFERENCES,
    RELATIONS,
    SEEDS,
    SOURCE,
    STEPS,
    WIDTHS,
    print_positions,
    run_positions,
)


def main() -> None:
    """Fit, and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--widths", type=int, nargs="+", default=list(WIDTHS))
    parser.add_argument("--relations", nargs="+", default=[], choices=list(RELATIONS), metavar="NAME")
    parser.add_argument("--out", help="keep the rows in this JSON file; what it holds is not done again")
    parser.add_argument("--quick", action="store_true", help="300 steps of three relations at width 32, one seed")
    options = parser.parse_args()
    if options.quick:
        options.steps, options.seeds, options.widths = 300, 1, [32]
        options.relations = options.relations or ["one_back", "0_mod_3", "prime"]
    begun = time.perf_counter()
    rows = run_positions(
        options.device,
        options.seeds,
        options.steps,
        options.relations,
        options.widths,
        options.out,
        on_step=lambda width, step: print(
            f"width {width}: step {step:,}, {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True
        ),
    )
    seconds = {row.width: row.seconds for row in rows}
    where = provenance(options.device)
    print(f"published: {SOURCE}")
    print(
        f"measured: {options.seeds} seeds, {options.steps:,} steps, {where['hardware']}, torch {where['torch']}, "
        + ", ".join(f"width {width} in {spent:.0f} s" for width, spent in seconds.items())
    )
    print()
    print_positions(rows)
    print()
    for difference in DIFFERENCES:
        print(f"- {difference}")


if __name__ == "__main__":
    main()
