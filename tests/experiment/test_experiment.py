"""Experiments: strict specs, ids that mean something, and a store in which nothing finished is lost or repeated."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import fields, replace
from functools import partial
from multiprocessing.connection import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import made_results
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from made_results import make_plan
from processes import children_of, wait_until
from spec_files import TINY, dump_spec, parse_spec

from lengthwise.encodings.catalog import ALIASES, ENCODINGS
from lengthwise.errors import (
    InvalidOptionError,
    InvalidSpecError,
    LengthwiseError,
    StoreInUseError,
    TrainingFailedError,
    UnknownNameError,
    UnreadableFileError,
    listed,
)
from lengthwise.experiment.engines.local import _receive, train_locally
from lengthwise.experiment.engines.stack_queue import StackQueue
from lengthwise.experiment.engines.work import (
    Checkpoints,
    Event,
    Machine,
    Notice,
    RunsDone,
    StackDone,
    StackProgress,
    checkpoint_of,
    train_planned,
)
from lengthwise.experiment.grid import load_specs, parse_grid, parse_specs
from lengthwise.experiment.plan import DEFAULT_CHOICE, Run, StackPlan, cut_group, make_groups, make_runs
from lengthwise.experiment.run import _Recorder, run_experiment
from lengthwise.experiment.spec import VERSION, Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.experiment.store_schema import APPLICATION_ID, SCHEMA_VERSION
from lengthwise.model.shape import Shape
from lengthwise.tasks.counting.majorities import BinMajority
from lengthwise.train.settings import TRAINER_REVISION, Training

MANY_STACKS = replace(
    TINY,
    tasks=("bin_majority", "repeat_copy", "parity", "D_2", "PARITY", "states(D_2)"),
    encodings=("nope", "ape"),
    training=replace(TINY.training, steps=60, evaluate_every=60),
)
PATIENCE = 60.0


def message_of(error: pytest.ExceptionInfo[LengthwiseError]) -> str:
    return str(error.value)


# Specs

TRAINING_KEYS = ", ".join(field.name for field in fields(Training))
KNOWN_KEYS = ", ".join(
    [*(field.name for field in fields(Spec) if field.name not in ("model", "training")), "model", "training", "zip"]
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'tasks = ["parity"]\ntrian_length = 5',
            f"key 'trian_length' in my.toml is unknown. Known: {KNOWN_KEYS}.\nhint: did you mean 'train_length'?",
        ),
        (
            'tasks = ["parity"]\nxyzzy = 5',
            f"key 'xyzzy' in my.toml is unknown. Known: {KNOWN_KEYS}.\nhint: remove it.",
        ),
        (
            'tasks = ["parity"]\n[model]\nlayer = 5',
            "key 'model.layer' in my.toml is unknown. Known: layers, heads, width, tied, log_n, qk_norm, softmax_1, "
            "token_shift, no_bos.\nhint: did you mean 'model.layers'?",
        ),
        (
            'tasks = ["parity"]\n[training]\nstep = 5',
            f"key 'training.step' in my.toml is unknown. Known: {TRAINING_KEYS}.\nhint: did you mean 'training.steps'?",
        ),
        (
            'tasks = ["parity"',
            "my.toml is not TOML: Unclosed array (at end of document).\nhint: see docs/reference/spec.md for an example.",
        ),
        (
            f"tasks = {'[' * 5000}{']' * 5000}",
            "my.toml is nested too deeply to be read.\nhint: see docs/reference/spec.md for an example.",
        ),
        (
            f"seeds = {'9' * 5000}",
            "my.toml has a number that is too long to be read.\nhint: see docs/reference/spec.md for an example.",
        ),
        ("seeds = 2", 'my.toml names no tasks.\nhint: for example: tasks = ["bin_majority", "(aa)*"]'),
        (
            'tasks = ["parity"]\nversion = 2',
            "my.toml has version 2; this program reads version 1.\n"
            "hint: update lengthwise, or write the spec for this version.",
        ),
        ('tasks = ["parity"]\nversion = 0', "version must be 1; found 0.\nhint: write version = 1."),
        ('tasks = ["parity"]\nversion = "1"', "version must be 1; found '1'.\nhint: write version = 1."),
        (
            'tasks = "parity"',
            "tasks must be a list of names with at least one; found 'parity'.\nhint: name what to train.",
        ),
        ("tasks = []", "tasks must be a list of names with at least one; found ().\nhint: name what to train."),
        ("tasks = [1]", "tasks must be a list of names with at least one; found (1,).\nhint: name what to train."),
        (
            'tasks = ["parity"]\nencodings = []',
            "encodings must be a list of names with at least one; found ().\nhint: name what to train.",
        ),
        ('tasks = ["parity", "D_2", "parity"]', "'parity' is named twice in tasks.\nhint: name each once."),
        (
            'tasks = ["parity"]\nencodings = ["ape", "ape"]',
            "'ape' is named twice in encodings.\nhint: name each once.",
        ),
        (
            'tasks = ["parity"]\nencodings = ["aple"]',
            f"encoding 'aple' is unknown. Known: {listed([*ENCODINGS, *ALIASES])}.\nhint: did you mean 'ape'?",
        ),
        (
            'tasks = ["parity"]\ntrain_length = 0',
            "train_length must be a whole number from 1 to 100000; found 0.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\nseeds = 2.0',
            "seeds must be a whole number from 1 to 100000; found 2.0.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\nseeds = true',
            "seeds must be a whole number from 1 to 100000; found True.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\ntest_length = "30"',
            "test_length must be a whole number from 1 to 100000; found '30'.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\ntrain_length = 20\ntest_length = 10',
            "test_length 10 is not above train_length 20.\nhint: test on longer inputs than you train on, for example 60.",
        ),
        (
            'tasks = ["parity"]\nlearning_rate = []',
            "learning_rate lists no value.\nhint: give it one, or leave it out for the default.",
        ),
        (
            'tasks = ["parity"]\nlr = 0.1',
            f"key 'lr' in my.toml is unknown. Known: {KNOWN_KEYS}.\nhint: did you mean 'learning_rate'?",
        ),
        (
            'tasks = ["parity"]\nwidth = 16',
            f"key 'width' in my.toml is unknown. Known: {KNOWN_KEYS}.\nhint: it belongs into the table [model].",
        ),
        (
            'tasks = ["parity"]\n[training]\nseeds = 2',
            f"key 'training.seeds' in my.toml is unknown. Known: {TRAINING_KEYS}.\nhint: it belongs above all tables.",
        ),
        (
            'tasks = ["parity"]\n[model]\nd_model = 2',
            "key 'model.d_model' in my.toml is unknown. Known: layers, heads, width, tied, log_n, qk_norm, softmax_1, "
            "token_shift, no_bos.\nhint: did you mean 'model.width'?",
        ),
        (
            'tasks = ["parity"]\nseeds = [0, 1]',
            "seeds takes one value; found [0, 1].\nhint: seeds = 5 trains seeds 0 to 4.",
        ),
        (
            'tasks = ["parity"]\nhard = [true, false]',
            "hard takes one value; found [true, false].\nhint: write two specs; both can be run at once.",
        ),
        (
            'tasks = ["parity"]\n[[zip]]\nwidth = [8, 16]\nheads = [1, 2, 4]',
            "settings in a [[zip]] group of my.toml must have equally many values; width has 2, heads has 3.\n"
            "hint: make the lists equally long.",
        ),
        (
            'tasks = ["parity"]\n[[zip]]\nwidth = 8',
            "width in a [[zip]] group of my.toml must be a list of values; found 8.\n"
            "hint: settings that vary together have lists of one length.",
        ),
        (
            'tasks = ["parity"]\n[model]\nwidth = [8, 16]\n[[zip]]\nwidth = [8, 16]',
            "width is set twice in my.toml.\nhint: set it once, in a [[zip]] group or outside.",
        ),
        (
            'tasks = ["parity"]\nzip = 3',
            "'zip' in my.toml must be tables; found 3.\n"
            "hint: write [[zip]] and below it, for example, width = [16, 32] and heads = [2, 4].",
        ),
        (
            'tasks = ["parity"]\nlearning_rate = [0.0]',
            "learning_rate must be a number from 1e-09 to 10; found 0.0.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\nlearning_rate = [nan]',
            "learning_rate must be a number from 1e-09 to 10; found nan.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\nlearning_rate = [0.1, 1e-1]',
            "0.1 is named twice in learning_rate.\nhint: name each once.",
        ),
        (
            'tasks = ["parity"]\nmodel = 3',
            "'model' in my.toml must be a table; found 3.\nhint: write it as [model].",
        ),
        (
            'tasks = ["parity"]\n[model]\nheads = 0',
            "heads must be a whole number from 1 to 100; found 0.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\n[model]\nheads = 3\nwidth = 32',
            "width 32 cannot be divided among 3 heads.\nhint: choose a width that is a multiple of the heads.",
        ),
        (
            'tasks = ["parity"]\n[training]\nsteps = 1e3',
            "steps must be a whole number from 1 to 1e+09; found 1000.0.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\n[training]\nclip = 0',
            "clip must be a number from 1e-06 to 1e+06; found 0.\nhint: correct the value.",
        ),
        (
            'tasks = ["parity"]\n[training]\nweight_decay = "none"',
            "weight_decay must be a number from 0 to 10; found 'none'.\nhint: correct the value.",
        ),
    ],
)
def test_a_spec_that_is_wrong_says_how(text: str, message: str) -> None:
    with pytest.raises((InvalidSpecError, InvalidOptionError, UnknownNameError)) as caught:
        parse_spec(text, "my.toml")
    assert message_of(caught) == message


def test_a_spec_has_defaults_for_everything_but_its_tasks() -> None:
    assert parse_spec('tasks = ["parity"]') == Spec(tasks=("parity",))
    assert Spec(tasks=("parity",)).version == VERSION


def test_a_spec_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(dump_spec(TINY), encoding="utf-8")
    assert load_specs(path) == (TINY,)
    with pytest.raises(UnreadableFileError) as caught:
        load_specs(tmp_path / "other.toml")
    assert message_of(caught) == f"there is no file {str(tmp_path / 'other.toml')!r}.\nhint: check the path."


NAME_LISTS = st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True).map(tuple)


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    train = draw(st.integers(1, 500))
    heads = draw(st.integers(1, 8))
    rates = st.one_of(st.floats(1e-9, 10), st.integers(1, 10))
    return Spec(
        tasks=draw(NAME_LISTS),
        encodings=draw(st.lists(st.sampled_from(list(ENCODINGS)), min_size=1, unique=True).map(tuple)),
        seeds=draw(st.integers(1, 1_000)),
        train_length=train,
        test_length=draw(st.integers(train + 1, min(1_000 * train, 100_000))),
        learning_rate=draw(rates),
        model=Shape(layers=draw(st.integers(1, 100)), heads=heads, width=heads * draw(st.integers(1, 100))),
        training=Training(
            steps=draw(st.integers(1, 10**9)),
            batch=draw(st.integers(1, 10**6)),
            warmup=draw(st.integers(0, 10**9)),
            weight_decay=draw(st.floats(0, 10)),
            clip=draw(st.floats(1e-6, 1e6)),
            evaluate_every=draw(st.integers(1, 10**9)),
            examples=draw(st.integers(1, 10**7)),
        ),
    )


@given(spec=specs())
def test_a_spec_that_is_written_and_read_is_the_same(spec: Spec) -> None:
    assert parse_spec(dump_spec(spec)) == spec


# Grids

GRID = """
tasks = ["parity"]
encodings = ["nope"]
train_length = [10, 20]
learning_rate = [0.001, 0.003]
[training.penalties]
value_norm = [0, 1e-4]
[[zip]]
width = [16, 32]
heads = [2, 4]
"""


def test_every_setting_may_be_a_list_and_all_combinations_are_trained() -> None:
    found = parse_specs(GRID)
    assert len(found) == 2 * 2 * 2 * 2
    shapes = {(spec.model.width, spec.model.heads) for spec in found}
    assert shapes == {(16, 2), (32, 4)}, "settings of a zip group vary together"
    assert {(spec.train_length, spec.test_length) for spec in found} == {(10, 30), (20, 60)}
    assert {dict(spec.training.penalties)["value_norm"] for spec in found} == {0, 1e-4}
    assert len({run.id for run in make_runs(found)}) == 16 * 3


def test_a_list_of_test_lengths_is_one_value_and_lists_of_them_are_several() -> None:
    assert [spec.test_length for spec in parse_specs('tasks = ["parity"]\ntest_length = [20, 40]')] == [(20, 40)]
    several = parse_specs('tasks = ["parity"]\ntest_length = [[20, 40], 30]')
    assert [spec.test_length for spec in several] == [(20, 40), 30]


def test_tasks_of_a_zip_group_come_with_their_own_settings() -> None:
    text = '[[zip]]\ntasks = ["parity", "(aa)*"]\ntrain_length = [8, 16]\n'
    assert [(spec.tasks, spec.train_length) for spec in parse_specs(text)] == [(("parity",), 8), (("(aa)*",), 16)]


def test_other_values_take_the_place_of_those_in_a_file() -> None:
    grid = parse_grid(GRID, "my.toml").override({"learning_rate": 0.01, "steps": [5, 10]}, [["steps", "train_length"]])
    found = [(spec.learning_rate, spec.training.steps, spec.train_length) for spec in grid.specs()]
    assert set(found) == {(0.01, 5, 10), (0.01, 10, 20)}
    with pytest.raises(InvalidSpecError) as caught:
        parse_grid(GRID, "my.toml").override({"width": 8})
    assert message_of(caught) == (
        "width stands in a [[zip]] group of my.toml, and another value is given for it.\n"
        "hint: change it in the file, or leave the option out."
    )
    with pytest.raises(InvalidSpecError) as caught:
        parse_grid(GRID).override({}, [["steps", "batch"]])
    assert message_of(caught) == (
        "steps is to vary together with others and has no values.\nhint: give it a list of values: steps."
    )


def test_a_grid_of_too_many_combinations_is_refused_before_any_is_made() -> None:
    many = ", ".join(str(number) for number in range(1, 2001))
    with pytest.raises(InvalidSpecError) as caught:
        parse_specs(f'tasks = ["parity"]\n[training]\nsteps = [{many}]\nwarmup = [{many}]', "my.toml")
    assert message_of(caught) == (
        "my.toml asks for 4,000,000 combinations of settings; at most 1,000,000 are allowed.\n"
        "hint: list fewer values, or split the spec."
    )
    with pytest.raises(InvalidSpecError) as caught:
        parse_specs(f'tasks = ["parity"]\nseeds = 1000\n[training]\nsteps = [{many}]', "my.toml")
    assert message_of(caught).startswith("my.toml asks for 4,000,000 runs; ")


# Plans


def test_a_plan_has_a_run_for_every_combination_in_stacks_over_tasks_that_share_a_layout() -> None:
    spec = replace(TINY, tasks=("parity", "D_2", "(aa)*"), encodings=("nope", "ape"), seeds=5)
    specs = [replace(spec, learning_rate=rate) for rate in (0.1, 0.01)]
    stacks = make_plan(*specs)
    runs = make_runs(specs)
    combinations = {(run.task, run.encoding, run.seed, run.learning_rate) for run in runs}
    assert len(runs) == len(combinations) == 3 * 2 * 5 * 2
    assert len({run.id for run in runs}) == len(runs)
    for stack in stacks:
        assert len({(run.encoding, run.model, run.training) for run in stack.runs}) == 1
    labels = [(stack.label, len(stack.runs)) for stack in stacks]
    assert labels == [("parity × nope", 10), ("parity × ape", 10), ("2 tasks × nope", 20), ("2 tasks × ape", 20)]


@pytest.mark.parametrize(
    ("number", "workers", "sizes"), [(3, 1, [3]), (8, 2, [8]), (20, 2, [10, 10]), (70, 2, [32, 32, 6]), (9, 4, [8, 1])]
)
def test_a_group_is_cut_for_all_workers_but_not_below_the_size_of_a_stack(
    number: int, workers: int, sizes: list[int]
) -> None:
    (runs,) = make_groups(replace(TINY, seeds=number))
    assert [len(plan.runs) for plan in cut_group(runs, DEFAULT_CHOICE, workers=workers)] == sizes


OTHER_VALUES: dict[str, object] = {
    "task": "parity",
    "encoding": "ape",
    "seed": 1,
    "learning_rate": 0.5,
    "train_length": 5,
    "test_length": 9,
    "hard": True,
    "room": 24,
    "generate": True,
    "model": Shape(layers=2, heads=1, width=8),
    "training": replace(TINY.training, examples=17),
    "task_revision": 2,
    "encoding_revision": 2,
    "trainer_revision": TRAINER_REVISION + 1,
}


def test_the_id_of_a_run_changes_with_everything_that_decides_how_it_comes_out() -> None:
    run = make_runs([TINY])[0]
    assert set(OTHER_VALUES) == {field.name for field in fields(Run)} - {"success_at"}
    ids = {replace(run, **{name: value}).id for name, value in OTHER_VALUES.items()}  # type: ignore[arg-type]
    shapes = [
        Shape(layers=1, heads=2, width=8),
        Shape(layers=1, heads=1, width=16),
        Shape(layers=1, heads=1, width=8, tied=True),
    ]
    ids |= {replace(run, model=shape).id for shape in shapes}
    for field in fields(Training):
        value = getattr(TINY.training, field.name)
        other = {"stop_early": False, "penalties": (("relations", 0.5),)}.get(field.name, 2 * value or 1)
        ids.add(replace(run, training=replace(TINY.training, **{field.name: other})).id)  # type: ignore[arg-type]
    assert run.id not in ids
    assert len(ids) == len(OTHER_VALUES) + len(shapes) + len(fields(Training))
    assert replace(run).id == run.id
    assert replace(run, success_at=2.0).id == run.id, "how a run is judged changes nothing in it"


def test_a_new_revision_of_task_encoding_or_trainer_makes_new_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = [{run.id for run in make_runs([TINY])}]
    monkeypatch.setattr(BinMajority, "revision", BinMajority.revision + 1)
    seen.append({run.id for run in make_runs([TINY])})
    card = ENCODINGS["nope"]
    changed = {**ENCODINGS, "nope": replace(card, revision=card.revision + 1)}
    monkeypatch.setattr("lengthwise.encodings.core.choice.ENCODINGS", changed)
    seen.append({run.id for run in make_runs([TINY])})
    monkeypatch.setattr("lengthwise.experiment.plan.TRAINER_REVISION", TRAINER_REVISION + 1)
    seen.append({run.id for run in make_runs([TINY])})
    assert len(set.union(*seen)) == 4 * len(seen[0]) == 8


def test_the_id_of_a_run_does_not_change_with_what_is_beside_it() -> None:
    alone = {run.id for run in make_runs([TINY])}
    more = replace(TINY, tasks=("parity", "bin_majority"), encodings=("ape", "nope"), seeds=9, learning_rate=0.003)
    assert alone <= {run.id for run in make_runs([replace(more, learning_rate=1), more])}


def test_a_rate_is_the_same_whether_written_as_a_whole_number_or_not() -> None:
    ids = [{run.id for run in make_runs([replace(TINY, learning_rate=rate)])} for rate in (1, 1.0)]
    assert ids[0] == ids[1]


def test_ids_are_the_same_under_every_hash_seed(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(dump_spec(replace(TINY, tasks=("parity", "{a,b}*d{b,c}*"), encodings=("nope", "ape"))))
    script = (
        "import sys; from lengthwise.experiment.grid import load_specs; from lengthwise.experiment.plan import make_runs; "
        "print([run.id for run in make_runs(load_specs(sys.argv[1]))]); "
        "assert 'torch' not in sys.modules"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script, str(path)],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (0, 1, 2)
    }
    assert printed == {f"{[run.id for run in make_runs(load_specs(path))]}\n"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"tasks": ("(a{40})*a{30}",), "train_length": 12, "test_length": 36},
            "'(a{40})*a{30}' has no instance of a length from 0–12.\n"
            "hint: its shortest has length 30; choose other lengths.",
        ),
        (
            {"tasks": ("abc|b",), "train_length": 4, "test_length": 8},
            "'abc|b' has no instance of a length from 5–8.\nhint: its shortest has length 1; choose other lengths.",
        ),
        (
            {"tasks": ("unique_copy(20)",), "train_length": 12, "test_length": 36},
            "length 36 is too long for unique_copy(20): it has 20 different symbols.\n"
            "hint: use lengths up to 20, or a larger alphabet: unique_copy(36).",
        ),
        (
            {"tasks": ("bin_majority",), "encodings": ("nope", "coupling")},
            "coupling needs a task whose tokens have roles, and 'bin_majority' gives none.\n"
            "hint: use it for unique_copy or repeat_copy.",
        ),
    ],
    ids=["nothing to train on", "nothing to test on", "too few symbols", "no roles"],
)
def test_a_plan_that_cannot_be_carried_out_says_why(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    spec = replace(TINY, **changes)
    with pytest.raises(InvalidOptionError) as caught:
        make_plan(spec)
    assert message_of(caught) == message
    with pytest.raises(InvalidOptionError):
        run_experiment(spec, tmp_path / "runs.sqlite")
    assert list(tmp_path.iterdir()) == []


# The store


make_result = partial(
    made_results.make_result,
    scores=((1, 10, 9), (2, 6, 0)),
    provenance={"torch": "2", "hardware": "a machine – with ünïcode"},
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def test_what_is_saved_is_read_back_the_same(place: Path) -> None:
    results = [make_result(run) for run in make_runs([replace(TINY, tasks=("<a>*", "{a,b}*b"))])]
    with open_store(place) as store:
        store.save(results[:3])
        store.save(results[3:])
    with read_store(place) as store:
        assert store.results() == results
        assert store.finished() == {result.id for result in results}
        runs = make_runs([replace(TINY, tasks=("{a,b}*b", "<a>*"), seeds=3)])
        assert store.results_of(runs) == results, "in the order in which all runs are read"
        assert store.results_of(runs[:1]) == [results[2]]


def test_a_store_is_made_with_the_folders_above_it(tmp_path: Path) -> None:
    with open_store(tmp_path / "a" / "b" / "runs.sqlite") as store:
        assert store.results() == []


def test_a_plan_is_stored_once(place: Path) -> None:
    stacks = make_plan(replace(TINY, seeds=10))
    with open_store(place) as store:
        store.save_plan(stacks)
        store.save_plan(stacks)
    with closing(sqlite3.connect(place)) as connection:
        rows = connection.execute("SELECT label, runs FROM stacks ORDER BY position").fetchall()
    assert rows == [(stack.label, json.dumps([run.id for run in stack.runs])) for stack in stacks]


def test_a_row_appears_with_its_scores_or_not_at_all(place: Path) -> None:
    one, two = make_runs([TINY])
    broken = make_result(two, scores=((1, 10, 9), (1, 10, 9)))  # a length twice cannot be stored
    with open_store(place) as store:
        with pytest.raises(sqlite3.IntegrityError):
            store.save([make_result(one), broken])
        assert store.results() == []
        store.save([make_result(one)])
        with pytest.raises(sqlite3.IntegrityError):
            store.save([make_result(two), make_result(one)])
        assert store.results() == [make_result(one)]


def test_a_reader_sees_what_is_finished_while_another_writes(place: Path) -> None:
    one, two = make_runs([TINY])
    with open_store(place) as writer:
        writer.save([make_result(one)])
        with read_store(place) as reader:
            assert reader.finished() == {one.id}
            with writer._connection:
                writer._connection.execute("DELETE FROM scores")
                assert reader.results() == [make_result(one)]
                writer._connection.rollback()
            writer.save([make_result(two)])
            assert reader.finished() == {one.id, two.id}


def test_a_store_has_one_writer_at_a_time(place: Path) -> None:
    script = "import sys; from lengthwise.experiment.store import open_store\nwith open_store(sys.argv[1]): pass"
    command = [sys.executable, "-c", script, str(place)]
    with open_store(place):
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert second.stderr.endswith(
            f"lengthwise.errors.StoreInUseError: the store {str(place)!r} is in use by another process.\n"
            "hint: wait for it, or choose another store with --store.\n"
        )
        with pytest.raises(StoreInUseError), open_store(place):
            pass
    assert subprocess.run(command, check=False).returncode == 0


@contextmanager
def database(place: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(place)) as connection, connection:
        yield connection


@pytest.mark.parametrize("opened", [open_store, read_store])
def test_a_store_of_a_newer_version_is_left_alone(place: Path, opened: Callable[[Path], Any]) -> None:
    with database(place) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    before = place.read_bytes()
    with pytest.raises(UnreadableFileError) as caught, opened(place):
        pass
    assert message_of(caught) == (
        f"the store {str(place)!r} has version 3; this program reads versions up to 2.\n"
        "hint: update lengthwise, or choose another store with --store."
    )
    assert place.read_bytes() == before


@pytest.mark.parametrize("opened", [open_store, read_store])
def test_a_file_that_is_no_database_is_no_store(place: Path, opened: Callable[[Path], Any]) -> None:
    place.write_text("This is a letter, and a long one, since a database must have a header of some length. " * 20)
    before = place.read_bytes()
    with pytest.raises(UnreadableFileError) as caught, opened(place):
        pass
    assert message_of(caught) == (
        f"{str(place)!r} cannot be used as a store: file is not a database.\nhint: choose another file with --store."
    )
    assert place.read_bytes() == before


@pytest.mark.parametrize("opened", [open_store, read_store])
def test_the_database_of_another_program_is_left_alone(place: Path, opened: Callable[[Path], Any]) -> None:
    with database(place) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    before = place.read_bytes()
    with pytest.raises(UnreadableFileError) as caught, opened(place):
        pass
    assert message_of(caught) == (
        f"{str(place)!r} is a database, but not a store.\nhint: choose another file with --store."
    )
    assert place.read_bytes() == before


def test_a_store_that_is_not_there_cannot_be_read_and_is_not_made(place: Path) -> None:
    with pytest.raises(UnreadableFileError) as caught, read_store(place):
        pass
    assert message_of(caught) == f"there is no store {str(place)!r}.\nhint: make one with 'lengthwise run'."
    assert not place.exists()


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "runs.sqlite"
    with pytest.raises(UnreadableFileError) as caught, open_store(place):
        pass
    assert message_of(caught) == (
        f"cannot write the store {str(place)!r}: Not a directory.\n"
        "hint: choose a place that can be written, with --store."
    )


# Running


def stored_rows(place: Path) -> dict[str, tuple[object, ...]]:
    """Return every finished run with its scores, as the database holds them."""
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT * FROM runs").fetchall()
        scores = connection.execute("SELECT * FROM scores ORDER BY run, length").fetchall()
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: (*row, tuple(score for score in scores if score[0] == row[0])) for row in rows}


def what_came_out(result: Result) -> tuple[object, ...]:
    return (result.id, result.steps, result.losses, result.scores)


def test_running_again_trains_nothing_and_more_seeds_train_only_the_new(place: Path) -> None:
    spec = replace(TINY, encodings=("nope", "ape"))
    planned: list[tuple[int, int]] = []
    events: list[Event] = []

    def run(spec: Spec) -> tuple[Result, ...]:
        outcome = run_experiment(
            spec,
            place,
            workers=1,
            on_plan=lambda stacks, reused: planned.append((sum(len(stack.runs) for stack in stacks), reused)),
            on_event=events.append,
        )
        assert [run.id for run in outcome.runs] == [result.id for result in outcome.results]
        assert outcome.reused == planned[-1][1]
        return outcome.results

    first = run(spec)
    assert planned == [(4, 0)]
    assert sorted(event.stack for event in events if isinstance(event, StackDone)) == [0, 1]
    assert {event.steps for event in events if isinstance(event, StackProgress)} == {40}
    rows = stored_rows(place)
    events.clear()

    assert run(spec) == first
    assert planned == [(4, 0), (0, 4)]
    assert events == []
    assert stored_rows(place) == rows

    more = run(replace(spec, seeds=3))
    assert planned[-1] == (2, 4)
    assert [result.seed for result in more] == [0, 1, 2, 0, 1, 2]
    after = stored_rows(place)
    assert len(after) == 6
    assert {run_id: after[run_id] for run_id in rows} == rows
    for result in more:
        assert result.provenance["threads"] == 1
        assert result.provenance["device"] == "cpu"
        assert result.provenance["models_in_stack"] == (1 if result.seed == 2 else 2)
        assert sum(examples for _, examples, _ in result.scores) == 32


@pytest.mark.full
@pytest.mark.parametrize("times", [1, 3])
def test_the_stack_of_a_worker_that_is_killed_goes_on_in_another_twice_at_most(times: int, place: Path) -> None:
    killed: list[str] = []
    notes: list[str] = []

    def kill(event: Event) -> None:
        if isinstance(event, Notice):
            notes.append(event.text)
        elif isinstance(event, StackProgress) and len(killed) < times:
            for worker in children_of(os.getpid()):
                killed.append("worker")
                os.kill(worker, signal.SIGKILL)

    spec = replace(TINY, seeds=4, training=replace(TINY.training, steps=4000, evaluate_every=1000, stop_early=False))
    if times == 1:
        outcome = run_experiment(spec, place, workers=1, on_event=kill)
        assert len(outcome.results) == 4
        assert notes == ["a training process ended by signal 9. bin_majority × nope goes on in a new one."]
    else:
        with pytest.raises(TrainingFailedError) as caught:
            run_experiment(spec, place, workers=1, on_event=kill)
        assert message_of(caught) == (
            "a training process ended by signal 9. This stopped bin_majority × nope.\n"
            "hint: it may have run out of memory; finished runs are kept, so run the same command again."
        )
        assert notes[-1] == "a training process ended by signal 9. bin_majority × nope is given up."
        assert len(notes) == 3
    assert children_of(os.getpid()) == []


def test_what_does_not_fit_into_memory_is_tried_with_half_as_many(tmp_path: Path) -> None:
    plan = StackPlan(runs=tuple(make_runs([replace(TINY, seeds=4)])), choice=replace(DEFAULT_CHOICE, models=64))
    checkpoints = Checkpoints(folder=tmp_path, seconds=0)
    checkpoint_of(plan, tmp_path).write_bytes(b"of three slots")
    queue, error = (
        StackQueue([plan], checkpoints),
        TrainingFailedError("3 models do not fit.", hint="use fewer.", slots=3),
    )
    error = pickle.loads(pickle.dumps(error))  # as it comes from a worker
    queue.take()
    queue.note(RunsDone(stack=0, results=(make_result(plan.runs[2]),)))
    assert queue.give_back(0, error) == "3 models do not fit. It is trained with 1 at once."
    number, again = queue.take()
    assert (number, again.choice.models) == (0, 1)
    assert again.finished == {plan.runs[2].id}
    assert not checkpoint_of(plan, tmp_path).exists()
    error = TrainingFailedError("1 model does not fit.", slots=1)
    assert queue.give_back(0, error) == f"1 model does not fit. {plan.label} is given up."
    assert queue.is_empty
    with pytest.raises(TrainingFailedError, match="1 model does not fit"):
        queue.raise_failures()


def test_what_fails_for_good_is_raised_at_the_end() -> None:
    good, *_ = make_runs([TINY])
    bad = replace(good, task="repeat_copy", task_revision=99)
    events: list[Event] = []

    def train() -> None:
        for event in train_locally([StackPlan(runs=(bad,)), StackPlan(runs=(good,))], workers=1):
            events.append(event)  # noqa: PERF402  # what came before the error counts

    with pytest.raises(TrainingFailedError, match="repeat_copy has changed since its runs were planned"):
        train()
    assert [event.text for event in events if isinstance(event, Notice)] == [
        "repeat_copy has changed since its runs were planned. repeat_copy × nope is given up."
    ]
    assert [event.stack for event in events if isinstance(event, StackDone)] == [1]


def failed_queue(*errors: TrainingFailedError) -> StackQueue:
    """Return a queue whose stacks failed for good, the first with the first error and so on."""
    (base,) = make_runs([replace(TINY, seeds=1, encodings=("nope",))])
    plans = [StackPlan(runs=(replace(base, task=f"task_{number}"),)) for number in range(len(errors))]
    queue = StackQueue(plans, None)
    for number, error in enumerate(errors):
        queue.take()
        queue.give_back(number, error)
    return queue


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["no room."], "no room. This stopped task_0 × nope.\nhint: make room."),
        (
            ["no room.", "no time.", "no room."],
            "3 stacks were given up. no room. This stopped task_0 × nope, task_2 × nope. no time. This stopped task_1 × nope.\n"
            "hint: make room.",
        ),
        (
            ["no room."] * 12,
            "12 stacks were given up. no room. This stopped "
            + ", ".join(f"task_{number} × nope" for number in range(10))
            + " and 2 more.\nhint: make room.",
        ),
    ],
    ids=["one", "several", "many"],
)
def test_the_error_at_the_end_names_the_stacks_that_failed(messages: list[str], expected: str) -> None:
    queue = failed_queue(*(TrainingFailedError(message, hint="make room.") for message in messages))
    with pytest.raises(TrainingFailedError) as caught:
        queue.raise_failures()
    assert message_of(caught) == expected


def test_a_dead_worker_gives_its_stack_back_twice_and_no_more() -> None:
    plan = StackPlan(runs=tuple(make_runs([TINY])))
    queue = StackQueue([plan], None)
    died = TrainingFailedError("a training process ended by signal 9.", has_died=True)
    for _ in range(2):
        queue.take()
        assert queue.give_back(0, died).endswith("goes on in a new one.")
    queue.take()
    assert queue.give_back(0, died) == f"a training process ended by signal 9. {plan.label} is given up."
    assert queue.is_empty


def test_a_mistake_of_ours_is_raised_before_other_failures() -> None:
    plan = StackPlan(runs=tuple(make_runs([TINY])))
    queue = StackQueue([plan] * 3, None)
    for number, error in enumerate(
        [TrainingFailedError("one."), ZeroDivisionError("two"), TrainingFailedError("three.")]
    ):
        queue.take()
        queue.give_back(number, error)
    with pytest.raises(ZeroDivisionError):
        queue.raise_failures()


class FullStore:
    """A store that cannot be written until there is room."""

    has_room = False

    def __init__(self) -> None:
        self.saved: list[Result] = []

    def save(self, results: tuple[Result, ...], *, again: bool) -> None:
        assert not again
        if not self.has_room:
            raise UnreadableFileError("no room.")
        self.saved += results


def test_finished_runs_in_memory_are_saved_when_training_fails() -> None:
    store, notes = FullStore(), list[Notice]()
    result = make_result(make_runs([TINY])[0])

    def fail() -> None:
        with _Recorder(store, again=False, on_notice=notes.append) as recorder:  # type: ignore[arg-type]
            recorder.record((result,))
            store.has_room = True
            raise TrainingFailedError("worse.")

    with pytest.raises(TrainingFailedError, match="worse"):
        fail()
    assert store.saved == [result]
    assert [note.text for note in notes] == ["no room. 1 finished runs are kept in memory and saved later."]


def test_a_worker_that_ends_in_the_middle_of_a_message_has_died() -> None:
    ours, theirs = Pipe()
    os.write(theirs.fileno(), (100).to_bytes(4, "big") + b"the first bytes")
    theirs.close()
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    found = _receive(SimpleNamespace(connection=ours, process=process))  # type: ignore[arg-type]
    assert isinstance(found, TrainingFailedError)
    assert found.has_died
    assert found.message == "a training process ended with exit code 3."


def test_progress_is_of_the_runs_in_slots() -> None:
    plan = StackPlan(runs=tuple(make_runs([replace(TINY, seeds=3)])), choice=replace(DEFAULT_CHOICE, models=1))
    training = replace(TINY.training, steps=60, evaluate_every=60)
    plan = replace(plan, runs=tuple(replace(run, training=training) for run in plan.runs))
    events: list[Event] = []
    Machine("cpu").train(0, plan, events.append)
    sizes = {len(event.matched) for event in events if isinstance(event, StackProgress)}
    assert sizes == {0, 1}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the signals of a process")
def test_an_interrupt_from_the_keyboard_reaches_the_driver_alone(place: Path) -> None:
    driver: list[int] = []
    workers: list[int] = []

    def is_blocked(process: int) -> int:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        return int(status.partition("SigBlk:")[2].split()[0], 16) >> (signal.SIGINT - 1) & 1

    def look(_: Event) -> None:
        driver.append(is_blocked(os.getpid()))
        workers.extend(map(is_blocked, children_of(os.getpid())))  # others of this process may be there too

    run_experiment(replace(TINY, seeds=1), place, workers=1, on_event=look)
    assert set(driver) == {0}
    assert 1 in workers


def test_the_number_of_workers_must_be_one_or_more(place: Path) -> None:
    for workers in (0, -1):
        with pytest.raises(InvalidOptionError) as caught:
            run_experiment(TINY, place, workers=workers)
        assert message_of(caught) == (
            f"workers must be a whole number from 1 to 1000; found {workers}.\nhint: correct the value."
        )
    assert not place.exists()


# Interruptions


class Driver:
    """A run of the command in a session of its own, so that a signal to its group reaches all of its processes."""

    def __init__(self, spec: Spec, place: Path) -> None:
        path = place.with_name("spec.toml")
        path.write_text(dump_spec(spec), encoding="utf-8")
        self.place = place
        arguments = ["run", str(path), "--store", str(place), "--out", str(place.with_name("report.html"))]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lengthwise", *arguments, "--workers", "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_for_finished_runs(self, number: int) -> None:
        """Wait until the store has so many runs."""

        def are_there() -> bool:
            assert self.process.poll() is None, self.process.communicate()
            try:
                return len(stored_rows(self.place)) >= number
            except sqlite3.Error:  # not made yet
                return False

        wait_until(are_there, f"{number} finished runs")

    def send(self, number: signal.Signals, *, to_all: bool) -> tuple[int, str]:
        """Send a signal to the driver, or to its whole group; return its exit code and what it said on stderr."""
        (os.killpg if to_all else os.kill)(self.process.pid, number)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said

    def require_no_orphans(self) -> None:
        """Wait until no process of the group is left."""

        def are_gone() -> bool:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return True
            return False

        wait_until(are_gone, "the processes of the run to end")


@pytest.fixture
def start(place: Path) -> Iterator[Callable[[Spec], Driver]]:
    drivers: list[Driver] = []

    def start_driver(spec: Spec) -> Driver:
        drivers.append(Driver(spec, place))
        return drivers[-1]

    yield start_driver
    for driver in drivers:
        with suppress(ProcessLookupError):
            os.killpg(driver.process.pid, signal.SIGKILL)
        driver.process.communicate()


def test_nothing_finished_is_lost_or_repeated_when_everything_is_killed(
    place: Path, start: Callable[[Spec], Driver]
) -> None:
    driver = start(MANY_STACKS)
    driver.wait_for_finished_runs(4)
    code, _ = driver.send(signal.SIGKILL, to_all=True)
    assert code == -signal.SIGKILL
    before = stored_rows(place)
    runs = make_runs([MANY_STACKS])
    assert 4 <= len(before) < len(runs) == 24, "the kill came too late to be a test"
    assert all(row[-1] for row in before.values()), "a row without scores"

    trained: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, StackDone):
            trained.extend(result.id for result in event.results)

    outcome = run_experiment(MANY_STACKS, place, workers=1, on_event=note)
    after = stored_rows(place)
    assert outcome.reused == len(before)
    assert set(after) == {run.id for run in runs}
    assert sorted(trained) == sorted(set(after) - set(before))
    assert {run_id: after[run_id] for run_id in before} == before

    # what was trained after the interruption is what would have come out without it
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        last = train_planned(0, make_plan(MANY_STACKS)[-1], "cpu").results
    finally:
        torch.set_num_threads(threads)
    assert [what_came_out(result) for result in last] == [what_came_out(result) for result in outcome.results[-2:]]


def test_an_interrupt_ends_all_processes_at_once_and_leaves_a_store_to_go_on_with(
    place: Path, start: Callable[[Spec], Driver]
) -> None:
    """Also with so many stacks waiting that they do not fit into a pipe."""
    spec = replace(TINY, seeds=4000)
    driver = start(spec)
    driver.wait_for_finished_runs(8)
    code, said = driver.send(signal.SIGINT, to_all=True)
    assert code == 130
    assert said.endswith("\ninterrupted: finished runs are saved; run the same command again to continue.\n")
    assert "Traceback" not in said
    driver.require_no_orphans()
    before = stored_rows(place)
    assert 8 <= len(before) < 4000

    again = run_experiment(replace(spec, seeds=8), place)
    assert again.reused == len(again.results) == 8
    assert stored_rows(place) == before


@pytest.mark.full
def test_workers_end_when_their_driver_is_killed(start: Callable[[Spec], Driver]) -> None:
    driver = start(replace(TINY, seeds=4000))
    driver.wait_for_finished_runs(1)
    code, _ = driver.send(signal.SIGKILL, to_all=False)
    assert code == -signal.SIGKILL
    driver.require_no_orphans()


@pytest.mark.full
def test_the_example_of_a_logger_writes_what_tensorboard_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs the package tensorboard, which nothing else here does."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    page = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    example = page.split("## Follow a run")[1].split("```text\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    call, settings = (
        'lengthwise.run("parity", ',
        "encodings=['nope'], seeds=1, train_length=3, test_length=6, steps=4, ",
    )
    assert call in example
    exec(
        "import lengthwise\n" + example.replace(call, f"{call}evaluate_every=2, device='cpu', workers=1, {settings}"),
        {},
    )
    folders = sorted((tmp_path / "logs").iterdir())
    assert len(folders) == 2, "one for each width"
    found = EventAccumulator(str(folders[0])).Reload()
    assert [point.step for point in found.Scalars("loss")] == [2, 4]
    assert [point.step for point in found.Scalars("exact match by length")] == list(range(7))
