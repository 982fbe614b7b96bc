"""`predict --layers` and `--train-length`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_runner import Runner, printed_by

from lengthwise.theory.depth.checker import check_depth_certificate


def flat(text: str) -> str:
    return " ".join(text.split())


def test_layers_answers_for_a_number_of_layers(capsys: pytest.CaptureFixture[str]) -> None:
    out = flat(printed_by(capsys, "predict", "(ab|bbaa)*", "--layers", "2"))
    assert "Layers, nope: needs exactly 3 layers." in out
    assert (
        "With 2 layers: NO, a program exists, but none of depth 2: predicted not to length-generalize with 2 layers."
    ) in out
    assert "Layers, ape: no bound is proved for this encoding" in out
    assert "we know of no learning theorem for a fixed number of layers." in out


def test_layers_are_named_with_their_question_where_there_are_several(capsys: pytest.CaptureFixture[str]) -> None:
    out = flat(printed_by(capsys, "predict", "PARITY", "(ab)*", "--layers", "2", "--encoding", "nope"))
    assert "Layers, PARITY with nope: the answer is NO whatever the number of layers." in out
    assert "Layers, (ab)* with nope: needs exactly 2 layers. With 2 layers: YES, a program of depth 2 exists." in out


def test_explain_says_how_many_layers_and_a_plain_question_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("predict", "(ab)*", "--encoding", "nope")
    assert "Layers" not in printed_by(capsys, *arguments)
    assert "Layers, nope: needs exactly 2 layers." in printed_by(capsys, *arguments, "--explain")


@pytest.mark.parametrize(("layers", "code"), [("1", 1), ("2", 0)])
def test_the_exit_code_is_that_of_the_number_of_layers(
    layers: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Runner(capsys)
    assert run("predict", "(ab)*", "--encoding", "nope", "--layers", layers, "--exit-code").code == code


def test_train_length_says_what_is_reached(capsys: pytest.CaptureFixture[str]) -> None:
    out = flat(printed_by(capsys, "predict", "(ab|bbaa)*", "--train-length", "9"))
    assert "Training up to length 9, (ab|bbaa)*:" in out
    assert "once; from shorter words nothing says where the others lead. Training up to 9 reaches this." in out
    assert "2n − 2 = 10" in out
    assert "Training up to 9 does not reach this." in out
    assert "From two layers on, no bound on the training length can be computed in general." in out
    out = flat(printed_by(capsys, "predict", "PARITY", "--train-length", "9", "--encoding", "nope"))
    assert "No program of plain C-RASP exists" in out


def test_the_json_has_the_documented_fields(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed_by(capsys, "predict", "(ab)*", "--layers", "1", "--train-length", "3", "--json")
    plain, absolute = json.loads(out)
    assert list(plain)[-2:] == ["layers", "training_length"]
    assert list(plain["layers"]) == [
        "question",
        "at_least",
        "at_most",
        "certificates",
        "stopped",
        "layers",
        "answer",
        "reason",
    ]
    assert (plain["layers"]["at_least"], plain["layers"]["at_most"], plain["layers"]["answer"]) == (2, 2, "NO")
    assert all(check_depth_certificate(each).accepted for each in plain["layers"]["certificates"])
    assert absolute["layers"] is None
    statements = plain["training_length"]["statements"]
    assert [(each["name"], each["length"], each["reached"]) for each in statements] == [
        ("coverage", 2, True),
        ("smallest automaton", 4, False),
        ("more layers", None, None),
        ("smallest program", 4, False),
    ]


@pytest.mark.parametrize("option", ["--layers", "--train-length"])
def test_pairs_go_with_no_statement_about_layers(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Runner(capsys)("predict", "PARITY", "--pairs", "2", option, "3")
    assert outcome.code == 2
    assert f"--pairs 2 prints words instead of verdicts, so {option} has nothing to speak of." in flat(outcome.err)


def verdicts(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed_by(capsys, "predict", "(ab)*", "--json", *arguments))
    return found


def checked(capsys: pytest.CaptureFixture[str], path: Path, data: object) -> list[dict[str, Any]]:
    path.write_text(json.dumps(data), encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(Runner(capsys)("check", str(path), "--json").out)
    return found


def test_check_accepts_rows_with_layers_and_certificates_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = verdicts(capsys, "--layers", "1")
    alone = rows[0]["layers"]["certificates"]
    found = checked(capsys, tmp_path / "rows.json", [*rows, *alone])
    assert [each["accepted"] for each in found] == [True] * 4
    assert [each["answer"] for each in found[2:]] == ["at least 2 layers", "at most 2 layers"]


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        ({"at_least": 3}, "that 3 layers are needed is not proved"),
        ({"at_most": 1}, "that 1 layers are enough is not proved"),
        ({"at_most": "2"}, "that '2' layers are enough is not proved"),
        ({"certificates": []}, "that 2 layers are needed is not proved"),
        ({"certificates": None}, "the row's layers have no list of certificates"),
        ({"answer": "YES"}, "for 1 layers NO is proved, not 'YES'"),
        ({"layers": "1"}, "'1' is no number of layers"),
        ({"question": "NEXT_SYMBOLS"}, "the row's layers are about 'NEXT_SYMBOLS', which is another question"),
    ],
)
def test_check_refuses_rows_whose_layers_are_not_proved(
    changes: dict[str, object], objection: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (row,) = verdicts(capsys, "--layers", "1", "--encoding", "nope")
    row["layers"] |= changes
    (found,) = checked(capsys, tmp_path / "rows.json", [row])
    assert found["objection"] == objection


def test_check_refuses_layers_of_another_encoding_question_or_language(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plain, absolute = verdicts(capsys, "--layers", "1")
    absolute["layers"] = plain["layers"]
    (last,) = verdicts(capsys, "--layers", "1", "--encoding", "nope", "--readout", "last")
    last["layers"]["question"] = "END_MARKER"
    plain["layers"]["certificates"][0]["first"] = "x"
    found = checked(capsys, tmp_path / "rows.json", [absolute, last, plain])
    assert [each["objection"] for each in found] == [
        "no bound on the layers is proved for ape",
        "the row's layers are about 'END_MARKER', which is another question",
        "on its number of layers, symbol 'x' is not in the alphabet",
    ]
