"""Stores that are not ours, not whole, or in use under another name."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from made_results import make_plan, make_result

from lengthwise.cli.main import main
from lengthwise.errors import InvalidOptionError, InvalidSpecError, StoreInUseError, UnreadableFileError
from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.plan import hash_settings, make_runs
from lengthwise.experiment.spec import MOST_RUNS, Spec
from lengthwise.experiment.store import open_store, read_store
from lengthwise.experiment.store_schema import APPLICATION_ID, SCHEMA_VERSION
from lengthwise.experiment.verification import salvage_store, verify_store
from lengthwise.report.statistics import summarize
from lengthwise.theory.claims import Answer

SPEC = Spec(tasks=("parity", "(aa)*"), encodings=("nope",), seeds=2, train_length=4, test_length=8)


SCORES = ((2, 10, 9), (8, 10, 3))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store with four finished runs."""
    place = tmp_path / "runs.sqlite"
    plan = make_plan(SPEC)
    runs = [run for stack in plan for run in stack.runs]
    with open_store(place) as store:
        store.save_plan(plan, describe_cells(runs))
        store.save([make_result(run, scores=SCORES) for run in runs])
    return place


def edit(place: Path, *statements: str) -> None:
    with closing(sqlite3.connect(place)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def message(place: Path) -> str:
    with pytest.raises(UnreadableFileError) as caught, read_store(place) as store:
        store.results()
    return caught.value.message


def test_a_store_says_what_it_is_in_its_header(place: Path) -> None:
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert sorted(os.listdir(place.parent)) == ["runs.sqlite"]  # no lock file, and nothing of SQLite's


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE scores SET matches = 11 WHERE rowid = 1", "at length 2 it matches 11 of 10 examples"),
        ("UPDATE scores SET matches = 8 WHERE rowid = 1", "it is not what was saved: its checksum differs"),
        ("DELETE FROM scores WHERE rowid = 1", "it is not what was saved: its checksum differs"),
        ("DELETE FROM scores", "it has no scores"),
        ("UPDATE scores SET length = 1000000000 WHERE rowid = 1", "a score is of length 1000000000"),
        ("UPDATE runs SET seed = 9 WHERE rowid = 1", "its seed is 9, in its settings 0"),
        ("UPDATE runs SET steps = 'x' WHERE rowid = 1", "its number of steps is 'x'"),
        ("UPDATE runs SET settings = '{' WHERE rowid = 1", "its settings are not JSON"),
        ("UPDATE runs SET id = 'x' WHERE rowid = 1", "its settings are not those of its id"),
        ("UPDATE runs SET losses = '[1]' WHERE rowid = 1", "its losses have the entry 1"),
        ("UPDATE runs SET provenance = '[]' WHERE rowid = 1", "its provenance are not a table"),
    ],
)
def test_a_damaged_run_is_named_and_never_reported(place: Path, statement: str, found: str) -> None:
    edit(place, statement)
    assert message(place).endswith(f": {found}.")
    damage = verify_store(place).damage
    assert any(found in line for line in damage)


@pytest.mark.parametrize(
    ("table", "name", "value", "found"),
    [
        ("training", "steps", {"a": 1}, "the setting 'steps' is {'a': 1}, not one value"),
        ("model", "width", [1], "the setting 'width' is [1], not one value"),
        ("training", "penalties", 7, "the setting 'penalties' is 7, not a table"),
        ("training", "penalties", {"relations": [1]}, "the setting 'relations' is [1], not one value"),
    ],
)
def test_a_setting_that_is_no_single_value_is_named_even_where_the_id_fits(
    place: Path, table: str, name: str, value: object, found: str
) -> None:
    with read_store(place) as store:
        settings = json.loads(json.dumps(store.results()[0].settings))
    settings[table][name] = value
    changed, forged = json.dumps(settings).replace("'", "''"), hash_settings(settings)
    edit(
        place,
        f"UPDATE scores SET run = '{forged}' WHERE run = (SELECT id FROM runs WHERE rowid = 1)",
        f"UPDATE runs SET id = '{forged}', settings = '{changed}', checksum = NULL WHERE rowid = 1",
    )
    assert message(place).endswith(f": {found}.")


def test_a_value_that_is_larger_than_any_of_ours_is_named_as_damage(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(place, "UPDATE runs SET settings = zeroblob(200000) WHERE rowid = 1")
    monkeypatch.setattr("lengthwise.experiment.store.LARGEST_VALUE", 100_000)
    assert "too big" in message(place)


def test_a_description_that_was_changed_is_noticed(place: Path) -> None:
    edit(place, "UPDATE cells SET description = replace(description, '\"NO\"', '\"YES\"')")
    assert "its checksum differs" in message(place)


def test_a_plan_that_was_damaged_is_noticed(place: Path) -> None:
    edit(place, "UPDATE stacks SET runs = '[1]' WHERE position = 1")
    assert message(place).endswith("is damaged: stack 1 of the plan does not list its runs.")


def test_what_is_sound_is_salvaged_to_a_new_store(place: Path) -> None:
    with read_store(place) as store:
        whole = store.results()
    edit(place, "UPDATE scores SET matches = 11 WHERE rowid = 1", "UPDATE runs SET steps = -1 WHERE rowid = 4")
    found = verify_store(place)
    assert len(found.results) == 2
    new = place.with_name("new.sqlite")
    salvage_store(found, new)
    with read_store(new) as store:
        assert store.results() == whole[1:3]
    with pytest.raises(InvalidOptionError, match="there is a file"):
        salvage_store(found, new)


def test_scores_without_a_run_are_named_and_do_not_keep_it_from_being_trained_again(place: Path) -> None:
    edit(place, "DELETE FROM runs WHERE rowid = 1")
    (damage,) = verify_store(place).damage
    assert damage.endswith("which is no run.")
    run = make_runs([SPEC])[0]
    with open_store(place) as store:
        store.save([make_result(run, scores=SCORES)])
        assert len(store.results()) == 4
    assert verify_store(place).damage == ()


def test_the_command_names_all_damage(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "verify", str(place)]) == 0
    assert capsys.readouterr().out == f"{place}: 4 runs are sound, no fault was found.\n"
    edit(place, "UPDATE scores SET matches = 11 WHERE rowid = 1", "UPDATE runs SET steps = -1 WHERE rowid = 4")
    assert main(["store", "verify", str(place)]) == 1
    told = capsys.readouterr()
    assert told.out.count("- run ") == 2
    assert told.err.startswith("hint: --salvage FILE")
    assert main(["store", "verify", str(place), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["sound"], len(data["damage"])) == (2, 2)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE songs (title TEXT); PRAGMA user_version = 1;",
        "CREATE TABLE runs (id TEXT PRIMARY KEY); PRAGMA user_version = 1;",
        "CREATE TABLE songs (title TEXT); PRAGMA user_version = 2;",
    ],
)
def test_nothing_is_written_to_the_database_of_another_program(tmp_path: Path, script: str) -> None:
    place = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript(script)
    before = place.read_bytes()
    with pytest.raises(UnreadableFileError, match="is a database, but not a store"), open_store(place):
        pass
    assert place.read_bytes() == before
    assert os.listdir(tmp_path) == ["theirs.sqlite"]


def test_a_store_with_a_trigger_is_refused(place: Path) -> None:
    edit(place, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM scores; END")
    for opened in (open_store, read_store):
        with pytest.raises(UnreadableFileError, match="has a trigger named 't'"), opened(place):
            pass


@pytest.mark.parametrize("name", ["runs.sqlite", "link.sqlite", "hard.sqlite"])
def test_a_store_in_use_is_locked_under_every_name(place: Path, name: str) -> None:
    place.with_name("link.sqlite").symlink_to(place)
    os.link(place, place.with_name("hard.sqlite"))
    script = "import sys; from lengthwise.experiment.store import open_store\nwith open_store(sys.argv[1]): pass"
    command = [sys.executable, "-c", script, str(place.with_name(name))]
    with open_store(place):
        with pytest.raises(StoreInUseError), open_store(place.with_name(name)):
            pass
        assert b"StoreInUseError" in subprocess.run(command, capture_output=True, check=False).stderr
    assert subprocess.run(command, check=False).returncode == 0


def test_a_store_that_is_made_for_nothing_does_not_stay(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    for name in ("file", "null"):
        place = tmp_path / name if name == "file" else Path("/dev/null")
        with pytest.raises(UnreadableFileError), open_store(place):
            pass
    assert os.listdir(tmp_path) == ["file"]


def test_a_report_needs_no_task_file_and_opens_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = 'alphabet = ["a", "b"]\nlanguage = "[ab]*b"\ndef answer(prompt):\n    return ["a" if prompt[-1] == "a" else "b"]\n'
    Path("mine.py").write_text(source)
    plan = make_plan(replace(SPEC, tasks=("mine.py",)))
    runs = [run for stack in plan for run in stack.runs]
    with open_store("runs.sqlite") as store:
        store.save_plan(plan, describe_cells(runs))
        store.save([make_result(run, scores=SCORES) for run in runs])
    Path("mine.py").write_text("open('ran', 'w')\n")
    with read_store("runs.sqlite") as store:
        (cell,) = summarize(store.results())
    assert cell.verdict.answer is Answer.NO
    assert main(["report", "runs.sqlite"]) == 0
    assert not Path("ran").exists()


def test_a_spec_with_too_many_runs_or_bins_is_refused() -> None:
    with pytest.raises(InvalidSpecError) as caught:
        Spec(tasks=tuple(f"count_mod({number})" for number in range(2, 30)), seeds=100_000)
    assert caught.value.message == f"the spec asks for 5,600,000 runs; at most {MOST_RUNS:,} are allowed."
    with pytest.raises(InvalidSpecError, match="asks for 50000 bins of length; at most 1000"):
        Spec(tasks=("parity",), train_length=2, test_length=100_000)


def test_lists_are_as_good_as_tuples() -> None:
    spec = Spec(tasks=["parity"], encodings=["nope"], learning_rate=0.01, test_length=[20, 30])  # type: ignore[arg-type]
    assert spec == Spec(tasks=("parity",), encodings=("nope",), learning_rate=0.01, test_length=(20, 30))
