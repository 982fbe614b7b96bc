"""The user's own measurements: added from a store, once, and shown by predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_results import make_result

import lengthwise
from lengthwise.errors import UnreadableFileError
from lengthwise.evidence.measured import measured_cells, own_cells, own_file
from lengthwise.evidence.own import own_rows
from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.grid import Grid
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.recommend import Standing
from lengthwise.report.own_evidence import add_store
from lengthwise.theory.claims import Asked

pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LENGTHWISE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def store(folder: Path, *specs: Spec, shares: tuple[float, ...] = (1.0, 0.95, 0.92), name: str = "runs.sqlite") -> Path:
    path, runs = folder / name, make_runs(specs)
    with open_store(path) as opened:
        opened.save_plan([], describe_cells(runs))
        opened.save(make_result(run, list(shares), fit=((run.bins[0].high, 2000, 1999),)) for run in runs)
    return path


SPEC = Spec(tasks=("(ab)*", "unique_copy"), encodings=("rope",), seeds=2)


def test_without_own_runs_there_is_no_file() -> None:
    assert own_rows() == ()
    assert list(own_cells()) == []


def test_the_runs_of_a_store_are_shown_as_the_users_own(tmp_path: Path, own_folder: Path) -> None:
    added = add_store(store(tmp_path, SPEC))
    assert (added.num_cells, added.num_runs, added.new_runs, added.left_out) == (2, 4, 4, {})
    assert own_file() == own_folder / "evidence.jsonl"
    (row,) = lengthwise.predict("(xy)*", encodings=["rope"], asked="next")
    assert row.measured is not None
    assert row.measured.setting.is_own
    assert (
        row.measured.sentence(Asked.NEXT_SYMBOLS)
        == "Your own runs: 2 of 2 fitted runs are right at 3 times the training length."
    )
    assert row.to_json()["measured"] == row.measured.to_json()
    assert row.measured.to_json()["own"] is True
    assert row.measured.median == 0.92
    assert row.chance is not None
    assert (row.chance.generalize, row.chance.source) == (1.0, "measured")


def test_adding_a_store_again_changes_nothing_and_more_runs_join_their_cell(tmp_path: Path) -> None:
    path = store(tmp_path, SPEC)
    add_store(path)
    text = own_file().read_text()  # type: ignore[union-attr]
    assert add_store(path).new_runs == 0
    assert own_file().read_text() == text  # type: ignore[union-attr]
    more = Spec(tasks=("(ab)*",), encodings=("rope",), seeds=5)
    assert add_store(store(tmp_path, more, shares=(1.0, 0.5, 0.0), name="more.sqlite")).new_runs == 3
    (cell,) = measured_cells(language=compile_regex("(ab)*"))["rope"]
    assert (cell.num_runs, cell.num_generalized) == (5, 2)


def test_other_settings_are_another_cell_and_the_command_names_them(tmp_path: Path) -> None:
    grid = {
        "tasks": ["(ab)*"],
        "encodings": ["rope"],
        "seeds": 1,
        "train_length": 20,
        "width": [16, 32],
        "qk_norm": True,
    }
    add_store(store(tmp_path, *Grid(settings=grid).specs()))
    narrow, wide = sorted(
        measured_cells(language=compile_regex("(ab)*"))["rope"], key=lambda cell: -len(cell.command())
    )
    assert narrow.command() == (
        "lengthwise run '(ab)*' --encoding rope --seeds 1 --set train_length=20 --set width=16 --set qk_norm=true"
    )
    assert wide.setting.changed == {"train_length": 20, "qk_norm": True}
    assert narrow.setting.summary == "2 layers, 4 heads, width 16, trained to length 20"


def test_own_runs_go_before_those_of_the_package(tmp_path: Path) -> None:
    add_store(store(tmp_path, SPEC))
    found = measured_cells(task="unique_copy")["rope"]
    assert [cell.setting.is_own for cell in found] == [True, False]
    (row,) = lengthwise.predict("unique_copy", encodings=["rope"])
    assert row.measured is found[0] or row.measured == found[0]
    assert Standing.of(row) is Standing.PROVED  # the package alone says that 0 of 5 runs found it


def test_runs_of_another_revision_are_not_shown(tmp_path: Path) -> None:
    add_store(store(tmp_path, SPEC))
    path = own_file()
    assert path is not None
    head, *rows = map(json.loads, path.read_text().splitlines())
    for row in rows:
        row["encoding_revision"] += 1
    path.write_text("\n".join(map(json.dumps, [head, *rows])) + "\n")
    assert len(own_rows()) == 2
    assert list(own_cells()) == []


def test_cells_of_files_are_left_out_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lengthwise.cli.main import main

    monkeypatch.chdir(tmp_path)
    assert main(["new", "encoding", "ripple"]) == 0
    added = add_store(store(tmp_path, Spec(tasks=("(ab)*",), encodings=("ripple.py", "rope"), seeds=2)))
    assert added.left_out == {"the task or the encoding is a file of your own, which can change": 2}
    assert [cell.encoding for cell in own_cells()] == ["rope"]


@pytest.mark.parametrize(
    "text",
    [
        "nothing\n",
        '{"format": "other"}\n',
        '{"format": "lengthwise evidence 1"}\n{"key": 1}\n',
        '{"format": "lengthwise evidence 1"}\n[1]\n',
        "",
    ],
)
def test_a_damaged_file_is_named_with_what_to_do(own_folder: Path, text: str) -> None:
    own_folder.mkdir()
    path = own_folder / "evidence.jsonl"
    path.write_text(text)
    with pytest.raises(UnreadableFileError) as error:
        lengthwise.predict("(ab)*")[0].to_json()
    assert error.value.message == f"{str(path)!r} is damaged: it should hold your own measurements."
    assert error.value.hint == "delete it, then add your stores again (lengthwise atlas add STORE)."


@pytest.mark.parametrize(
    "change",
    [
        {"setting": {}},
        {"runs": {}},
        {"runs": {"id": [True, True, 2]}},
        {"runs": {"id": [1, True, 0.5]}},
        {"asked": "WHAT"},
        {"key": 1},
    ],
)
def test_a_row_that_was_changed_by_hand_is_damage_too(tmp_path: Path, change: dict[str, object]) -> None:
    add_store(store(tmp_path, SPEC))
    path = own_file()
    assert path is not None
    head, row, *others = map(json.loads, path.read_text().splitlines())
    path.write_text("\n".join(map(json.dumps, [head, row | change, *others])) + "\n")
    with pytest.raises(UnreadableFileError, match="is damaged"):
        own_rows()


def test_without_a_cache_folder_adding_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = store(tmp_path, SPEC)
    monkeypatch.setenv("LENGTHWISE_CACHE", "")
    with pytest.raises(UnreadableFileError, match="there is no folder for your own measurements"):
        add_store(path)
    assert measured_cells(task="unique_copy")["rope"][0].setting.is_own is False
