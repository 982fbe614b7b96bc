"""The answers of the playground: the same as the command's, errors with their place, and no file is ever read."""

from __future__ import annotations

import contextlib
import io
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from lengthwise.cli.main import main
from lengthwise.theory.checker import Check
from lengthwise.web.answers import KINDS, MOST_CHARACTERS, answer, claim_in_words


def ask(kind: str, **fields: object) -> dict[str, object]:
    return json.loads(answer(json.dumps({"kind": kind, **fields})))


def printed(*arguments: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        assert main(arguments) == 0
    return output.getvalue()


@pytest.mark.parametrize("what", ["(aa)*", "(ab|bbaa)*", "PARITY", "[012]*02*", "unique_copy", "~(ab)*&.*"])
def test_the_json_of_a_prediction_is_that_of_the_command_byte_for_byte(what: str) -> None:
    found = ask("predict", what=what, encodings="nope,ape,rope", alphabet="" if what != "~(ab)*&.*" else "abc")
    alphabet = ["--alphabet", "abc"] if what == "~(ab)*&.*" else []
    assert found["json"] + "\n" == printed("predict", "--json", "--encoding", "nope,ape,rope", *alphabet, "--", what)


def test_a_row_says_what_both_theories_say() -> None:
    (row,) = ask("predict", what="(ab|bba)*", encodings="ape")["rows"]
    assert (row["answer"], [theory["answer"] for theory in row["theories"]]) == ("YES", ["YES", "NO"])
    assert row["aside"].startswith("This YES assumes exact averages.")


def test_the_drawing_holds_no_style_sheet_and_the_automaton_can_be_walked() -> None:
    automaton = ask("predict", what="(aa)*")["question"]["automaton"]
    assert "<svg" in automaton["drawing"]
    assert "<style" not in automaton["drawing"]
    assert automaton["transitions"] == [[1], [0]]


def test_symbols_that_look_like_markup_stay_text_in_the_drawing() -> None:
    automaton = ask("predict", what=r"\<<img src=x>*", regex=True)["question"]["automaton"]
    assert "<img" not in automaton["drawing"]


def test_an_error_has_its_hint_and_the_place() -> None:
    assert ask("predict", what="(aa")["error"] == {
        "message": "cannot read the regular expression: this '(' is never closed.",
        "hint": "add the missing ')', or write \\( for the symbol.",
        "caret": "(aa\n^",
        "line": None,
    }


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"what": ".*a"}, "name its symbols under Options, in the field Alphabet: for example ab."),
        ({"what": "~()"}, "name its symbols under Options, in the field Alphabet: for example ab."),
        (
            {"what": "copy"},
            "names that contain it: repeat_copy, unique_copy, copy_every, selective_copy; or write '(copy)' for the regular expression.",
        ),
        (
            {"what": "xylophone"},
            "tick 'Read a bare word as an expression' under Options, or write '(xylophone)' for the regular expression.",
        ),
        ({"what": "parity", "alphabet": "ab"}, "leave the field Alphabet empty (under Options)."),
        ({"what": "parity", "asked": "next"}, "choose the question 'Is the word in the language?' under Options."),
        ({"what": "(a|b)*a(a|b){40}"}, "simplify the expression; the command line takes larger ones."),
    ],
)
def test_a_hint_names_fields_of_the_page_instead_of_options(fields: dict[str, str], hint: str) -> None:
    assert ask("predict", **fields)["error"]["hint"] == hint


def test_an_error_in_a_program_names_its_line() -> None:
    error = ask("program", program="alphabet 'a'\naccept := #['a'] = ", word="a")["error"]
    assert (error["line"], error["caret"].splitlines()[0]) == (2, "accept := #['a'] = ")


def test_advice_has_hard_pairs_programs_and_repairs() -> None:
    found = ask("advise", what="(aa)*", encodings="nope,ape", number=3)
    assert [(pair["in"], pair["out"]) for pair in found["pairs"]] == [("ε", "a"), ("aa", "aaa"), ("aaaa", "aaaaa")]
    assert [(program["encoding"], program["kind"]) for program in found["programs"]] == [("ape", "program")]
    assert found["repairs"][0].startswith("nope: write the running state beside each symbol")


@pytest.mark.parametrize(
    ("other", "equal", "word", "only_in"),
    [("()|a(ba)*b", True, None, None), ("(ab)*a", False, "ε", 0), ("a*", False, "a", 1)],
)
def test_two_languages_are_equal_or_differ_in_a_shortest_word(other: str, equal: bool, word: str, only_in: int) -> None:
    found = ask("compare", what="(ab)*", other=other)
    assert (found["equal"], found["word"], found.get("only_in")) == (equal, word, only_in)


def test_tasks_that_are_no_languages_are_not_compared() -> None:
    assert ask("compare", what="(ab)*", other="unique_copy")["equal"] is None


def test_a_program_is_traced_and_judged() -> None:
    found = ask("program", program="alphabet 'a' 'b'\naccept := #['a'] = #['b']", word="aab", encodings="nope")
    assert found["trace"]["result"] == "rejected"
    assert [row["answer"] for row in found["rows"]] == ["YES"]
    assert {finding["severity"] for finding in found["findings"]} == {"note"}


def test_a_program_without_a_meaning_has_findings_only() -> None:
    found = ask("program", program="alphabet 'a'\naccept := missing", word="a")
    assert found["findings"][0]["severity"] == "error"
    assert found["rows"] == []


def test_certificates_are_checked_and_forged_ones_rejected() -> None:
    rows = json.loads(ask("predict", what="(aa)*")["json"])
    assert [check["accepted"] for check in ask("check", certificates=json.dumps(rows))["checks"]] == [True, True]
    assert [(check["encoding"], check["claim"]) for check in ask("check", certificates=json.dumps(rows))["checks"]] == [
        (
            "nope",
            "Is a word over {a} in the language, read at the end marker? NO: counting (C-RASP) does not solve this at every length.",
        ),
        (
            "ape",
            "Is a word over {a} in the language, read at the end marker? YES: counting, with the last few symbols and the position modulo "
            "a number (C-RASP[periodic, local]) solves this at every length.",
        ),
    ]
    rows[0]["answer"] = "YES"
    rejected = ask("check", certificates=json.dumps(rows))["checks"][0]
    assert rejected["accepted"] is False
    assert rejected["objection"]


def test_certificates_about_next_symbols_and_depth_are_described_in_words_too() -> None:
    (row,) = json.loads(ask("predict", what="(ab)*", asked="next", encodings="rope")["json"])
    (check,) = ask("check", certificates=json.dumps(row["certificate"]))["checks"]
    assert check["encoding"] == ""
    assert check["claim"].startswith("Which symbols of {a, b} can come next, at every prefix, read at ")
    depth = Check(
        answer="at least 2 layers",
        fragment="PLAIN",
        asked="MEMBERSHIP",
        readout="LAST_SYMBOL",
        alphabet=("a",),
        objection=None,
    )
    assert (
        claim_in_words(depth)
        == "Is a word over {a} in the language, read at the last symbol? Counting (C-RASP) needs at least 2 layers."
    )
    assert claim_in_words(replace(depth, fragment=None)) == "The certificate does not say what it claims."
    assert claim_in_words(replace(depth, asked="ODD", fragment="odd", readout="", answer="NO")) == (
        "ODD? NO: odd does not solve this at every length."
    )


@pytest.mark.parametrize("name", ["task.py", "pairs.jsonl", "automaton.json", "mine.crasp", " x.PY "])
def test_no_file_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name.strip()).write_text("raise SystemExit('ran')")
    for kind in ("predict", "advise", "compare"):
        assert "is the name of a file" in ask(kind, what=name, other="a*")["error"]["message"]


@pytest.mark.parametrize(
    "request_text",
    ["", "null", "[]", "{}", '{"kind": "exec"}', '{"kind": "predict", "what": 3}', '{"kind": "predict"}', "{" * 50_000],
)
def test_a_wrong_request_is_an_error_in_words(request_text: str) -> None:
    error = json.loads(answer(request_text))["error"]
    assert error["message"]
    assert error["hint"]


def test_a_request_that_is_too_long_is_refused_before_it_is_read() -> None:
    assert "takes up to 100,000" in ask("predict", what="a" * MOST_CHARACTERS)["error"]["message"]


def test_hostile_requests_give_an_answer_or_an_error_and_never_raise() -> None:
    """A sample; benchmarks/site.py types ten thousand into a browser."""
    draw = random.Random(0)
    pieces = [
        *"ab()[]|*+?.^$~&/\\{}<>'\"#;:= \n\t\0\u202e\ud800é",
        "<script>",
        "{9999999}",
        "next",
        "__import__",
        "(" * 200,
        "../",
    ]
    for _ in range(150):
        text = "".join(draw.choice(pieces) for _ in range(draw.randrange(1, 12)))
        kind = draw.choice([*KINDS])
        fields = {
            "what": text,
            "other": "a*",
            "program": text,
            "certificates": text,
            "alphabet": draw.choice(["", text, "ab"]),
        }
        found = ask(kind, **fields, encodings=draw.choice(["nope", text]), word=text)
        assert isinstance(found, dict)
