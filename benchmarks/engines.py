"""What engines cost beside training, and what a store of many runs costs.

    python benchmarks/engines.py [--part stores] [--slurm] [--ray HOST:PORT] [--runs N]

The first table trains N tiny models in the same stacks with each engine. Plain training is one process that trains one stack after the
other, without engine and store. Processor time counts the collector and all workers, not the daemons of Slurm and Ray; on a busy machine
it says more than the clock.
Slurm and Ray must be there already, on this machine (tests/slurm_cluster.py, tests/ray_cluster.py start them). The other tables are about
stores and shared folders that hold copies of one of these results.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from lengthwise.experiment.descriptions import describe_cells
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
    train_length=4,
    test_length=12,
    model=Shape(layers=2, heads=1, width=8),
    training=Training(steps=20, batch=32, warmup=2, evaluate_every=20, examples=100),
)
_STACK = 8
_SEEDS = 10
_PER_JOB = 32


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long something takes by the clock, and how long processors work on it: a busy machine changes the first far more."""

    clock: float
    processor: float


def seconds_of(work: Callable[[], object], jobs_of: Path | None = None) -> Seconds:
    """Measure something, with the processes it starts and with the workers of a work folder, whoever starts them."""
    workers = Workers(jobs_of)
    begun, before = time.perf_counter(), sum(os.times()[:4])
    with workers:
        work()
    return Seconds(time.perf_counter() - begun, sum(os.times()[:4]) - before + workers.seconds)


class Workers(threading.Thread):
    """Adds up the processor time of the workers of a work folder, from the system's own table, five times a second."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__(daemon=True)
        self._folder = str(folder).encode()
        self._has_folder = folder is not None
        self._spent: dict[str, float] = {}
        self._done = threading.Event()

    def __enter__(self) -> None:
        if self._has_folder:
            self.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._has_folder:
            self.join()

    @property
    def seconds(self) -> float:
        """The time of all workers that were seen."""
        return sum(self._spent.values())

    def run(self) -> None:
        """Look until the block ends."""
        while not self._done.wait(0.2):
            for process in Path("/proc").iterdir():
                with suppress(OSError):
                    words = (process / "cmdline").read_bytes() if process.name.isdigit() else b""
                    if b"cluster_worker" in words and self._folder in words:
                        columns = (process / "stat").read_text().rpartition(")")[2].split()
                        self._spent[process.name] = sum(map(int, columns[11:13])) / os.sysconf("SC_CLK_TCK")


def stacks_of(spec: Spec) -> list[StackPlan]:
    """Return the runs of a spec in stacks of several waves."""
    choice = replace(DEFAULT_CHOICE, models=_STACK)
    return [stack for group in join_groups(make_groups(spec)) for stack in cut_group(group, choice)]


def train_plainly(stacks: list[StackPlan]) -> list[Result]:
    """Train stacks in this process, one after the other."""
    machine = Machine("cpu")
    return [result for number, stack in enumerate(stacks) for result in machine.train(number, stack).results]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What one run costs, in seconds and bytes: to write it in a job, to take it in and save it in the collector, to report it."""

    save: float
    report: float
    store_bytes: float
    write: float = 0.0
    take: float = 0.0
    result_bytes: float = 0.0


def print_many(costs: Costs, submission: float, per_job: int = _PER_JOB) -> None:
    """Print what many runs would cost if each cost as much as those above: reckoned, not measured."""
    print(f"\nReckoned from the figures above, with {per_job} runs in a job; training itself comes on top\n")
    print(
        "     runs   jobs  sbatch min  jobs write min  collector takes in and saves min  report min  store GB  results GB"
    )
    for runs in (100_000, 1_000_000):
        jobs = -(-runs // per_job)
        minutes = [
            jobs * submission / 60,
            *(runs * cost / 60 for cost in (costs.write, costs.take + costs.save, costs.report)),
        ]
        sizes = [runs * size / 1e9 for size in (costs.store_bytes, costs.result_bytes)]
        print(
            f"{runs:9,} {jobs:6,} {minutes[0]:11.1f} {minutes[1]:15.1f} {minutes[2]:33.1f} {minutes[3]:11.1f} "
            f"{sizes[0]:9.2f} {sizes[1]:11.2f}"
        )


def print_engines(engines: dict[str, Engine], num_runs: int, folder: Path) -> None:
    """Print a row for each engine."""
    spec = replace(SPEC, seeds=num_runs)
    stacks = stacks_of(spec)
    results: list[Result] = []
    train_plainly(stacks[:1])  # the first stack loads what the others find loaded
    plain = seconds_of(lambda: results.extend(train_plainly(stacks)))
    print(
        f"{num_runs} runs of 2 layers, width 8, 20 steps; {len(stacks)} stacks of {_PER_JOB} runs, {_STACK} at once\n"
    )
    print(
        f"{'engine':14} seconds  processor s  processor s per run  beyond plain training per run  load of the machine"
    )
    print_engine("plain training", plain, num_runs)
    for name, engine in engines.items():
        store = folder / f"{name}.sqlite"
        options = {"workers": os.cpu_count()} if name == "local" else {}
        spent = seconds_of(
            lambda: run_experiment(spec, store, device="cpu", models_per_stack=_STACK, engine=engine, **options),  # noqa: B023
            jobs_of=None if name == "local" else Path(f"{store}.work"),
        )
        with read_store(store) as opened:
            same = {result.id: result.scores for result in opened.results()}
        assert same == {result.id: result.scores for result in results}
        print_engine(name, spent, num_runs, plain)


def print_engine(name: str, spent: Seconds, num_runs: int, plain: Seconds | None = None) -> None:
    """Print the row of an engine."""
    beyond = "–" if plain is None else f"{(spent.processor - plain.processor) / num_runs:.4f}"
    each, load = spent.processor / num_runs, os.getloadavg()[0]
    print(f"{name:14} {spent.clock:7.1f} {spent.processor:12.1f} {each:20.4f} {beyond:>30} {load:20.1f}", flush=True)


def cells_of(num_runs: int) -> list[Spec]:
    """Return specs of ten seeds each, which differ in their weight decay."""
    return [
        replace(SPEC, seeds=_SEEDS, training=replace(SPEC.training, weight_decay=number * 1e-6))
        for number in range(num_runs // _SEEDS)
    ]


def copies(result: Result, runs: list[Run]) -> list[Result]:
    """Return the same result for other runs."""
    return [replace(result, id=run.id, seed=run.seed, settings=run.settings) for run in runs]


def print_stores(result: Result, sizes: list[int], folder: Path) -> Costs:
    """Print what stores of several sizes cost; return what a run costs in the largest."""
    print(
        "\nCopies of one result in cells of ten seeds, in seconds of the processor; every save is a transaction of one run\n"
    )
    print("     runs  plan s  save s (by the clock)  runs/s  read s  report s  store bytes/run")
    for size in sizes:
        place = folder / f"{size}.sqlite"
        runs: list[Run] = []
        planned = seconds_of(lambda: runs.extend(make_runs(cells_of(size)))).processor  # noqa: B023
        made = copies(result, runs)
        with open_store(place) as store:
            store.save_plan([], describe_cells(runs[:1]))
            saved = seconds_of(lambda: [store.save([one]) for one in made])  # noqa: B023
        with read_store(place) as store:
            read = seconds_of(store.results).processor
        told = seconds_of(lambda: report(place).to_json()).processor  # noqa: B023
        each = place.stat().st_size / size
        print(
            f"{size:9,} {planned:7.2f} {saved.processor:7.1f} {saved.clock:14.1f} {size / saved.processor:7.0f} "
            f"{read:7.2f} {told:9.2f} {each:16.0f}",
            flush=True,
        )
        costs = Costs(save=saved.processor / size, report=told / size, store_bytes=each)
    return costs


def print_plans(sizes: list[int], folder: Path) -> None:
    """Print how long it takes to know what there is to do, without training."""
    print("\nA dry run for a cluster: runs, ids and stacks, from an empty store, in seconds of the processor\n")
    print("     runs  seconds")
    for size in sizes:
        spec = replace(SPEC, seeds=size)
        engine = Slurm(jobs=50, folder=folder / "none")
        seconds = seconds_of(
            lambda: plan_experiment(spec, folder / "none.sqlite", engine=engine, models_per_stack=_STACK)  # noqa: B023
        )
        print(f"{size:9,} {seconds.processor:8.1f}", flush=True)


def print_folder(result: Result, num_stacks: int, folder: Path, costs: Costs) -> Costs:
    """Print what a work folder of many stacks costs on this disk; add it to the costs of a run."""
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
    print(
        f"\nA work folder of {num_stacks:,} stacks with {runs:,} runs on a local disk, in seconds of the processor (by the clock)\n"
    )
    print(f"{'':24} runs/s  bytes/run")
    print(f"{'plans written':24} {_pace(runs, planned)} {sizes[0] / runs:6.0f}")
    print(f"{'results written, fsync':24} {_pace(runs, written)} {sizes[1] / runs:6.0f}")
    print(f"{'results read, checked':24} {_pace(runs, taken)}")
    print(f"{'leases written':24} {_pace(num_stacks, beats)} leases/s")
    print(f"a look at all stacks when nothing is new takes {polled.processor:.2f} s ({polled.clock:.2f} s)", flush=True)
    return replace(costs, take=taken.processor / runs, result_bytes=sizes[1] / runs, write=written.processor / runs)


def _pace(number: int, spent: Seconds) -> str:
    return f"{number / spent.processor:6.0f} ({number / spent.clock:.0f})"


def print_submissions(jobs: int, folder: Path) -> float:
    """Print how fast sbatch and squeue are; the jobs end at once, because their plan does not exist. Return the seconds of one."""
    from lengthwise.experiment.engines.cluster_engine import JobCommand

    shared = open_work_folder(folder / "submissions", folder / "submissions.sqlite")
    engine = Slurm(options={"time": "1"})
    with closing(engine.connect(JobCommand(folder=shared, files=(), device="cpu"))) as connected:  # type: ignore[type-var]
        submitted = seconds_of(lambda: [connected.submit("0" * 16) for _ in range(jobs)])
        asked = seconds_of(connected.alive)
        for job in connected.alive() or ():
            connected.cancel(job)
    print(
        f"\nSlurm: {jobs / submitted.clock:.0f} submissions/s by the clock; a question about {jobs} jobs takes {asked.clock:.2f} s"
    )
    return submitted.clock / jobs


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--slurm", action="store_true", help="also with the Slurm cluster of $SLURM_CONF")
    parser.add_argument("--ray", metavar="HOST:PORT", help="also with this Ray cluster")
    parser.add_argument("--runs", type=int, default=1000, help="tiny models to train (default: 1000)")
    parser.add_argument(
        "--part", choices=("engines", "stores"), default="engines", help="the first table, or the others"
    )
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
        if options.part == "engines":
            print_engines(engines, options.runs, folder)
            return
        (result, *_) = train_plainly(stacks_of(replace(SPEC, seeds=1)))
        costs = print_stores(result, [1_000, 10_000], folder)
        print_plans([1_000, 10_000, 100_000], folder)
        costs = print_folder(result, 300, folder, costs)
        if options.slurm:
            print_many(costs, print_submissions(100, folder))


if __name__ == "__main__":
    main()
