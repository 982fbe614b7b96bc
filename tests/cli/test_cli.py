"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pytest
from command_runner import Outcome, Runner

from lengthwise._version import __version__
from lengthwise.cli.commands import COMMANDS
from lengthwise.cli.main import main
from lengthwise.cli.parser import build_parser
from lengthwise.crasp.fragments import Fragment
from lengthwise.errors import LengthwiseError, listed
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa_files import dfa_to_json
from lengthwise.languages.regex import compile_regex
from lengthwise.tasks.core.catalog import TASKS
from lengthwise.theory.claims import Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.theorems import THEOREMS
from lengthwise.theory.windows import Caps

COMMAND = [sys.executable, "-m", "lengthwise"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setenv("COLUMNS", "100")
    return Runner(capsys)


def spawn(*arguments: str, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"} | environment
    return subprocess.run([*COMMAND, *arguments], input=text, capture_output=True, text=True, env=settings, check=False)


def test_the_bare_command_names_three_commands_to_try(run: Runner) -> None:
    out = run.answers()
    assert out.startswith("lengthwise: will a transformer trained on short inputs keep working on longer ones?\n")
    assert out.count("\n  lengthwise ") == 3


def test_the_commands_to_try_work(run: Runner) -> None:
    import shlex

    for line in run.answers().split("\n"):
        if line.startswith("  lengthwise "):
            arguments = shlex.split(line.split("   ")[0])[1:]
            if arguments[0] == "run":  # it trains, so that it is only read here; test_run_cli.py runs the command
                assert build_parser().parse_args(arguments).what
            else:
                assert run(*arguments).code == 0


@pytest.mark.parametrize("command", ["predict", "run", "report", "check", "list", "show", "conform", "cite"])
def test_help_shows_examples(run: Runner, command: str) -> None:
    out = run.answers(command, "--help")
    assert "examples:\n  lengthwise " in out


def test_the_version_is_printed(run: Runner) -> None:
    assert run.answers("--version") == f"lengthwise {__version__}\n"


def test_one_language_gets_a_headline_a_row_per_encoding_and_the_meaning_of_the_answers(run: Runner) -> None:
    assert run.answers("predict", "(ab)*") == (
        "(ab)*: a regular expression over {a, b}, 3 states, read at the end marker\n"
        "\n"
        "encoding  answer  why\n"
        "nope      YES     A model is right at every length if it tracks how many more a's than b's it has\n"
        "                  read (which shows where in the pattern it is) and whether an error has occurred\n"
        "                  (an input that begins with 'b' is never accepted). Attention can do this at any\n"
        "                  length: averages over all earlier tokens compare counts, and it finds whether\n"
        "                  something has occurred before.\n"
        "                  This YES assumes exact averages. With numbers of fixed precision, models fail from\n"
        "                  some length on.\n"
        "ape       YES     A model is right at every length if it tracks how many more a's than b's it has\n"
        "                  read (which shows where in the pattern it is) and whether an error has occurred\n"
        "                  (an input that begins with 'b' is never accepted). Attention can do this at any\n"
        "                  length: averages over all earlier tokens compare counts, and it finds whether\n"
        "                  something has occurred before.\n"
        "\n"
        "YES: a solution exists that is right at every length, and an idealized learner finds it. An\n"
        "  idealized learner picks the simplest model among all that are right on short inputs. Gradient\n"
        "  descent may miss it.\n"
        "NO: no solution is right at every length. This is proved, from the assumptions named with the\n"
        "  answer. From it we predict that trained models fail. The proof does not say at which length.\n"
        "Fixed precision: numbers come from a finite set, and sums are rounded once. Such an answer is about\n"
        "  long inputs. While the number format still resolves 1/length, models may do otherwise: as a rule\n"
        "  of thumb, up to 2^24 tokens in float32, 2^11 in float16, 2^8 in bfloat16.\n"
    )


def test_several_languages_share_one_table(run: Runner) -> None:
    out = run.answers("predict", "PARITY", "(ab)*", "D_3", "--encoding", "nope")
    rows = [re.split(r"  +", line)[:3] for line in out.split("\n")[1:] if line and not line.startswith(" ")]
    assert rows[:3] == [
        ["PARITY over {a, b}", "nope", "NO"],
        ["(ab)* over {a, b}", "nope", "YES"],
        ["D_3 over {a, b}", "nope", "YES"],
    ]
    lines = run.answers("predict", "PARITY", "(ab)*").split("\n")
    assert [line.split("  ")[0] for line in lines if line[:1] not in ("", " ")][:3] == ["question", "PARITY", "(ab)*"]
    assert sum(line.startswith("  over {a, b}") for line in lines) == 2


def test_encodings_can_be_given_with_commas_or_again(run: Runner) -> None:
    one = run.answers("predict", "(ab)*", "--encoding", "nope,ape", "--encoding", "alibi")
    assert [line.split()[0] for line in one.split("\n")[3:] if line[:1].isalpha()][:3] == ["nope", "ape", "alibi"]
    assert "UNKNOWN: neither is proved, or a NO" in one


@pytest.mark.parametrize(
    ("what", "options", "told"),
    [
        ("(ab|bbaa)*", [], ["The counts run over all earlier positions", "t2 = ", "State and its values of t1, t2"]),
        (
            "[ab]*b",
            [],
            ["Two words with different answers that", "After ε, in state 0, ab and ba have the same letters"],
        ),
        (
            "(aa)*",
            [],
            [
                "Two words with different answers that a model which only counts treats alike: ε (in",
                "both aa and ε lead back to it. The letters of aa are those of ε plus 2 times those of a.",
                "witnesses of 1 letter.",
            ],
        ),
        ("PARITY", ["--encoding", "ape"], ["The language is PARITY itself."]),
        (
            '(x*"x*")*x*',
            ["--encoding", "ape"],
            ['Write a as ", b as x', "The checker compares the two automata as a whole"],
        ),
        ("[ab]*b", ["--readout", "last"], ["read at the last symbol"]),
        (
            "((bb)*bab|a)*",
            ["--encoding", "ape"],
            ["NO for C-RASP[periodic, local]", "vertices and", "Theorem (karoubi)"],
        ),
    ],
)
def test_explain_tells_the_whole_story(run: Runner, what: str, options: list[str], told: list[str]) -> None:
    out = " ".join(run.answers("predict", what, "--explain", *options).split())
    assert "Theorem (" in out
    for part in told:
        assert part in out


def test_predict_prints_json_rows(run: Runner) -> None:
    rows = json.loads(run.answers("predict", "PARITY", "(ab)*", "--json"))
    shown = [(row["what"], row["encoding"], row["answer"]) for row in rows]
    assert shown == [
        ("PARITY", "nope", "NO"),
        ("PARITY", "ape", "NO"),
        ("(ab)*", "nope", "YES"),
        ("(ab)*", "ape", "YES"),
    ]
    assert all(row["certificate"]["lengthwise"] == "certificate" for row in rows)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["(ab)*"], 0),
        (["(aa)*"], 1),
        (["(ab)*", "--encoding", "alibi"], 3),
        (["(ab)*", "PARITY", "--encoding", "rope,nope"], 1),
        (["(ab)*", "--json"], 0),
    ],
)
def test_the_exit_code_can_tell_the_answer(run: Runner, arguments: list[str], code: int) -> None:
    assert run("predict", *arguments, "--exit-code").code == code
    assert run("predict", *arguments).code == 0


def test_the_readout_changes_the_answer_and_is_shown(run: Runner) -> None:
    end = run.answers("predict", "[ab]*b", "--encoding", "nope")
    last = run.answers("predict", "[ab]*b", "--encoding", "nope", "--readout", "last")
    assert "read at the end marker" in end
    assert "nope      NO " in end
    assert "read at the last symbol" in last
    assert "nope      YES " in last


def test_the_alphabet_changes_the_answer_and_is_shown(run: Runner) -> None:
    two = run.answers("predict", ".*ab.*", "--alphabet", "ab", "--encoding", "nope")
    three = run.answers("predict", ".*ab.*", "--alphabet", "abc", "--encoding", "nope")
    assert "over {a, b}," in two
    assert "nope      YES " in two
    assert "over {a, b, c}," in three
    assert "nope      NO " in three


def test_a_note_about_braces_goes_to_stderr(run: Runner) -> None:
    outcome = run("predict", "{a,b}*c", "--json")
    assert outcome.err == "note: the braces of {a,b} were read as symbols; for one of several symbols write [ab].\n"
    assert len(json.loads(outcome.out)) == 2


def test_effort_says_what_it_multiplies(run: Runner) -> None:
    out = " ".join(run.answers("predict", "--help").split())
    told = out.partition("--effort N multiply all search limits by N")[2]
    parts = {"max_elements": "semigroup", "max_cells": "maps", "max_arrows": "graph", "max_vertices": "vertices"}
    parts |= {"max_window": "window", "max_period": "period"}
    parts |= {"max_seconds": "CPU time for verdicts", "max_advice_seconds": "and advice"}
    assert {field.name for field in fields(Caps)} == set(parts)
    assert all(part in told for part in parts.values())


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("languages", list(LANGUAGES)),
        ("encodings", ["nope", "ape", "sinusoidal", "rope", "alibi"]),
        ("theorems", list(THEOREMS)),
    ],
)
def test_list_names_everything_of_a_kind(run: Runner, kind: str, names: list[str]) -> None:
    out = run.answers("list", kind)
    data = json.loads(run.answers("list", kind, "--json"))
    assert set(names) <= {row["name"] for row in data}
    assert all(any(line.startswith(name) for line in out.split("\n")) for name in names)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        (
            "language",
            "D_3",
            ["published prediction (arXiv 2410.02140): ape yes, nope yes", "alphabet {a, b}, 5 states"],
        ),
        ("language", "(ab|bbaa)*", ["shortest word: ε", "words of length 0 to 8: 1, 0, 1, 0, 2, 0, 3, 0, 5"]),
        (
            "encoding",
            "rope",
            ["rotary position embedding", "at least C-RASP", "at most none proved", "precise ≤ LTL[P]"],
        ),
        (
            "task",
            "bin_majority",
            ["the more frequent bit", "objective: answer, read at the end marker", "an example of length 3: 0 0 0 → 0"],
        ),
        (
            "task",
            "(ab)*",
            ["objective: next_symbols, read at the last symbol", "tokens: a, b, <bos>, <sep>, <eos>, <pad>"],
        ),
        ("task", "states(D_2)", ["the state of the minimal automaton", "verdicts: lengthwise predict 'states(D_2)'"]),
        (
            "theorem",
            "known_non_member",
            ["Source: Huang et al.", "Standing: ours. Non-membership of parity and the flip-flop is published"],
        ),
    ],
)
def test_show_prints_one_thing_in_full(run: Runner, kind: str, name: str, told: list[str]) -> None:
    out = " ".join(run.answers("show", kind, name).split())
    for part in told:
        assert part in out
    data = json.loads(run.answers("show", kind, name, "--json"))
    assert data["name"] == name


def test_show_writes_a_drawing(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "automaton.svg"
    outcome = run("show", "language", "D_3", "--svg", str(path))
    assert (outcome.code, outcome.err) == (0, f"wrote {path}\n")
    assert path.read_text(encoding="utf-8").startswith("<svg")


# check


@pytest.fixture
def verdicts(run: Runner, tmp_path: Path) -> Path:
    path = tmp_path / "verdicts.json"
    path.write_text(run.answers("predict", "(ab)*", "PARITY", "--json"), encoding="utf-8")
    return path


def test_check_accepts_what_predict_wrote(run: Runner, verdicts: Path) -> None:
    assert run.answers("check", str(verdicts)) == (
        "accepted: YES for MEMBERSHIP in PLAIN at END_MARKER over {a, b}\n"
        "accepted: YES for MEMBERSHIP in PERIODIC_LOCAL at END_MARKER over {a, b}\n"
        "accepted: NO for MEMBERSHIP in PLAIN at END_MARKER over {a, b}\n"
        "accepted: NO for MEMBERSHIP in PERIODIC_LOCAL at END_MARKER over {a, b}\n"
    )


def test_check_rejects_a_certificate_for_another_language(run: Runner, verdicts: Path) -> None:
    outcome = run("check", str(verdicts), "--for", "(ab)*")
    assert (outcome.code, outcome.err) == (1, "")
    lines = outcome.out.split("\n")
    assert lines[0] == "accepted: YES for MEMBERSHIP in PLAIN at END_MARKER over {a, b}"
    assert lines[2].startswith("rejected: NO for MEMBERSHIP in PLAIN at END_MARKER over {a, b}: the automaton in the")


def test_check_says_what_a_certificate_of_next_symbols_is_about(run: Runner, tmp_path: Path) -> None:
    facts = Facts(language=compile_regex("[ab]*b"), asked=Asked.NEXT_SYMBOLS)
    certificate = decide(facts, Fragment.PLAIN).certificate
    assert certificate is not None
    path = tmp_path / "next.json"
    path.write_text(json.dumps(certificate.to_json()), encoding="utf-8")
    assert run.answers("check", str(path), "--for", "[ab]*b") == (
        "accepted: YES for NEXT_SYMBOLS in PLAIN at LAST_SYMBOL over {a, b}\n"
    )
    (data,) = json.loads(run.answers("check", str(path), "--json"))
    assert (data["accepted"], data["asked"], data["readout"]) == (True, "NEXT_SYMBOLS", "LAST_SYMBOL")


CONTROL = "\x1b]0;owned\x07\x9b31m\u202e\r\ud800"


def test_check_prints_no_control_characters_of_a_certificate(run: Runner, verdicts: Path) -> None:
    certificate = json.loads(verdicts.read_text(encoding="utf-8"))[0]["certificate"]
    certificate["automaton"]["alphabet"][0] = CONTROL
    fields = [certificate | {field: CONTROL} for field in ("answer", "fragment", "asked", "readout", "kind")]
    verdicts.write_text(json.dumps(fields), encoding="utf-8")
    outcome = run("check", str(verdicts))
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.count("rejected: ") == 5
    assert outcome.out.replace("\n", "").isprintable()
    assert "over {\\x1b]0;owned\\x07\\x9b31m\\u202e\\r\\ud800, b}" in outcome.out
    data = run("check", str(verdicts), "--json").out
    assert data.replace("\n", "").isprintable()
    assert [row["alphabet"] for row in json.loads(data)] == [[CONTROL, "b"]] * 5


def test_an_error_about_a_file_prints_none_of_its_control_characters(run: Runner, tmp_path: Path) -> None:
    path = automaton_file(tmp_path, alphabet=["\x1b[31m", "\x9b"])
    outcome = run("predict", path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.replace("\n", "").isprintable()
    assert "which is not in the alphabet {\\x1b[31m, \\x9b}." in outcome.err


def test_check_rejects_a_changed_certificate_with_its_reason(run: Runner, verdicts: Path) -> None:
    certificate = json.loads(verdicts.read_text(encoding="utf-8"))[0]["certificate"]
    certificate["components"][0]["levels"] = []
    verdicts.write_text(json.dumps(certificate), encoding="utf-8")
    outcome = run("check", str(verdicts))
    assert outcome == Outcome(
        1,
        "rejected: YES for MEMBERSHIP in PLAIN at END_MARKER over {a, b}: the counts do not name every state\n"
        "  of a component.\n",
        "",
    )
    (data,) = json.loads(run("check", str(verdicts), "--json").out)
    assert data == {
        "accepted": False,
        "answer": "YES",
        "fragment": "PLAIN",
        "asked": "MEMBERSHIP",
        "readout": "END_MARKER",
        "alphabet": ["a", "b"],
        "objection": "the counts do not name every state of a component",
    }


def test_check_says_when_a_certificate_makes_no_claim(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text(json.dumps({"lengthwise": "certificate", "version": 1, "answer": 7}), encoding="utf-8")
    outcome = run("check", str(path))
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.startswith(
        "rejected: the certificate does not say what it claims: a field is missing or malformed"
    )
    assert "None" not in outcome.out
    (data,) = json.loads(run("check", str(path), "--json").out)
    assert {data[field] for field in ("answer", "fragment", "asked", "readout")} == {None}
    assert (data["accepted"], data["alphabet"]) == (False, [])


def test_check_reads_standard_input(run: Runner, verdicts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(verdicts.read_text(encoding="utf-8")))
    assert run.answers("check", "-").count("accepted") == 4


def test_predict_and_check_can_be_piped() -> None:
    written = spawn("predict", "(abc|b)*", "--json").stdout
    checked = spawn("check", "-", text=written)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.count("accepted") == 2


# Wrong input: exit code 2, one line that says what is wrong, one that says what to do, nothing on stdout.


def automaton_file(folder: Path, **changes: object) -> str:
    path = folder / "automaton.json"
    path.write_text(json.dumps(dfa_to_json(compile_regex("(ab)*")) | changes), encoding="utf-8")
    return str(path)


def fails(run: Runner, arguments: Sequence[str], *, error: str, hint: str, between: str = "") -> None:
    outcome = run(*arguments)
    assert outcome == Outcome(2, "", f"error: {error}\n{between}hint: {hint}\n")


REGEX = "cannot read the regular expression: "


@pytest.mark.parametrize(
    ("arguments", "error", "hint", "between"),
    [
        (
            ["predict", ""],
            REGEX + "it is empty.",
            "write () for the empty word, or an expression such as '(ab)*'.",
            "  \n  ^\n",
        ),
        (
            ["predict", "a(b|c"],
            REGEX + "this '(' is never closed.",
            "add the missing ')', or write \\( for the symbol.",
            "  a(b|c\n   ^\n",
        ),
        (
            ["predict", "ab)*"],
            REGEX + "this ')' closes nothing.",
            "remove it, or write \\) for the symbol.",
            "  ab)*\n    ^\n",
        ),
        (
            ["predict", "(abx)*", "--alphabet", "ab"],
            "symbol 'x' in '(abx)*' is outside the alphabet {a, b}.",
            "add it to the alphabet, or use only the symbols named there.",
            "",
        ),
        (
            ["predict", "[ab]*a[ab]{16}"],
            "the automaton of '[ab]*a[ab]{16}' would have more than 10,000 states, which is the cap.",
            "simplify the expression, or raise the cap with max_states (predict --max-states).",
            "",
        ),
        (
            ["predict", "(ab){9}", "--max-states", "4"],
            "the automaton of '(ab){9}' would have more than 4 states, which is the cap.",
            "simplify the expression, or raise the cap with max_states (predict --max-states).",
            "",
        ),
        (
            ["predict", "(ab)*", "--max-states", "0"],
            "max_states must be from 1 to 1,000,000; found 0.",
            "the default is 10000.",
            "",
        ),
        (
            ["predict", "(ab)*", "--alphabet", "aab"],
            "symbol 'a' appears twice in the alphabet.",
            "name each symbol once.",
            "",
        ),
        (
            ["predict", "parityy"],
            f"task or language 'parityy' is unknown. Known: {listed([*LANGUAGES, *TASKS])}.",
            "did you mean 'PARITY'?",
            "",
        ),
        (["predict", "missing.json"], "there is no file 'missing.json'.", "check the path.", ""),
        (["check", "missing.json"], "there is no file 'missing.json'.", "check the path.", ""),
        (
            ["predcit", "(ab)*"],
            f"command 'predcit' is unknown. Known: {', '.join(COMMANDS)}.",
            "did you mean 'predict'?",
            "",
        ),
        (
            ["(ab)*"],
            f"command '(ab)*' is unknown. Known: {', '.join(COMMANDS)}.",
            "for a verdict: lengthwise predict '(ab)*'",
            "",
        ),
        (
            ["predict", "(ab)*", "--readout", "middle"],
            "argument --readout: invalid choice: 'middle' (choose from 'end', 'last').",
            "see 'lengthwise predict --help'.",
            "",
        ),
        (["predict"], "the following arguments are required: WHAT.", "see 'lengthwise predict --help'.", ""),
        (["--wrong"], "unrecognized arguments: --wrong.", "see 'lengthwise --help'.", ""),
        (
            ["show", "theorem", "opn"],
            f"theorem 'opn' is unknown. Known: {listed(THEOREMS)}.",
            "did you mean 'open'?",
            "",
        ),
        (
            ["show", "theorem", "open", "--svg", "x.svg"],
            "--svg draws an automaton, or what an encoding does; found kind 'theorem'.",
            "use it with: show language NAME or show encoding NAME",
            "",
        ),
        (
            ["show", "language", "D_3", "--latex"],
            "--latex writes a program in LaTeX; found kind 'language'.",
            "use it with: show program NAME",
            "",
        ),
        (
            ["predict", "PARITY", "--pairs", "3", "--explain"],
            "--pairs 3 prints words instead of verdicts, so there is nothing to --explain.",
            "leave one of the two out.",
            "",
        ),
        (
            ["show", "language", "bin_majority"],
            "'bin_majority' is a task, not a regular language.",
            "lengthwise show task 'bin_majority'",
            "",
        ),
        (
            ["check", "missing.json", "--for", "repeat_copy"],
            "'repeat_copy' is not a regular language; a certificate is about a regular language.",
            "after --for, name a language, a regular expression or an automaton file.",
            "",
        ),
        (
            ["predict", "parity", "--readout", "last"],
            "the task 'parity' is read at the end marker; another readout was asked for.",
            "leave the readout out.",
            "",
        ),
    ],
)
def test_wrong_input_is_reported_with_a_hint(
    run: Runner, arguments: list[str], error: str, hint: str, between: str
) -> None:
    fails(run, arguments, error=error, hint=hint, between=between)


def test_an_unknown_encoding_is_reported_with_a_suggestion(run: Runner) -> None:
    outcome = run("predict", "(ab)*", "--encoding", "rop")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: encoding 'rop' is unknown. Known: nope, ape, ")
    assert outcome.err.endswith(".\nhint: did you mean 'rope'?\n")


def test_an_automaton_file_with_a_missing_transition_is_reported(run: Runner, tmp_path: Path) -> None:
    table = dfa_to_json(compile_regex("(ab)*"))["transitions"]
    assert isinstance(table, dict)
    del table["1"]["b"]
    fails(
        run,
        ["predict", automaton_file(tmp_path, transitions=table)],
        error="state '1' has no transition on symbol 'b'.",
        hint="give every state one transition per symbol; let dead ends lead to a rejecting sink.",
    )


def test_an_automaton_file_with_a_duplicate_symbol_is_reported(run: Runner, tmp_path: Path) -> None:
    fails(
        run,
        ["predict", automaton_file(tmp_path, alphabet=["a", "b", "a"])],
        error="symbol 'a' appears twice in the alphabet.",
        hint="name each symbol once.",
    )


@pytest.mark.parametrize("command", ["predict", "check"])
def test_a_file_that_cannot_be_read_is_reported(run: Runner, tmp_path: Path, command: str) -> None:
    folder = tmp_path / "folder.json"
    folder.mkdir()
    fails(
        run,
        [command, str(folder)],
        error=f"cannot read {str(folder)!r}: Is a directory.",
        hint="check the path and its permissions.",
    )
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    fails(
        run,
        [command, str(binary)],
        error=f"cannot read {str(binary)!r}: it is not UTF-8 text.",
        hint="check the path and its permissions.",
    )


def test_a_truncated_file_is_reported(run: Runner, verdicts: Path) -> None:
    verdicts.write_text(verdicts.read_text(encoding="utf-8")[:200], encoding="utf-8")
    outcome = run("check", str(verdicts))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {str(verdicts)!r} is not JSON: ")
    assert outcome.err.endswith(".\nhint: it may be truncated; write it again.\n")


@pytest.mark.parametrize("data", ["{}", "7", '"text"', '{"lengthwise": "verdict"}'])
def test_a_file_that_holds_something_else_is_reported(run: Runner, tmp_path: Path, data: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(data, encoding="utf-8")
    fails(
        run,
        ["check", str(path)],
        error='this is not a certificate: it has no field "lengthwise" with the value "certificate".',
        hint="write one with: lengthwise predict '(ab)*' --json > verdicts.json",
    )


def test_a_file_with_an_empty_list_is_told_what_may_be_in_it(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text("[]", encoding="utf-8")
    fails(
        run,
        ["check", str(path)],
        error=f"{str(path)!r} holds [], which is neither an automaton nor a list of certificates.",
        hint="an automaton is an object with alphabet, initial, accepting and transitions; "
        "certificates come from: lengthwise predict '(ab)*' --json",
    )


def test_a_file_without_certificates_is_reported(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text('[{"certificate": null}]', encoding="utf-8")
    fails(
        run,
        ["check", str(path)],
        error=f"{str(path)!r} holds no certificate.",
        hint="an answer UNKNOWN has none; write one with: lengthwise predict '(ab)*' --json",
    )


def test_a_drawing_that_cannot_be_written_is_reported(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "missing" / "automaton.svg"
    fails(
        run,
        ["show", "language", "D_3", "--svg", str(path)],
        error=f"cannot write {str(path)!r}: No such file or directory.",
        hint="choose a path that can be written.",
    )


def test_one_wrong_language_among_several_prints_nothing_on_stdout(run: Runner) -> None:
    outcome = run("predict", "(ab)*", "parityy")
    assert (outcome.code, outcome.out) == (2, "")


@pytest.mark.parametrize("arguments", [["--debug", "predict", "parityy"], ["predict", "parityy", "--debug"]])
def test_debug_raises_instead_of_reporting(arguments: list[str]) -> None:
    with pytest.raises(LengthwiseError):
        main(arguments)
    shown = spawn(*arguments)
    assert shown.returncode == 1
    assert "Traceback (most recent call last)" in shown.stderr


# Terminals and pipes.


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {}
    for value in ("", "1"):
        out, err = Terminal(), Terminal()
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        monkeypatch.setenv("NO_COLOR", value)
        monkeypatch.setenv("TERM", "xterm")
        assert main(["predict", "PARITY"]) == 0
        assert main(["predict", "parityy"]) == 2
        shown[value] = out.getvalue() + err.getvalue()
    monkeypatch.undo()
    assert "\x1b[31mNO" in shown[""]
    assert "\x1b[31merror:\x1b[0m task or language" in shown[""]
    assert "\x1b" not in shown["1"]


def test_what_is_no_terminal_gets_no_colours() -> None:
    for arguments in (["predict", "PARITY", "--explain"], ["predict", "parityy"], ["list", "languages"]):
        done = spawn(*arguments, TERM="xterm", NO_COLOR="")
        assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["list", "languages"], [], ["--help"], ["predict", "(ab)*", "--json"]])
def test_a_reader_who_has_gone_is_no_error(arguments: list[str], unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    try:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, env=environment, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full is needed")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["list", "tasks"], [], ["predict", "(ab)*", "--json"]])
def test_an_output_that_cannot_be_written_is_told_in_a_sentence(arguments: list[str], unbuffered: str) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert (done.returncode, done.stderr) == (
        2,
        "error: cannot write the output: No space left on device.\nhint: free some disk space, or choose another path.\n",
    )


def test_a_closed_output_is_no_traceback() -> None:
    done = subprocess.run(
        f"{' '.join(COMMAND)} list tasks >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_head_can_be_used() -> None:
    piped = f"{' '.join(COMMAND)} list languages | head -1"
    done = subprocess.run(piped, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["name", "published", "definition"]


def test_output_does_not_depend_on_the_hash_seed() -> None:
    arguments = ("predict", "(ab|bbaa)*", "TOMITA_3", "(cca*b|bb|a)*", "--json")
    assert len({spawn(*arguments, PYTHONHASHSEED=seed).stdout for seed in ("0", "1", "77")}) == 1
