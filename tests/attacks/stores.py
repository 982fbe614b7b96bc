"""Stores that are not ours, used by two names, damaged, or where nothing can be written (3, 5, 7)."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import TINY, Attack, Program, main

_EDITS = {
    "more matches than examples": "UPDATE scores SET matches = examples + 1 WHERE rowid = 1",
    "fewer than no matches": "UPDATE scores SET matches = -1 WHERE rowid = 1",
    "no examples": "UPDATE scores SET examples = 0 WHERE rowid = 1",
    "other matches": "UPDATE scores SET matches = examples - matches WHERE rowid = 1",
    "a length of a billion": "UPDATE scores SET length = 1000000000 WHERE rowid = 1",
    "a text for matches": "UPDATE scores SET matches = 'many' WHERE rowid = 1",
    "a score less": "DELETE FROM scores WHERE rowid = 1",
    "no scores": "DELETE FROM scores",
    "settings that are no JSON": "UPDATE runs SET settings = '{' WHERE rowid = 1",
    "settings that are a list": "UPDATE runs SET settings = '[]' WHERE rowid = 1",
    "test lengths to a billion": "UPDATE runs SET settings = replace(settings, '\"test_length\": 6', '\"test_length\": 1000000000')",
    "another seed": "UPDATE runs SET seed = 77 WHERE rowid = 1",
    "another task": "UPDATE runs SET task = 'majority' WHERE rowid = 1",
    "negative steps": "UPDATE runs SET steps = -5 WHERE rowid = 1",
    "other losses": "UPDATE runs SET losses = '[[10, 0.0]]' WHERE rowid = 1",
    "losses that are no JSON": "UPDATE runs SET losses = 'x' WHERE rowid = 1",
    "no provenance": "UPDATE runs SET provenance = '{}' WHERE rowid = 1",
    "a plan that is no JSON": "UPDATE stacks SET runs = 'x' WHERE position = 1",
}
"""Eighteen edits of rows that a report must not pass over."""

_HOLDING = """\
import sys
from lengthwise.experiment.store import open_store
with open_store("runs.sqlite"):
    print("held", flush=True)
    sys.stdin.read()
"""


def attack(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of stores that are not as they should be."""
    (folder / "spec.toml").write_text(TINY)
    made = program.run("run", "spec.toml", "--store", "runs.sqlite", "--out", "first.html", folder=folder)
    assert made.code == 0, made
    return [
        *_foreign(program, folder),
        *_second_names(program, folder),
        *_edits(program, folder),
        *_pages(program, folder),
        *_read_only(program, folder),
    ]


def _foreign(program: Program, folder: Path) -> list[Attack]:
    found = []
    for what, script in {
        "user_version 1": "CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('x'); PRAGMA user_version = 1;",
        "tables named like ours": "CREATE TABLE runs (id TEXT PRIMARY KEY); CREATE TABLE scores (x); PRAGMA user_version = 1;",
        "a trigger on our tables": "",
    }.items():
        place = folder / "foreign.sqlite"
        for left in folder.glob("foreign.sqlite*"):
            left.unlink()
        if not script:
            place.write_bytes((folder / "runs.sqlite").read_bytes())
            script = "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM scores; END;"
        with closing(sqlite3.connect(place)) as connection:
            connection.executescript(script)
        before = place.read_bytes()
        done = program.run("run", "D_2", "--steps", "20", "--store", str(place), "--out", "f.html", folder=folder)
        unchanged = place.read_bytes() == before
        outcome = f"{done}{'' if unchanged else '; the file was changed'}"
        found.append(
            Attack(
                number="3", what=f"run into a database with {what}", outcome=outcome, good=unchanged and done.code == 2
            )
        )
    return found


def _second_names(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of opening a store that is being written to under another name."""
    found = []
    (folder / "link.sqlite").symlink_to("runs.sqlite")
    os.link(folder / "runs.sqlite", folder / "hard.sqlite")
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDING],
        cwd=folder,
        env=program.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        for name in ("runs.sqlite", "link.sqlite", "hard.sqlite"):
            done = program.run("run", "spec.toml", "--store", name, "--out", "second.html", folder=folder)
            good = done.code == 2 and "in use by another process" in done.err
            found.append(Attack(number="5", what=f"write to a store in use, as {name}", outcome=str(done), good=good))
        holder.stdin.close()
    return found


def _copy(folder: Path) -> Path:
    place = folder / "damaged.sqlite"
    for left in folder.glob("damaged.sqlite*"):
        left.unlink()
    place.write_bytes((folder / "runs.sqlite").read_bytes())
    return place


def _edits(program: Program, folder: Path) -> list[Attack]:
    found = []
    for what, statement in _EDITS.items():
        place = _copy(folder)
        with closing(sqlite3.connect(place)) as connection, connection:
            connection.execute(statement)
        done = program.run("report", str(place), "--out", "d.html", folder=folder, memory=6 << 30, seconds=120)
        verified = program.run("store", "verify", str(place), folder=folder)
        good = done.code == 2 and done.has_sentence and verified.code == 1 and "Traceback" not in verified.err
        found.append(Attack(number="7", what=f"report on {what}", outcome=str(done), good=good))
    return found


def _pages(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of pages that are overwritten: a sentence, or nothing of the store was touched."""
    found = []
    numbers = random.Random(19)
    reference = program.run("report", "runs.sqlite", "--json", "--out", "r.html", folder=folder).out
    for trial in range(10):
        place = _copy(folder)
        data = bytearray(place.read_bytes())
        page = numbers.randrange(len(data) // 4096) * 4096
        data[page + 100 : page + 4096] = numbers.randbytes(3996)
        place.write_bytes(data)
        done = program.run("report", str(place), "--json", "--out", "d.html", folder=folder)
        good = done.has_sentence and (done.code == 2 or done.out == reference)
        found.append(Attack(number="7", what=f"report on an overwritten page, {trial}", outcome=str(done), good=good))
    return found


def _read_only(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of a store on a file system that is read-only; needs root to mount one."""
    mount = folder / "mount"
    mount.mkdir()
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "none", str(mount)], check=False, capture_output=True).returncode
    ):
        return []
    try:
        (mount / "runs.sqlite").write_bytes((folder / "runs.sqlite").read_bytes())
        subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
        done = program.run("report", "mount/runs.sqlite", "--out", "ro.html", folder=folder)
    finally:
        subprocess.run(["umount", str(mount)], check=True)
    return [Attack(number="7", what="report on a read-only file system", outcome=str(done), good=done.code == 0)]


if __name__ == "__main__":
    main(attack)
