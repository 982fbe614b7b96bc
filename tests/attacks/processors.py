"""Runs from two kinds of processor in one store: the provenance tells them apart, and a report says so (11)."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import TINY, Attack, Program, main


def attack(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of one sweep that is trained with two sets of vector instructions."""
    one, two = TINY.replace("seeds = 2", "seeds = 1"), TINY
    options = ("--store", "runs.sqlite", "--out", "report.html")
    for text, environment in ((one, {"ATEN_CPU_CAPABILITY": "default"}), (two, {})):
        (folder / "spec.toml").write_text(text)
        done = program.run("run", "spec.toml", *options, folder=folder, environment=environment)
        assert done.code == 0, done
    with closing(sqlite3.connect(folder / "runs.sqlite")) as connection:
        origins = [json.loads(row[0]) for row in connection.execute("SELECT provenance FROM runs")]
    kinds = {origin.get("vector_instructions") for origin in origins}
    told = program.run("report", "runs.sqlite", "--out", "report.html", folder=folder)
    note = "mix runs from several kinds of processor" in told.out.replace("\n", " ")
    return [
        Attack(number="11", what="provenance names the kind of CPU", outcome=str(kinds), good=len(kinds - {None}) == 2),
        Attack(number="11", what="a report notes a cell that mixes kinds", outcome=f"noted: {note}", good=note),
    ]


if __name__ == "__main__":
    main(attack)
