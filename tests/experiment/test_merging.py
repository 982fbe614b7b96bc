"""Merging stores: nothing that is there changes, twice is once, and a killed merge loses nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from command_runner import Runner
from made_results import make_plan, make_result
from processes import wait_until

from lengthwise.errors import InvalidOptionError, LengthwiseError, StoreInUseError, UnreadableFileError
from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.merging import merge_stores
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.report.measured import report

SPEC = Spec(tasks=("parity", "(aa)*"), encodings=("nope",), seeds=3, train_length=4, test_length=8)
RUNS = make_runs([SPEC])
RESULTS = [make_result(run, [1.0, 0.5]) for run in RUNS]


def make_store(place: Path, results: list[Result]) -> Path:
    with open_store(place) as store:
        store.save_plan(make_plan(SPEC), describe_cells(RUNS))
        store.save(results)
    return place


def stored(place: Path) -> list[Result]:
    with read_store(place) as store:
        return store.results()


def test_a_report_has_the_rows_of_a_store_in_the_order_of_its_spec_whatever_was_trained_first(tmp_path: Path) -> None:
    place = tmp_path / "a"
    with open_store(place) as store:
        store.save_plan(reversed(make_plan(SPEC)), describe_cells(RUNS))  # the most work first
        store.save(reversed(RESULTS))
        assert [result.id for result in store.results_of(reversed(RUNS))] == [result.id for result in store.results()]
    found = report(place)
    assert [result.task for result in found.results] == ["parity"] * 3 + ["(aa)*"] * 3
    assert [cell.task for cell in found.cells] == ["parity", "(aa)*"]
    other = Spec(tasks=("(aa)*", "parity"), encodings=("nope",), seeds=3, train_length=4, test_length=8)
    with open_store(place) as store:
        store.save_plan(
            [], describe_cells(make_runs([other]))
        )  # as a run of this spec does, which has nothing to train
        assert [cell.task for cell in report(place).cells] == ["(aa)*", "parity"]
        assert [result.task for result in store.results_of(RUNS)] == ["(aa)*"] * 3 + ["parity"] * 3


def test_runs_of_all_stores_are_there_afterwards_with_what_they_are_about(tmp_path: Path) -> None:
    first, second = make_store(tmp_path / "a", RESULTS[:2]), make_store(tmp_path / "b", RESULTS[1:4])
    into = tmp_path / "all"
    merged = merge_stores(into, [first, second])
    assert [(len(each.new), len(each.equal), len(each.conflicting)) for each in merged] == [(2, 0, 0), (2, 1, 0)]
    found = stored(into)
    assert [result.id for result in found] == [result.id for result in RESULTS[:4]]
    assert found == stored(make_store(tmp_path / "c", RESULTS[:4]))  # descriptions included
    with read_store(into) as store:
        assert store.planned() == []
    assert [result.id for result in stored(first)] == [result.id for result in RESULTS[:2]]


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    source = make_store(tmp_path / "a", RESULTS)
    merge_stores(tmp_path / "all", [source])
    before = stored(tmp_path / "all")
    (again,) = merge_stores(tmp_path / "all", [source])
    assert (again.new, len(again.equal)) == ((), len(RESULTS))
    assert stored(tmp_path / "all") == before


def test_what_is_there_stays_where_results_differ_and_times_do_not_count(tmp_path: Path) -> None:
    other = [
        replace(RESULTS[0], scores=((4, 1000, 1), (8, 1000, 0))),
        replace(RESULTS[1], seconds=99.0, provenance={"hardware": "another", "torch": "2.14"}),
    ]
    into = make_store(tmp_path / "all", RESULTS)
    before = stored(into)
    (found,) = merge_stores(into, [make_store(tmp_path / "a", other)])
    assert (found.new, found.equal, found.conflicting) == ((), (RESULTS[1].id,), (RESULTS[0].id,))
    assert stored(into) == before


def test_a_loss_that_is_no_number_equals_itself(tmp_path: Path) -> None:
    odd = [replace(RESULTS[0], losses=((10, float("nan")),))]
    into, source = make_store(tmp_path / "all", odd), make_store(tmp_path / "a", odd)
    assert merge_stores(into, [source])[0].conflicting == ()


def test_a_damaged_store_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    sound, damaged = make_store(tmp_path / "a", RESULTS[:2]), make_store(tmp_path / "b", RESULTS[2:])
    with closing(sqlite3.connect(damaged)) as connection, connection:
        connection.execute("UPDATE scores SET matches = 1001 WHERE rowid = 1")
    with pytest.raises(UnreadableFileError, match="matches 1001 of 1000 examples") as caught:
        merge_stores(tmp_path / "all", [sound, damaged])
    assert "store verify" in caught.value.hint
    assert not (tmp_path / "all").exists()
    into = make_store(tmp_path / "c", RESULTS[4:])
    with pytest.raises(UnreadableFileError):
        merge_stores(into, [sound, damaged])
    assert len(stored(into)) == 2


def test_a_store_that_is_damaged_itself_takes_nothing(tmp_path: Path) -> None:
    into = make_store(tmp_path / "all", RESULTS[:2])
    with closing(sqlite3.connect(into)) as connection, connection:
        connection.execute("UPDATE runs SET steps = -1 WHERE rowid = 1")
    with pytest.raises(UnreadableFileError, match="its number of steps is -1"):
        merge_stores(into, [make_store(tmp_path / "a", RESULTS[2:])])


def test_hostile_files_get_a_sentence_and_stay_as_they_are(tmp_path: Path) -> None:
    own = make_store(tmp_path / "all", RESULTS[:1])
    other = tmp_path / "other"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE runs (id TEXT)")
    text = tmp_path / "text"
    text.write_text("not a database")
    before = {path: path.read_bytes() for path in (other, text)}
    for path in (other, text, tmp_path, tmp_path / "none"):
        for into, source in ((own, path), (path, own)):
            if into == tmp_path / "none":
                continue
            with pytest.raises(LengthwiseError):
                merge_stores(into, [source])
    assert before == {path: path.read_bytes() for path in (other, text)}
    assert len(stored(own)) == 1


def test_a_store_is_not_merged_into_itself_by_any_name(tmp_path: Path) -> None:
    into = make_store(tmp_path / "all", RESULTS)
    (tmp_path / "link").symlink_to(into)
    for source in (into, tmp_path / "link"):
        with pytest.raises(InvalidOptionError, match="is the store to merge into"):
            merge_stores(into, [source])


def test_a_store_that_is_being_written_to_is_not_merged_into_but_can_be_merged_from(tmp_path: Path) -> None:
    busy, source = make_store(tmp_path / "all", RESULTS[:1]), make_store(tmp_path / "a", RESULTS)
    holding = subprocess.Popen(
        [sys.executable, "-c", "import sys; from lengthwise.experiment.store import open_store\n"
         "with open_store(sys.argv[1]): print('ready', flush=True); sys.stdin.read()", str(busy)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holding:
        assert holding.stdout is not None
        assert holding.stdout.readline() == "ready\n"
        with pytest.raises(StoreInUseError, match="is in use by another process"):
            merge_stores(busy, [source])
        assert len(merge_stores(tmp_path / "new", [busy])[0].new) == 1
        holding.communicate()
    assert len(merge_stores(busy, [source])[0].new) == len(RESULTS) - 1


MANY = make_runs([replace(SPEC, tasks=("parity",), seeds=4000)])
MERGE = "import sys; from lengthwise.experiment.merging import merge_stores; merge_stores(sys.argv[1], sys.argv[2:])"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose merge takes a moment."""
    place = tmp_path_factory.mktemp("large") / "large"
    with open_store(place) as store:
        store.save_plan([], describe_cells(MANY[:1]))
        store.save(make_result(run, [1.0, 0.5]) for run in MANY)
    return place


def killed_merge(into: Path, source: Path, *, after: float) -> None:
    """Merge in another process, and kill it so many seconds after it has begun to write."""
    log = into.with_name(f"{into.name}-wal")
    merging = subprocess.Popen([sys.executable, "-c", MERGE, str(into), str(source)])
    wait_until(lambda: merging.poll() is not None or (log.exists() and log.stat().st_size > 0), "the merge")
    time.sleep(after)
    os.kill(merging.pid, signal.SIGKILL)
    merging.wait()


def check_killed_merge(folder: Path, large: Path, after: float) -> bool:
    """Kill a merge and complete it; return whether it was killed before its end."""
    folder.mkdir()
    into = make_store(folder / "all", RESULTS[3:])
    before = stored(into)
    killed_merge(into, large, after=after)
    found, ids = stored(into), {result.id for result in before}
    assert [result for result in found if result.id in ids] == before
    assert len(found) - len(before) in (0, len(MANY))
    merge_stores(into, [large])
    assert len(stored(into)) == len(before) + len(MANY)
    assert [result for result in stored(into) if result.id in ids] == before
    return len(found) == len(before)


def test_a_merge_that_is_killed_loses_nothing_and_is_completed_by_the_next(tmp_path: Path, large: Path) -> None:
    tries = (check_killed_merge(tmp_path / str(number), large, 0.0) for number in range(5))
    assert any(tries)  # usually the first; on a busy machine a merge may be done before it is killed


@pytest.mark.full
@pytest.mark.parametrize("after", [0.01, 0.02, 0.04, 0.08, 0.12, 0.16, 0.2, 0.3])
def test_a_merge_may_be_killed_at_any_moment(tmp_path: Path, large: Path, after: float) -> None:
    check_killed_merge(tmp_path / "killed", large, after)


def test_the_command_says_what_became_of_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Runner(capsys)
    source = make_store(tmp_path / "a", [replace(RESULTS[0], steps=21), *RESULTS[1:]])
    into = make_store(tmp_path / "all", RESULTS[:2])
    outcome = run("store", "merge", str(into), str(source))
    assert (outcome.code, outcome.out) == (0, f"{source}: 4 new, 1 equal, 1 in conflict\n")
    assert f"{into} has other results for 1 runs of {source} ({RESULTS[0].id[:8]})" in outcome.err
    data = json.loads(run.answers("store", "merge", str(into), str(source), "--json"))
    assert [(len(each["new"]), len(each["equal"]), each["conflicting"]) for each in data] == [(0, 5, [RESULTS[0].id])]
