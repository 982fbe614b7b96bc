"""How many models train together on a CPU: trials of sizes, and the file that keeps them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lengthwise.encodings.core.choice import find_encoding
from lengthwise.experiment.engines.work import SizesTried
from lengthwise.experiment.plan import Choice, Run, make_groups
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.sizing import choose_on_cpu
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.trials import Trials, trials_file
from lengthwise.model.shape import Shape
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

pytestmark = pytest.mark.usefixtures("one_thread")

LONG = Spec(
    tasks=("bin_majority",),
    seeds=40,
    encodings=("nope",),
    train_length=8,
    test_length=16,
    model=Shape(layers=1, heads=1, width=8),
    training=Training(steps=10_000, batch=32),
)
BRIEF = replace(LONG, seeds=2, training=Training(steps=4, batch=32, examples=8))


@pytest.fixture(autouse=True)
def brief_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lengthwise.experiment.sizing._WORTH_COMPILING", 1e9)
    monkeypatch.setattr("lengthwise.experiment.trials._TRIAL_SECONDS", 0.0)


def first_run(spec: Spec) -> Run:
    return make_groups(spec)[0][0]


def choose(file: Path | None, spec: Spec = LONG, number: int = 40) -> tuple[Choice, int]:
    """Return what is chosen with the trials of a file, and how many shapes had to be tried."""
    tried: list[Run] = []
    return choose_on_cpu(1, number, Trials(file), tried.append)(first_run(spec), number), len(tried)


def change(file: Path, how: Callable[[dict[str, Any]], None]) -> None:
    data = json.loads(file.read_text())
    how(data)
    file.write_text(json.dumps(data))


def test_brief_runs_are_not_tried_and_long_ones_are() -> None:
    brief, _ = choose(None, BRIEF, 2)
    assert brief.models == 2
    assert "too short" in brief.reason
    chooser = choose_on_cpu(2, 40, Trials())
    choice = chooser(first_run(LONG), 40)
    assert 1 <= choice.models <= 16
    assert "model·steps/s on one core" in choice.reason
    assert chooser(make_groups(LONG)[0][1], 40) == choice, "runs of one shape are tried once"


def test_no_worker_is_left_without_work() -> None:
    assert choose_on_cpu(4, 4, Trials())(first_run(LONG), 4).models == 1


def test_a_shape_is_tried_once_on_a_machine(tmp_path: Path) -> None:
    file = tmp_path / "made" / "trials.json"
    first = choose(file)
    assert choose(file) == (first[0], 0)
    assert first[1] == 1
    entries = json.loads(file.read_text())["trials"]
    assert len(entries) == 4, "one for each size"
    other_steps = replace(LONG, training=replace(LONG.training, steps=20_000, evaluate_every=100))
    assert choose(file, other_steps)[1] == 0, "another number of steps is no other shape"
    wider = replace(LONG, model=Shape(layers=1, heads=1, width=16))
    assert choose(file, wider)[1] == 1
    assert len(json.loads(file.read_text())["trials"]) == 8


def test_what_is_kept_decides(tmp_path: Path) -> None:
    file = tmp_path / "trials.json"
    trials = Trials(file)
    seconds = {1: 0.001, 4: 0.0015, 8: 0.009, 16: 0.02}
    for models in seconds:
        trials.find(first_run(LONG), models)
    keys = list(json.loads(file.read_text())["trials"])

    def rewrite(data: dict[str, Any]) -> None:
        for key, step in zip(keys, seconds.values(), strict=True):
            data["trials"][key]["step"] = step

    change(file, rewrite)
    choice, tried = choose(file)
    assert (choice.models, tried) == (4, 0)
    assert choice.reason == "4 models: 2667 model·steps/s on one core, 1000 alone; not compiled, 15 s at most"


@pytest.mark.parametrize("what", ["__version__", "processor", "torch", "instructions", "TRAINER_REVISION"])
def test_another_program_or_processor_tries_anew(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trials.json"
    choose(file)
    targets: dict[str, tuple[str, Any]] = {
        "__version__": ("lengthwise._version.__version__", "99.0"),
        "processor": ("lengthwise.experiment.provenance.processor", lambda: "another"),
        "torch": ("torch.__version__", "99.0"),
        "instructions": ("torch.backends.cpu.get_cpu_capability", lambda: "NONE"),
        "TRAINER_REVISION": ("lengthwise.experiment.trials.TRAINER_REVISION", -1),
    }
    assert not Trials(tmp_path / "none").has(first_run(LONG))
    assert Trials(file).has(first_run(LONG))
    monkeypatch.setattr(*targets[what])
    assert not Trials(file).has(first_run(LONG))


def test_an_encoding_of_another_revision_is_tried_anew(tmp_path: Path) -> None:
    file, run = tmp_path / "trials.json", first_run(LONG)
    Trials(file).find(run, 1)
    assert Trials(file).has(run)
    assert not Trials(file).has(replace(run, encoding_revision=find_encoding("nope").revision + 1))


def entry(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(iter(data["trials"].values()))
    return found


HOSTILE: dict[str, Callable[[dict[str, Any]], None]] = {
    "another format": lambda data: data.update(format="lengthwise trials 0"),
    "a key too many": lambda data: data.update(more=1),
    "no trials": lambda data: data.update(trials=[]),
    "a number": lambda data: data.update(trials={"a" * 32: 1.0}),
    "a name that is no hash": lambda data: data["trials"].update({"../../etc": {"step": 1.0, "set_up": 1.0}}),
    "a key too many in a trial": lambda data: entry(data).update(code="import os"),
    "a key too few in a trial": lambda data: entry(data).pop("set_up"),
    "text": lambda data: entry(data).update(step="__import__('os')"),
    "zero": lambda data: entry(data).update(step=0.0),
    "negative": lambda data: entry(data).update(step=-1.0),
    "not a number": lambda data: entry(data).update(step=float("nan")),
    "without end": lambda data: entry(data).update(step=float("inf")),
    "a truth value": lambda data: entry(data).update(step=True),
    "huge": lambda data: entry(data).update(step=1e300),
    "too many": lambda data: data["trials"].update(
        {f"{number:032x}": {"step": 1.0, "set_up": 1.0} for number in range(2_001)}
    ),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_file_that_was_tampered_with_is_ignored_and_written_anew(how: str, tmp_path: Path) -> None:
    file, run = tmp_path / "trials.json", first_run(LONG)
    Trials(file).find(run, 1)
    change(file, HOSTILE[how])
    trials = Trials(file)
    assert not trials.has(run)
    trials.find(run, 1)
    assert len(json.loads(file.read_text())["trials"]) == 1
    assert Trials(file).has(run)


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"null", b" " * 2**21 + b"{}"])
def test_a_damaged_file_is_ignored(text: bytes, tmp_path: Path) -> None:
    file, run = tmp_path / "trials.json", first_run(LONG)
    file.write_bytes(text)
    trials = Trials(file)
    assert not trials.has(run)
    trials.find(run, 1)
    assert Trials(file).has(run)


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    pipe, run = tmp_path / "trials.json", first_run(LONG)
    pipe.mkdir()
    assert Trials(pipe).find(run, 1).step > 0
    assert pipe.is_dir()
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert not Trials(fifo).has(run), "nobody waits for a pipe"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    trials = Trials(tmp_path / "file" / "trials.json")
    assert trials.find(first_run(LONG), 1).step > 0
    assert trials.has(first_run(LONG))


def test_the_oldest_trials_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lengthwise.experiment.trials._MOST_ENTRIES", 2)
    file, run = tmp_path / "trials.json", first_run(LONG)
    for models in (1, 2, 3):
        Trials(file).find(run, models)
    assert len(json.loads(file.read_text())["trials"]) == 2
    assert not Trials(file).has(run)


def test_where_trials_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/there")
    monkeypatch.setenv("LENGTHWISE_CACHE", "/here")
    assert trials_file() == Path("/here/trials.json")
    monkeypatch.setenv("LENGTHWISE_CACHE", "")
    assert trials_file() is None
    monkeypatch.delenv("LENGTHWISE_CACHE")
    assert trials_file() == Path("/there/lengthwise/trials.json")


@pytest.mark.full
def test_trials_are_told_and_come_before_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENGTHWISE_CACHE", str(tmp_path / "cache"))
    spec = replace(BRIEF, encodings=("nope", "ape"), seeds=1, training=Training(steps=2, batch=32, examples=8))
    told: list[tuple[str, int, int]] = []

    def on_event(event: object) -> None:
        if isinstance(event, SizesTried):
            told.append((event.label, event.number, event.shapes))

    run_experiment(spec, tmp_path / "first.sqlite", workers=1, device="cpu", on_event=on_event)
    assert told == [("bin_majority × nope", 1, 2), ("bin_majority × ape", 2, 2)]
    run_experiment(spec, tmp_path / "second.sqlite", workers=1, device="cpu", on_event=on_event)
    assert len(told) == 2, "the second time they are known"


def test_time_that_others_have_the_processor_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Stack.advance

    def interrupted(self: Stack, steps: int) -> None:
        time.sleep(0.5)
        advance(self, steps)

    monkeypatch.setattr(Stack, "advance", interrupted)
    trial = Trials().find(first_run(BRIEF), 1)
    assert 0 < trial.step < 0.25
