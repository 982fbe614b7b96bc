"""Which encodings extrapolate, next to what their bounds say: all encodings on five tasks, five seeds each.

The setting is the preset of `lengthwise run`: trained up to length 10, tested up to length 30. Finished models are kept
in the store; run again, it trains only what is missing.

    python benchmarks/encodings_tasks.py --store runs.sqlite              train what is missing, then print the table
    python benchmarks/encodings_tasks.py --store runs.sqlite --show       print the table of what is there
    python benchmarks/encodings_tasks.py --only fire lbpe                 these encodings only
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.experiment.engines.work import StackDone
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import read_store
from lengthwise.report.statistics import Cell, sort_out, summarize
from lengthwise.tables import Table

TASKS = ("bin_majority", "unique_copy", "(aa)*", "TOMITA_4", "parity")  # TOMITA_4 is "no 000"
SEEDS = 5
LEGEND = (
    "Each cell: the prediction (✓ yes, ✗ no, ? unknown), how many of the runs that fitted the training lengths generalize, and "
    "their median exact match where success is judged. Where no run fitted there is no evidence."
)
ONLY = {"coupling": ("unique_copy",), "abacus": ("bin_majority", "parity")}  # tasks with roles, tasks with digits


def specs(names: Sequence[str]) -> list[Spec]:
    return [Spec(tasks=ONLY.get(name, TASKS), encodings=(name,), seeds=SEEDS) for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="encodings.sqlite")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--only", nargs="+", default=list(ENCODINGS), metavar="ENCODING")
    options = parser.parse_args()
    if not options.show:
        begun = time.perf_counter()

        def tell(event: object) -> None:
            if isinstance(event, StackDone):
                first = event.results[0]
                print(
                    f"{time.perf_counter() - begun:.0f} s: {first.task} × {first.encoding}", file=sys.stderr, flush=True
                )

        run_experiment(
            specs(options.only), options.store, device=options.device, workers=options.workers, on_event=tell
        )
    with read_store(options.store) as store:
        results, _ = sort_out(store.results())
    print(results[0].provenance | {"seeds": SEEDS})
    print(matrix(summarize(results)).to_text(200))
    print(f"\n{LEGEND}")


def matrix(cells: Sequence[Cell]) -> Table:
    """Return a row for each encoding, with prediction beside measurement for each task; scripts/docs draws it."""
    shown = {(cell.task, cell.encoding): cell for cell in cells}
    tasks, encodings = (list(dict.fromkeys(names)) for names in zip(*shown, strict=True))
    rows = [[encoding, *(_words(shown.get((task, encoding))) for task in tasks)] for encoding in encodings]
    return Table(header=["encoding", *tasks], rows=rows)


def _words(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    mark = {"YES": "✓", "NO": "✗", "UNKNOWN": "?"}[str(cell.verdict.answer)]
    if not cell.num_fitted:
        return f"{mark} 0/{cell.num_runs} fit"
    return f"{mark} {cell.num_generalized}/{cell.num_fitted} {cell.by_bin[cell.success].median:.0%}"


if __name__ == "__main__":
    main()
