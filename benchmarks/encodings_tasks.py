"""Which encodings extrapolate, next to what their bounds say: all encodings on five tasks, five seeds each.

The setting is the preset of `lengthwise run`: trained up to length 10, tested up to length 30. Finished models are kept
in the store; run again, it trains only what is missing.

    python benchmarks/encodings_tasks.py --store runs.sqlite              train what is missing, then print the table
    python benchmarks/encodings_tasks.py --store runs.sqlite --show       print the table of what is there
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from lengthwise.encodings.cards import ENCODINGS
from lengthwise.experiment.engines.work import StackDone
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import read_store
from lengthwise.report.matrix import matrix_text
from lengthwise.report.statistics import current_results, summarize

TASKS = ("bin_majority", "unique_copy", "(aa)*", "TOMITA_4", "parity")  # TOMITA_4 is "no 000"
SEEDS = 5
ONLY = {"coupling": ("unique_copy",), "abacus": ("bin_majority", "parity")}  # tasks with roles, tasks with digits


def specs() -> list[Spec]:
    everywhere = tuple(name for name in ENCODINGS if name not in ONLY)
    return [
        Spec(tasks=TASKS, encodings=everywhere, seeds=SEEDS),
        *(Spec(tasks=tasks, encodings=(name,), seeds=SEEDS) for name, tasks in ONLY.items()),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="encodings.sqlite")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if not options.show:
        begun = time.perf_counter()

        def tell(event: object) -> None:
            if isinstance(event, StackDone):
                first = event.results[0]
                print(
                    f"{time.perf_counter() - begun:.0f} s: {first.task} × {first.encoding}", file=sys.stderr, flush=True
                )

        run_experiment(specs(), options.store, device=options.device, workers=options.workers, on_event=tell)
    with read_store(options.store) as store:
        results = current_results(store.results())
    print(results[0].provenance | {"seeds": SEEDS})
    print(matrix_text(summarize(results)))


if __name__ == "__main__":
    main()
