"""The commands about programs, as a user types them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from lengthwise.cli.main import main
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import generate
from lengthwise.crasp.measures import fragment_of
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.programs.catalog import find_program
from lengthwise.predict.predict import predict
from lengthwise.tasks.catalog import find_task
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer

DYCK = """
alphabet '(' ')'
depth  := #['('] - #[')']
accept := #[depth < 0] = 0 and depth = 0
"""
LOCAL = "alphabet 'a' 'b'\naccept := #['b' and #{1}['a'] = 1] > 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "dyck.crasp").write_text(DYCK, encoding="utf-8")
    (tmp_path / "local.crasp").write_text(LOCAL, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, object]:
    code, out, _ = run(capsys, *arguments, "--json")
    return code, json.loads(out)


pytestmark = pytest.mark.usefixtures("folder")


def test_a_program_from_a_file_or_the_library_is_run_on_words(capsys: pytest.CaptureFixture[str]) -> None:
    for program in ("dyck.crasp", "dyck_1"):
        assert run(capsys, "crasp", "run", program, "(())", "())(") == (0, "word  accepted\n(())  yes\n())(  no\n", "")
    assert run_json(capsys, "crasp", "run", "dyck_1", "()", "") == (
        0,
        [{"word": ["(", ")"], "accepted": True}, {"word": [], "accepted": True}],
    )


def test_a_generator_tells_what_comes_next_or_writes_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "crasp", "run", "unique_copy", "cab|", "cab|c")
    assert (code, out) == (0, "word   next\ncab|   c\ncab|c  a\n")
    code, out, _ = run(capsys, "crasp", "run", "unique_copy", "cab|", "--generate")
    assert (code, out) == (0, "word  writes\ncab|  c a b\n")
    assert run_json(capsys, "crasp", "run", "unique_copy", "cab|", "--generate") == (
        0,
        [{"word": ["c", "a", "b", "|"], "written": ["c", "a", "b"]}],
    )


def test_symbols_of_several_characters_are_separated_by_spaces(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "long.crasp").write_text("alphabet 'go' 'stop'\naccept := 'stop'\n", encoding="utf-8")
    assert run_json(capsys, "crasp", "run", "long.crasp", "go go stop", "go") == (
        0,
        [{"word": ["go", "go", "stop"], "accepted": True}, {"word": ["go"], "accepted": False}],
    )


def test_the_offset_is_added_to_positions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "even.crasp").write_text("alphabet 'a'\naccept := pos % 2 = 0\n", encoding="utf-8")
    assert "yes" in run(capsys, "crasp", "run", "even.crasp", "aa")[1]
    assert "no" in run(capsys, "crasp", "run", "even.crasp", "aa", "--offset", "1")[1]


def test_a_trace_is_printed_and_written_as_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "crasp", "trace", "dyck.crasp", "())(", "--html", "trace.html")
    assert code == 0
    assert "depth     1 0 -1 0\n" in out
    assert out.endswith("result: rejected\n")
    assert err == "wrote trace.html\n"
    assert "<td" in (folder / "trace.html").read_text(encoding="utf-8")
    _, data = run_json(capsys, "crasp", "trace", "dyck.crasp", "()")
    assert data == {
        "symbols": ["(", ")"],
        "values": {"depth": [1, 0], "accept": [False, True]},
        "result": "accepted",
    }


def test_equal_exits_with_0_and_different_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "crasp", "equal", "dyck.crasp", "dyck_1", "--max-length", "8")
    assert code == 0
    assert out.startswith("equal on all 510 words of length 1 to 8. That is no proof for longer ones")
    code, out, _ = run(capsys, "crasp", "equal", "local.crasp", "[ab]*ba[ab]*")
    assert (code, out.split("\n")[0]) == (1, "different, and this is a shortest word that shows it: ab")
    assert run_json(capsys, "crasp", "equal", "local.crasp", "[ab]*ab[ab]*", "--max-length", "5") == (
        0,
        {"equal": True, "words": 62, "min_length": 1, "max_length": 5, "counterexample": None, "left": "", "right": ""},
    )
    assert run(capsys, "crasp", "equal", "(ab)*", "local.crasp")[0] == 1  # in either order


def test_a_language_over_fewer_letters_is_compared_over_the_alphabet_of_the_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(capsys, "crasp", "equal", "local.crasp", "a*")
    assert code == 1
    assert "shortest word that shows it: a\n" in out


def test_simplify_prints_a_program_that_can_be_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "long.crasp").write_text("alphabet 'a' 'b'\naccept := not not 'a' and #<['b'] > 0", encoding="utf-8")
    _, out, _ = run(capsys, "crasp", "simplify", "long.crasp")
    assert out == "alphabet 'a' 'b'\nread at last\n\naccept := 'a' and #<['b'] > 0\n"
    _, out, _ = run(capsys, "crasp", "simplify", "long.crasp", "--normal-form")
    assert "#<" not in out
    parse_program(out)
    _, out, _ = run(capsys, "crasp", "simplify", "long.crasp", "--latex")
    assert out.startswith("\\begin{align*}")
    _, data = run_json(capsys, "crasp", "simplify", "long.crasp")
    assert isinstance(data, dict)
    assert (data["fragment"], data["depth"], data["alphabet"]) == ("PLAIN", 1, ["a", "b"])


def test_synthesize_finds_a_smallest_program_and_says_since_when(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "crasp", "synthesize", "a*b*", "--max-length", "4")
    assert "unchanged from length" in out
    assert "is evidence and no proof" in out
    code, data = run_json(capsys, "crasp", "synthesize", "[ab]*a", "--max-length", "3")
    assert code == 0
    assert isinstance(data, dict)
    assert data["answers"][-1] == {"length": 3, "size": 1, "accept": "'a'"}
    assert data["stabilization_length"] == 1


def test_synthesize_learns_from_a_file_of_labelled_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "labelled.txt").write_text("+ ab\n- ba\n\n+ aab\n- a\n- b\n", encoding="utf-8")
    code, data = run_json(capsys, "crasp", "synthesize", "--examples", "labelled.txt")
    assert code == 0
    assert isinstance(data, dict)
    program = parse_program(data["program"])
    assert program.alphabet == ("a", "b")


def test_check_lists_findings_and_exits_with_1_for_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "dyck.crasp")[0] == 0
    (folder / "wrong.crasp").write_text("alphabet 'a'\nx := #['a']\naccept := y\n", encoding="utf-8")
    code, out, _ = run(capsys, "check", "wrong.crasp")
    assert code == 1
    assert out == "error: line 3: name 'y' is not defined; define it first.\n    accept := y\n              ^\n"
    code, data = run_json(capsys, "check", "wrong.crasp")
    assert code == 1
    assert data == [
        {
            "severity": "error",
            "code": "undefined",
            "message": "name 'y' is not defined; define it first.",
            "where": "accept",
            "line": 3,
            "span": [35, 36],
        }
    ]


def test_check_compares_with_a_language_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "local.crasp", "--for", "[ab]*ab[ab]*")[0] == 0
    assert run(capsys, "check", "local.crasp", "--for", "(ab)*")[0] == 1


def test_the_library_is_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "list", "programs")
    lines = out.splitlines()
    assert lines[0].split() == ["name", "fragment", "depth", "definition"]
    assert len(lines) > 60
    _, rows = run_json(capsys, "list", "programs")
    assert isinstance(rows, list)
    assert {"name": "dyck_1", "fragment": "C-RASP", "depth": "2", "definition": "balanced brackets of one type"} in rows
    _, out, _ = run(capsys, "show", "program", "bounded_dyck(3)")
    assert "depth 2" in out
    assert "alphabet 'a' 'b'" in out
    _, out, _ = run(capsys, "show", "program", "dyck_1", "--latex")
    assert "\\begin{align*}" in out
    _, data = run_json(capsys, "show", "program", "dyck_1")
    assert isinstance(data, dict)
    assert data["fragment"] == "PLAIN"


@pytest.mark.parametrize("what", ["dyck.crasp", "dyck_1", "local.crasp"])
def test_predict_takes_a_program_and_its_certificate_can_be_checked(
    what: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = run_json(capsys, "predict", what)
    assert code == 0
    assert isinstance(rows, list)
    expected = ["UNKNOWN", "YES"] if what == "local.crasp" else ["YES", "YES"]
    assert [row["answer"] for row in rows] == expected
    assert {row["read_as"] for row in rows} == {"program"}
    for row in rows:
        if row["certificate"] is not None:
            assert check_certificate(row["certificate"]).accepted
    (folder / "verdicts.json").write_text(json.dumps(rows), encoding="utf-8")
    assert run(capsys, "check", "verdicts.json")[0] == 0
    _, out, _ = run(capsys, "predict", what, "--explain")
    assert "accept" in out


def test_a_program_that_looks_back_in_vain_is_simplified_before_the_verdict(folder: Path) -> None:
    path = folder / "vain.crasp"
    path.write_text("alphabet 'a' 'b'\naccept := 'a' and #{1}['a'] >= 0", encoding="utf-8")
    assert [row.verdict.answer for row in predict(str(path))] == [Answer.YES, Answer.YES]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("crasp", "run", "missing.crasp", "a"), "error: there is no file 'missing.crasp'.\nhint: check the path.\n"),
        (("crasp", "run", "dyk_1", "()"), "hint: did you mean 'dyck_1'?\n"),
        (
            ("crasp", "run", "dyck_1", "(x"),
            "error: symbol 'x' is not in the program's alphabet {(, )}.\nhint: use only these symbols.\n",
        ),
        (
            ("crasp", "run", "local.crasp", ""),
            "error: the empty word has no last symbol, so a program read there says nothing about it.\n"
            "hint: give a word, or let the program 'read at end' or have a start symbol.\n",
        ),
        (("crasp", "equal", "dyck_1", "(ab)*"), "error: they are over different alphabets, {(, )} and {a, b}.\n"),
        (
            ("crasp", "synthesize"),
            "error: synthesize needs a language or a file of examples, and not both.\n"
            "hint: for example: lengthwise crasp synthesize '(ab)*', or --examples labelled.txt\n",
        ),
        (("crasp", "synthesize", "dyck_1"), "error: 'dyck_1' is not a regular language.\n"),
        (
            ("crasp", "synthesize", "PARITY", "--max-size", "5"),
            "error: no program of size at most 5 agrees with the 126",
        ),
        (("crasp",), "error: the following arguments are required: ACTION.\n"),
        (("crasp", "jump"), "error: argument ACTION: invalid choice: 'jump'"),
        (("predict", "dyck.crasp", "--alphabet", "ab"), "hint: leave --alphabet out.\n"),
        (("predict", "dyck.crasp", "--asked", "next"), "hint: leave --asked out.\n"),
        (("show", "program", "subword(xyz)"), "error: program subword takes a word of 1 to"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_text_that_cannot_be_read_is_shown_with_line_and_caret(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.crasp").write_text("alphabet 'a'\naccept := #['a' > 1\n", encoding="utf-8")
    for command in (("check", "bad.crasp"), ("crasp", "run", "bad.crasp", "a"), ("predict", "bad.crasp")):
        code, _, err = run(capsys, *command)
        assert code == 2
        assert "  line 2:\n  accept := #['a' > 1\n" in err


def test_examples_that_cannot_be_read_are_told_by_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "labelled.txt").write_text("+ ab\n? ba\n", encoding="utf-8")
    _, _, err = run(capsys, "crasp", "synthesize", "--examples", "labelled.txt")
    assert err.startswith("error: line 2 of 'labelled.txt' begins with '?'; a line is + or -, a space and a word.\n")


# Programs as facts of tasks


def test_the_program_of_bin_majority_is_its_oracle() -> None:
    task = find_task("bin_majority")
    program = task.facts.program
    assert program is not None
    assert fragment_of(program) is Fragment.PLAIN
    for length in range(1, 9):
        for bits in product("01", repeat=length):
            if bits.count("0") != bits.count("1"):
                assert list(generate(program, [*bits, "<sep>"])) == task.answer(bits)


def test_the_library_has_the_program_that_unique_copy_cites() -> None:
    program = find_program("unique_copy").program
    (citation,) = [each for each in find_task("unique_copy").facts.cited if each.answer is Answer.YES]
    assert citation.fragment is fragment_of(program) is Fragment.LOCAL
    assert fragment_of(find_program("dedup").program) is Fragment.PLAIN
