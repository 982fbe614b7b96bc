"""The commands about programs, as a user types them."""

from __future__ import annotations

import io
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
from lengthwise.tasks.core.catalog import find_task
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


def test_long_words_are_run_too(capsys: pytest.CaptureFixture[str]) -> None:
    half = 10_000  # far beyond what the interpreter, whose time is quadratic, could do
    code, data = run_json(capsys, "crasp", "run", "dyck_1", "(" * half + ")" * half, "(" * half)
    assert isinstance(data, list)
    assert (code, [row["accepted"] for row in data]) == (0, [True, False])
    code, _, err = run(capsys, "crasp", "run", "dyck_1", "()" * half + "x")
    assert (code, err.split("\n")[0]) == (2, "error: symbol 'x' is not in the program's alphabet {(, )}.")


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
        {
            "equal": True,
            "exact": False,
            "words": 62,
            "min_length": 1,
            "max_length": 5,
            "counterexample": None,
            "left": "",
            "right": "",
        },
    )
    assert run(capsys, "crasp", "equal", "(ab)*", "local.crasp")[0] == 1  # in either order


def test_a_language_over_fewer_letters_is_compared_over_the_alphabet_of_the_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(capsys, "crasp", "equal", "local.crasp", "a*")
    assert code == 1
    assert "shortest word that shows it: a\n" in out


def test_two_languages_are_compared_for_all_lengths(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "crasp", "equal", "(ab)*a", "a(ba)*") == (
        0,
        "equal on words of every length: their minimal automata are the same.\n",
        "",
    )
    assert run_json(capsys, "crasp", "equal", "a{300}", "a{300}|a{301}b") == (
        1,
        {
            "equal": False,
            "exact": True,
            "words": 0,
            "min_length": 0,
            "max_length": None,
            "counterexample": ["a"] * 301 + ["b"],
            "left": "rejects",
            "right": "accepts",
        },
    )
    code, data = run_json(capsys, "crasp", "equal", "a{9}", "a{10}", "--max-length", "8")
    assert isinstance(data, dict)
    assert (code, data["exact"], data["max_length"]) == (0, False, 8)


def test_a_name_of_the_library_is_a_program_even_if_a_task_has_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "crasp", "equal", "majority", "weak_majority") == (
        1,
        {
            "equal": False,
            "exact": False,
            "words": 4,
            "min_length": 1,
            "max_length": 2,
            "counterexample": ["0", "1"],
            "left": "rejects",
            "right": "accepts",
        },
    )


def test_any_symbol_means_the_alphabet_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    for sides in (("local.crasp", ".*ab.*"), (".*ab.*", "local.crasp")):
        assert run(capsys, "crasp", "equal", *sides, "--max-length", "6")[0] == 0
    assert run(capsys, "crasp", "equal", "dyck_1", r".*\).*", "--max-length", "6")[0] == 1


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
    finding = {
        "severity": "error",
        "code": "undefined",
        "message": "name 'y' is not defined; define it first.",
        "where": "accept",
        "line": 3,
        "span": [35, 36],
    }
    assert data == {"findings": [finding], "comparison": None}
    assert run_json(capsys, "check", "wrong.crasp", "--for", "(ab)*") == (1, data)


def test_check_compares_with_a_language_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "local.crasp", "--for", "[ab]*ab[ab]*")[0] == 0
    code, out, _ = run(capsys, "check", "local.crasp", "--for", "(ab)*")
    assert code == 1
    assert "different, and this is a shortest word that shows it: aab\n  local.crasp accepts\n  (ab)* rejects\n" in out
    for language, expected in (("[ab]*ab[ab]*", 0), ("(ab)*", 1), ("local.crasp", 0)):
        code, data = run_json(capsys, "check", "local.crasp", "--for", language)
        assert isinstance(data, dict)
        assert list(data) == ["findings", "comparison"]
        assert (code, data["comparison"]["equal"]) == (expected, not expected)
        assert data["comparison"] == run_json(capsys, "crasp", "equal", "local.crasp", language)[1]
    assert run_json(capsys, "check", "local.crasp")[1] == {"findings": data["findings"], "comparison": None}


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


@pytest.mark.parametrize("what", ["dyck.crasp", "prime_dyck", "local.crasp"])
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
        (
            ("crasp", "equal", "dyck_1", "(ab)*"),
            "error: symbol 'a' in '(ab)*' is outside the alphabet {(, )}.\n"
            "hint: add it to the alphabet, or use only the symbols named there.\n",
        ),
        (
            ("crasp", "equal", "dyck_1", "local.crasp"),
            "error: they are over different alphabets, {(, )} and {a, b}.\nhint: bring both over one alphabet first.\n",
        ),
        (
            ("crasp", "equal", "-", "-"),
            "error: both sides are -, but standard input can be read only once.\nhint: write one of them to a file.\n",
        ),
        (
            ("crasp", "equal", "local.crasp", "repeat_copy"),
            "error: 'repeat_copy' is not a regular language.\n"
            "hint: name a language, a regular expression or an automaton file.\n",
        ),
        (
            ("crasp", "run", "dyck_1", "()", "--generate"),
            "error: --generate needs a program that predicts the next symbols; 'dyck_1' only accepts or rejects words.\n"
            "hint: leave --generate out.\n",
        ),
        (
            ("crasp", "synthesize", "--examples", "labelled.txt", "--regex"),
            "error: --regex is about a language, but --examples gives labelled words.\nhint: leave one of the two out.\n",
        ),
        (
            ("predict", "local.crasp", "--readout", "end"),
            "error: the program 'local.crasp' is read at the last symbol; another readout was asked for.\n"
            "hint: leave the readout out.\n",
        ),
        (
            ("show", "language", "local.crasp"),
            "error: 'local.crasp' is a program, not a regular language.\nhint: lengthwise check 'local.crasp'\n",
        ),
        (
            ("show", "language", "prime_dyck"),
            "error: 'prime_dyck' is a program, not a regular language.\nhint: lengthwise show program 'prime_dyck'\n",
        ),
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
    for nothing in ("", "\n  \n"):
        (folder / "labelled.txt").write_text(nothing, encoding="utf-8")
        assert run(capsys, "crasp", "synthesize", "--examples", "labelled.txt") == (
            2,
            "",
            "error: 'labelled.txt' has no labelled word; at least one is needed.\n"
            "hint: write a line for each, for example: + aab\n",
        )


def test_synthesize_reads_at_the_end_and_reads_names_as_expressions(capsys: pytest.CaptureFixture[str]) -> None:
    for readout, (declared, text) in {"last": ("last", "'a'"), "end": ("end", "#{1}['a'] != 0")}.items():
        options = ("--max-length", "3", "--fragment", "LOCAL", "--readout", readout)
        code, data = run_json(capsys, "crasp", "synthesize", "[ab]*a", *options)
        assert isinstance(data, dict)
        assert (code, data["answers"][-1]["accept"]) == (0, text)
        assert parse_program(data["program"]) == parse_program(
            f"alphabet 'a' 'b'\nread at {declared}\naccept := {text}"
        )
    code, data = run_json(capsys, "crasp", "synthesize", "a", "--regex", "--max-length", "3")
    assert isinstance(data, dict)
    assert (code, data["alphabet"]) == (0, ["a"])
    code, _, err = run(capsys, "crasp", "synthesize", "a", "--max-length", "3")
    assert code == 2
    assert "or write '(a)' for the regular expression." in err
    assert run_json(capsys, "crasp", "synthesize", "(a)", "--max-length", "3") == (0, data)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--max-size", "2"), 2)])
def test_the_line_of_progress_is_taken_back(
    options: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["crasp", "synthesize", "a*b*", "--max-length", "4", *options]) == code
    before, cleared, after = shown.getvalue().rpartition("\r\033[K")
    assert "\r\033[Ksize 2: " in before
    assert cleared
    assert after == "" if code == 0 else after.startswith("error: no program of size at most 2 ")
    capsys.readouterr()


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
    (citation,) = [each for each in find_task("unique_copy").facts.cited if each.program]
    assert citation.fragment is fragment_of(program) is Fragment.LOCAL
    assert fragment_of(find_program("dedup").program) is Fragment.PLAIN
