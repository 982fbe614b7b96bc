"""How fast every task makes instances: batches of 4,096 at length 50, or at the nearest length that the task has.

With NumPy the fastest of several rounds counts, in process time, since other programs may share the core. On a GPU it is
the median of several rounds up to torch.cuda.synchronize(), of the sampler as it is, recorded as the trainer records its
step, and with --compiled also compiled before; every batch is compared with NumPy's, bit for bit. The whole batch counts:
tokens, targets and sizes.

The last columns compare with plain Python in the same process: instances one by one, with random.choices for the prompt,
the task's oracle for the answer, a dict for the token ids, and arrays of the padded rows. That is the least that plain
Python must do: prompts that need more than independent symbols cost it more. Where an oracle is slow on purpose (next
symbols ask for every prefix whether it can be completed), the ratio says more about the oracle than about the sampler.

    OMP_NUM_THREADS=1 python benchmarks/tasks.py                       NumPy on one core
    python benchmarks/tasks.py --device cuda --json FILE               torch on a GPU; each task is written when it is measured
    python benchmarks/tasks.py --device cuda --compiled --json FILE    compiled too, which takes many minutes more
    python benchmarks/tasks.py majority pcfg                           some tasks only
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

BATCH, LENGTH = 4096, 50
BAR = 20_000
ROUNDS = {"cpu": 7, "cuda": 20}
PLAIN, PLAIN_SECONDS = 256, 0.1  # prompts for plain Python, a multiple of 8, and how long it goes through them


def nearest_length(task: Any) -> int:
    """Return the length nearest to the one asked for that has instances, the shorter of two."""
    return int(min(task.lengths(0, LENGTH + 10), key=lambda length: (abs(length - LENGTH), length)))


def describe(name: str) -> dict[str, Any]:
    """Return what the table says of a task before anything is measured."""
    from lengthwise.tasks.core.catalog import TASKS, find_task

    task = find_task(name)
    length = nearest_length(task)
    group = str(TASKS[name].group) if name in TASKS else "formal languages"
    return {"task": name, "group": group, "length": length, "tokens": task.size(length), "host_only": task.host_only}


def numpy_batch(task: Any, length: int, step: int) -> Any:
    """Return a batch as NumPy makes it."""
    from lengthwise.arrays import numpy_arrays
    from lengthwise.seeds import DATA, open_stream

    xp = numpy_arrays()
    return task.sample(open_stream(DATA, seed=0, xp=xp).at(step), xp.asarray([length] * BATCH), length, xp)


def numpy_speed(name: str) -> float:
    """Return samples per second of process time, of the fastest round; tables are made before."""
    from lengthwise.arrays import numpy_arrays
    from lengthwise.seeds import DATA, open_stream
    from lengthwise.tasks.core.catalog import find_task

    task, xp = find_task(name), numpy_arrays()
    length = nearest_length(task)
    lengths, draw = xp.asarray([length] * BATCH), open_stream(DATA, seed=0, xp=xp)
    seconds = []
    for step in range(ROUNDS["cpu"] + 1):
        begun = time.process_time()
        task.sample(draw.at(step), lengths, length, xp)
        seconds.append(time.process_time() - begun)
    return BATCH / min(seconds[1:])


def plain_speed(name: str) -> float:
    """Return samples per second of process time of instances that are made one by one in plain Python."""
    import numpy as np

    from lengthwise.tasks.core.catalog import find_task

    task = find_task(name)
    length = nearest_length(task)
    batch = numpy_batch(task, length, 0)
    ids = {symbol: number for number, symbol in enumerate(task.vocabulary)}
    rows = zip(batch.tokens_MBL[:PLAIN].tolist(), batch.targets_MBL[:PLAIN].tolist(), strict=True)
    prompts = [task.read_back(tokens, targets)[0] for tokens, targets in rows]  # as a generator would give them
    width = task.size(length)
    number, begun = 0, time.process_time()
    while (seconds := time.process_time() - begun) < PLAIN_SECONDS:
        tokens, targets = [], []
        for prompt in prompts[number % PLAIN : number % PLAIN + 8]:
            random.choices(task.symbols, k=len(prompt))
            answer = [ids.get(symbol, 0) for symbol in task.answer(prompt)]
            row = [ids["<bos>"], *(ids[symbol] for symbol in prompt), ids["<sep>"], *answer, ids["<eos>"]]
            tokens.append((row + [ids["<pad>"]] * (width - len(row)))[:width])
            targets.append(([-100] * len(prompt) + answer + [-100] * width)[:width])
        np.asarray(tokens), np.asarray(targets)
        number += 8
    return number / seconds


class OnGPU:
    """A task's sampler on a GPU, in one of three ways."""

    def __init__(self, name: str, way: str) -> None:
        import torch

        from lengthwise.arrays import torch_arrays
        from lengthwise.seeds import DATA, open_stream
        from lengthwise.tasks.core.catalog import find_task
        from lengthwise.train.recording import Recorded

        self.task, self.xp = find_task(name), torch_arrays("cuda")
        self.length = nearest_length(self.task)
        self.lengths = self.xp.asarray([self.length] * BATCH)
        self.draw = open_stream(DATA, seed=0, xp=self.xp)
        self.number = torch.zeros((), dtype=torch.int64, device="cuda")
        self.made: tuple[Any, ...] = ()
        make = self._make
        if way != "eager":
            make(self.number)  # constants are copied to the GPU now, not inside the program
        if way == "compiled":
            torch.compiler.reset()
            make = torch.compile(make, dynamic=False, fullgraph=True)

        def step() -> None:
            self.made = make(self.number)

        self.step = step if way == "eager" else Recorded(step)

    def _make(self, number: Any) -> tuple[Any, ...]:
        batch = self.task.sample(self.draw.at(number), self.lengths, self.length, self.xp)
        return batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB

    def agrees(self) -> bool:
        """Return whether some batches are those of NumPy; recorded ones are replayed by then."""
        import numpy as np

        for step in range(6):
            self.number.fill_(step)
            self.step()
        expected = numpy_batch(self.task, self.length, 5)
        parts = (expected.tokens_MBL, expected.targets_MBL, expected.sizes_MB)
        return all(np.array_equal(one.cpu().numpy(), two) for one, two in zip(self.made, parts, strict=True))

    def speed(self) -> float:
        """Return samples per second, of the median round."""
        import torch

        seconds = []
        for step in range(ROUNDS["cuda"]):
            self.number.fill_(step)
            torch.cuda.synchronize()
            begun = time.perf_counter()
            self.step()
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begun)
        return BATCH / statistics.median(seconds)


def work(names: list[str], ways: list[str], barrier: Any, turn: Any, results: Any) -> None:
    """Make and warm all samplers of these names, wait for the other processes, then measure when it is our turn."""
    import torch

    torch.set_num_threads(1)
    made: dict[tuple[str, str], OnGPU | str] = {}
    equal = dict.fromkeys(names, True)
    for name in names:
        for way in ways if not describe(name)["host_only"] else ["eager"]:
            try:
                made[name, way] = subject = OnGPU(name, way)
                equal[name] &= subject.agrees()
            except Exception as error:  # one that fails must not hide the others
                made[name, way] = f"{type(error).__name__}: {error}".split("\n")[0]
    barrier.wait()
    for name in names:
        with turn:
            row = describe(name) | {"equal": equal[name], "plain": plain_speed(name)}
            for way in ways:
                found = made.get((name, way))
                if isinstance(found, OnGPU):
                    row[way] = found.speed()
                elif found is not None:
                    row[f"{way} failed"] = found
        results.put(row)


def measure_on_gpu(names: list[str], ways: list[str], number: int, file: str | None) -> list[dict[str, Any]]:
    """Return the rows of all tasks; so many processes prepare them side by side. Rows so far are written to a file."""
    context = multiprocessing.get_context("spawn")
    barrier, turn, results = context.Barrier(number), context.Lock(), context.Queue()
    workers = [
        context.Process(target=work, args=(names[start::number], ways, barrier, turn, results))
        for start in range(number)
    ]
    for worker in workers:
        worker.start()
    rows = {}
    for _ in names:
        row = results.get()
        rows[row["task"]] = row
        if file:
            Path(file).write_text(json.dumps({"rows": list(rows.values())}, indent=1) + "\n", encoding="utf-8")
        print(".", end="", file=sys.stderr, flush=True)
    for worker in workers:
        worker.join()
    print(file=sys.stderr)
    return [rows[name] for name in names]


def measure_on_cpu(names: list[str]) -> list[dict[str, Any]]:
    """Return the rows of all tasks, one after the other."""
    rows = []
    for name in names:
        rows.append(describe(name) | {"numpy": numpy_speed(name), "plain": plain_speed(name)})
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", help="names of tasks; all of them if none is given")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument(
        "--compiled", action="store_true", help="on a GPU, compile the samplers too, which takes minutes"
    )
    parser.add_argument("--processes", type=int, default=8, help="that prepare side by side, on a GPU")
    parser.add_argument("--json", help="also write all rows to this file")
    options = parser.parse_args()
    from lengthwise.experiment.provenance import provenance
    from lengthwise.languages.catalog import LANGUAGES
    from lengthwise.tasks.core.catalog import TASKS

    names = options.tasks or [*TASKS, *LANGUAGES]
    if options.device == "cuda":
        ways = ["eager", "recorded", *(["compiled"] if options.compiled else [])]
        rows = measure_on_gpu(names, ways, min(options.processes, len(names)), options.json)
    else:
        ways, rows = ["numpy"], measure_on_cpu(names)
    where = provenance(options.device)
    show(rows, ways, where)
    if options.json:
        Path(options.json).write_text(json.dumps({"where": where, "rows": rows}, indent=1) + "\n", encoding="utf-8")


def show(rows: list[dict[str, Any]], ways: list[str], where: dict[str, object]) -> None:
    threads = f"OMP_NUM_THREADS={os.environ['OMP_NUM_THREADS']} " if "OMP_NUM_THREADS" in os.environ else ""
    print(f"{threads}python {' '.join(sys.argv)}")
    print(where)
    on_gpu = ways != ["numpy"]
    clock = (
        f"median of {ROUNDS['cuda']} up to synchronize()"
        if on_gpu
        else f"process time, fastest of {ROUNDS['cpu']} rounds"
    )
    print(f"samples/s, batches of {BATCH:,} at length {LENGTH} or the nearest there is; {clock}")
    heads = "".join(f"{way:>13}" for way in ways)
    print(f"{'task':<26}{'group':<23}{'length':>6}{'tokens':>8}{heads}{'plain Python':>14}{'ratio':>9}")
    for row in rows:
        line = f"{row['task']:<26}{row['group']:<23}{row['length']:>6}{row['tokens']:>8}"
        for way in ways:
            line += f"{row[way]:>13,.0f}" if way in row else f"{'failed' if f'{way} failed' in row else '-':>13}"
        best = next((row[way] for way in reversed(ways) if way in row), 0.0)
        line += f"{row['plain']:>14,.0f}{best / row['plain']:>9,.1f}"
        line += "  host only" if row["host_only"] else ""
        line += "  DIFFERENT BITS" if not row.get("equal", True) else ""
        line += "".join(f"  {row[f'{way} failed'][:60]}" for way in ways if f"{way} failed" in row)
        print(line)
    summarize(rows, ways)


def summarize(rows: list[dict[str, Any]], ways: list[str]) -> None:
    arrays = [row for row in rows if not row["host_only"]]
    for way in ways:
        speeds = sorted((row[way], row["task"]) for row in arrays if way in row)
        if speeds:
            under = sum(speed < BAR for speed, _ in speeds)
            middle = statistics.median(speed for speed, _ in speeds)
            print(
                f"{way}, {len(speeds)} tasks that are not host only: slowest {speeds[0][0]:,.0f} ({speeds[0][1]}), "
                f"median {middle:,.0f}, {under} under {BAR:,}"
            )
    hosts = [f"{row['task']} {row[ways[0]]:,.0f}" for row in rows if row["host_only"] and ways[0] in row]
    if hosts:
        print(f"host only: {', '.join(hosts)}")
    if ways != ["numpy"]:
        print(f"{sum(row['equal'] for row in rows)} of {len(rows)} tasks have NumPy's batches, bit for bit")


if __name__ == "__main__":
    main()
