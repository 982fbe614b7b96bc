"""What engines cost beside training, and what a store of many runs costs.

    python benchmarks/engines.py [--slurm] [--ray HOST:PORT] [--runs N]

The first table trains N tiny models in the same stacks with each engine. Plain training is one process that trains one stack after the
other, without engine and store. The overhead is the wall-clock time beyond a share of plain training for each core, per run.
Slurm and Ray must be there already, on this machine (tests/slurm_cluster.py, tests/ray_cluster.py start them). The other tables are about
stores and shared folders that hold copies of one of these results under other seeds.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import torch

from lengthwise.experiment.engines.engine import Engine
from lengthwise.experiment.engines.leases import Lease, LeaseWatch, write_lease
from lengthwise.experiment.engines.local import Local
from lengthwise.experiment.engines.ray import Ray
from lengthwise.experiment.engines.result_files import ResultReader, ResultWriter
from lengthwise.experiment.engines.slurm import Slurm
from lengthwise.experiment.engines.work import Machine
from lengthwise.experiment.engines.work_folder import Assignment, key_of, open_work_folder
from lengthwise.experiment.plan import DEFAULT_CHOICE, Run, StackPlan, cut_group, join_groups, make_groups, make_runs
from lengthwise.experiment.provenance import processor
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.experiment.workload import plan_experiment
from lengthwise.model.shape import Shape
from lengthwise.report.measured import report
from lengthwise.train.settings import Training

SPEC = Spec(
    tasks=("bin_majority",),
    encodings=("nope",),
    train_length=8,
    test_length=24,
    model=Shape(layers=2, heads=1, width=8),
    training=Training(steps=20, batch=32, warmup=2, evaluate_every=20, examples=100),
)
_STACK = 8
_PER_JOB = 32


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds that something takes by the clock."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def stacks_of(spec: Spec) -> list[StackPlan]:
    """Return the runs of a spec in stacks of several waves."""
    choice = replace(DEFAULT_CHOICE, models=_STACK)
    return [stack for group in join_groups(make_groups(spec)) for stack in cut_group(group, choice)]


def train_plainly(stacks: list[StackPlan]) -> list[Result]:
    """Train stacks in this process, one after the other."""
    machine = Machine("cpu")
    return [result for number, stack in enumerate(stacks) for result in machine.train(number, stack).results]


def print_engines(engines: dict[str, Engine], num_runs: int, folder: Path) -> Result:
    """Print a row for each engine; return one of the results."""
    spec = replace(SPEC, seeds=num_runs)
    cores = os.cpu_count() or 1
    stacks = stacks_of(spec)
    results: list[Result] = []
    train_plainly(stacks[:1])  # the first batch loads what the others find loaded
    plain = seconds_of(lambda: results.extend(train_plainly(stacks)))
    print(
        f"{num_runs} runs of 2 layers, width 8, 20 steps; {len(stacks)} stacks of {_PER_JOB} runs, {_STACK} at once\n"
    )
    print(f"{'engine':14} processes  seconds  seconds per run  overhead per run  load")
    print(f"{'plain training':14} {1:9} {plain:8.1f} {plain / num_runs:16.4f} {'–':>17} {os.getloadavg()[0]:5.1f}")
    for name, engine in engines.items():
        store = folder / f"{name}.sqlite"
        options = {"workers": cores} if name == "local" else {}
        seconds = seconds_of(
            lambda: run_experiment(spec, store, device="cpu", models_per_stack=_STACK, engine=engine, **options)  # noqa: B023
        )
        with read_store(store) as opened:
            same = {result.id: result.scores for result in opened.results()}
        assert same == {result.id: result.scores for result in results}
        overhead = (seconds - plain / cores) / num_runs
        print(
            f"{name:14} {cores:9} {seconds:8.1f} {seconds / num_runs:16.4f} {overhead:17.4f} {os.getloadavg()[0]:5.1f}"
        )
    return results[0]


def copies(result: Result, runs: list[Run]) -> list[Result]:
    """Return the same result for other seeds."""
    return [replace(result, id=run.id, seed=run.seed, settings=run.settings) for run in runs]


def print_stores(result: Result, sizes: list[int], folder: Path) -> None:
    """Print what stores of several sizes cost."""
    print("\nThe same result under many seeds; every save is a transaction of one run, as results come in one by one\n")
    print("     runs  plan s  save s  runs/s  read s  report s  store bytes/run")
    for size in sizes:
        place = folder / f"{size}.sqlite"
        runs: list[Run] = []
        planned = seconds_of(lambda: runs.extend(make_runs([replace(SPEC, seeds=size)])))  # noqa: B023
        made = copies(result, runs)
        with open_store(place) as store:
            saved = seconds_of(lambda: [store.save([one]) for one in made])  # noqa: B023
        with read_store(place) as store:
            read = seconds_of(store.results)
        told = seconds_of(lambda: report(place).to_json())  # noqa: B023
        each = place.stat().st_size / size
        print(f"{size:9,} {planned:7.2f} {saved:7.1f} {size / saved:7.0f} {read:7.2f} {told:9.2f} {each:16.0f}")


def print_plans(sizes: list[int], folder: Path) -> None:
    """Print how long it takes to know what there is to do, without training."""
    print("\nA dry run for a cluster: runs, ids and stacks, from an empty store\n")
    print("     runs  seconds")
    for size in sizes:
        spec = replace(SPEC, seeds=size)
        engine = Slurm(jobs=50, folder=folder / "none")
        seconds = seconds_of(
            lambda: plan_experiment(spec, folder / "none.sqlite", engine=engine, models_per_stack=_STACK)  # noqa: B023
        )
        print(f"{size:9,} {seconds:8.1f}")


def print_folder(result: Result, num_stacks: int, folder: Path) -> None:
    """Print what a work folder of many stacks costs on this disk."""
    spec = replace(SPEC, seeds=num_stacks * _PER_JOB)
    stacks = stacks_of(spec)
    shared = open_work_folder(folder / "work", folder / "folder.sqlite")
    lease = Lease(attempt="a", job="1", host="node", pid=1, beat=1)

    def submit() -> None:
        for stack in stacks:
            shared.write(
                Assignment(plan=stack, device="cpu", keep=False, seconds_per_checkpoint=30.0, seconds_per_beat=5.0)
            )

    def write() -> None:
        for stack in stacks:
            writer = ResultWriter(shared.results / f"{key_of(stack)}.a.jsonl")
            for one in copies(result, list(stack.runs)):
                writer.add_result(one)

    readers = [
        ResultReader(folder=shared, key=key_of(stack), members=frozenset(run.id for run in stack.runs))
        for stack in stacks
    ]
    watches = [LeaseWatch(shared.lease_file(key_of(stack))) for stack in stacks]
    runs = num_stacks * _PER_JOB
    planned, written = seconds_of(submit), seconds_of(write)
    beats = seconds_of(lambda: [write_lease(shared.lease_file(key_of(stack)), lease) for stack in stacks])
    taken = seconds_of(lambda: [reader.read() for reader in readers])
    polled = seconds_of(lambda: [(watch.look(), reader.read()) for watch, reader in zip(watches, readers, strict=True)])
    sizes = [sum(file.stat().st_size for file in (folder / "work" / name).iterdir()) for name in ("stacks", "results")]
    print(f"\nA work folder of {num_stacks:,} stacks with {runs:,} runs, on a local disk\n")
    print(f"plans written           {num_stacks / planned:8.0f} stacks/s {sizes[0] / runs:8.0f} bytes/run")
    print(f"results written         {runs / written:8.0f} runs/s   {sizes[1] / runs:8.0f} bytes/run, each with fsync")
    print(f"results read, checked   {runs / taken:8.0f} runs/s")
    print(f"leases written          {num_stacks / beats:8.0f} leases/s")
    print(f"one look at all stacks  {polled:8.2f} s, when nothing is new")


def print_submissions(jobs: int, folder: Path) -> None:
    """Print how fast sbatch and squeue are; the jobs end at once, because their plan does not exist."""
    from lengthwise.experiment.engines.cluster_engine import JobCommand

    shared = open_work_folder(folder / "submissions", folder / "submissions.sqlite")
    engine = Slurm(options={"time": "1"})
    with closing(engine.connect(JobCommand(folder=shared, files=(), device="cpu"))) as connected:  # type: ignore[type-var]
        submitted = seconds_of(lambda: [connected.submit("0" * 16) for _ in range(jobs)])
        asked = seconds_of(connected.alive)
        for job in connected.alive() or ():
            connected.cancel(job)
    print(f"\nSlurm: {jobs / submitted:.0f} submissions/s; one question about {jobs} jobs takes {asked:.2f} s")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--slurm", action="store_true", help="also with the Slurm cluster of $SLURM_CONF")
    parser.add_argument("--ray", metavar="HOST:PORT", help="also with this Ray cluster")
    parser.add_argument("--runs", type=int, default=1000, help="tiny models to train (default: 1000)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    jobs = -(-options.runs // _PER_JOB)
    engines: dict[str, Engine] = {"local": Local()}
    if options.slurm:
        engines["slurm"] = Slurm(jobs=jobs)
    if options.ray:
        engines["ray"] = Ray(jobs=jobs, address=options.ray)
    print(f"{processor()}, {os.cpu_count()} cores\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = print_engines(engines, options.runs, folder)
        print_stores(result, [1_000, 10_000], folder)
        print_plans([1_000, 10_000, 100_000], folder)
        print_folder(result, 300, folder)
        if options.slurm:
            print_submissions(100, folder)


if __name__ == "__main__":
    main()
