"""`lengthwise atlas`, and the chances that `predict` and `recommend` print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_runner import Runner

from lengthwise.evidence.chance import Head, Predictor


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def predictor_file(folder: Path) -> Path:
    """Write a predictor by which what is proved matters and nothing else does."""
    head = Head(weights={"+counting": 2.0}, replicates=((1.8,), (2.2,)))
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
    assert "Chance: learned from measurements (a test), not proved." in told


def test_the_json_of_predict_has_the_chance(run: Runner, tmp_path: Path) -> None:
    done = run("predict", "(ab)*", "--encoding", "nope", "--json", "--predictor", str(predictor_file(tmp_path)))
    (row,) = json.loads(done.out)
    assert row["chance"] == {
        "generalize": 0.881,
        "low": 0.834,
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
