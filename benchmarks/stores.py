"""What it takes to get results out of a store: export, merge and watch, and what a watcher costs the process that trains.

    python benchmarks/stores.py [--runs 10000]

Runs are made up, not trained: 40 tested lengths each. Parquet is measured where pyarrow is installed. The writer saves runs
one by one as fast as it can, alone and then with a watcher that reads all the time, which is about a hundred times as often as
``lengthwise watch`` does.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.merging import merge_stores
from lengthwise.experiment.plan import Run, StackPlan, make_runs
from lengthwise.experiment.provenance import processor
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.experiment.store_progress import read_progress
from lengthwise.report.run_files import FORMATS, write_rows
from lengthwise.report.run_table import table_rows

LENGTHS = 40
WATCHER = (
    "import sys; from lengthwise.experiment.store_progress import read_progress\n"
    "looks = 0; print('ready', flush=True)\n"
    "while not read_progress(sys.argv[1]).is_complete: looks += 1\n"
    "print(looks)"
)


def made_up(run: Run) -> Result:
    """Return the result of a run that was never trained."""
    return Result(
        id=run.id,
        task=run.task,
        encoding=run.encoding,
        seed=run.seed,
        learning_rate=run.learning_rate,
        settings=run.settings,
        steps=1000,
        seconds=1.5,
        losses=tuple((step, 1 / step) for step in range(100, 1001, 100)),
        provenance={"hardware": "none", "torch": "none", "finished": "2026-11-19T12:00:00+00:00"},
        scores=tuple((length, 50, length) for length in range(LENGTHS)),
    )


def timed(what: str, work: Callable[[], object], runs: int) -> None:
    """Print how long some work takes."""
    begun = time.perf_counter()
    work()
    seconds = time.perf_counter() - begun
    print(f"{what:<28}{seconds:8.2f} s   {1e6 * seconds / runs:8.0f} µs per run")


def write_alone_and_watched(folder: Path, runs: list[Run], blocks: int = 10) -> None:
    """Print the time of a transaction of one run without and with a watcher, in blocks that take turns."""
    times: dict[bool, list[float]] = {False: [], True: []}
    looks = 0
    for block in range(blocks):
        watched = bool(block % 2)
        place = folder / f"block-{block}.sqlite"
        with open_store(place) as store:
            store.save_plan([StackPlan(runs=tuple(runs))], describe_cells(runs[:1]))
            watcher = _start_watcher(place) if watched else None
            for run in runs:
                begun = time.perf_counter()
                store.save([made_up(run)])
                times[watched].append(time.perf_counter() - begun)
            looks += 0 if watcher is None else int(watcher.communicate()[0])
    for watched, name in ((False, "alone"), (True, "watched")):
        slow = sorted(times[watched])[len(times[watched]) * 99 // 100]
        print(f"save one run, {name:<14}{1e3 * median(times[watched]):8.2f} ms  99 % within {1e3 * slow:.2f} ms")
    print(f"looks of the watcher        {looks:8}")


def _start_watcher(place: Path) -> subprocess.Popen[str]:
    watcher = subprocess.Popen([sys.executable, "-c", WATCHER, str(place)], stdout=subprocess.PIPE, text=True)
    assert watcher.stdout is not None
    watcher.stdout.readline()
    return watcher


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    number = parser.parse_args().runs
    spec = Spec(tasks=("parity",), encodings=("nope",), seeds=number, train_length=10)
    runs = make_runs([spec])
    print(f"{processor()}, Python {sys.version.split()[0]}, {number} runs of {LENGTHS} lengths")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = folder / "runs.sqlite"

        def save() -> None:
            with open_store(place) as store:
                store.save_plan([StackPlan(runs=tuple(runs))], describe_cells(runs[:1]))
                store.save(map(made_up, runs))

        timed("save all in one transaction", save, number)
        print(f"{'size of the store':<28}{place.stat().st_size / 1e6:8.1f} MB")
        for form in FORMATS:
            if form == "parquet" and find_spec("pyarrow") is None:
                print("export parquet              pyarrow is not installed")
                continue

            def export(form: str = form) -> None:
                with read_store(place) as store:
                    write_rows(table_rows(store.results()), folder / f"table.{form}", form)

            timed(f"export {form}", export, number)
            print(f"{'  its size':<28}{(folder / f'table.{form}').stat().st_size / 1e6:8.1f} MB")
        timed("merge into a new store", lambda: merge_stores(folder / "new.sqlite", [place]), number)
        timed("merge again, all equal", lambda: merge_stores(folder / "new.sqlite", [place]), number)
        timed("one look of watch", lambda: read_progress(place), number)
        write_alone_and_watched(folder, make_runs([replace(spec, seeds=300)]))


if __name__ == "__main__":
    main()
