"""Progress as a store tells it: to a second process, beside a real run, without disturbing it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_runner import Runner
from made_results import make_result
from processes import wait_until

from lengthwise.experiment.engines.work import RunsDone, StackDone, StackProgress
from lengthwise.experiment.plan import Run, StackPlan, make_runs
from lengthwise.experiment.progress_file import ProgressFile, progress_file, read_training
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, Store, open_store, read_store
from lengthwise.experiment.store_progress import is_being_written, read_progress

SPEC = Spec(tasks=("parity", "(aa)*"), encodings=("nope",), seeds=3, train_length=4, test_length=8)
RUNS = make_runs([SPEC])
NOW = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)


def finished(run: Run, seconds_ago: float) -> Result:
    moment = (NOW - timedelta(seconds=seconds_ago)).isoformat(timespec="seconds")
    return make_result(run, [1.0, 0.5], provenance={"hardware": "h", "torch": "t", "finished": moment})


def store_with(place: Path, stacks: Sequence[Sequence[Run]], results: Sequence[Result]) -> Path:
    with open_store(place) as store:
        store.save_plan([StackPlan(runs=tuple(runs)) for runs in stacks])
        store.save(results)
    return place


def test_stacks_are_counted_with_their_finished_runs(tmp_path: Path) -> None:
    place = store_with(tmp_path / "a", [RUNS[:3], RUNS[3:]], [finished(RUNS[0], 5), finished(RUNS[3], 5)])
    found = read_progress(place, NOW)
    assert (found.planned, found.finished, found.is_complete) == (6, 2, False)
    assert [(stack.label, stack.finished, stack.planned) for stack in found.stacks] == [
        ("parity × nope", 1, 3),
        ("(aa)* × nope", 1, 3),
    ]
    assert [result.id for result in found.latest] == [RUNS[3].id, RUNS[0].id]


def test_a_run_that_was_planned_again_counts_once_and_in_its_last_stack(tmp_path: Path) -> None:
    place = store_with(tmp_path / "a", [RUNS, RUNS[:1], RUNS[1:]], [finished(run, 5) for run in RUNS])
    found = read_progress(place, NOW)
    assert (found.planned, found.finished, found.is_complete) == (6, 6, True)
    assert [(stack.finished, stack.planned) for stack in found.stacks] == [(1, 1), (5, 5)]


def test_the_pace_is_that_of_the_last_ten_minutes_without_the_first_moment(tmp_path: Path) -> None:
    ages = [3000, 300, 299, 60, 30]
    place = store_with(tmp_path / "a", [RUNS], [finished(run, age) for run, age in zip(RUNS, ages, strict=False)])
    found = read_progress(place, NOW)
    assert found.runs_per_minute == pytest.approx(60 * 2 / 300)  # two runs in the 300 s since the first two
    assert found.seconds_left == pytest.approx(150)


@pytest.mark.parametrize("ages", [[], [10], [10, 9], [4000, 3000], [-50, -60]])
def test_without_runs_at_two_moments_of_late_there_is_no_pace(tmp_path: Path, ages: list[float]) -> None:
    place = store_with(tmp_path / "a", [RUNS], [finished(run, age) for run, age in zip(RUNS, ages, strict=False)])
    found = read_progress(place, NOW)
    assert (found.runs_per_minute, found.seconds_left) == (None, None)


def test_odd_times_are_no_error(tmp_path: Path) -> None:
    odd = [replace(finished(run, 1), provenance={"hardware": "h", "torch": "t", "finished": value}) for run, value in
           zip(RUNS, ("yesterday", 7, "2026-11-19T11:59:00"), strict=False)]  # fmt: skip
    assert read_progress(store_with(tmp_path / "a", [RUNS], odd), NOW).runs_per_minute is None


def test_a_store_that_is_just_being_made_has_no_plan(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with closing(sqlite3.connect(tmp_path / "b")) as made:
        made.execute("PRAGMA journal_mode = WAL")  # the first step, before the tables
    for name in ("a", "b"):
        found = read_progress(tmp_path / name)
        assert (found.planned, found.is_complete, found.stacks) == (0, False, ())


def test_the_lock_of_a_writer_is_seen_without_trying_it(tmp_path: Path) -> None:
    place = store_with(tmp_path / "a", [RUNS], [])
    expected = [False, True, False] if Path("/proc/locks").exists() else [None] * 3
    found = [is_being_written(place)]
    with open_store(place):
        found.append(is_being_written(place))
    assert [*found, is_being_written(place)] == expected
    assert is_being_written(place, tmp_path / "no locks here") is None


def save_many(store: Store, runs: Sequence[Run]) -> list[float]:
    """Save runs one by one; return how long each took."""
    times = []
    for run in runs:
        began = time.perf_counter()
        store.save([make_result(run, [1.0, 0.5])])
        times.append(time.perf_counter() - began)
    return times


def test_a_watched_writer_is_never_locked_out_and_the_log_does_not_grow(tmp_path: Path) -> None:
    place = tmp_path / "a"
    runs = make_runs([replace(SPEC, tasks=("parity",), seeds=100)])
    watching = subprocess.Popen(
        [sys.executable, "-c", "import sys; from lengthwise.experiment.store_progress import read_progress\n"
         "print('ready', flush=True)\n"
         "while not read_progress(sys.argv[1]).is_complete: pass", str(store_with(place, [runs], []))],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with watching, open_store(place) as store:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "ready\n"
        save_many(store, runs)  # an error here would be a lock
        assert watching.wait(timeout=60) == 0
        assert (
            place.with_name("a-wal").stat().st_size < 8 * 2**20
        )  # a reader that stays keeps the log from being reused
    with read_store(place) as again:
        assert len(again.results()) == 100


RUN = """
from lengthwise.cli.main import main
import sys
sys.exit(main(["run", "bin_majority", "parity", "--encoding", "nope", "--seeds", "4", "--train-length", "4",
    "--layers", "1", "--heads", "1", "--width", "8", "--steps", "300", "--set", "evaluate_every=100",
    "--device", "cpu", "--workers", "1", "--models-per-stack", "2", "--store", "runs.sqlite", "--json"]))
"""


@pytest.mark.full
def test_a_real_run_is_followed_to_its_end_from_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    store = tmp_path / "runs.sqlite"
    training = subprocess.Popen(
        [sys.executable, "-c", RUN], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: store.exists() or training.poll() is not None, "the store")
    wait_until(lambda: training.poll() is not None or read_progress(store).planned > 0, "the plan")
    watching = subprocess.Popen(
        [sys.executable, "-m", "lengthwise", "watch", str(store), "--every", "0.2"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    seen = []
    while training.poll() is None:
        seen.append(read_progress(store))
        time.sleep(0.05)
    assert training.stderr is not None
    assert training.returncode == 0, training.stderr.read()
    training.stderr.close()
    told, _ = watching.communicate(timeout=60)
    assert watching.returncode == 0, told
    assert "8/8 runs; complete" in told
    assert [found.finished for found in seen] == sorted(found.finished for found in seen)
    assert all(found.is_writing in (True, None) for found in seen[:1])
    steps = [found.training.stacks for found in seen if found.training is not None]
    assert any(0 < stack.step <= stack.steps for stacks in steps for stack in stacks)
    assert not progress_file(store).exists(), "it is gone at the end"
    last = read_progress(store)
    assert (last.planned, last.finished, last.is_complete) == (8, 8, True)


# Steps of stacks in training


class Clock:
    """A clock that goes only when it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


STACKS = [StackPlan(runs=tuple(RUNS[:3])), StackPlan(runs=tuple(RUNS[3:]))]


def progress_of(stack: int, step: int) -> StackProgress:
    return StackProgress(stack=stack, step=step, steps=12_000, done=0, matched=(0.5,), new_steps=step)


def test_steps_and_speed_are_known_from_the_first_steps_on_and_written_at_most_every_two_seconds(
    tmp_path: Path,
) -> None:
    store, clock = tmp_path / "a", Clock()
    assert read_training(store, True) is None
    with ProgressFile(store, STACKS, clock) as file:
        clock.now = 1.0
        file.note(progress_of(1, 300))
        first = read_training(store, True)
        assert first is not None
        assert first.model_steps_per_second == 300
        assert first.seconds_left is not None
        assert [(stack.label, stack.step, stack.steps) for stack in first.stacks] == [("(aa)* × nope", 300, 12_000)]
        clock.now = 2.0
        file.note(progress_of(0, 100))
        assert read_training(store, True) == first, "a second later nothing is written"
        clock.now = 3.5
        file.note(RunsDone(stack=0, results=()))
        file.note(progress_of(0, 200))
        later = read_training(store, True)
        assert later is not None
        assert [stack.step for stack in later.stacks] == [200, 300]
        clock.now = 6.0
        file.note(StackDone(stack=1, results=()))
        last = read_training(store, None)
        assert last is not None
        assert [stack.label for stack in last.stacks] == ["parity × nope"]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"time": 0, "model_steps_per_second": "x", "seconds_left": 1}', "{}"]
)
def test_what_is_no_progress_is_none(tmp_path: Path, text: str) -> None:
    progress_file(tmp_path / "a").write_text(text)
    assert read_training(tmp_path / "a", True) is None


def test_what_a_killed_process_left_behind_is_not_believed(tmp_path: Path) -> None:
    store = tmp_path / "a"
    ProgressFile(store, STACKS).note(progress_of(0, 5))
    assert read_training(store, True) is not None
    assert read_training(store, False) is None, "no process has the store open"
    left = json.loads(progress_file(store).read_text())
    progress_file(store).write_text(json.dumps(left | {"time": left["time"] - 1000}))
    assert read_training(store, None) is None, "it is old"


def test_a_full_disk_does_not_stop_the_training(tmp_path: Path) -> None:
    with ProgressFile(tmp_path / "no folder" / "a", STACKS) as file:
        file.note(progress_of(0, 5))


def test_a_watch_shows_steps_and_time_left_before_any_run_is_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, clock = store_with(tmp_path / "a", [RUNS[:3], RUNS[3:]], []), Clock()
    with open_store(place), ProgressFile(place, STACKS, clock) as file:
        clock.now = 2.0
        file.note(progress_of(0, 3000))
        run = Runner(capsys)
        lines = run.answers("watch", str(place), "--once").splitlines()
        data = json.loads(run.answers("watch", str(place), "--json"))
    assert lines[0].startswith("[........................] 0/6 runs, 1,500 model·steps/s, about ")
    assert lines[0].endswith(" left")
    assert lines[1] == "  [######..................] step 3,000 of 12,000  parity × nope, in training"
    assert data["model_steps_per_second"] == 1500
    assert data["seconds_left"] > 0
    assert data["in_training"] == [{"label": "parity × nope", "step": 3000, "steps": 12000, "done": 0}]


# The command


def test_one_look_is_printed_with_stacks_and_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = store_with(tmp_path / "a", [RUNS[:3], RUNS[3:]], [finished(run, 5) for run in RUNS[:3]])
    run = Runner(capsys)
    lines = run.answers("watch", str(place), "--once").splitlines()
    assert lines[0].startswith("[############............] 3/6 runs")
    assert lines[1] == "  [........................] 0/3  (aa)* × nope"
    assert lines[2] == "  1 of 2 stacks complete"
    assert lines[-1] == f"  {RUNS[0].id[:8]}  parity × nope, seed 0: 100 | 100 50.0"
    data = json.loads(run.answers("watch", str(place), "--json"))
    assert (data["planned"], data["finished"], data["complete"]) == (6, 3, False)
    assert data["latest"][0]["seed"] == 2
    assert data["stacks"][1] == {"label": "(aa)* × nope", "planned": 3, "finished": 0}


def test_a_complete_plan_ends_the_watch_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = store_with(tmp_path / "a", [RUNS], [finished(run, 5) for run in RUNS])
    assert "6/6 runs; complete" in Runner(capsys).answers("watch", str(place))


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not list its locks")
def test_a_watch_ends_when_the_process_that_trains_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = store_with(tmp_path / "a", [RUNS], [])
    began, ended = threading.Event(), threading.Event()

    def hold() -> None:
        with open_store(place):
            began.set()
            ended.wait()

    holding = threading.Thread(target=hold)
    holding.start()
    began.wait()
    threading.Timer(0.5, ended.set).start()
    told = Runner(capsys).answers("watch", str(place), "--every", "0.2")
    holding.join()
    assert "The process that trained has ended; the same command trains what is missing." in told


def test_there_is_nothing_to_watch_without_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no store" in Runner(capsys).fails("watch", str(tmp_path / "none"))
