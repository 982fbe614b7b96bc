"""Disk errors at every write of a small sweep: nothing finished is lost, and there is always a sentence.

A small library (faults.c) is loaded into the command and its training processes and lets one write fail, or all from one
on. Afterwards the same command runs undisturbed and must come to the same rows as a run that nothing disturbed, without
training anything again that was stored.

    python tests/attacks/faults.py --stride 1 --jobs 2        every write, three errors, once and for good: about an hour
    python tests/attacks/faults.py --stride 1 --brief         every write, one error in turn, once and for good
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import SOURCE, TINY, Attack, Done, Program

ERRORS = ("ENOSPC", "EIO", "EROFS")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A write that fails: its number, how, and whether all later ones fail too."""

    at: int
    error: str
    forever: bool


class Sweep:
    """The small sweep, in a folder of its own."""

    def __init__(self, program: Program, library: Path, folder: Path) -> None:
        self._program = program
        self._library = library
        self._folder = folder
        (folder / "work").mkdir(parents=True)
        (folder / "spec.toml").write_text(TINY)

    def run(self, case: Case | None = None) -> tuple[Done, int]:
        """Run the sweep, with a fault or without; return how it ended and how many writes there were."""
        counter = self._folder / "counter"
        counter.write_bytes(bytes(8))
        environment = {
            "LD_PRELOAD": str(self._library),
            "FAULT_FOLDER": str(self._folder / "work"),
            "FAULT_COUNTER": str(counter),
        }
        if case is not None:
            environment |= {"FAULT_AT": str(case.at), "FAULT_ERRNO": str(getattr(errno, case.error))}
            environment |= {"FAULT_FOREVER": "1"} if case.forever else {}
        options = ["--store", "work/runs.sqlite", "--out", "work/report.html", "--keep", "--checkpoint-every", "0"]
        done = self._program.run(
            "run",
            "spec.toml",
            *options,
            "--workers",
            "1",
            "--models-per-stack",
            "2",
            folder=self._folder,
            environment=environment,
        )
        return done, struct.unpack("q", counter.read_bytes())[0]

    def rows(self, columns: str = "id, steps, losses, checksum, seconds") -> dict[str, tuple[object, ...]]:
        """Return the rows of the store, by id; none if there is no store yet."""
        place = self._folder / "work" / "runs.sqlite"
        if not place.exists():
            return {}
        with closing(sqlite3.connect(place)) as connection:
            try:
                rows = connection.execute(f"SELECT {columns} FROM runs").fetchall()
                scores = connection.execute("SELECT * FROM scores ORDER BY run, length").fetchall()
            except sqlite3.OperationalError:  # the fault came before the tables
                return {}
        return {row[0]: (*row[1:], tuple(score for score in scores if score[0] == row[0])) for row in rows}

    def is_sound(self) -> bool:
        """Return whether the store has no damage; one from before its tables has none."""
        return (
            not self.rows() or self._program.run("store", "verify", "work/runs.sqlite", folder=self._folder).code == 0
        )


def build_library(folder: Path) -> Path:
    """Compile the library that lets writes fail."""
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def attack_case(program: Program, library: Path, folder: Path, case: Case, expected: dict[str, object]) -> Attack:
    """Return what comes of one fault."""
    sweep = Sweep(program, library, folder)
    done, _ = sweep.run(case)
    between = sweep.rows()
    problems = []
    if not done.has_sentence:
        problems.append(f"no sentence ({done}): {done.err[-300:]}")
    if not sweep.is_sound():
        problems.append("the store is damaged")
    if done.code == 0 and len(between) != len(expected):
        problems.append(f"it ended well with {len(between)} of {len(expected)} rows")
    kept = {run for run in between if (folder / "work" / "runs.sqlite.models" / f"{run}.safetensors").exists()}
    if done.code or kept != set(expected):
        again = sweep.run()[0]
        if again.code:
            problems.append(f"the same command did not go on: {again}")
    after = sweep.rows()
    if {run: _what_came_out(row) for run, row in after.items()} != expected:
        problems.append("other rows than without a fault")
    lost = [run for run, row in between.items() if run in kept and after.get(run) != row]
    if lost:  # a run whose model could not be kept is trained again, because --keep asks for it
        problems.append(f"{len(lost)} finished rows were lost or trained again")
    shutil.rmtree(folder)
    when = "for good from" if case.forever else "at"
    return Attack(
        number="I/O",
        what=f"{case.error} {when} write {case.at}",
        outcome="; ".join(problems) or str(done),
        good=not problems,
    )


def _what_came_out(row: tuple[object, ...]) -> tuple[object, ...]:
    """Return what training came to, without how long it took."""
    steps, losses, _, _, scores = row
    return steps, losses, scores


def _once(at: int, *, brief: bool) -> tuple[str, ...]:
    """Return the errors that come once at a write: all, or one that takes turns."""
    return (ERRORS[at % 3],) if brief else ERRORS


def attack(
    program: Program, folder: Path, *, stride: int = 1, jobs: int = 2, first: int = 1, brief: bool = False
) -> list[Attack]:
    """Return what comes of a fault at every write, or at every so many."""
    library = build_library(folder)
    reference = Sweep(program, library, folder / "reference")
    done, writes = reference.run()
    assert done.code == 0, done
    expected = {run: _what_came_out(row) for run, row in reference.rows().items()}
    places = range(first, writes + 1, stride)
    cases = [
        Case(at=at, error=error, forever=forever)
        for at in places
        for error, forever in [*((error, False) for error in _once(at, brief=brief)), (ERRORS[(at + 1) % 3], True)]
    ]
    print(f"{writes} writes, {len(cases)} cases", file=sys.stderr, flush=True)
    with ThreadPoolExecutor(jobs) as pool:
        numbered = enumerate(cases)
        return list(
            pool.map(
                lambda item: attack_case(program, library, folder / f"case-{item[0]}", item[1], expected), numbered
            )
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=SOURCE, help="the src folder to attack (default: this one)")
    parser.add_argument("--stride", type=int, default=1, help="only every so many writes (default: 1)")
    parser.add_argument("--first", type=int, default=1, help="the first write that fails (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (default: 2)")
    parser.add_argument("--brief", action="store_true", help="at each write one error in turn, once and for good")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = attack(
            Program(source=options.source.resolve()),
            Path(scratch),
            stride=options.stride,
            jobs=options.jobs,
            first=options.first,
            brief=options.brief,
        )
    for row in found:
        if not row.good:
            print(f"BAD  {row.what}: {row.outcome}")
    print(f"{sum(row.good for row in found)} of {len(found)} faults came out well")
    sys.exit(not all(row.good for row in found))
