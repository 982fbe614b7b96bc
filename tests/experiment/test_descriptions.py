"""What a store keeps of a task: its verdict, also by fixed precision, is read back as it was."""

from __future__ import annotations

import json

import pytest

from lengthwise.crasp.fragments import Fragment
from lengthwise.experiment.descriptions import Description, description_from_json, description_to_json
from lengthwise.predict.layers import predict_for_model
from lengthwise.predict.predict import predict_task
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import LengthRange
from lengthwise.theory.precision.logics import Logic


def described(task: str, encoding: str) -> Description:
    verdict = predict_task(find_task(task), encoding)
    return Description(definition="some task", bins=(LengthRange(low=1, high=8),), verdict=verdict)


@pytest.mark.parametrize(
    ("task", "encoding", "fragment"),
    [
        ("parity", "rope", Logic.P),
        ("states((aa)*)", "sinusoidal", Logic.P),
        ("states([ab]*b)", "fox", Logic.S),
        ("states((ab)*)", "window", Logic.Y),
        ("states((aa)*)", "ape", Fragment.PERIODIC_LOCAL),
    ],
)
def test_a_verdict_is_read_back_with_its_class_and_its_assumption(
    task: str, encoding: str, fragment: Fragment | Logic
) -> None:
    stored = described(task, encoding)
    data = json.loads(json.dumps(description_to_json(stored)))
    assert data["verdict"]["fragment"] == str(fragment)
    again = description_from_json(data)
    assert again.verdict.fragment is fragment
    for name in ("answer", "readout", "asked", "alphabet", "theorem", "reason", "assumption"):
        assert getattr(again.verdict, name) == getattr(stored.verdict, name), name
    assert again.verdict.certificate is None
    assert description_to_json(again) == data


def test_a_store_from_before_there_were_assumptions_is_read_and_no_unknown_class_is() -> None:
    data = description_to_json(described("parity", "rope"))
    del data["verdict"]["assumption"]
    assert description_from_json(data).verdict.assumption == ""
    data["verdict"]["fragment"] = "LTL[Q]"
    with pytest.raises(ValueError, match=r"LTL\[Q\]"):
        description_from_json(data)


@pytest.mark.parametrize(
    ("task", "layers", "answer"),
    [
        ("accepts(D_3)", 1, "NO"),
        ("accepts(D_3)", 2, "YES"),
        ("a+b+a+b+a+b+", 2, "NO"),  # next symbols of three such pairs of blocks need four layers
        ("(ab)*", 1, "YES"),
        ("parity", 1, "NO"),
    ],
)
def test_a_model_with_fewer_layers_than_every_solution_needs_is_a_no(task: str, layers: int, answer: str) -> None:
    verdict = predict_for_model(find_task(task), "nope", [], layers)
    assert verdict.answer == answer
    told = f"layers, and this model has {layers}." in verdict.reason
    assert told is (answer == "NO" and predict_task(find_task(task), "nope").answer == "YES")


def test_layers_settle_nothing_for_encodings_with_more_programs() -> None:
    assert predict_for_model(find_task("accepts(D_3)"), "ape", [], 1).answer == "YES"
