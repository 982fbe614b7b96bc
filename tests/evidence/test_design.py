"""Designs are judged by the cells that theory gives them, fitted runs alone, and languages that were kept apart."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
if str(ROOT / "benchmarks") not in sys.path:
    sys.path.append(str(ROOT / "benchmarks"))

pytest.importorskip("torch")

import design  # noqa: E402
import evidence  # noqa: E402
from atlas_cells import read_cells, read_sample, task_revision  # noqa: E402
from atlas_pieces import DESIGNS, all_pieces  # noqa: E402

from lengthwise.encodings.catalog import ENCODINGS  # noqa: E402
from lengthwise.theory.claims import Answer  # noqa: E402

RIGHT, WRONG = [1.0] * 10, [1.0, 1.0, 0.2, *[0.0] * 7]


def languages(kind: str, split: str = "fit") -> list[str]:
    return [name for name, row in read_sample().items() if (row["kind"], row["split"]) == (kind, split)]


def write_piece(folder: Path, name: str, encoding: str, runs: dict[str, list[tuple[float, list[float]]]]) -> None:
    head = {
        "piece": name,
        "settings": {"encoding": encoding, "encoding_revision": ENCODINGS[encoding].revision, "model": {}},
        "provenance": {"hardware": "none", "finished": "2026-11-20T00:00:00"},
    }
    rows: list[dict[str, Any]] = [
        {
            "id": f"{task}_{seed}",
            "task": task,
            "task_revision": task_revision(task),
            "train_length": 25,
            "fit": fit,
            "bins": bins,
            "hard": {},
        }
        for task, own in runs.items()
        for seed, (fit, bins) in enumerate(own)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, [head, *rows])) + "\n")


def test_a_design_is_judged_by_what_theory_gives_it(tmp_path: Path) -> None:
    (window, period, none) = (languages(kind)[0] for kind in ("windows", "periods", "none"))
    write_piece(tmp_path, "fit_nope", "nope", {window: [(1.0, WRONG)]})
    write_piece(
        tmp_path,
        "design_counters_shift",
        "counters",
        {window: [(1.0, RIGHT), (0.4, RIGHT)], period: [(1.0, RIGHT), (1.0, WRONG)], none: [(1.0, WRONG)] * 2},
    )
    cells = {(cell.name, cell.language): cell for cell in design.read_cells(tmp_path, "fit")}
    assert {key: cell.answer for key, cell in cells.items()} == {
        ("nope", window): Answer.NO,
        ("counters_shift", window): Answer.YES,
        ("counters_shift", period): Answer.YES,
        ("counters_shift", none): Answer.NO,
    }
    rows = {(row[0], row[1]): row for row in design.table_of_yes(list(cells.values())).rows}
    assert list(rows["counters_shift", "windows"])[2:5] == ["1", "1/2", "1.00 (1.00–1.00)"]
    assert rows["counters_shift", "periods"][4].startswith("0.50 ")
    assert rows["counters_shift", design.ALL][3] == "3/4"
    assert sorted(map(list, design.table_of_no(list(cells.values())).rows)) == [
        ["counters_shift", "1", "1", "none"],
        ["nope", "1", "1", "none"],
    ]


def test_a_no_cell_with_a_run_that_is_right_throughout_is_named(tmp_path: Path) -> None:
    none = languages("none")[0]
    write_piece(tmp_path, "design_nope_shift", "nope", {none: [(1.0, RIGHT), (1.0, WRONG)]})
    (row,) = design.table_of_no(design.read_cells(tmp_path, "fit")).rows
    assert row[-1] == f"{none}: 1 of 2"


def test_designs_are_kept_apart_from_their_encodings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_piece(tmp_path, "design_nope_shift", "nope", {languages("windows")[0]: [(1.0, RIGHT)]})
    assert read_cells(tmp_path, splits=("fit",)) == []
    monkeypatch.setattr(evidence, "PIECES", tmp_path)
    assert evidence.read_pieces() == ([], {})
    specs = {piece.name: piece.specs({"steps": 10, "layers": 2})[0] for piece in all_pieces(("design", "design_test"))}
    assert set(specs) == {f"{part}_{name}" for part in ("design", "design_test") for name in DESIGNS}
    assert all(spec.model.token_shift == ("shift" in name) for name, spec in specs.items())
    assert all(spec.model.layers == (4 if name.endswith("deep") else 2) for name, spec in specs.items())
