"""How many layers a prediction asks for."""

from __future__ import annotations

import pytest

from lengthwise.languages.regex import compile_regex
from lengthwise.predict.layers import answer_with, layers_needed, layers_to_json
from lengthwise.predict.predict import Prediction, predict
from lengthwise.theory.claims import Answer
from lengthwise.theory.depth.bounds import DepthLimits, bound_depth
from lengthwise.theory.depth.checker import check_depth_certificate
from lengthwise.theory.depth.problem import DepthQuestion


def row_of(what: str, encoding: str = "nope", **settings: str) -> Prediction:
    return predict(what, encodings=encoding, **settings)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "question", "depth"),
    [
        ({}, DepthQuestion.END_MARKER, 3),
        ({"readout": "last"}, DepthQuestion.LAST_SYMBOL, 3),
        ({"asked": "next"}, DepthQuestion.NEXT_SYMBOLS, 1),
    ],
)
def test_the_question_is_that_of_the_verdict(settings: dict[str, str], question: DepthQuestion, depth: int) -> None:
    bounds = layers_needed(row_of("(ab|bbaa)*", **settings))
    assert bounds is not None
    assert (bounds.question, bounds.at_least, bounds.at_most) == (question, depth, depth)


@pytest.mark.parametrize(
    ("what", "encoding"), [("PARITY", "nope"), ("(ab)*", "ape"), ("(ab)*", "rope"), ("majority", "nope")]
)
def test_nothing_is_said_where_nothing_is_proved(what: str, encoding: str) -> None:
    assert layers_needed(row_of(what, encoding)) is None


def test_the_answer_for_a_number_of_layers() -> None:
    bounds = layers_needed(row_of("(ab|bbaa)*"))
    assert bounds is not None
    assert answer_with(bounds, 2) == (
        Answer.NO,
        "a program exists, but none of depth 2: predicted not to length-generalize with 2 layers.",
    )
    assert answer_with(bounds, 1)[1].endswith("with 1 layer.")
    assert answer_with(bounds, 3) == (Answer.YES, "a program of depth 3 exists.")


def test_an_open_case_names_what_is_known() -> None:
    bounds = bound_depth(compile_regex("(a+b+){4}"), DepthQuestion.END_MARKER, DepthLimits(seconds=0.02))
    answer, reason = answer_with(bounds, 30)
    assert answer is Answer.UNKNOWN
    assert reason == (
        f"whether a program of depth 30 exists is open: needs at least {bounds.at_least} layers; no upper bound was found: "
        "bounding the depth took more than 0.02 s of CPU time, the cap."
    )


def test_the_json_has_certificates_that_hold() -> None:
    data = layers_to_json(layers_needed(row_of("(ab)*")), 1)
    assert data is not None
    assert (data["at_least"], data["at_most"], data["layers"], data["answer"]) == (2, 2, 1, "NO")
    certificates = data["certificates"]
    assert isinstance(certificates, list)
    assert [certificate["kind"] for certificate in certificates] == ["depth_at_least", "depth_at_most"]
    assert all(check_depth_certificate(certificate).accepted for certificate in certificates)
