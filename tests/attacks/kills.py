"""kill -9 at random moments of a sweep, through the command line: lost 0, twice 0, different 0.

    python tests/attacks/kills.py --kills 100 --seed 1

A store is used until its sweep is complete, however often it is killed; then its rows are compared with those of a run that
nothing disturbed, and another store is begun.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import SOURCE, TINY, Attack, Program

Rows = dict[str, tuple[object, ...]]

_SPEC = TINY.replace("seeds = 2", "seeds = 8").replace("steps = 20", "steps = 1000").replace("width = 8", "width = 16")


@dataclass(slots=True)
class Count:
    """What came of the kills so far."""

    kills: int = 0
    after_a_row: int = 0
    in_training: int = 0
    rounds: int = 0
    lost: int = 0
    twice: int = 0
    different: int = 0
    bad_endings: list[str] = field(default_factory=list)


def rows_of(place: Path) -> Rows:
    """Return every stored run with its scores, by id; none if there is no store yet."""
    if not place.exists():
        return {}
    with closing(sqlite3.connect(place)) as connection:
        try:
            rows = connection.execute("SELECT id, seconds, steps, losses FROM runs").fetchall()
            scores = connection.execute("SELECT run, length, examples, matches FROM scores ORDER BY 1, 2").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return {}
    return {row[0]: (*row[1:], tuple(score for score in scores if score[0] == row[0])) for row in rows}


def came_out(rows: Rows) -> dict[str, object]:
    """Return what training came to, without how long it took."""
    return {run: row[1:] for run, row in rows.items()}


def start(program: Program, folder: Path, store: str) -> subprocess.Popen[str]:
    """Start the sweep in a session of its own."""
    options = ["--store", store, "--out", "report.html", "--models-per-stack", "2", "--checkpoint-every", "0.2"]
    return subprocess.Popen(
        [sys.executable, "-m", "lengthwise", "run", "spec.toml", *options, "--workers", "2"],
        cwd=folder,
        env=program.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def attack(program: Program, folder: Path, *, kills: int, seed: int) -> tuple[Count, list[Attack]]:
    """Return what comes of so many kills."""
    numbers = random.Random(seed)
    (folder / "spec.toml").write_text(_SPEC)
    begun = time.monotonic()
    process = start(program, folder, "whole.sqlite")
    process.communicate()
    assert process.returncode == 0
    longest = time.monotonic() - begun  # kills fall anywhere within a whole run, start included
    expected = came_out(rows_of(folder / "whole.sqlite"))
    count = Count()
    while count.kills < kills:
        store = f"round-{count.rounds}.sqlite"
        before: Rows = {}
        while True:
            process = start(program, folder, store)
            try:
                _, told = process.communicate(timeout=numbers.uniform(0.3, longest) if count.kills < kills else None)
                if process.returncode:
                    count.bad_endings.append(told[-500:])
            except subprocess.TimeoutExpired:
                to_all = numbers.random() < 0.5
                (os.killpg if to_all else os.kill)(process.pid, signal.SIGKILL)
                process.communicate()
                count.kills += 1
            after = _rows_after(process, folder / store)
            count.after_a_row += process.returncode == -signal.SIGKILL and bool(after)
            count.in_training += process.returncode == -signal.SIGKILL and any(folder.glob(f"{store}.checkpoints/*"))
            count.lost += sum(run not in after for run in before)
            count.twice += sum(run in after and after[run] != row for run, row in before.items())
            before = after
            print(f"\r{count.kills} kills, {count.rounds} rounds ", end="", file=sys.stderr, flush=True)
            if process.returncode != -signal.SIGKILL:
                break
        count.rounds += 1
        found = came_out(before)
        count.lost += len(expected.keys() - found.keys())
        count.different += sum(found.get(run) != row for run, row in expected.items() if run in found)
    good = not (count.lost or count.twice or count.different or count.bad_endings)
    what = (
        f"{count.kills} kill -9, {count.after_a_row} after the first stored row, {count.in_training} with a checkpoint"
    )
    outcome = (
        f"lost {count.lost}, twice {count.twice}, different {count.different}, bad endings {len(count.bad_endings)}"
    )
    return count, [
        Attack(number="kill", what=what, outcome=outcome, good=good and 2 * count.after_a_row >= count.kills)
    ]


def _rows_after(process: subprocess.Popen[str], place: Path) -> Rows:
    """Return the rows once all processes of the run have ended: workers end when the one that started them has."""
    while True:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return rows_of(place)
        time.sleep(0.02)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=SOURCE, help="the src folder to attack (default: this one)")
    parser.add_argument("--kills", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: 1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        counted, attacks = attack(
            Program(source=options.source.resolve()), Path(scratch), kills=options.kills, seed=options.seed
        )
    print(f"\n{attacks[0].what}, in {counted.rounds} sweeps (seed {options.seed}): {attacks[0].outcome}")
    print("\n".join(counted.bad_endings[:3]))
    sys.exit(not attacks[0].good)
