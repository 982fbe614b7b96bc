"""Feed every reader of the package with fuzzed inputs and report what is neither an answer nor a sentence.

An input is good if it gives a value, or raises LengthwiseError with a message that can be shown. Everything else is a
finding: another exception, more than 2 s of CPU time, more than 1 GB of memory, or a process that dies. Input number N of
a reader depends on the seed, the reader and N alone, so that one can be repeated::

    python tests/attacks/fuzz.py --inputs 1000000 --seed 1
    python tests/attacks/fuzz.py --reader regex --seed 1 --number 1234
"""

from __future__ import annotations

import argparse
import gc
import json
import mmap
import os
import platform
import resource
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
CHUNK = 1000


@dataclass(slots=True)
class Tally:
    """What came of the inputs of one reader."""

    inputs: int = 0
    values: int = 0
    sentences: int = 0
    cpu: float = 0.0
    slowest: tuple[float, int] = (0.0, 0)  # seconds, and the number of the input
    memory: int = 0
    findings: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, other: dict[str, Any]) -> None:
        self.inputs += other["inputs"]
        self.values += other["values"]
        self.sentences += other["sentences"]
        self.cpu += other["cpu"]
        self.slowest = max(self.slowest, tuple(other["slowest"]))
        self.memory = max(self.memory, other["memory"])
        for key, found in other["findings"].items():
            known = self.findings.setdefault(key, found | {"count": 0})
            known["count"] += found["count"]
            if found["number"] < known["number"] or (found["size"] < known["size"]):
                known |= {name: value for name, value in found.items() if name != "count"}


# A chunk of inputs, in a process of its own


def run_chunk(name: str, numbers: range, seed: int, folder: Path, slot: mmap.mmap, out: int) -> None:
    """Read inputs one after another and write what came of them as one line of JSON."""
    from fuzz_attempt import limit_process, shrink, timed
    from fuzz_inputs import Case
    from fuzz_readers import READERS

    reader = READERS[name]
    os.chdir(folder)
    limit_process()
    tally: dict[str, Any] = {"inputs": 0, "values": 0, "sentences": 0, "cpu": 0.0, "slowest": (0.0, 0), "findings": {}}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in numbers:
        slot[:8] = number.to_bytes(8, "little")
        try:
            case = _make(reader, name, number, seed)
        except Exception as error:  # a fault of this attack, which must not end it
            case, outcome = Case(data=""), ("no input", "fuzz_inputs", repr(error), 0.0)
        else:
            outcome = timed(reader, case, folder)
        kind, place, told, cpu = outcome
        tally["inputs"] += 1
        tally["cpu"] += cpu
        tally["slowest"] = max(tally["slowest"], (cpu, number))
        if kind in ("value", "sentence"):
            tally[f"{kind}s"] += 1
            continue
        key = f"{name} | {kind} | {place}"
        found = tally["findings"].get(key)
        if found is None:
            small = shrink(reader, case, (kind, place), folder)
            tally["findings"][key] = _finding(number, small, told) | {"count": 1}
        else:
            found["count"] += 1
    tally["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    with os.fdopen(out, "w") as pipe:
        pipe.write(json.dumps(tally) + "\n")


def _make(reader: Any, name: str, number: int, seed: int) -> Any:
    return reader.make(Random(f"{seed} {name} {number}"), CORPUS[0])


CORPUS: list[Any] = []  # one, made before processes are forked


def _finding(number: int, case: Any, told: str) -> dict[str, Any]:
    size = len(case.data)
    shown = f"{size} bytes" if isinstance(case.data, bytes) else _shortened(repr(case.data))
    options = {key: value for key, value in case.options.items() if not isinstance(value, bytes)}
    return {"number": number, "size": size, "input": shown, "options": _shortened(repr(options)), "told": told}


def _shortened(text: str) -> str:
    return text if len(text) < 600 else f"{text[:400]}… ({len(text)} characters)"


# All inputs, in processes that are begun again where one dies


@dataclass(slots=True)
class Worker:
    """A process at work on some inputs of a reader."""

    name: str
    numbers: range
    pid: int
    pipe: int
    slot: mmap.mmap
    folder: Path
    text: bytes = b""


def run_all(shares: dict[str, int], seed: int, jobs: int, scratch: Path) -> dict[str, Tally]:
    """Read so many inputs of each reader; return what came of them."""
    tallies = {name: Tally() for name in shares}
    waiting = list(_chunks(shares))
    total, begun = sum(shares.values()), time.monotonic()
    selector = selectors.DefaultSelector()
    workers: set[int] = set()
    free = list(range(jobs))
    while waiting or workers:
        while waiting and free:
            number = free.pop()
            worker = _begin(*waiting.pop(0), seed, scratch / f"scratch-{number}")
            selector.register(worker.pipe, selectors.EVENT_READ, (number, worker))
            workers.add(worker.pipe)
        for key, _ in selector.select():
            number, worker = key.data
            part = os.read(worker.pipe, 1 << 16)
            worker.text += part
            if part:
                continue
            selector.unregister(worker.pipe)
            os.close(worker.pipe)
            workers.discard(worker.pipe)
            free.append(number)
            rest = _end(worker, tallies[worker.name])
            if rest:
                waiting.insert(0, (worker.name, rest))
            done = sum(tally.inputs for tally in tallies.values())
            found = sum(len(tally.findings) for tally in tallies.values())
            print(
                f"\r{done:,} of {total:,} inputs, {found} findings, {time.monotonic() - begun:.0f} s ",
                end="",
                file=sys.stderr,
            )
    print(file=sys.stderr)
    return tallies


def _chunks(shares: dict[str, int]) -> Iterator[tuple[str, range]]:
    for name, number in shares.items():
        for start in range(0, number, CHUNK):
            yield name, range(start, min(number, start + CHUNK))


def _begin(name: str, numbers: range, seed: int, folder: Path) -> Worker:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    slot = mmap.mmap(-1, 8)
    slot[:8] = numbers.start.to_bytes(8, "little")
    read, write = os.pipe()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        os.close(write)
        return Worker(name=name, numbers=numbers, pid=pid, pipe=read, slot=slot, folder=folder)
    code = 1
    try:
        os.close(read)
        run_chunk(name, numbers, seed, folder, slot, write)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _end(worker: Worker, tally: Tally) -> range | None:
    """Count what a process did; if it died, count the input it died of and return the numbers that remain."""
    _, status = os.waitpid(worker.pid, 0)
    if status == 0 and worker.text:
        tally.add(json.loads(worker.text))
        return None
    number = int.from_bytes(worker.slot[:8], "little")
    reason = f"died of {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else "died"
    from fuzz_readers import READERS

    case = _make(READERS[worker.name], worker.name, number, ARGUMENTS[0].seed)
    finding = _finding(number, case, reason) | {"count": 1}
    done = {"inputs": 1, "values": 0, "sentences": 0, "cpu": 0.0, "slowest": (0.0, 0), "memory": 0}
    tally.add(done | {"findings": {f"{worker.name} | {reason} | ?": finding}})
    tally.inputs += number - worker.numbers.start  # read before it, whose outcomes died with the process
    return range(number + 1, worker.numbers.stop)


ARGUMENTS: list[argparse.Namespace] = []


def parse_arguments(given: list[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000, help="how many, over all readers (default: 20000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", action="append", help="only this reader (may be repeated)")
    parser.add_argument("--number", type=int, help="only this input of the reader, with the traceback")
    parser.add_argument(
        "--source", type=Path, default=HERE.parents[1] / "src", help="the package's folder (default: this one's)"
    )
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    """Run the attack; exit with 1 if there is any finding."""
    options = parse_arguments(given)
    ARGUMENTS[:] = [options]
    sys.path[:0] = [str(options.source.resolve()), str(HERE)]
    os.environ |= {"OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as scratch:
        _prepare(options.source.resolve(), Path(scratch))
        from fuzz_readers import READERS

        names = options.reader or list(READERS)
        if options.number is not None:
            return _repeat(READERS[names[0]], names[0], options, Path(scratch))
        whole = sum(READERS[name].share for name in names)
        shares = {name: max(1, options.inputs * READERS[name].share // whole) for name in names}
        shares[names[0]] += options.inputs - sum(shares.values())
        begun = time.monotonic()
        tallies = run_all(shares, options.seed, options.jobs, Path(scratch))
    return _report(tallies, options, time.monotonic() - begun)


def _prepare(source: Path, scratch: Path) -> None:
    """Write the files that inputs start from in another process, then read everything into this one."""
    environment = os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{HERE}"}
    subprocess.run(
        [sys.executable, HERE / "fuzz_corpus.py", scratch], check=True, env=environment, stdout=subprocess.DEVNULL
    )
    import torch
    from fuzz_corpus import make_corpus

    import lengthwise

    assert Path(lengthwise.__file__).is_relative_to(source), f"{lengthwise.__file__} is not in {source}"
    torch.set_num_threads(1)
    CORPUS[:] = [make_corpus(scratch, HERE.parents[1] / "docs")]
    gc.freeze()


def _repeat(reader: Any, name: str, options: argparse.Namespace, scratch: Path) -> int:
    case = _make(reader, name, options.number, options.seed)
    print(case)
    spent = time.process_time()
    try:
        print(reader.read(case, scratch))
    finally:
        print(f"{time.process_time() - spent:.2f} s of CPU time", file=sys.stderr)
    return 0


def _report(tallies: dict[str, Tally], options: argparse.Namespace, seconds: float) -> int:
    print(
        f"{'reader':16} {'inputs':>9} {'values':>9} {'sentences':>9} {'findings':>9} {'slowest s':>9} {'number':>8} "
        f"{'MB':>6} {'ms each':>8}"
    )
    for name, tally in tallies.items():
        bad = sum(found["count"] for found in tally.findings.values())
        each = 1000 * tally.cpu / max(1, tally.inputs)
        print(
            f"{name:16} {tally.inputs:9,} {tally.values:9,} {tally.sentences:9,} {bad:9,} {tally.slowest[0]:9.2f} {tally.slowest[1]:8} "
            f"{tally.memory / 1024:6.0f} {each:8.2f}"
        )
    findings = {key: found for tally in tallies.values() for key, found in tally.findings.items()}
    for key, found in sorted(findings.items()):
        print(f"\n{key}: {found['count']} times, first number {found['number']}")
        print(f"  input: {found['input']}" + (f" with {found['options']}" if found["options"] != "{}" else ""))
        print(f"  says: {found['told']!r}")
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    total = sum(tally.inputs for tally in tallies.values())
    bad = sum(found["count"] for found in findings.values())
    print(
        f"\n{total:,} inputs, {bad:,} bad ones in {len(findings)} groups; seed {options.seed}; "
        f"{seconds:.0f} s on {options.jobs} of {machine}"
    )
    print(f"command: python {shlex.join(sys.argv)}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
