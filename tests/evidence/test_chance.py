"""The chance: a NO never gets a higher one than a YES of the same shape, and a file that could break this is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lengthwise
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.errors import UnreadableFileError
from lengthwise.evidence.chance import Head, Predictor, is_monotone, logistic, measured_chance, read_predictor
from lengthwise.evidence.measured import SHIPPED_PREDICTOR, measured_cells
from lengthwise.predict.features import features_of, problem_features
from lengthwise.predict.predict import predict
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.facts import Facts

QUESTIONS = ("(aa)*", "(ab)*", "(ab|bbaa)*", "[ab]*ab[ab]*", "a*b*", "parity", "unique_copy", "add_decimal")


def features(what: str, encoding: str, asked: str = "membership") -> dict[str, float]:
    (row,) = predict(what, encodings=[encoding], asked=asked)
    return row.features


ALL_NAMES = sorted(
    {name for what in QUESTIONS for encoding in ("nope", "rope", "alibi") for name in features(what, encoding)}
)


@st.composite
def predictors(draw: st.DrawFn) -> Predictor:
    """Any predictor that a file may hold."""

    def weight(name: str) -> float:
        return draw(st.floats(0 if is_monotone(name) else -5, 5))

    def head() -> Head:
        names = draw(st.lists(st.sampled_from(ALL_NAMES), unique=True, max_size=25))
        weights = {name: weight(name) for name in names}
        return Head(weights=weights, replicates={name: f"{weight(name):.3f}" for name in names})

    return Predictor(
        at=3,
        train_length=50,
        num_cells=7,
        fitted_to="nothing",
        fit=head(),
        generalize=head(),
        beyond={at: head() for at in draw(st.sampled_from([(), (5,), (5, 10)]))},
    )


@given(predictors(), st.sampled_from(QUESTIONS[:5]), st.sampled_from(["nope", "rope", "alibi"]))
def test_a_no_never_gets_a_higher_chance_than_a_yes_of_the_same_shape(
    predictor: Predictor, what: str, encoding: str
) -> None:
    (row,) = predict(what, encodings=[encoding])
    chances = []
    for answer in (Answer.NO, Answer.UNKNOWN, Answer.YES):
        counting, precision = (replace(verdict, answer=answer) for verdict in (row.counting, row.precision))
        found = features_of(row.question.facts, None, encoding, counting, precision, is_far=False)
        chances.append(predictor.estimate(found))
    for lower, higher in pairwise(chances):
        assert lower.generalize is not None
        assert higher.generalize is not None
        assert lower.generalize <= higher.generalize + 1e-12
        assert lower.fit <= higher.fit + 1e-12
        assert all(lower.beyond[at] <= chance + 1e-12 for at, chance in higher.beyond.items())
        assert list(higher.beyond.values()) == sorted(higher.beyond.values(), reverse=True)
        assert all(chance <= higher.generalize for chance in higher.beyond.values())


@given(predictors(), st.sampled_from(QUESTIONS), st.sampled_from(ALL_NAMES), st.floats(0, 2))
def test_more_that_is_proved_never_lowers_a_chance(predictor: Predictor, what: str, name: str, more: float) -> None:
    if is_monotone(name):
        before = features(what, "rope")
        after = before | {name: before.get(name, 0.0) + more}
        assert predictor.generalize.chance(before) <= predictor.generalize.chance(after) + 1e-12


def test_features_that_a_verdict_changes_have_names_that_say_so() -> None:
    for what in ("(aa)*", "(ab)*", "(ab|bbaa)*"):
        for encoding in ("nope", "ape", "rope", "alibi", "path"):
            (row,) = predict(what, encodings=[encoding])
            rows = []
            for answer in Answer:
                counting, precision = (replace(verdict, answer=answer) for verdict in (row.counting, row.precision))
                rows.append(features_of(row.question.facts, None, encoding, counting, precision, is_far=row.is_far))
            changed = {name for found in rows for name in found if len({one.get(name, 0.0) for one in rows}) > 1}
            assert changed
            assert all(map(is_monotone, changed)), changed


def test_a_language_that_formulas_express_gets_more_of_their_features_than_one_that_they_do_not() -> None:
    from lengthwise.languages.regex import compile_regex

    inside, outside = (problem_features(Facts(language=compile_regex(text))) for text in ("(ab)*", "(ab|bbaa)*"))
    assert all(inside[name] >= outside[name] for name in inside if name.startswith("+LTL"))
    assert (inside["+PLAIN"], inside["+LTL[P]"]) == (1.0, -1.0)


def test_every_encoding_has_features_and_none_is_named_twice() -> None:
    for name in ENCODINGS:
        found = features("(aa)*", name)
        assert found[f"encoding:{ENCODINGS[name].name}"] == 1.0
        assert found["always"] == 1.0


def test_the_interval_is_wider_where_replicates_differ_more() -> None:
    names = {"always": 0.5}
    narrow, wide = (Head(weights=names, replicates={"always": f"{0.5 - step} {0.5 + step}"}) for step in (0.1, 1.0))
    low, high = wide.interval(names)
    inner_low, inner_high = narrow.interval({"always": 1.0})
    assert low < inner_low < logistic(0.5) < inner_high
    assert high < 1
    assert narrow.interval({}) == (0.5, 0.5)


def test_a_chance_that_was_measured_has_an_exact_interval() -> None:
    (cell,) = measured_cells(task="unique_copy")["lbpe"]
    found = measured_chance(cell)
    assert (found.generalize, found.high, found.fit, found.source) == (1.0, 1.0, 1.0, "measured")
    assert found.low is not None
    assert 0.47 < found.low < 0.48
    (none,) = measured_cells(task="unique_copy")["nope"]
    assert measured_chance(none).to_json() == {
        "generalize": None,
        "low": None,
        "high": None,
        "at": 3,
        "fit": 0.0,
        "source": "measured",
        "cells": 1,
    }


def small_predictor() -> Predictor:
    head = Head(weights={"+counting": 2.0, "always": -0.5}, replicates={"+counting": "1.5 2.5", "always": "-0.4 -0.6"})
    return Predictor(at=3, train_length=50, num_cells=1240, fitted_to="a test", fit=head, generalize=head)


def predictor_file(folder: Path) -> Path:
    path = folder / "predictor.json"
    path.write_text(json.dumps(small_predictor().to_json()))
    return path


def test_a_predictor_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_predictor(predictor_file(tmp_path)).to_json() == small_predictor().to_json()


def test_a_prediction_carries_the_chance_of_the_predictor_that_is_named(tmp_path: Path) -> None:
    path = predictor_file(tmp_path)
    (yes,) = lengthwise.predict("(ab)*", encodings=["nope"], predictor=path)
    (no,) = lengthwise.predict("(aaa)*", encodings=["nope"], predictor=path)
    assert yes.chance is not None
    assert no.chance is not None
    assert yes.to_json()["chance"] == yes.chance.to_json()
    assert yes.chance.generalize == pytest.approx(logistic(1.5))
    assert (yes.chance.source, yes.chance.num_cells) == ("estimated", 1240)
    assert no.chance.generalize == pytest.approx(logistic(-2.5))
    assert yes.chance.sentence() == (
        "Chance 0.82 (0.67–0.91) that a fitted run is right at 3 times the training length, estimated from 1,240 measured cells."
    )


def test_what_was_measured_for_the_same_question_goes_before_an_estimate(tmp_path: Path) -> None:
    path = predictor_file(tmp_path)
    (asked_next,) = lengthwise.predict("(aa)*", encodings=["ape"], asked=Asked.NEXT_SYMBOLS, predictor=path)
    (membership,) = lengthwise.predict("(aa)*", encodings=["ape"], predictor=path)
    assert asked_next.chance is not None
    assert asked_next.chance.source == "measured"
    assert asked_next.chance.generalize == 0.6
    assert membership.chance is not None
    assert membership.chance.source == "estimated"


def test_without_a_predictor_nothing_is_estimated() -> None:
    (row,) = lengthwise.predict("(ab)*", encodings=["nope"])
    assert (row.chance is None) is not SHIPPED_PREDICTOR.is_file()
    assert (row.to_json()["chance"] is None) is (row.chance is None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "its format is not 'lengthwise predictor 1'"),
        ({"at": float("nan")}, "nan is missing or of another type"),
        ({"at": 1e300}, "1e+300 is missing or of another type"),
        ({"heads": {}}, "'fit' is missing or of another type"),
        ({"at": "3"}, "'3' is missing or of another type"),
        ({"negative": 1}, "the weight of '+counting' is -2.0, which must not be negative"),
        ({"near": 1}, "a head 'generalize at' is of no larger multiple than 3"),
        ({"short": 1}, "its replicates are not as many numbers for every weight"),
    ],
)
def test_a_file_that_is_no_predictor_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    data = json.loads(json.dumps(small_predictor().to_json()))
    if "negative" in change:
        data["heads"]["fit"]["weights"]["+counting"] = -2.0
    elif "near" in change:
        data["heads"]["generalize at 2"] = data["heads"]["generalize"]
    elif "short" in change:
        data["heads"]["generalize"]["replicates"]["always"] = "1.0"
    else:
        data |= change
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    with pytest.raises(UnreadableFileError) as error:
        read_predictor(path)
    assert error.value.message == f"{str(path)!r} is not a predictor: {message}."


@pytest.mark.skipif(SHIPPED_PREDICTOR.is_file(), reason="the package has a predictor")
def test_a_prediction_without_a_predictor_imports_neither_the_model_nor_its_features() -> None:
    code = (
        "import sys; from lengthwise.cli.main import main; main(['predict', '(ab)*']); "
        "assert not {'lengthwise.evidence.chance', 'lengthwise.predict.features', 'numpy', 'torch'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def ranks(what: str, path: Path) -> list[str]:
    return [row.prediction.encoding for row in lengthwise.recommend(what, predictor=path).ranking]


def test_encodings_are_ranked_by_proof_then_by_measurement_then_by_chance(tmp_path: Path) -> None:
    head = Head(weights={"encoding:xpos": 3.0, "encoding:t5": 2.0, "encoding:alibi": -3.0}, replicates={})
    path = tmp_path / "predictor.json"
    path.write_text(json.dumps(replace(small_predictor(), fit=head, generalize=head).to_json()))
    order = ranks("(ababa)*", path)
    assert set(order) == {ENCODINGS[name].name for name in ENCODINGS}  # all have a chance, so all have a rank
    assert order[0] == "t5"  # the best chance of those that are proved
    assert order.index("xpos") > order.index("nope")  # a proof goes before a better chance
    assert order.index("xpos") < order.index("rpe") < order.index("alibi")  # all three UNKNOWN
    (why,) = [row.why for row in lengthwise.recommend("(ababa)*", predictor=path).ranking[:1]]
    assert why.endswith("estimated from 1,240 measured cells.")


def test_what_was_measured_goes_before_a_chance(tmp_path: Path) -> None:
    head = Head(weights={"encoding:ape": 5.0}, replicates={})
    path = tmp_path / "predictor.json"
    path.write_text(json.dumps(replace(small_predictor(), fit=head, generalize=head).to_json()))
    order = ranks("TOMITA_4", path)
    assert order.index("deberta") < order.index("ape") < order.index("path")  # 5 of 5, 0 of 5, UNKNOWN with 5 of 5
