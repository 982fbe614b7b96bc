"""A whole sweep: 40 random languages × three encodings × six seeds, from the spec to the store, and where its time goes.

Languages are drawn from a fixed seed, as many of each kind: solvable without positions, with learned positions only, with
neither. model·steps are the *stored* steps of all runs, over the wall time of everything: planning, set-up, compilation,
evaluation, saving. Empty slots count nothing. A part that is cut (--seconds, or a signal to end) prints what it has by then.

Each of these lines ends within nine minutes on one H200; FOLDER gets a store for each part, with the steps of every run:

    python benchmarks/sweep.py --device cuda --folder FOLDER cold --seconds 480
    python benchmarks/sweep.py --device cuda --folder FOLDER warm apart --seconds 260     after cold or fill, on the same machine
    python benchmarks/sweep.py --device cuda --folder FOLDER fill small --fill small --seconds 400
    python benchmarks/sweep.py --device cuda --folder FOLDER queue --queue 10 100 1000 10000 --seconds 480
    python benchmarks/sweep.py --device cuda --folder FOLDER published --shape 2 2 64 --seconds 480
    python benchmarks/sweep.py --folder FOLDER cold warm apart small queue published --rehearse     tiny, on a CPU

What else is measured on a GPU within nine minutes: the tests (scripts/test says how), ``training.py --concurrent``,
``tasks.py --device cuda``, and a reproduction, from the repository's folder and with a store that is not there yet:

    time PYTHONPATH=src python -m lengthwise reproduce huang2025 --quick --device cuda --store FOLDER/quick.sqlite

``cold`` empties the compilers' caches first, and ``warm`` finds them as the last part left them. ``fill`` fills them in about two
minutes, or those of a part named by ``--fill`` in one: it takes four steps with the stacks that ``warm`` and ``small`` need, each
in a process of its own.
``apart`` trains a seeded tenth of
the languages in separate stacks, one for each task and encoding, with twelve workers: as sweeps were trained before there
were slots, with the code of today. ``small`` is a queue of 4,000 runs of small models (2 layers, 4 heads, width 32, at most
2,000 steps). ``queue`` trains so many small models for 500 steps each, one queue after the other, and tells the memory they
take. ``published`` is one shape of the 54 configurations of arXiv 2410.02140 (layers 1, 2, 4; heads 1, 2, 4; width 16, 64, 256;
two rates): all tasks of the paper, two encodings, two rates, one seed, at most 30,000 steps.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

SEED = 22
ENCODINGS = ("nope", "ape", "rope")
PARTS = ("cold", "fill", "warm", "apart", "small", "queue", "published")
FILLED = {"warm": (96, 64, 48, 32, 24, 16, 12, 8), "small": (512, 256, 128, 64)}  # slots
WORKERS_APART = 12  # that a GPU had by default before there were slots
KINDS = ("YES for NoPE and APE", "YES for APE only", "YES for neither")


def random_regex(rng: random.Random, depth: int, alphabet: str) -> str:
    """Return a random expression of at most this depth."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(alphabet)
    kind = rng.randrange(4)
    if kind == 0:
        return f"({random_regex(rng, depth - 1, alphabet)})*"
    parts = [random_regex(rng, depth - 1, alphabet) for _ in range(rng.randint(2, 3))]
    return f"({'|'.join(parts)})" if kind == 1 else "".join(parts)


def draw_languages(number: int, train_length: int, test_length: int) -> dict[str, str]:
    """Return expressions and their kinds: distinct languages with words in every bin, equally many of each kind."""
    from lengthwise.crasp.fragments import Fragment
    from lengthwise.tasks.core.catalog import find_task
    from lengthwise.theory.claims import Answer
    from lengthwise.theory.deciders import decide

    rng, found, seen = random.Random(SEED), dict[str, str](), set[object]()
    room = {kind: -(-(number - place) // len(KINDS)) for place, kind in enumerate(KINDS)}
    while any(room.values()):
        alphabet = rng.choice(("ab", "abc"))
        text = f"({random_regex(rng, rng.randint(2, 4), alphabet)})*"
        if len(text) > 60 or not set(alphabet) <= set(text):
            continue
        task: Any = find_task(text)
        bounds = [(low, low + train_length - 1) for low in range(1, test_length, train_length)]
        if task.language in seen or task.language.num_states < 2 or not all(task.lengths(*each) for each in bounds):
            continue
        answers = [decide(task.facts, fragment).answer for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL)]
        if Answer.UNKNOWN in answers:
            continue
        kind = KINDS[0 if answers[0] is Answer.YES else 1 if answers[1] is Answer.YES else 2]
        if room[kind]:
            room[kind] -= 1
            seen.add(task.language)
            found[text] = kind
    return found


def specs_of(part: str, options: argparse.Namespace, languages: Sequence[str], seeds: int) -> list[Any]:
    """Return what a part trains."""
    if part == "published":
        return published_specs(options)
    from lengthwise.experiment.spec import Spec
    from lengthwise.model.shape import Shape
    from lengthwise.train.settings import Training

    shape, training = Shape(layers=4, heads=4, width=64), Training(steps=options.steps)
    if part == "small":
        shape, training = Shape(layers=2, heads=4, width=32), Training(steps=2_000)
    elif part == "queue":
        shape, training = Shape(layers=2, heads=4, width=32), Training(steps=500, stop_early=False)
    if options.rehearse:
        shape = Shape(layers=1, heads=1, width=8)
        training = Training(steps=40, batch=32, evaluate_every=20, examples=16, stop_early=training.stop_early)
    return [
        Spec(
            tasks=(language,),
            encodings=ENCODINGS,
            seeds=seeds,
            train_length=options.train_length,
            test_length=3 * options.train_length,
            learning_rate=0.001,
            model=shape,
            training=training,
        )
        for language in languages
    ]


def published_specs(options: argparse.Namespace) -> list[Any]:
    """Return one shape of the 54 configurations of arXiv 2410.02140: all of its tasks, both encodings and both rates."""
    from lengthwise.experiment.spec import Spec
    from lengthwise.languages.catalog import LANGUAGES
    from lengthwise.model.shape import Shape
    from lengthwise.papers.huang2025.paper import PAPER
    from lengthwise.train.settings import Training

    algorithmic = sorted({name for cell in PAPER.cells("tasks") for name in cell.task_names})
    languages = [name for name, language in LANGUAGES.items() if language.published]
    layers, heads, width = options.shape
    training = Training(steps=30_000, evaluate_every=3_000, examples=2_000)
    if options.rehearse:
        layers, heads, width = 1, 1, 8
        training = Training(steps=40, batch=32, evaluate_every=20, examples=16)
    return [
        Spec(
            tasks=(*algorithmic, *languages),
            encodings=("nope", "ape"),
            seeds=1,
            train_length=options.train_length,
            test_length=3 * options.train_length,
            learning_rate=rate,
            model=Shape(layers=layers, heads=heads, width=width),
            training=training,
        )
        for rate in (1e-3, 1e-4)
    ]


class TimeIsUpError(Exception):
    """The sweep was to end by now."""


class Watch:
    """Gathers what the stacks report, and prints it now and then."""

    def __init__(self, limit: float | None) -> None:
        self.begun = time.perf_counter()
        self.limit = limit
        self.latest: dict[int, Any] = {}
        self.stacks: list[Any] = []
        self.planned = self.printed = 0.0
        self.least_free: int | None = None  # bytes of the GPU

    def on_plan(self, stacks: list[Any], _reused: int) -> None:
        """Print the stacks."""
        self.planned, self.stacks = time.perf_counter() - self.begun, stacks
        for stack in stacks:
            print(f"  {stack.label}: {len(stack.runs)} runs; {stack.choice.reason}")
        print(f"planned in {self.planned:.1f} s", flush=True)

    def on_event(self, event: Any) -> None:
        """Remember the last progress of each stack."""
        if hasattr(event, "shapes"):
            return
        if self.limit is not None and time.perf_counter() - self.begun > self.limit:
            raise TimeIsUpError
        if hasattr(event, "text"):
            print(f"note: {event.text}", flush=True)
        if not hasattr(event, "step"):
            return
        self.latest[event.stack] = event
        self.look_at_memory()
        now = time.perf_counter() - self.begun
        if now - self.printed > 20:
            self.printed = now
            done = sum(each.done for each in self.latest.values())
            taken = sum(each.slot_steps for each in self.latest.values())
            print(f"{now:.0f} s: {done} runs done, {taken:,} slot·steps taken", flush=True)

    def look_at_memory(self) -> None:
        """Note how much memory of the GPU is free at worst."""
        torch: Any = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            free = torch.cuda.mem_get_info()[0]
            self.least_free = free if self.least_free is None else min(free, self.least_free)

    def print_profile(self, stored: int) -> None:
        """Print where the time of the stacks went, and the share of slots that trained nothing."""
        seconds: dict[str, float] = {"planning": self.planned}
        for event in self.latest.values():
            for what, spent in getattr(event, "seconds", {}).items():
                seconds[what] = seconds.get(what, 0.0) + spent
        print("seconds of all processes:")
        for what, spent in sorted(seconds.items(), key=lambda item: -item[1]):
            print(f"  {what:16} {spent:8.1f}")
        slot_steps = sum(getattr(event, "slot_steps", 0) for event in self.latest.values())
        if slot_steps:
            print(f"idle share of slots: {1 - stored / slot_steps:.1%} of {slot_steps:,} slot·steps")
            print(f"in seconds of stepping: {stored / seconds['steps']:,.0f} model·steps/s and process")


def train(part: str, specs: Sequence[Any], store: Path, options: argparse.Namespace) -> None:
    """Train what a part asks for; print its speed, also if it is cut."""
    from lengthwise.experiment import workload
    from lengthwise.experiment.run import run_experiment
    from lengthwise.experiment.store import read_store

    watch = Watch(options.seconds)
    joined = workload.join_groups
    if part == "apart":
        workload.join_groups = lambda cells: [list(cell) for cell in cells]
    try:
        with suppress(TimeIsUpError):
            run_experiment(
                specs,
                store,
                device=options.device,
                workers=WORKERS_APART if part == "apart" and not options.rehearse else options.workers,
                models_per_stack=options.models_per_stack,
                on_plan=watch.on_plan,
                on_event=watch.on_event,
            )
    finally:
        workload.join_groups = joined
    wall = time.perf_counter() - watch.begun
    with read_store(store) as opened:
        results = opened.results()
    stored = sum(result.steps for result in results)
    of_all = f"{len(results)} of {sum(spec.num_runs for spec in specs)} runs"
    print(f"{of_all}, {stored:,} stored steps in {wall:.1f} s: {stored / wall:,.0f} model·steps/s")
    if results:
        print(", ".join(str(results[0].provenance[what]) for what in ("hardware", "torch", "precision")))
    watch.print_profile(stored)
    print_memory(watch, store)
    for encoding in dict.fromkeys(result.encoding for result in results):
        own = [result for result in results if result.encoding == encoding]
        stopped = sum(result.steps < specs[0].training.steps for result in own)
        print(
            f"  {encoding}: {stopped} of {len(own)} runs stopped early, {sum(r.steps for r in own):,} steps", flush=True
        )


def print_memory(watch: Watch, store: Path) -> None:
    """Print the memory of this process, of the largest worker so far, of the GPU at worst, and the size of the store."""
    own, worker = (resource.getrusage(who).ru_maxrss * 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    told = f"memory: driver {own / 2**20:,.0f} MiB, largest worker so far {worker / 2**20:,.0f} MiB"
    if watch.least_free is not None:
        told += f", least free on the GPU {watch.least_free / 2**30:.1f} GiB"
    print(f"{told}; store {store.stat().st_size / 2**20:.1f} MiB", flush=True)


def fill(languages: Sequence[str], options: argparse.Namespace) -> None:
    """Compile the programs that other parts need, one process for each, as many at once as there are cores."""
    begun = time.perf_counter()
    wanted = [(part, encoding, slots) for part in options.fill for slots in FILLED[part] for encoding in ENCODINGS]
    running: list[subprocess.Popen[bytes]] = []
    for part, encoding, slots in wanted:
        while sum(process.poll() is None for process in running) >= (os.cpu_count() or 1):
            time.sleep(0.1)
        order = json.dumps([part, encoding, slots, languages[0], options.train_length])
        command = [sys.executable, __file__, "fill", "--folder", str(options.folder), "--program", order]
        running.append(
            subprocess.Popen(command, env={**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"})
        )
    failed = sum(process.wait() != 0 for process in running)
    print(f"{len(wanted)} programs, {failed} of them failed, {time.perf_counter() - begun:.1f} s", flush=True)


def compile_program(part: str, encoding: str, slots: int, language: str, options: argparse.Namespace) -> None:
    """Take the first steps of one stack, which leaves its program in the compilers' caches."""
    from dataclasses import replace

    from lengthwise.experiment.plan import make_runs
    from lengthwise.experiment.stacks import training_runs
    from lengthwise.train.stack import Stack

    (spec,) = specs_of(part, options, [language], 1)
    runs = training_runs(make_runs([replace(spec, encodings=(encoding,))]))
    stack = Stack(runs[0].group, slots, device="cuda", compiled=True)
    stack.put({0: runs[0]})
    stack.advance(4)


def run_part(part: str, languages: dict[str, str], options: argparse.Namespace) -> None:
    """Do one part of the measurement."""
    chosen = list(languages)
    if part == "fill":
        fill(chosen, options)
        return
    if part == "apart":
        chosen = sorted(random.Random(SEED).sample(chosen, max(1, len(chosen) // 10)))
    if part != "queue":
        seeds = -(-options.small // (len(chosen) * len(ENCODINGS))) if part == "small" else options.seeds
        print(f"\n== {part}\n", flush=True)
        train(part, specs_of(part, options, chosen, seeds), options.folder / f"{part}.sqlite", options)
        return
    for number in options.queue:
        some = chosen[: max(1, min(len(chosen), number // (2 * len(ENCODINGS))))]
        seeds = max(1, number // (len(some) * len(ENCODINGS)))
        print(f"\n== queue of {len(some) * len(ENCODINGS) * seeds:,} runs\n", flush=True)
        train(part, specs_of(part, options, some, seeds), options.folder / f"queue_{number}.sqlite", options)


def main() -> None:
    """Run the parts that are asked for and print their speeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--folder", required=True, type=Path, help="for a store of each part; must not have them yet")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--languages", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--train-length", type=int, default=50)
    parser.add_argument("--small", type=int, default=4000, help="the runs of the queue of small models")
    parser.add_argument("--queue", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--fill", nargs="+", choices=FILLED, default=list(FILLED), help="for which parts fill compiles")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--seconds", type=float, help="cut each part then, and count what is stored by then")
    parser.add_argument("--models-per-stack", type=int)
    parser.add_argument("--shape", type=int, nargs=3, default=[2, 2, 64], metavar=("LAYERS", "HEADS", "WIDTH"))
    parser.add_argument("--rehearse", action="store_true")
    parser.add_argument("--program", help=argparse.SUPPRESS)  # what a process of fill compiles
    options = parser.parse_args()
    if options.rehearse:
        options.languages, options.seeds, options.train_length = min(options.languages, 6), min(options.seeds, 2), 8
        options.small, options.queue = 36, [3, 36]
    options.folder.mkdir(parents=True, exist_ok=True)
    there = [path for path in options.folder.glob("*.sqlite") if path.stem.split("_")[0] in options.parts]
    if there:
        sys.exit(f"{there[0]} is there already, and what is stored is not trained again; name another folder.")

    def end(_signal: int, _frame: object) -> None:
        raise TimeIsUpError

    signal.signal(signal.SIGTERM, end)
    caches = Path(tempfile.gettempdir()) / "lengthwise-sweep"  # of the compilers, which workers inherit
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        os.environ[name] = str(caches / name.lower())
    if options.program:
        part, encoding, slots, language, options.train_length = json.loads(options.program)
        compile_program(part, encoding, slots, language, options)
        return
    languages = draw_languages(options.languages, options.train_length, 3 * options.train_length)
    for kind in KINDS:
        print(f"{kind}: {', '.join(text for text, own in languages.items() if own == kind)}")
    print(f"python {' '.join(sys.argv)}", flush=True)
    for part in options.parts:
        if part == "cold":
            shutil.rmtree(caches, ignore_errors=True)
        run_part(part, languages, options)


if __name__ == "__main__":
    main()
