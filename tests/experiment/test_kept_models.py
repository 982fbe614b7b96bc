"""Models that are kept: they compute what was scored, and whatever is wrong with a file is said in a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from spec_files import parse_spec

from lengthwise.arrays import torch_arrays
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import InvalidSpecError, UnreadableFileError
from lengthwise.experiment.models import find_model, load_model, model_path, models_folder, save_model
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store
from lengthwise.model.shape import Shape
from lengthwise.seeds import EVALUATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.train.evaluation import make_examples, match_instances
from lengthwise.train.models import make_model
from lengthwise.train.settings import Training

TINY = Spec(
    tasks=("bin_majority",),
    encodings=("ape",),
    seeds=2,
    train_length=4,
    test_length=(6, 12),
    model=Shape(layers=1, heads=1, width=8),
    training=Training(steps=30, batch=32, warmup=2, evaluate_every=10, examples=64),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kept") / "runs.sqlite"
    run_experiment(TINY, place, device="cpu", workers=1, keep=True)
    return place


def test_a_kept_model_scores_as_its_run_did(store: Path) -> None:
    with open_store(store) as opened:
        results = opened.results()
    assert len(results) == 2
    for result in results:
        model, run, _ = load_model(model_path(models_folder(store), result.id))
        assert run.id == result.id
        task, xp = find_task(run.task), torch_arrays("cpu")
        stream = open_stream(EVALUATION, seed=[run.seed], xp=xp)
        for number, bounds in enumerate(run.bins):
            examples = make_examples(task, bounds, run.training.examples, stream.at(number), xp, model.encoding)
            matches = int(match_instances(model, task.objective, examples).sum())
            assert matches == sum(right for length, _, right in result.scores if length in bounds)


def test_lengths_to_test_at_may_be_listed(store: Path) -> None:
    with open_store(store) as opened:
        assert {length for result in opened.results() for length, _, _ in result.scores} == {0, 1, 2, 3, 4, 6, 12} - {0}
    with pytest.raises(InvalidSpecError, match="test_length 6 is not above 12 before it"):
        replace(TINY, test_length=(12, 6))
    with pytest.raises(InvalidSpecError, match="lists no length"):
        parse_spec('tasks = ["parity"]\ntest_length = []')


@pytest.mark.full
def test_a_run_whose_model_is_gone_is_trained_again(tmp_path: Path) -> None:
    again = tmp_path / "runs.sqlite"
    first = run_experiment(TINY, again, device="cpu", workers=1)
    assert not models_folder(again).exists()
    second = run_experiment(TINY, again, device="cpu", workers=1, keep=True)
    assert second.reused == 0
    assert len(list(models_folder(again).iterdir())) == 2
    assert [result.scores for result in first.results] == [result.scores for result in second.results]
    assert run_experiment(TINY, again, device="cpu", workers=1, keep=True).reused == 2


def test_a_model_is_found_by_the_beginning_of_its_id(store: Path) -> None:
    known = sorted(path.stem for path in models_folder(store).iterdir())
    assert find_model(known[0][:6], store).stem == known[0]
    with pytest.raises(UnreadableFileError, match="2 kept models, and no id begins with 'zz'"):
        find_model("zz", store)
    with pytest.raises(UnreadableFileError, match="there are no kept models"):
        find_model("a", store.parent / "other.sqlite")


def test_what_is_no_kept_model_is_refused_in_a_sentence(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    with pytest.raises(UnreadableFileError, match="there is no file"):
        load_model(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(UnreadableFileError, match="is not a kept model"):
        load_model(path)
    kept = next(models_folder(store).iterdir())
    _, run, _ = load_model(kept)
    weights = {"a": torch.zeros(1)}
    for notes, told in (
        ({"format": 99, "run": run.settings}, "has format 99; this program reads format 1"),
        ({"format": 1, "run": run.settings | {"trainer_revision": 1}}, "was trained by revision 1 of the trainer"),
        (
            {"format": 1, "run": run.settings | {"trainer_revision": 1, "training": {"gone": 1}, "model": {}}},
            "was trained by revision 1 of the trainer",
        ),
        ({"format": 1, "run": 5}, "the settings in .* are not those of a run in this version: "),
        (
            {"format": 1, "run": {key: value for key, value in run.settings.items() if key != "training"}},
            "the settings in .* are not those of a run in this version: 'training' is missing",
        ),
        ({"format": 1, "run": run.settings | {"new": 1}}, "not those of a run in this version: .*'new'"),
        (
            {"format": 1, "run": run.settings | {"trainer_revision": None}},
            "was trained by revision None of the trainer",
        ),
        (
            {"format": 1, "run": run.settings | {"model": run.model.settings | {"heads": 3}}},
            "not those of a run in this version: width 8 cannot be divided among 3 heads",
        ),
        ({"format": 1, "run": run.settings}, "the weights in .* are not those of bin_majority × ape"),
        (7, "is not a kept model"),
        *(
            ({"format": 1, "run": run.settings | {key: value}}, f"not those of a run in this version: {told}")
            for key, value, told in (
                ("task", 1e16, "tasks must be a list of names"),
                ("encoding", 2**31, "encodings must be a list of names"),
                ("seed", "0", "seed must be a whole number"),
                ("learning_rate", True, "learning_rate must be a number"),
                ("train_length", 4.0, "train_length must be a whole number"),
                ("test_length", 2**53, "test_length must be a whole number"),
                ("test_length", [6, {"a": 1}], "test_length must be a whole number"),
                ("test_length", [], "test_length lists no length"),
                ("task_revision", None, "task_revision must be a whole number"),
                ("hard", 1, "hard must be true or false"),
            )
        ),
    ):
        save_file(weights, path, {"lengthwise": json.dumps(notes)})
        with pytest.raises(UnreadableFileError, match=told):
            load_model(path)


def test_a_width_that_is_not_the_file_s_costs_no_memory(store: Path, tmp_path: Path) -> None:
    kept = next(models_folder(store).iterdir())
    run = load_model(kept)[1]
    path = tmp_path / "x.safetensors"
    wide = {"layers": 100, "heads": 1, "width": 10_000, "tied": False}  # half a terabyte of weights
    notes = {"format": 1, "run": run.settings | {"model": wide}}
    save_file({"a": torch.zeros(1)}, path, {"lengthwise": json.dumps(notes)})
    with pytest.raises(UnreadableFileError, match=r"the weights in .* are not those of bin_majority × ape"):
        load_model(path)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_models_with_every_encoding_are_kept_and_read(encoding: str, tmp_path: Path) -> None:
    task = find_task("addition" if encoding == "abacus" else "unique_copy")
    run = replace(make_groups(replace(TINY, tasks=(task.name,)))[0][0], encoding=find_encoding(encoding).name)
    model = make_model(task, run.encoding, run.model, run.bins, num_models=1)
    path = save_model(run, {name: torch.ones_like(each) for name, each in model.named_parameters()}, tmp_path)
    loaded = load_model(path)[0]
    assert all(bool((parameter == 1).all()) for parameter in loaded.parameters())
