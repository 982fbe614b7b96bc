"""The commands that train and report: what they print, where, and with which exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import spec_files
from command_runner import Outcome, Runner
from spec_files import dump_spec

from lengthwise.cli.progress import Bars
from lengthwise.encodings.catalog import ALIASES, ENCODINGS
from lengthwise.errors import listed
from lengthwise.experiment.engines.work import StackProgress
from lengthwise.experiment.plan import StackPlan, make_runs
from lengthwise.experiment.sizing import _whole
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store

TINY = replace(spec_files.TINY, tasks=("bin_majority", "[ab]*b"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, tmp_path)


def write_spec(folder: Path, spec: Spec = TINY) -> str:
    path = folder / "tiny.toml"
    path.write_text(dump_spec(spec), encoding="utf-8")
    return path.name


# One training, and what can be seen afterwards


@dataclass(frozen=True, slots=True)
class Trained:
    """A folder in which ``lengthwise run tiny.toml`` has been run, with what it printed."""

    folder: Path
    first: subprocess.CompletedProcess[str]


def spawn(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "120"} | variables
    command = [sys.executable, "-m", "lengthwise", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("trained")
    arguments = ("run", write_spec(folder), "--workers", "1", "--markdown", "table.md")
    cache = str(tmp_path_factory.mktemp("no_trials_yet"))
    return Trained(folder=folder, first=spawn(folder, *arguments, LENGTHWISE_CACHE=cache))


def rows_of(table: str) -> list[list[str]]:
    """Return the rows of a printed table, without its header and without what comes after it."""
    lines = table.split("\n\n")[0].split("\n")[1:]
    return [re.split(r"  +", line) for line in lines if not line.startswith(" ")]


def test_a_run_prints_its_table_on_stdout_and_its_progress_on_stderr(trained: Trained) -> None:
    done = trained.first
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("task")
    assert [row[:3] for row in rows_of(done.stdout)] == [["bin_majority", "nope", "YES"], ["[ab]*b", "nope", "YES"]]
    assert "Prediction and measurement: 0 agree, 0 differ, " in done.stdout
    assert "models to train" not in done.stdout
    assert "trying stack sizes" not in done.stdout
    assert "done:" not in done.stdout
    lines = [line.rstrip() for line in done.stderr.split("\n")]
    assert lines[:3] == [
        "trying stack sizes 1/2: bin_majority × nope",
        "trying stack sizes 2/2: [ab]*b × nope",
        "4 models to train in 2 stacks",
    ]
    assert any(line.startswith("done: bin_majority × nope, 20 steps; ") for line in lines)
    assert any(line.startswith("done: [ab]*b × nope, 20 steps; ") for line in lines), (
        "brackets belong to the expression"
    )
    assert sum(line.endswith("; 4/4 runs") for line in lines if line.startswith("done: ")) == 1, "the last one"
    assert lines[-2] == f"report: {trained.folder / 'lengthwise-report.html'}"


def test_a_run_writes_its_store_its_page_and_its_table(trained: Trained) -> None:
    assert (trained.folder / "lengthwise-runs.sqlite").is_file()
    assert "<h3><code>[ab]*b</code></h3>" in (trained.folder / "lengthwise-report.html").read_text(encoding="utf-8")
    assert (trained.folder / "table.md").read_text(encoding="utf-8").startswith("| task | encoding | predicted |")


def test_a_second_call_trains_nothing_and_prints_the_same(
    trained: Trained, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trained.folder)
    again = run("run", "tiny.toml")
    assert again.code == 0
    assert again.out == trained.first.stdout
    assert again.err.split("\n")[0] == "0 models to train in 0 stacks; 4 finished before"
    assert "done:" not in again.err


def test_json_goes_to_stdout_alone(trained: Trained, run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trained.folder)
    outcome = run("run", "tiny.toml", "--json")
    assert outcome.code == 0
    cells = json.loads(outcome.out)
    assert [(cell["task"], cell["encoding"], cell["runs"]) for cell in cells] == [
        ("bin_majority", "nope", 2),
        ("[ab]*b", "nope", 2),
    ]
    assert [each["lengths"] for each in cells[0]["bins"]] == [[0, 4], [5, 8]]
    assert outcome.err == f"report: {trained.folder / 'lengthwise-report.html'}\n"


def test_report_prints_what_run_printed(trained: Trained, run: Runner) -> None:
    store = str(trained.folder / "lengthwise-runs.sqlite")
    outcome = run("report", store, "--out", "page.html", "--markdown", "page.md")
    assert outcome == Outcome(0, trained.first.stdout, f"report: {run.folder / 'page.html'}\n")
    page = (trained.folder / "lengthwise-report.html").read_text(encoding="utf-8")
    assert (run.folder / "page.html").read_text(encoding="utf-8") == page
    assert (run.folder / "page.md").read_text(encoding="utf-8") == (trained.folder / "table.md").read_text(
        encoding="utf-8"
    )
    cells = json.loads(run("report", store, "--json").out)
    assert len(cells) == 2


def test_options_on_the_command_line_make_the_same_spec_as_a_file(run: Runner) -> None:
    """What is finished for one is finished for the other: nothing is trained."""
    spec = Spec(tasks=("bin_majority",), encodings=("nope", "ape"), seeds=1, train_length=3, test_length=6)
    spec = replace(spec, training=replace(spec.training, steps=2))
    store = ("--store", "runs.sqlite", "--workers", "1")
    options = ("--encoding", "nope, ape", "--seeds", "1", "--train-length", "3", "--test-length", "6", "--steps", "2")
    first = run("run", "bin_majority", *options, *store)
    assert first.code == 0, first.err
    again = run("run", write_spec(run.folder, spec), *store)
    assert again.err.startswith("0 models to train in 0 stacks; 2 finished before\n")
    assert again.out == first.out
    more = run("run", "bin_majority", "--encoding", "nope", "--encoding", "ape", *options[2:], *store)
    assert more.err.startswith("0 models to train in 0 stacks; 2 finished before\n")


def test_progress_on_a_terminal_shows_expressions_as_they_are(tmp_path: Path) -> None:
    """Brackets and a slash would be a closing tag, were they not meant as they are."""
    spec = replace(TINY, tasks=("[/a]*b",), seeds=1, training=replace(TINY.training, steps=60, evaluate_every=5))
    done = spawn(tmp_path, "run", write_spec(tmp_path, spec), "--workers", "1", FORCE_COLOR="1")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("[/a]*b × nope") >= 2
    assert "\x1b[" in done.stderr
    assert "\x1b[" not in done.stdout


# Errors


def test_tasks_do_not_stand_beside_a_spec(run: Runner) -> None:
    spec = write_spec(run.folder)
    for arguments in ([spec, "parity"], ["parity", spec, "--seeds", "2"]):
        said = run.fails("run", *arguments)
        assert said == (
            "error: the spec 'tiny.toml' names its own tasks; found parity beside it.\n"
            "hint: put the tasks into the spec, or leave the spec out.\n"
        )
    assert list(run.folder.iterdir()) == [run.folder / spec]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--d-model", "16"], "error: unrecognized arguments: --d-model 16.\nhint: did you mean '--width'?\n"),
        (["--wd", "0.1"], "error: unrecognized arguments: --wd 0.1.\nhint: did you mean '--set weight_decay=V'?\n"),
        (["--xyzzy"], "error: unrecognized arguments: --xyzzy.\nhint: see 'lengthwise --help'.\n"),
        (["--set", "d_model=16"], "error: setting 'd_model' is unknown.\nhint: did you mean 'width'?\n"),
        (
            ["--set", "xyzzy=16"],
            "error: setting 'xyzzy' is unknown.\nhint: docs/reference/spec.md lists all settings.\n",
        ),
        (
            ["--set", "width"],
            "error: --set takes NAME=VALUE; found 'width'.\nhint: for example --set weight_decay=0.1\n",
        ),
        (
            ["--set", "clip=big"],
            "error: --set clip: 'big' is no number, nor true or false.\nhint: docs/reference/spec.md lists all settings.\n",
        ),
        (
            ["--width", "16,16"],
            "error: 16 is named twice in width.\nhint: name each once.\n",
        ),
        (
            ["--zip", "width,heads"],
            "error: width is to vary together with others and has no values.\nhint: give it a list of values: width.\n",
        ),
    ],
)
def test_options_that_are_no_settings_get_a_sentence(run: Runner, arguments: Sequence[str], said: str) -> None:
    assert run.fails("run", "parity", *arguments) == said
    assert list(run.folder.iterdir()) == []


# Grids and dry runs


def test_a_dry_run_says_what_there_is_to_do_and_leaves_nothing_behind(run: Runner) -> None:
    spec = write_spec(run.folder)
    options = ("--width", "8,16", "--lr", "0.01,0.03", "--heads", "1,2", "--zip", "width,heads", "--workers", "1")
    outcome = run("run", spec, *options, "--dry-run")
    assert outcome.code == 0, outcome.err
    header, *rows = outcome.out.split("\n")
    assert header.split() == ["cell", "heads", "width", "stacks", "runs", "model·steps", "trained", "as"]
    assert "16 runs, 16 to train in 4 stacks: at most 320 model·steps." in rows
    assert "half of their steps is assumed." in outcome.out
    assert "trying stack sizes 4/4: " in outcome.err
    assert list(run.folder.iterdir()) == [run.folder / spec]
    planned = json.loads(run("run", spec, *options, "--dry-run", "--json").out)
    assert (planned["runs"], planned["finished"], planned["model_steps"]) == (16, 0, 320)
    assert 0 < planned["seconds"] <= planned["most_seconds"]
    assert sorted((stack["runs"], stack["slots"]) for stack in planned["stacks"]) == [(4, 4)] * 4
    told = [(stack["tasks"], stack["settings"]) for stack in planned["stacks"]]
    assert sorted(told, key=str) == [
        ([task], {"heads": heads, "width": width})
        for task in ("[ab]*b", "bin_majority")
        for heads, width in ((1, 8), (2, 16))
    ], "no two stacks look alike"


def test_a_dry_run_of_runs_that_never_stop_early_assumes_nothing(run: Runner) -> None:
    spec = write_spec(run.folder)
    told = run("run", spec, "--set", "stop_early=false", "--workers", "1", "--dry-run").out
    assert "; no run stops early (stop_early = false).\n" in told
    assert "assumed" not in told
    assert "at most" not in told.partition("About")[2]
    some = run("run", spec, "--set", "stop_early=true,false", "--workers", "1", "--dry-run").out
    assert "half of their steps is assumed where stop_early is true.\n" in some


def test_a_dry_run_of_what_is_finished_says_so(trained: Trained, run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trained.folder)
    before = sorted(path.name for path in trained.folder.iterdir())
    assert run("run", "tiny.toml", "--dry-run").out == "4 runs, all finished before: nothing is left to train.\n"
    more = run("run", "tiny.toml", "--seeds", "3", "--dry-run", "--workers", "1")
    assert "6 runs (4 finished before), 2 to train in 2 stacks: at most 40 model·steps." in more.out
    assert "runs stop early as the 4 finished ones in the store did." in more.out
    assert sorted(path.name for path in trained.folder.iterdir()) == before


def test_several_specs_run_at_once_and_options_take_the_place_of_what_they_say(run: Runner) -> None:
    first = write_spec(run.folder, replace(TINY, tasks=("parity",), seeds=1))
    second = run.folder / "second.toml"
    second.write_text(dump_spec(replace(TINY, tasks=("bin_majority",), seeds=2)), encoding="utf-8")
    outcome = run("run", first, second.name, "--steps", "2", "--workers", "1", "--json")
    assert outcome.code == 0, outcome.err
    assert {(cell["task"], cell["runs"]) for cell in json.loads(outcome.out)} == {("parity", 1), ("bin_majority", 2)}
    again = run("run", first, second.name, "--steps", "2,3", "--dry-run")
    assert "6 runs (3 finished before), 3 to train" in again.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["bin_majorty"],
            "error: task 'bin_majorty' is unknown. Known: bin_majority, majority, parity, ",
        ),
        (
            ["parity", "--train-length", "0"],
            "error: train_length must be a whole number from 1 to 100000; found 0.\nhint: correct the value.\n",
        ),
        (
            ["parity", "--train-length", "20", "--test-length", "10"],
            "error: test_length 10 is not above train_length 20.\n"
            "hint: test on longer inputs than you train on, for example 60.\n",
        ),
        (
            ["parity", "--train-length", "ten"],
            "error: argument --train-length: 'ten' is no number, nor true or false.\nhint: see 'lengthwise run --help'.\n",
        ),
        (
            ["parity", "--seeds", "0"],
            "error: seeds must be a whole number from 1 to 100000; found 0.\nhint: correct the value.\n",
        ),
        (
            ["parity", "--steps", "0"],
            "error: steps must be a whole number from 1 to 1e+09; found 0.\nhint: correct the value.\n",
        ),
        (
            ["parity", "--workers", "0"],
            "error: workers must be a whole number from 1 to 1000; found 0.\nhint: correct the value.\n",
        ),
        (
            ["parity", "--encoding", "nop"],
            f"error: encoding 'nop' is unknown. Known: {listed([*ENCODINGS, *ALIASES])}.\nhint: did you mean 'nope'?\n",
        ),
        (
            ["parity", "--encoding", "coupling(rope)"],
            "error: coupling needs a task whose tokens have roles, and 'parity' gives none.\n"
            "hint: use it for unique_copy or repeat_copy.\n",
        ),
        (
            ["(aa)*", "--encoding", "abacus"],
            "error: abacus counts digits, and '(aa)*' has none among its symbols.\n"
            "hint: use it for a task on numbers, for example addition.\n",
        ),
        (
            ["automaton.json"],
            "error: there is no file 'automaton.json'.\nhint: check the path.\n",
        ),
        (["parity", "parity"], "error: 'parity' is named twice in tasks.\nhint: name each once.\n"),
        (["missing.toml"], "error: there is no file 'missing.toml'.\nhint: check the path.\n"),
        (
            ["(aaaaaaaa)*", "--train-length", "3", "--test-length", "6"],
            "error: '(aaaaaaaa)*' has no instance of a length from 4–6.\n"
            "hint: its shortest has length 0; choose other lengths.\n",
        ),
    ],
)
def test_a_run_that_cannot_be_says_why_and_leaves_nothing_behind(
    run: Runner, arguments: Sequence[str], said: str
) -> None:
    found = run.fails("run", *arguments)
    assert found.startswith(said)
    assert list(run.folder.iterdir()) == []


def test_a_misspelled_task_gets_a_suggestion(run: Runner) -> None:
    assert run.fails("run", "bin_majorty").endswith("hint: did you mean 'bin_majority'?\n")
    assert run.fails("run", "states(PARTIY)").endswith("hint: did you mean 'PARITY'?\n")


def test_a_store_that_cannot_be_written_is_an_error(run: Runner) -> None:
    (run.folder / "file").write_text("")
    said = run.fails("run", "parity", "--store", "file/runs.sqlite")
    assert said == (
        "error: cannot write the store 'file/runs.sqlite': Not a directory.\n"
        "hint: choose a place that can be written, with --store.\n"
    )


def test_a_store_in_use_is_an_error(run: Runner) -> None:
    with open_store(run.folder / "runs.sqlite"):
        said = run.fails("run", "parity", "--store", "runs.sqlite")
    assert said == (
        "error: the store 'runs.sqlite' is in use by another process.\n"
        "hint: wait for it, or choose another store with --store.\n"
    )


def test_a_report_of_nothing_is_an_error(run: Runner) -> None:
    assert run.fails("report") == (
        "error: there is no store 'lengthwise-runs.sqlite'.\nhint: make one with 'lengthwise run'.\n"
    )
    with open_store(run.folder / "runs.sqlite"):
        pass
    assert run.fails("report", "runs.sqlite") == (
        "error: the store 'runs.sqlite' has no finished run yet.\nhint: finish one with 'lengthwise run'.\n"
    )
    assert not (run.folder / "lengthwise-report.html").exists()


def test_a_page_that_cannot_be_written_is_an_error(trained: Trained, run: Runner) -> None:
    said = run.fails("report", str(trained.folder / "lengthwise-runs.sqlite"), "--out", "nowhere/page.html")
    assert said == (
        "error: cannot write 'nowhere/page.html': No such file or directory.\n"
        "hint: choose a path that can be written.\n"
    )


_WITHOUT_TORCH = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.modules["torch"] = None
sys.meta_path.insert(0, Blocker())
from lengthwise.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def without_torch(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _WITHOUT_TORCH, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_without_torch_a_run_says_what_to_install(tmp_path: Path) -> None:
    done = without_torch(tmp_path, "run", "parity", "--seeds", "1")
    assert (done.returncode, done.stdout) == (2, "")
    said = re.fullmatch(
        r"error: training needs torch, which is not installed.\nhint: pip install '(.+)\[train\]'\n", done.stderr
    )
    assert said is not None
    assert Path(said[1], "pyproject.toml").is_file()  # a command that works from here
    assert list(tmp_path.iterdir()) == []  # no empty store
    assert "Traceback" not in done.stderr


def test_without_torch_what_is_finished_can_still_be_reported(trained: Trained, tmp_path: Path) -> None:
    store = str(trained.folder / "lengthwise-runs.sqlite")
    done = without_torch(tmp_path, "report", store)
    assert done.returncode == 0, done.stderr
    assert "bin_majority" in done.stdout
    again = without_torch(tmp_path, "run", str(trained.folder / "tiny.toml"), "--store", store)
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout


def test_a_log_without_a_terminal_says_now_and_then_how_far_all_is(capsys: pytest.CaptureFixture[str]) -> None:
    runs = tuple(make_runs([replace(TINY, tasks=("parity",), encodings=("nope",))]))
    now = [0.0]
    with Bars(quiet=False, clock=lambda: now[0]) as bars:
        bars.begin([StackPlan(runs=runs)], 0)
        for now[0], step in ((1.0, 5), (30.0, 10), (61.5, 15)):
            bars.update(StackProgress(stack=0, step=step, steps=40, done=0, matched=()))
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("step ")]
    assert [line.split(";")[0] for line in told] == ["step 5 of 40 of parity × nope", "step 15 of 40 of parity × nope"]


def test_a_log_gives_no_time_as_none() -> None:
    assert _whole(0.2) == 1
    assert _whole(51.6) == 52


def test_too_many_runs_are_refused_in_a_sentence(run: Runner) -> None:
    told = run.fails("run", "parity", "--seeds", "100000", "--lr", ",".join(f"0.{n:03d}" for n in range(1, 20)))
    assert told.startswith("error: the command line asks for 3,800,000 runs; at most 1,000,000 are allowed.")


def test_a_list_for_a_switch_that_is_no_setting_is_shown_as_the_file_has_it(run: Runner) -> None:
    (run.folder / "e.toml").write_text('tasks = ["parity"]\nhard = [true, false]\n')
    assert run.fails("run", "e.toml").startswith("error: hard takes one value; found [true, false].\n")
