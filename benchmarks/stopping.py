"""What a score at training lengths means when the same instances decide when to stop: a simulation.

A run is evaluated every so often and stops when all instances of an evaluation are right. Here a "model" is a number: each
instance is right with a fixed probability, whatever it is. The old rule scored a run on the instances that stopped it, and
called it fitted from 99 % on. The new rule scores other instances, and calls a run fitted if 2,000 further ones are right in 99 %.

    python benchmarks/stopping.py                 a second
"""

from __future__ import annotations

import argparse

import numpy as np

EXAMPLES = 500
FIT_EXAMPLES = 2_000
FITTED = 0.99
TRUE_ACCURACIES = (0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 0.999)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--evaluations", type=int, default=16, help="how often a run is evaluated (4,000 steps, every 250)"
    )
    parser.add_argument("--runs", type=int, default=20_000)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    print(
        f"{options.runs:,} runs, {options.evaluations} evaluations of {EXAMPLES} instances each, seed 0; in percent\n"
    )
    print("true   stopped   score at 1×, old   new    fitted, old   new")
    for true in TRUE_ACCURACIES:
        matches = random.binomial(EXAMPLES, true, (options.runs, options.evaluations))
        is_perfect = matches == EXAMPLES
        stopped = is_perfect.any(1)
        last = np.where(stopped, is_perfect.argmax(1), options.evaluations - 1)
        old = matches[np.arange(options.runs), last] / EXAMPLES
        new = random.binomial(EXAMPLES, true, options.runs) / EXAMPLES
        fit = random.binomial(FIT_EXAMPLES, true, options.runs) / FIT_EXAMPLES
        columns = stopped.mean(), old.mean(), new.mean(), (old >= FITTED).mean(), (fit >= FITTED).mean()
        shown = [f"{100 * value:.1f}" for value in columns]
        print(f"{100 * true:4.1f} {shown[0]:>9} {shown[1]:>18} {shown[2]:>6} {shown[3]:>12} {shown[4]:>6}")


if __name__ == "__main__":
    main()
