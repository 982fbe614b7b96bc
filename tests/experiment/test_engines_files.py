"""What a collector and its workers leave for each other in files, with everything that can go wrong with files."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from made_results import make_result
from spec_files import TINY

from lengthwise.errors import TrainingFailedError, UnreadableFileError, UserCodeError
from lengthwise.experiment.engines.cluster_worker import UNUSABLE, main
from lengthwise.experiment.engines.leases import Heartbeat, Lease, LeaseWatch, read_lease, write_lease
from lengthwise.experiment.engines.result_files import Ending, ResultReader, ResultWriter
from lengthwise.experiment.engines.work import StackProgress
from lengthwise.experiment.engines.work_folder import Assignment, WorkFolder, key_of, open_work_folder
from lengthwise.experiment.plan import Choice, StackPlan, make_runs
from lengthwise.train.settings import Training

RUNS = tuple(make_runs([replace(TINY, seeds=3)]))
PLAN = StackPlan(runs=RUNS, choice=Choice(models=2, compiled=False, reason="a test"))
KEY = key_of(PLAN)
RESULTS = [make_result(run, (1.0, 0.5)) for run in RUNS]


def assignment(plan: StackPlan = PLAN) -> Assignment:
    return Assignment(plan=plan, device="cpu", keep=False, seconds_per_checkpoint=30.0, seconds_per_beat=0.01)


@pytest.fixture
def folder(tmp_path: Path) -> WorkFolder:
    return open_work_folder(tmp_path / "work", tmp_path / "runs.sqlite")


def reader_of(folder: WorkFolder) -> ResultReader:
    return ResultReader(folder=folder, key=KEY, members=frozenset(run.id for run in RUNS))


def writer_of(folder: WorkFolder, attempt: str = "a") -> ResultWriter:
    return ResultWriter(folder.results / f"{KEY}.{attempt}.jsonl")


# Results


def test_results_come_back_as_they_were_written(folder: WorkFolder) -> None:
    writer, reader = writer_of(folder), reader_of(folder)
    full = replace(
        RESULTS[0], hard={"ties": ((4, 10, 9),)}, fit=((4, 100, 99),), generated=((8, 3, 1),), forced=((8, 3, 2),)
    )
    writer.add_result(full)
    assert reader.read().results == (full,)
    writer.add_result(RESULTS[1])
    writer.add_notice("a model is not kept.")
    writer.add_ending("17", None)
    news = reader.read()
    assert news.results == (RESULTS[1],)
    assert news.notices == ("a model is not kept.",)
    assert news.endings == (Ending(job="17"),)
    assert reader.read().results == ()


def test_a_line_is_read_once_it_is_whole(folder: WorkFolder) -> None:
    writer, reader = writer_of(folder), reader_of(folder)
    writer.add_result(RESULTS[0])
    (file,) = folder.result_files(KEY)
    whole = file.read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:cut])
        news = reader.read()
        assert (news.results, news.notices) == ((), ())
    file.write_bytes(whole)
    assert reader.read().results == (RESULTS[0],)


def test_a_line_that_was_cut_off_costs_only_itself(folder: WorkFolder) -> None:
    writer_of(folder, "a").add_result(RESULTS[0])
    (file,) = folder.result_files(KEY)
    file.write_bytes(file.read_bytes()[:-10] + b"\n")
    writer_of(folder, "a").add_result(RESULTS[1])
    news = reader_of(folder).read()
    assert news.results == (RESULTS[1],)


@pytest.mark.parametrize("place", [3, 40, 300])
def test_a_line_with_a_changed_byte_is_ignored(folder: WorkFolder, place: int) -> None:
    writer = writer_of(folder)
    writer.add_result(RESULTS[0])
    writer.add_result(RESULTS[1])
    (file,) = folder.result_files(KEY)
    damaged = bytearray(file.read_bytes())
    damaged[place] ^= 1
    file.write_bytes(damaged)
    assert reader_of(folder).read().results == (RESULTS[1],)


def test_two_attempts_that_write_at_once_count_once(folder: WorkFolder) -> None:
    reader = reader_of(folder)

    def attempt(name: str) -> None:
        writer = writer_of(folder, name)
        for result in RESULTS:
            writer.add_result(result)

    threads = [threading.Thread(target=attempt, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    found = []
    while any(thread.is_alive() for thread in threads):
        found += reader.read().results
    found += reader.read().results
    assert sorted(result.id for result in found) == sorted(run.id for run in RUNS)


def test_what_cannot_be_written_waits(folder: WorkFolder) -> None:
    writer, reader = writer_of(folder), reader_of(folder)
    folder.results.rename(folder.path / "away")
    writer.add_result(RESULTS[0])
    with pytest.raises(OSError, match="No such file"):
        writer.flush()
    (folder.path / "away").rename(folder.results)
    writer.add_result(RESULTS[1])
    assert reader.read().results == (RESULTS[0], RESULTS[1])


def line_of(data: object) -> bytes:
    text = json.dumps(data).encode()
    return sha256(text).hexdigest()[:16].encode() + b" " + text + b"\n"


def test_a_result_that_is_forged_is_told_and_not_taken(folder: WorkFolder) -> None:
    writer_of(folder).add_result(RESULTS[0])
    (file,) = folder.result_files(KEY)
    data = json.loads(file.read_bytes().partition(b" ")[2])
    forged = [
        {**data, "scores": [[4, 10, 11]]},
        {**data, "run": [*data["run"][:-1], "0" * 16]},
        {**data, "run": ["0" * 16, *data["run"][1:]]},
        {"run": 7, "scores": [], "hard": {}},
        {"end": {"job": "1", "error": "TrainingFailedError"}},
        [1, 2],
        {"what": "else"},
    ]
    file.write_bytes(b"".join(map(line_of, forged)) + b"\xff\n0123456789abcdef {\n")
    news = reader_of(folder).read()
    assert (news.results, news.endings) == ((), ())
    assert len(news.notices) == len(forged)
    assert f"a line of {str(file)!r} cannot be read: its settings are not those of its id." in news.notices


def test_a_run_of_another_stack_is_not_taken(folder: WorkFolder) -> None:
    (other,) = make_runs([replace(TINY, seeds=1, train_length=5, test_length=10)])
    writer_of(folder).add_result(make_result(other, (1.0, 1.0)))
    news = reader_of(folder).read()
    assert news.results == ()
    assert "has a run of another stack, which is not taken." in news.notices[0]


def test_what_is_no_regular_file_is_left_alone(folder: WorkFolder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("text")
    (folder.results / f"{KEY}.link.jsonl").symlink_to(secret)
    os.mkfifo(folder.results / f"{KEY}.pipe.jsonl")
    reader = reader_of(folder)
    news = reader.read()
    assert len(news.notices) == 2
    assert reader.read().notices == (), "told once"


def test_a_line_that_never_ends_is_given_up(folder: WorkFolder) -> None:
    with open(folder.results / f"{KEY}.a.jsonl", "wb") as file:
        file.truncate(40 * 2**20)
    reader = reader_of(folder)
    assert "has a line that never ends" in reader.read().notices[0]
    assert reader.read().notices == ()


def test_an_error_of_a_job_comes_back_as_what_it_was(folder: WorkFolder) -> None:
    writer = writer_of(folder)
    writer.add_ending("1", TrainingFailedError("no room.", hint="use fewer.", slots=4))
    writer.add_ending("2", UserCodeError("it loops."))
    writer.add_ending("3", ZeroDivisionError("division by zero"))
    first, second, third = reader_of(folder).read().endings
    assert isinstance(first.error, TrainingFailedError)
    assert (first.error.message, first.error.hint, first.error.slots) == ("no room.", "use fewer.", 4)
    assert isinstance(second.error, UserCodeError)
    assert isinstance(third.error, TrainingFailedError)
    assert third.error.message == "ZeroDivisionError: division by zero."


def test_an_error_of_any_other_name_is_a_failure_of_training(folder: WorkFolder) -> None:
    told = {"error": "did_you_mean", "message": "m", "hint": "h", "slots": -1}
    (folder.results / f"{KEY}.a.jsonl").write_bytes(line_of({"end": {"job": "1", **told}}))
    (ending,) = reader_of(folder).read().endings
    assert type(ending.error) is TrainingFailedError
    assert ending.error.slots == 0


# Leases

LEASE = Lease(attempt="a", job="7", host="node", pid=12, beat=1)
PROGRESS = StackProgress(
    stack=0, step=50, steps=60, done=1, matched=(0.5, 1.0), slot_steps=9, new_steps=8, seconds={"x": 0.5}
)


def test_a_lease_comes_back_as_it_was_written(tmp_path: Path) -> None:
    for lease in (LEASE, replace(LEASE, progress=PROGRESS)):
        write_lease(tmp_path / "lease", lease)
        assert read_lease(tmp_path / "lease") == lease


@pytest.mark.parametrize(
    "damage",
    [
        {"format": "other"},
        {"pid": "12"},
        {"progress": {"stack": 0}},
        {"progress": 3},
        {"more": 1},
        {
            "progress": {
                "stack": 0,
                "step": -1,
                "steps": 1,
                "done": 0,
                "matched": [],
                "slot_steps": 0,
                "new_steps": 0,
                "seconds": {},
            }
        },
    ],
)
def test_a_lease_that_makes_no_sense_is_none(tmp_path: Path, damage: dict[str, object]) -> None:
    file = tmp_path / "lease"
    write_lease(file, LEASE)
    file.write_text(json.dumps(json.loads(file.read_text()) | damage))
    assert read_lease(file) is None


def test_a_lease_is_stale_when_it_has_not_changed_for_long(tmp_path: Path) -> None:
    now = [0.0]
    watch = LeaseWatch(tmp_path / "lease", lambda: now[0])
    now[0] = 100.0
    assert watch.seconds_silent == 100.0
    watch.rest()
    write_lease(tmp_path / "lease", replace(LEASE, progress=PROGRESS))
    now[0] = 150.0
    assert watch.look() == PROGRESS
    assert watch.look() is None
    now[0] = 160.0
    assert watch.seconds_silent == 10.0
    write_lease(tmp_path / "lease", replace(LEASE, beat=2, progress=PROGRESS))
    assert watch.look() is None, "nothing new but that it lives"
    assert watch.seconds_silent == 0.0


@pytest.mark.parametrize("event", ["taken over", "finished"])
def test_a_worker_that_is_not_needed_any_more_hears_of_it(folder: WorkFolder, event: str) -> None:
    folder.write(assignment())
    heard: list[str] = []
    is_lost = threading.Event()

    def on_lost(reason: str) -> None:
        heard.append(reason)
        is_lost.set()

    heart = Heartbeat(folder, KEY, attempt="a", job="7", seconds=0.01, on_lost=on_lost)
    if event == "finished":
        folder.plan_file(KEY).unlink()
    while not is_lost.wait(0.01):
        if event == "taken over":
            write_lease(folder.lease_file(KEY), replace(LEASE, attempt="b", job="8"))
    heart.stop()
    expected = "job 8 on node has taken over" if event == "taken over" else "nobody waits for this stack any more"
    assert heard == [expected]


# Plans


def test_a_plan_comes_back_as_it_was_written(folder: WorkFolder) -> None:
    spec = replace(
        TINY,
        tasks=("unique_copy", "parity"),
        encodings=("ape",),
        hard=True,
        training=Training(stop_early=False, penalties=(("positional", 0.1), ("value_norm", 0.5))),
    )
    runs = tuple(make_runs([spec]))
    made = assignment(replace(PLAN, runs=runs, finished=frozenset([runs[1].id])))
    folder.write(made)
    assert folder.read(made.key) == made
    assert folder.planned_keys() == [made.key]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"device": "tpu"}, "its device is 'tpu'"),
        ({"more": 1}, "it must have the format"),
        ({"runs": []}, "its runs are not a list"),
        ({"runs": [RUNS[0].settings]}, "its name is not that of its runs"),
        ({"runs": [RUNS[0].settings | {"seed": -1}]}, "seed must be a whole number"),
        ({"runs": [RUNS[0].settings | {"exec": "rm"}]}, "unexpected keyword argument 'exec'"),
        ({"choice": {"models": 10**9, "compiled": False, "reason": ""}}, "models must be a whole number"),
        ({"finished": ["../../etc/passwd"]}, "its finished runs are not a list of ids"),
        ({"seconds_per_beat": float("nan")}, "seconds_per_beat must be a number"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(folder: WorkFolder, damage: dict[str, object], told: str) -> None:
    folder.write(assignment())
    file = folder.plan_file(KEY)
    file.write_text(json.dumps(json.loads(file.read_text()) | damage))
    with pytest.raises(UnreadableFileError) as caught:
        folder.read(KEY)
    assert "is not the plan of a stack: " in caught.value.message
    assert told in caught.value.message


def test_a_plan_cannot_name_a_file_to_run(
    folder: WorkFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "it_ran"
    code = tmp_path / "evil.py"
    code.write_text(f"open({str(mark)!r}, 'w')\n")
    for run in (replace(RUNS[0], task=str(code)), replace(RUNS[0], encoding=str(code))):
        made = assignment(replace(PLAN, runs=(run,)))
        folder.write(made)
        assert main([str(folder.path), made.key, "--job", "1"]) == UNUSABLE
        assert "which this job may not open." in capsys.readouterr().err
    assert not mark.exists()
    assert main([str(folder.path), "0" * 16, "--job", "1"]) == UNUSABLE
    assert "No such file" in capsys.readouterr().err


# The folder


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(UnreadableFileError, match=r"others can write to the work folder .* and the mode 777"):
        open_work_folder(shared, tmp_path / "runs.sqlite")
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(UnreadableFileError, match="is not a folder"):
        open_work_folder(link, tmp_path / "runs.sqlite")
    own = open_work_folder(tmp_path / "own", tmp_path / "runs.sqlite")
    assert own.path.stat().st_mode & 0o777 == 0o700
    (own.results).chmod(0o770)
    with pytest.raises(UnreadableFileError, match="others can write"):
        open_work_folder(tmp_path / "own")


def test_a_folder_of_another_store_is_refused(folder: WorkFolder, tmp_path: Path) -> None:
    open_work_folder(folder.path, tmp_path / "runs.sqlite")
    with pytest.raises(UnreadableFileError, match=r"belongs to the store .*runs\.sqlite', not to .*other\.sqlite'"):
        open_work_folder(folder.path, tmp_path / "other.sqlite")


def test_a_folder_without_stacks_is_removed_and_no_other(folder: WorkFolder) -> None:
    folder.write(assignment())
    folder.tidy()
    assert folder.path.exists()
    for file in folder.files_of(PLAN):
        file.unlink(missing_ok=True)
    (folder.path / "notes.txt").write_text("mine")
    folder.tidy()
    assert [path.name for path in folder.path.iterdir()] == ["notes.txt"]
