"""How often the intervals of reports cover the truth, for 3 to 30 runs, computed exactly: no simulation, no rounding.

Success rates: the interval of Clopper and Pearson. Its least coverage over all rates is the least of its limits beside the ends of
intervals, since between two ends the counts that cover do not change. Medians: order statistics from six runs on, the range below.

    python benchmarks/intervals.py
"""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from lengthwise.report.intervals import FEWEST_FOR_MEDIAN, median_coverage, num_left_out, success_rate
from lengthwise.tables import Table

RUNS = range(3, 31)


def covering_probability(first: int, last: int, num_runs: int, rate: Fraction) -> Fraction:
    """Return the probability that the number of successes lies from ``first`` to ``last``."""
    return sum(
        (comb(num_runs, k) * rate**k * (1 - rate) ** (num_runs - k) for k in range(first, last + 1)), Fraction(0)
    )


def least_coverage(num_runs: int) -> tuple[Fraction, Fraction]:
    """Return the least coverage of a success rate's interval over all rates, and the rate beside which it is reached."""
    found = [success_rate(successes, num_runs) for successes in range(num_runs + 1)]
    ends = sorted({Fraction(end) for each in found for end in (each.low, each.high)})
    coverages = []
    for left, right in pairwise(ends):
        covering = [k for k, each in enumerate(found) if each.low <= left and right <= each.high]
        coverages += [(covering_probability(covering[0], covering[-1], num_runs, rate), rate) for rate in (left, right)]
    return min(coverages)


def main() -> None:
    rows = []
    for num_runs in RUNS:
        coverage, rate = least_coverage(num_runs)
        cut = num_left_out(num_runs)
        name = "range" if num_runs < FEWEST_FOR_MEDIAN else f"x({cut + 1}) to x({num_runs - cut})"
        all_succeed, none = success_rate(num_runs, num_runs), success_rate(0, num_runs)
        rows.append(
            [
                str(num_runs),
                f"{100 * float(coverage):.2f} % at {float(rate):.4f}",
                f"{100 * all_succeed.low:.1f}–100 %",
                f"0–{100 * none.high:.1f} %",
                name,
                f"{100 * float(median_coverage(num_runs, cut)):.2f} %",
            ]
        )
    header = [
        "runs",
        "least coverage of a success rate",
        "all succeed",
        "none succeeds",
        "median's interval",
        "coverage",
    ]
    print(Table(header=header, rows=rows).to_text(160))
    print(
        "\nx(1) is the smallest value. Below six runs even the range of all runs covers the median with less than 95 %."
    )


if __name__ == "__main__":
    main()
