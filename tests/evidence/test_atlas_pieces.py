"""The pieces of the atlas: what goes together is planned, nothing else is, and a command stops in time and goes on."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
if str(ROOT / "benchmarks") not in sys.path:
    sys.path.append(str(ROOT / "benchmarks"))  # last: some scripts are called like modules of Python

pytest.importorskip("torch")

import atlas  # noqa: E402
import evidence  # noqa: E402
from atlas_cells import read_cells, read_sample  # noqa: E402
from atlas_frozen import TEST_PARTS  # noqa: E402
from atlas_pieces import (  # noqa: E402
    ENCODINGS,
    PARTS,
    PRESET,
    TASKS,
    TRAIN_LENGTH,
    TRANSFER,
    Piece,
    all_pieces,
    minutes_at_most,
    tasks_of_parts,
)

from lengthwise.encodings.catalog import ENCODINGS as CARDS  # noqa: E402
from lengthwise.evidence.measured import Setting  # noqa: E402


def test_parts_keep_the_splits_apart() -> None:
    sample, tasks = read_sample(), tasks_of_parts()
    assert {sample[language]["split"] for language in tasks["fit"]} == {"fit"}
    assert {sample[language]["split"] for language in tasks["test"]} == {"test"}
    assert not set(tasks["test"]) & set(tasks["reference"])
    assert not {f"accepts({language})" for language in tasks["fit"]} & set(tasks["test_membership"])
    trained = {piece.encoding for piece in all_pieces(("reference",))} | set(ENCODINGS)
    assert trained == set(CARDS)


def test_transfer_trains_test_languages_in_other_settings() -> None:
    tasks = tasks_of_parts()
    for part, other in TRANSFER.items():
        pieces = all_pieces((part,))
        assert [piece.encoding for piece in pieces] == list(ENCODINGS[:4])
        assert len(tasks[part]) == 30
        assert set(tasks[part]) <= set(tasks["test"])
        spec = pieces[0].specs(PRESET)[0]
        assert spec.train_length == other.get("train_length", TRAIN_LENGTH)
        assert (spec.model.layers, spec.model.width) == (other.get("layers", 2), other.get("width", 32))
    assert PARTS[-len(TEST_PARTS) :] == TEST_PARTS


def test_every_task_is_planned_and_tested_as_far_as_it_goes() -> None:
    specs = Piece(encoding="nope", part="tasks", tasks=TASKS).specs(PRESET)
    assert [spec.tasks for spec in specs] == [(task,) for task in TASKS]
    longest = {spec.tasks[0]: spec.test_length for spec in specs}
    assert {task for task, length in longest.items() if length == 75} >= {"unique_copy", "sort", "mqar"}
    assert longest["bin_majority"] == 250
    assert all(spec.seeds == 6 and spec.hard for spec in specs)


def test_encodings_get_what_they_can_take_and_room_for_all_tested_lengths() -> None:
    (reference,) = [piece for piece in all_pieces(("reference",)) if piece.encoding == "learned"]
    specs = reference.specs(PRESET)
    assert len(specs) == len(reference.tasks) == 40
    assert all(spec.room == spec.test_length for spec in specs)
    for encoding in ("coupling", "abacus"):
        (piece,) = [each for each in all_pieces(("reference",)) if each.encoding == encoding]
        assert 0 < len(piece.specs(PRESET)) < 40


def test_minutes_grow_with_the_steps() -> None:
    piece = Piece(encoding="nope", part="fit", tasks=tasks_of_parts()["fit"][:5])
    few, many = (minutes_at_most(piece.specs(PRESET | {"steps": steps})) for steps in (1_000, 8_000))
    assert 0 < few < many < 5


def test_the_time_of_a_command_ends_what_runs_inside() -> None:
    begun = time.monotonic()
    with pytest.raises(atlas.TimeIsUpError), atlas.stopping_after(0.05):
        time.sleep(5)
    assert time.monotonic() - begun < 3
    with atlas.stopping_after(60):
        pass


def test_the_test_third_is_not_trained_before_its_predictions_are_frozen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atlas, "FROZEN", tmp_path / "none.jsonl")
    options = SimpleNamespace(parts=["test"], folder=tmp_path, encodings=None)
    with pytest.raises(SystemExit, match="the test third is trained after its predictions are frozen"):
        atlas.run_pieces(options)  # type: ignore[arg-type]


TINY = {"layers": 1, "heads": 1, "width": 8, "steps": 10, "evaluate_every": 10, "examples": 4, "seeds": 2}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A tiny piece that was really trained, and its lines."""
    folder = tmp_path_factory.mktemp("pieces")
    piece = Piece(encoding="rope", part="fit", tasks=tasks_of_parts()["fit"][:2])
    options = SimpleNamespace(device="cpu", workers=1)
    results = atlas.train(piece.specs(TINY), options, folder / "runs.sqlite")  # type: ignore[arg-type]
    atlas.write_piece(piece, results, 1.0, folder)
    return folder, [json.loads(line) for line in (folder / "fit_rope.jsonl").read_text().splitlines()]


def test_a_piece_holds_every_run_with_all_bins(trained: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, (head, *runs) = trained
    assert head["piece"] == "fit_rope"
    assert "frozen" not in head
    assert len(runs) == 4
    assert all(len(run["bins"]) == 10 for run in runs)
    cells = read_cells(folder, splits=("fit",))
    assert [(cell.encoding, cell.num_runs, cell.split) for cell in cells] == [("rope", 2, "fit")] * 2


def test_pieces_trained_together_are_files_of_their_own_and_fitted_runs_show_signals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [
        Piece(encoding=name, part="fit", tasks=("((b|b|b))*(b)*(a|a|a)(b)*",), train_lengths=(6,))
        for name in ("nope", "ape")
    ]
    monkeypatch.setattr(atlas, "is_fitted", lambda result: result.seed == 0)
    options = SimpleNamespace(device="cpu", workers=1, settings=TINY, folder=tmp_path)
    atlas.run_together(pieces, options)  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == ["fit_ape.jsonl", "fit_nope.jsonl"]
    assert not list(tmp_path.glob("*.safetensors"))
    (tmp_path / "fit_ape.jsonl").unlink()  # as if the command had ended before it was written
    monkeypatch.setattr(atlas, "chosen_pieces", lambda _: pieces)
    options = SimpleNamespace(**vars(options), parts=["fit"], pieces=None, together=4, encodings=None)
    atlas.run_pieces(options)  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fit_ape.jsonl", "fit_nope.jsonl"]
    for piece in pieces:
        head, *runs = map(json.loads, (tmp_path / f"{piece.name}.jsonl").read_text().splitlines())
        assert head["settings"]["encoding"] == piece.encoding
        assert [("signals" in run, run["seed"]) for run in runs] == [(True, 0), (False, 1)]
        assert 0 <= runs[0]["signals"]["alive"] <= 1


def test_pieces_become_evidence_with_curves_and_the_command_that_repeats_them(
    trained: tuple[Path, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, (head, *runs) = trained
    for run in runs:
        run |= {"fit": 1.0, "bins": [1.0, 1.0, 0.95, 0.5, None, 0.2, 0.1, 0.0, 0.0, 0.0]}
    (tmp_path / "fit_rope.jsonl").write_text("\n".join(map(json.dumps, [head, *runs])))
    monkeypatch.setattr(evidence, "PIECES", tmp_path)
    lines, settings = evidence.read_pieces()
    assert [line.cells["rope"] for line in lines] == [
        [2, 2, 2, 0.95, [1.0, 1.0, 0.95, 0.5, None, 0.2, 0.1, 0.0, 0.0, 0.0]]
    ] * 2
    setting = Setting(name="atlas_25", **settings["atlas_25"])
    assert setting.changed == {"train_length": 25, "layers": 1, "heads": 1, "width": 8, "steps": 10} | {
        "evaluate_every": 10,
        "examples": 4,
    }


def test_all_parts_have_names_that_the_command_takes() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "atlas.py"), "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert all(part in done.stdout for part in PARTS)
