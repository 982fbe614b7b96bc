"""`lengthwise store`: listing, showing and exporting the runs of a store, and their other names."""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from command_runner import Runner
from made_results import make_result

from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store

SPECS = [
    Spec(
        tasks=("parity", "=a*"), encodings=("nope", "rope"), seeds=2, train_length=4, test_length=12, learning_rate=rate
    )
    for rate in (0.001, 0.003)
]
RUNS = make_runs(SPECS)


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = str(tmp_path / "runs.sqlite")
    with open_store(path) as opened:
        opened.save_plan([], describe_cells(RUNS))
        opened.save(
            make_result(run, [1.0, 0.75, 0.5], fit=((4, 2000, 1990),), hard={"pumped": ((8, 9, 3),)}) for run in RUNS
        )
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def test_runs_are_listed_with_what_varies_and_their_scores(run: Runner, store: str) -> None:
    lines = run.answers("store", "ls", store).splitlines()
    assert lines[0].split() == [
        "run",
        "task",
        "encoding",
        "learning_rate",
        "seed",
        "steps",
        "taken",
        "fit",
        "0–4",
        "5–8",
        "9–12",
    ]
    assert lines[1].split() == [RUNS[0].id[:8], *["parity", "nope", "0.001", "0", "20", "99.5", "100", "75.0", "50.0"]]
    assert len(lines) == 1 + len(RUNS)


def test_filters_choose_runs_and_name_what_there_is(run: Runner, store: str) -> None:
    told = run.answers("store", "ls", store, "--task", "=a*", "--encoding", "rope")
    assert len(told.splitlines()) == 1 + 4
    assert run.fails("store", "ls", store, "--task", "partiy") == (
        "error: no run of the store has the task 'partiy'. It has: parity, =a*.\n"
        "hint: write the task as the store does.\n"
    )


def test_listed_runs_are_data_too(run: Runner, store: str) -> None:
    data = json.loads(run.answers("store", "ls", store, "--json"))
    in_cells = sorted(RUNS, key=lambda each: (RUNS[0].task != each.task, RUNS[0].encoding != each.encoding))
    assert [row["run"] for row in data] == [each.id for each in in_cells], "runs of a task and an encoding together"
    assert data[0]["fit"] == 0.995
    assert data[0]["bins"][2] == {"lengths": [9, 12], "exact_match": 0.5}
    assert (data[0]["learning_rate"], data[0]["width"], data[0]["fitted"]) == (0.001, 32, True)


def test_list_runs_is_another_name_for_it(run: Runner, store: str) -> None:
    assert run.answers("list", "runs", "--store", store) == run.answers("store", "ls", store)
    assert run.answers("show", "run", RUNS[0].id, "--store", store) == run.answers("store", "show", store, RUNS[0].id)
    assert "--store is for runs; found kind 'tasks'" in run.fails("list", "tasks", "--store", store)
    assert "--store names the store of a run; found kind 'task'" in run.fails(
        "show", "task", "parity", "--store", store
    )


def test_an_empty_store_has_nothing_to_list(run: Runner, tmp_path: Path) -> None:
    path = str(tmp_path / "empty.sqlite")
    with open_store(path):
        pass
    outcome = run("store", "ls", path)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"note: the store {path!r} has no finished run yet.\n"
    assert run.answers("store", "ls", path, "--json") == "[]\n"


def test_one_run_is_shown_by_the_beginning_of_its_id(run: Runner, store: str) -> None:
    told = run.answers("store", "show", store, RUNS[0].id[:8])
    for line in (
        "task        parity",
        "predicted   NO: ",
        "fit         99.5 %, fitted",
        "revisions   task 1, encoding",
    ):
        assert f"\n{line}" in told
    assert "\npumped            –     33.3  –     9\n" in told
    data = json.loads(run.answers("store", "show", store, RUNS[0].id[:8], "--json"))
    assert data["settings"]["model"]["width"] == 32
    assert data["scores"]["pumped"] == [[8, 9, 3]]
    assert data["losses"] == [[10, 0.1], [20, 1 / 3]]


def test_an_id_must_name_one_run(run: Runner, store: str) -> None:
    assert "error: no run has an id that begins with 'xyz'." in run.fails("store", "show", store, "xyz")
    assert "error: no run has an id that begins with ''." in run.fails("store", "show", store, "")
    digit = max("0123456789abcdef", key=lambda digit: sum(each.id.startswith(digit) for each in RUNS))
    assert "runs have ids that begin with" in run.fails("store", "show", store, digit)


def test_the_name_of_the_file_says_the_format(run: Runner, store: str, tmp_path: Path) -> None:
    for form in ("csv", "json"):
        outcome = run("store", "export", store, "--out", str(tmp_path / f"runs.{form}"))
        assert outcome.code == 0
        assert f"wrote {len(RUNS) * 5} rows of {len(RUNS)} runs to " in outcome.err
    with open(tmp_path / "runs.csv", newline="", encoding="utf-8") as opened:
        assert {row["task"] for row in csv.DictReader(opened)} == {"parity", "=a*"}
    assert len(json.loads((tmp_path / "runs.json").read_text())) == len(RUNS) * 5
    assert run.fails("store", "export", store, "--out", "runs.xlsx") == (
        "error: the name 'runs.xlsx' does not say which format to write. Known: csv, json, parquet.\n"
        "hint: add --format, for example --format csv.\n"
    )


def test_what_a_spreadsheet_would_compute_is_told_or_prevented(run: Runner, store: str, tmp_path: Path) -> None:
    out = str(tmp_path / "runs.csv")
    assert (
        "a spreadsheet may compute '=a*' instead of showing it; --spreadsheet"
        in run("store", "export", store, "--out", out).err
    )
    assert "may compute" not in run("store", "export", store, "--out", out, "--spreadsheet").err
    assert ",'=a*,nope," in Path(out).read_text()
    assert "--spreadsheet is for csv; found format 'json'" in run.fails(
        "store", "export", store, "--out", "a.json", "--spreadsheet"
    )


def test_the_table_can_be_piped(store: str) -> None:
    command = [sys.executable, "-m", "lengthwise", "store", "export", store, "--format", "csv", "--out", "-"]
    done = subprocess.run([*command, "--task", "parity"], capture_output=True, text=True, check=True)
    assert len(list(csv.DictReader(done.stdout.splitlines()))) == len(RUNS) // 2 * 5
    assert done.stderr == f"wrote {len(RUNS) // 2 * 5} rows of {len(RUNS) // 2} runs to -\n"


@pytest.mark.parametrize(
    "words",
    [
        ("report", "STORE", "--out", "STORE"),
        ("report", "STORE", "--out", "PAGE", "--markdown", "STORE"),
        ("report", "STORE", "--out", "PAGE", "--latex", "STORE"),
        ("store", "export", "STORE", "--format", "csv", "--out", "STORE"),
        ("store", "export", "STORE", "--format", "csv", "--out", "OTHER"),
        ("run", "SPEC", "--store", "STORE", "--out", "STORE"),
        ("run", "SPEC", "--store", "NEW", "--out", "NEW"),
        ("run", "SPEC", "--store", "NEW", "--out", "PAGE", "--markdown", "SPEC"),
        ("relations", "parity", "--svg", "STORE"),
    ],
    ids=" ".join,
)
def test_no_output_of_a_command_replaces_a_store_or_an_input(
    run: Runner, store: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    spec, other = tmp_path / "e.toml", tmp_path / "other.sqlite"
    spec.write_text('tasks = ["parity"]\nseeds = 1\n')
    with open_store(other) as opened:
        opened.save([make_result(RUNS[0], [1.0, 0.75, 0.5])])
    files = {"STORE": store, "OTHER": str(other), "SPEC": str(spec)}
    before = {name: Path(file).read_bytes() for name, file in files.items()}
    files |= {"NEW": str(tmp_path / "new.sqlite"), "PAGE": str(tmp_path / "page.html")}
    told = run.fails(*(files.get(word, word) for word in words))
    target = files[words[-1]]
    assert told.startswith(f"error: cannot write {target!r}: it is an ")
    assert told.endswith("\nhint: name another file for the output.\n")
    assert {name: Path(files[name]).read_bytes() for name in before} == before
    assert not Path(files["NEW"]).exists()  # refused before any training
    assert not Path(files["PAGE"]).exists()


def test_two_outputs_need_two_files(run: Runner, store: str, tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    assert run.fails("report", store, "--out", page, "--markdown", page) == (
        f"error: --out and --markdown would both write {page!r}.\nhint: give each a file of its own.\n"
    )


def test_a_reader_who_has_seen_enough_is_no_error(store: str) -> None:
    command = f"{sys.executable} -m lengthwise store export {store} --format csv --out - | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_one_fault_is_one(run: Runner, store: str) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE scores SET matches = 1 WHERE run = ? AND length = 4", (RUNS[0].id,))
    outcome = run("store", "verify", store)
    assert outcome.code == 1
    assert outcome.out.endswith("15 runs are sound, 1 fault was found.\n")
