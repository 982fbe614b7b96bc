"""The measured cells that ship with the package, from the committed results.

    python benchmarks/evidence.py           writes src/lengthwise/evidence/data
    python benchmarks/evidence.py --check   says whether these files are what the results give

Two kinds of results are read: tables of encodings × tasks (``encodings_tasks_*.txt``), which give counts and a median for each
cell, and the pieces of the atlas (``benchmarks/atlas/runs/*.jsonl``), which give every run. What another revision of a task or an
encoding was measured with is left out.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from atlas_pieces import DESIGN_PARTS

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.evidence.measured import language_key
from lengthwise.experiment.settings import flat_settings
from lengthwise.report.judging import FITTED, GENERALIZED
from lengthwise.report.own_evidence import options_of
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Asked

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "src" / "lengthwise" / "evidence" / "data"
PIECES = HERE / "atlas" / "runs"
AT = 3

TABLES = {
    "preset_10": (
        "encodings_tasks_h200_2026-11-16.txt",
        "encodings_tasks_h200_2026-11-18.txt",
    )
}
"""The tables of one setting; later ones replace rows of earlier ones."""

TABLE_SETTINGS: dict[str, dict[str, Any]] = {
    "preset_10": {
        "summary": "the preset of lengthwise run: 2 layers, 4 heads, width 32, trained to length 10",
        "train_length": 10,
        "at": AT,
        "seeds": 5,
        "hardware": "NVIDIA H200, bf16",
        "date": "2026-11-18",
        "command": "python benchmarks/encodings_tasks.py --device cuda",
        "source": "benchmarks/results/encodings_tasks_h200_2026-11-18.txt",
    }
}
REVISIONS = {("fire", "encodings_tasks_h200_2026-11-18.txt"): 2}
"""Revisions other than 1 that encodings had when a table was made."""
SAME = {("rope_partial", 1, 2)}
"""Revisions (from, to) between which the measured models compute the same: their heads have width 8, of which half is even."""

_CELL = re.compile(r"[✓✗?] (\d+)/(\d+)\s+(fit|\d+%)|–")


@dataclass(slots=True)
class Line:
    """The cells of one problem in one setting."""

    key: str
    problem: str
    asked: Asked | None
    setting: str
    cells: dict[str, list[Any]] = field(default_factory=dict)

    def write(self) -> str:
        """Return the line of the file; its key comes first, because lines are found by it."""
        row = {
            "key": self.key,
            "problem": self.problem,
            "asked": None if self.asked is None else str(self.asked),
            "setting": self.setting,
            "cells": self.cells,
        }
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def line_of(name: str, setting: str) -> Line:
    """Return an empty line for a task: a language is found by its automaton, another task by its name."""
    task = find_task(name)
    language = task.facts.language
    if language is None:
        return Line(key=task.name, problem=task.name, asked=None, setting=setting)
    key = language_key(language)
    assert key is not None, f"{name} is too large to be looked up"
    return Line(key=key, problem=task.name, asked=task.facts.asked, setting=setting)


def lines_of_tables(setting: str) -> Iterator[Line]:
    """Yield a line for each column of the tables of a setting."""
    lines: dict[str, Line] = {}
    for name in TABLES[setting]:
        rows = (HERE / "results" / name).read_text(encoding="utf-8").splitlines()
        start = next(number for number, row in enumerate(rows) if row.startswith(" "))
        tasks = rows[start].split()
        for row in rows[start + 1 : rows.index("", start)]:
            encoding = row.split()[0]
            revision, now = REVISIONS.get((encoding, name), 1), ENCODINGS[encoding].revision
            if revision != now and (encoding, revision, now) not in SAME:
                continue
            cells = list(_CELL.finditer(row, len(encoding)))
            assert len(cells) == len(tasks), row
            for task, found in zip(tasks, cells, strict=True):
                line = lines.setdefault(task, line_of(task, setting))
                if found.group() != "–" and find_task(task).revision == 1:
                    line.cells[encoding] = _counts(*found.groups(), runs=TABLE_SETTINGS[setting]["seeds"])
    yield from lines.values()


def _counts(generalized: str, counted: str, share: str, *, runs: int) -> list[float | None]:
    """Return the numbers of a cell: runs, those that fitted, those that generalize, and the median."""
    if share == "fit":
        return [runs, 0, 0, None]
    return [runs, int(counted), int(generalized), int(share[:-1]) / 100]


def read_pieces() -> tuple[list[Line], dict[str, dict[str, Any]]]:
    """Return the lines of all committed pieces of the atlas, and their settings."""
    lines: dict[tuple[str, str], Line] = {}
    settings: dict[str, dict[str, Any]] = {}
    for path in sorted(PIECES.glob("*.jsonl")):
        head, *runs = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        encoding, model = head["settings"]["encoding"], head["settings"]["model"]
        if find_encoding(encoding).card.revision != head["settings"]["encoding_revision"]:
            continue
        if head["piece"].startswith(DESIGN_PARTS):  # with switches, so that they are no runs of the encoding alone
            continue
        by_cell: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for run in runs:
            if find_task(run["task"]).revision == run["task_revision"]:
                by_cell.setdefault((run["task"], run["train_length"]), []).append(run)
        for (task, train_length), cell in by_cell.items():
            setting = "_".join(["atlas", str(train_length), *["wide"] * head["piece"].startswith("transfer_wide")])
            settings[setting] = {
                "summary": f"{model['layers']} layers, {model['heads']} heads, width {model['width']}, trained to length {train_length}",
                "train_length": train_length,
                "at": AT,
                "seeds": len(cell),
                "hardware": head["provenance"]["hardware"],
                "date": head["provenance"]["finished"][:10],
                "command": "python benchmarks/atlas.py run --device cuda",
                "source": "benchmarks/atlas/runs",
                "options": options_of(
                    flat_settings(head["settings"] | {"train_length": train_length}) | {"hard": False}, task, encoding
                ),
            }
            if (task, setting) not in lines:
                lines[task, setting] = line_of(task, setting)
            good = [run["bins"] for run in cell if run["fit"] >= FITTED and run["bins"][AT - 1] is not None]
            fitted = [bins[AT - 1] for bins in good]
            lines[task, setting].cells[encoding] = [
                len(cell),
                len(fitted),
                sum(share >= GENERALIZED for share in fitted),
                round(median(fitted), 3) if fitted else None,
                *([_curve(good)] if good else []),
            ]
    return list(lines.values()), settings


def _curve(runs: list[list[float | None]]) -> list[float | None]:
    """Return the median exact match of runs in each bin of lengths."""
    columns = ([share for share in column if share is not None] for column in zip(*runs, strict=True))
    return [round(median(shares), 2) if shares else None for shares in columns]


def build() -> dict[str, str]:
    """Return the text of each data file, by its name."""
    lines, settings = read_pieces()
    for setting in TABLES:
        lines += lines_of_tables(setting)
    lines.sort(key=lambda line: (line.key, line.asked or "", line.setting))
    return {
        "cells.jsonl": "".join(line.write() + "\n" for line in lines),
        "settings.json": json.dumps(TABLE_SETTINGS | settings, ensure_ascii=False, indent=1) + "\n",
    }


def main() -> None:
    """Write the data files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    is_check = parser.parse_args().check
    DATA.mkdir(exist_ok=True)
    for name, text in build().items():
        path = DATA / name
        if is_check and path.read_text(encoding="utf-8") != text:
            sys.exit(f"{name} is not what the results give; run python benchmarks/evidence.py.")
        path.write_text(text, encoding="utf-8")
        cells = sum(len(json.loads(line)["cells"]) for line in text.splitlines()) if name.endswith("l") else 0
        print(f"{name}: {len(text.encode()):,} bytes" + (f", {cells:,} cells" if cells else ""))


if __name__ == "__main__":
    main()
