"""`lengthwise atlas`, and the chances that `predict` and `recommend` print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_runner import Runner
from made_results import make_result

from lengthwise.evidence.chance import Head, Predictor
from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import open_store
from lengthwise.report.encoding_score import QUICK_PROBLEMS, QUICK_SEEDS, reference_cells


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def predictor_file(folder: Path) -> Path:
    """Write a predictor by which what is proved matters and nothing else does."""
    head = Head(weights={"+counting": 2.0}, replicates={"+counting": "1.8 2.2"})
    predictor = Predictor(at=3, train_length=50, num_cells=1240, fitted_to="a test", fit=head, generalize=head)
    path = folder / "predictor.json"
    path.write_text(json.dumps(predictor.to_json()))
    return path


def test_predict_prints_the_chance_of_a_predictor_beside_the_verdict(run: Runner, tmp_path: Path) -> None:
    done = run("predict", "(ab)*", "--encoding", "nope", "--predictor", str(predictor_file(tmp_path)))
    told = " ".join(done.out.split())
    assert (
        "Chance 0.88 (0.83–0.92) that a fitted run is right at 3 times the training length, estimated from 1,240 measured cells."
        in told
    )
    assert "Chance: learned from measurements (a test; small models, trained to length 50), not proved." in told


def test_the_json_of_predict_has_the_chance(run: Runner, tmp_path: Path) -> None:
    done = run("predict", "(ab)*", "--encoding", "nope", "--json", "--predictor", str(predictor_file(tmp_path)))
    (row,) = json.loads(done.out)
    assert row["chance"] == {
        "generalize": 0.881,
        "low": 0.833,
        "high": 0.916,
        "at": 3.0,
        "fit": 0.881,
        "source": "estimated",
        "cells": 1240,
    }
    (measured,) = json.loads(run("predict", "TOMITA_4", "--encoding", "path", "--asked", "next", "--json").out)
    assert measured["chance"]["source"] == "measured"
    assert measured["chance"]["generalize"] == 1.0


def test_recommend_says_that_ranks_come_from_chances_too(run: Runner, tmp_path: Path) -> None:
    done = run("recommend", "(ababa)*", "--predictor", str(predictor_file(tmp_path)))
    told = " ".join(done.out.split())
    assert "The ranks come from proofs, then from estimated chances." in told
    assert "nothing is proved or measured" not in told


def test_a_predictor_that_is_not_there_is_named(run: Runner, tmp_path: Path) -> None:
    done = run("predict", "(ab)*", "--predictor", str(tmp_path / "none.json"))
    assert done.code == 2
    assert "none.json" in done.err


# The commands of the atlas


def test_the_atlas_writes_its_page_and_prints_what_differs(run: Runner, tmp_path: Path) -> None:
    page = tmp_path / "atlas.html"
    done = run("atlas", "--out", str(page))
    assert (done.code, done.err) == (0, f"page: {page.resolve()}\n")
    assert "TOMITA_4 ape YES a solution exists, but 0 of 5 fitted runs found it" in " ".join(done.out.split())
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_action_of_the_atlas_may_be_left_out(run: Runner) -> None:
    assert run("atlas", "--json") == run("atlas", "page", "--json")
    assert "add the runs of a store" in run("atlas", "--help").out
    cells = json.loads(run.answers("atlas", "--json"))
    assert cells[0]["standing"] == "differs"
    assert run("atlas", "pages").code == 2


def test_a_store_is_added_and_shown(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENGTHWISE_CACHE", str(tmp_path / "cache"))
    spec = Spec(tasks=("(ab)*",), encodings=("rope",), seeds=2)
    path, runs = tmp_path / "runs.sqlite", make_runs([spec])
    with open_store(path) as opened:
        opened.save_plan([], describe_cells(runs))
        opened.save(make_result(each, [1.0, 0.95, 0.92], fit=((10, 2000, 1999),)) for each in runs)
    file = tmp_path / "cache" / "evidence.jsonl"
    assert run.answers("atlas", "add", str(path)) == f"2 runs in 1 cell, 2 of them new, are in {file}\n"
    assert json.loads(run.answers("atlas", "add", str(path), "--json")) == {
        "cells": 1,
        "runs": 2,
        "new_runs": 0,
        "left_out": {},
        "file": str(file),
    }
    shown = run.answers("predict", "(xy)*", "--encoding", "rope", "--asked", "next")
    assert "Your own runs: 2 of 2 fitted runs are right at 3 times the training length." in " ".join(shown.split())
    assert [row["own"] for row in json.loads(run.answers("atlas", "--json"))].count(True) == 1


def test_an_encoding_gets_its_row(run: Runner, tmp_path: Path) -> None:
    """Its runs are in the store already, as after a run that was interrupted: nothing is trained again."""
    store = tmp_path / "score.sqlite"
    _, problems = reference_cells()
    chosen = list(problems)[:QUICK_PROBLEMS]
    runs = make_runs([Spec(tasks=tuple(chosen), encodings=("sinusoidal",), seeds=QUICK_SEEDS)])
    with open_store(store) as opened:
        opened.save_plan([], describe_cells(runs))
        opened.save(make_result(each, [1.0, 0.95, 0.92], fit=((10, 2000, 1999),)) for each in runs)
    done = run("atlas", "score", "sinusoidal", "--quick", "--store", str(store), "--json")
    assert done.code == 0, done.err
    row = json.loads(done.out)
    assert row["conformance"]["failed"] == []
    assert row["cost"]["parameters"] == row["cost"]["parameters_of_rope"]
    assert [cell["problem"] for cell in row["cells"]] == chosen
    assert (row["share"], row["rank"]) == (1.0, 1)
    assert row["rank_interval"][0] == 1
    assert "sinusoidal" not in row["shares"]
    told = run("atlas", "score", "sinusoidal", "--quick", "--store", str(store)).out
    assert f"rank         1 of {row['encodings']}" in told
    assert "    1  1.00  sinusoidal  ←" in told
