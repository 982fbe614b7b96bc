"""The commands about encodings: list encodings, show encoding, conform, cite, and the switches of run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import fields
from pathlib import Path

import pytest
from command_runner import Runner

from lengthwise.citations import CITATIONS
from lengthwise.cli.parser import build_parser
from lengthwise.cli.spec_options import specs_of
from lengthwise.encodings.catalog import ALIASES, ENCODINGS, Card, cards_by_family
from lengthwise.encodings.core.card import FAMILIES
from lengthwise.extras import install_hint
from lengthwise.model.shape import Shape


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    return Runner(capsys)


# list encodings


def test_the_list_has_families_and_other_names(run: Runner) -> None:
    out = run.answers("list", "encodings")
    assert " ".join(out.split()).startswith(
        "name acts on proved title No positions, and positions added to the input "
        "nope nothing = plain no position encoding "
        "ape ids, input = periodic, local learned absolute positions, trained with random offsets "
    )
    rows = {line.split()[0]: " ".join(line.split()) for line in out.split("\n") if line and not line.startswith(" ")}
    for name, proved in (
        ("rope", "≥ plain"),
        ("t5", "= local"),
        ("periodic", "= periodic"),
        ("window", "= LTL[Y]"),
        ("stick_breaking", "–"),
        ("cope", "≥ plain"),
        ("alibi", "≤ local"),
        ("kerple_log", "–"),
    ):
        assert f" {proved} " in rows[name], (name, rows[name])
    assert out.endswith(
        "\n"
        "proved: what the encoding can do if counts are exact: = exactly this class of C-RASP programs\n"
        "(plain, local for windows, periodic; LTL[Y] sees the last symbols only), ≥ at least, ≤ at most, –\n"
        "nothing. q, k: queries and keys. One in full: lengthwise show encoding NAME\n"
    )
    listed = re.findall(r"^(\w+)  ", out, flags=re.MULTILINE)
    assert listed == ["name", *ENCODINGS]
    assert all(f"\n\n{FAMILIES[family]}\n{cards[0].name} " in out for family, cards in cards_by_family().items())
    assert all(f"\n{alias.name} is {alias.means}: " in out for alias in ALIASES.values())
    assert max(map(len, out.split("\n"))) <= 100


def test_the_data_of_the_list_is_that_of_the_cards(run: Runner) -> None:
    rows = json.loads(run.answers("list", "encodings", "--json"))
    assert [row["name"] for row in rows] == list(ENCODINGS)
    assert all(set(row) == {field.name for field in fields(Card)} for row in rows)
    by_name = {row["name"]: row for row in rows}
    assert by_name["rope"]["at_most"] is None
    assert by_name["rope"]["precise_at_most"]["fragment"] == "LTL[P]"
    assert by_name["rope"]["precise_at_most"]["regular"] is True
    assert by_name["alibi"]["precise_at_most"]["far"].startswith("from the length on at which")
    assert [bound["fragment"] for bound in by_name["t5"]["at_least"]] == ["LOCAL", "PLAIN"]
    assert [bound["fragment"] for bound in by_name["t5"]["precise_at_least"]] == ["LTL[P,Y]", "LTL[P]"]
    assert by_name["path"]["solves"] == ["PARITY"]
    assert [alias["name"] for alias in by_name["fox"]["aliases"]] == ["cable"]
    assert by_name["abacus"]["family"] == "Around other encodings"


def test_the_list_can_be_drawn(run: Runner, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "encodings.svg"
    outcome = run("list", "encodings", "--json", "--svg", str(path))
    assert (outcome.code, outcome.err) == (0, f"wrote {path}\n")
    assert len(json.loads(outcome.out)) == len(ENCODINGS)
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < 200_000
    shown = set(ElementTree.fromstring(text).itertext())
    assert set(ENCODINGS) <= shown


# show encoding


def test_an_encoding_is_shown_in_full_with_a_picture(run: Runner) -> None:
    pytest.importorskip("torch")
    rows = ["× " * (i - 1) + "██" * min(i + 1, 2) for i in range(24)]
    picture = "".join(f"  {row}\n" for row in rows)
    assert run.answers("show", "encoding", "window( window=2 )") == (
        "window(window=2): every head sees the last few tokens only\n"
        "  score(i, j) = that of the base if i − j < window, else −∞\n"
        "\n"
        "  options\n"
        "    window=2 (default 4; 1 to 1e6): how many tokens are seen\n"
        "\n"
        "  properties\n"
        "    acts on    scores\n"
        "    around     nope\n"
        "    learns     nothing\n"
        "    bias       grows without bound, or hides tokens\n"
        "    shift      adding a number to all positions changes nothing\n"
        "    prefix     more tokens change nothing before them\n"
        "    scale      does not need to know how long the input is\n"
        "    length     works at any length\n"
        "    positions  may be fractions\n"
        "\n"
        "  proved\n"
        "    at least   LTL[Y] (docs/concepts/encodings.md, theorem W; our own proof, not peer reviewed)\n"
        "    at most    LTL[Y] (docs/concepts/encodings.md, theorem W; our own proof, not peer reviewed)\n"
        "    precise ≥  LTL[Y] (docs/concepts/encodings.md, theorem W; our own proof, not peer reviewed)\n"
        "    precise ≤  LTL[Y] (docs/concepts/encodings.md, theorem W; our own proof, not peer reviewed)\n"
        "\n"
        "  source: arXiv 2004.05150\n"
        "\n"
        "  what positions add to scores of constant content: queries downwards, keys to the right; head 0 of\n"
        "  4, before training (seed 0), 24 tokens where 12 are trained on\n"
        f"{picture}"
        "  █ 0, × not seen\n"
    )


def test_another_name_says_what_it_means(run: Runner) -> None:
    pytest.importorskip("torch")
    out = run.answers("show", "encoding", "abf")
    assert out.startswith(
        "abf is rope(base=500000): adjusting the base frequency is rope with another base.\n"
        "rope(base=500000): rotary position embedding\n"
    )
    data = json.loads(run.answers("show", "encoding", "abf", "--json"))
    assert (data["name"], data["alias"]["name"]) == ("rope(base=500000)", "abf")
    assert data["options"] == [
        {
            "name": "base",
            "default": 10000.0,
            "low": 1e-12,
            "high": 1e12,
            "meaning": "the base of the frequencies",
            "words": [],
            "kind": "",
            "value": 500000.0,
        }
    ]


def test_the_data_of_an_encoding_is_resolved_with_its_bases(run: Runner) -> None:
    pytest.importorskip("torch")
    data = json.loads(run.answers("show", "encoding", "randomized(learned, length=64)", "--json"))
    assert set(data) == {field.name for field in fields(Card)} | {"alias", "head", "picture"}
    assert data["name"] == "randomized(learned, length=64)"
    assert (data["bases"], data["alias"], data["head"]) == (["learned"], None, 0)
    assert (data["max_length"], data["float_ids"], data["prefix_consistent"]) == (True, False, False)
    assert [len(row) for row in data["picture"]] == [24] * 24


def test_an_encoding_with_parameters_says_what_the_letters_mean(run: Runner) -> None:
    pytest.importorskip("torch")
    out = run.answers("show", "encoding", "dape(fire)")
    assert "    around     fire\n" in out
    assert ", and what fire learns\n" in " ".join(out.split(" "))
    assert "  (N positions, T tokens trained on, D width, H heads, d head width; other words are options)\n" in out


def test_one_that_does_not_fit_the_model_of_the_picture_is_shown_without(run: Runner) -> None:
    pytest.importorskip("torch")
    out = run.answers("show", "encoding", "randomized(rope, length=4)")
    assert out.endswith(
        "\n\n  no picture for a model of this size: a sample of up to 24 positions cannot be drawn from 4.\n"
    )
    assert json.loads(run.answers("show", "encoding", "randomized(rope, length=4)", "--json"))["picture"] is None


def test_an_encoding_can_be_drawn_head_by_head(run: Runner, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "alibi.svg"
    outcome = run("show", "encoding", "alibi", "--svg", str(path), "--head", "2")
    assert (outcome.code, outcome.err) == (0, f"wrote {path}\n")
    assert "head 2 of\n  4, before training" in outcome.out
    assert "  · −0.359 … █ 0\n" in outcome.out
    assert "alibi, head 2" in set(ElementTree.fromstring(path.read_text(encoding="utf-8")).itertext())


def test_a_plain_terminal_gets_plain_shades(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("TERM", "dumb")
    assert run.answers("show", "encoding", "alibi").endswith("  . -5.75 ... # 0\n")


# conform


def test_the_suite_prints_a_table_its_checks_and_a_count(run: Runner) -> None:
    pytest.importorskip("torch")
    out = run.answers("conform", "nope", "index_hints", "alibi", "rope(base=500)")
    assert out.startswith(
        "encoding        1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19\n"
        "nope            ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓\n"
        "alibi           ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓\n"
        "rope(base=500)  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓  ✓\n"
        "\n"
        "index_hints = nope\n"
        "\n"
        " 1 reference: Attention is what the literal reference says, "
    )
    assert out.endswith("\n\n3 encodings × 19 checks: 57 passed, 0 failed\n")
    assert "failed\n" not in out.replace("0 failed", "")


def test_what_fails_is_told_in_full_with_exit_code_1(run: Runner) -> None:
    """The models of the suite have more places than this range."""
    pytest.importorskip("torch")
    name = "randomized(rope, length=64)"
    outcome = run("conform", name)
    assert (outcome.code, outcome.err) == (1, "")
    assert f"{name}  ✗  ✗ " in outcome.out
    assert (
        "\nfailed\n  randomized(rope, length=64), reference: InvalidOptionError: a sample of up to 700" in outcome.out
    )
    passed, failed = map(int, re.findall(r": (\d+) passed, (\d+) failed\n$", outcome.out)[0])
    assert passed + failed == 18, "and one is left out: the range ends before 100,000"
    data = json.loads(run("conform", name, "--json").out)
    assert set(data) == {"encodings", "checks", "outcomes", "passed", "failed"}
    assert (data["encodings"], data["passed"], data["failed"]) == ([name], passed, failed)
    assert list(data["checks"]) == [outcome["check"] for outcome in data["outcomes"]]
    assert set(data["outcomes"][0]) == {"encoding", "check", "failure", "skipped"}


# cite


def test_lengthwise_itself_is_cited_without_names(run: Runner) -> None:
    assert run.answers("cite") == CITATIONS["lengthwise"].bibtex() + "\n"


def test_an_encoding_is_cited_with_its_bases_each_work_once(run: Runner) -> None:
    rope, randomized = CITATIONS["2104.09864"], CITATIONS["2305.16843"]
    out = run.answers("cite", "randomized(rope, length=64)", "rope")
    assert out == f"{randomized.bibtex()}\n\n{rope.bibtex()}\n"


def test_papers_tasks_and_languages_are_cited(run: Runner) -> None:
    rows = json.loads(run.answers("cite", "huang2025", "unique_copy", "D_7", "parity", "--json"))
    assert [row["key"] for row in rows] == ["2410.02140"]
    fields = {"key", "title", "authors", "year", "venue", "arxiv", "url", "version", "bibtex_key", "bibtex", "used_for"}
    assert set(rows[0]) == fields
    (row,) = json.loads(run.answers("cite", "{a,b}*b", "--json"))
    assert row["key"] == "lengthwise"


def test_another_name_is_cited_before_what_it_means(run: Runner) -> None:
    rows = json.loads(run.answers("cite", "cable", "--json"))
    assert [row["key"] for row in rows] == ["2503.08067", "2503.02130"]


# Wrong input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["show", "encoding", "rope(bse=3)"],
            "error: encoding 'rope' has no option 'bse'. Known: base.\nhint: did you mean 'base'?\n",
        ),
        (
            ["show", "encoding", "rope", "--head", "4"],
            "error: pictures have heads 0 to 3; found --head 4.\nhint: choose one of them.\n",
        ),
        (
            ["show", "language", "D_3", "--head", "1"],
            "error: --head chooses the head that is drawn; found kind 'language'.\n"
            "hint: use it with: show encoding NAME\n",
        ),
        (
            ["show", "task", "sort", "--svg", "x.svg"],
            "error: --svg draws an automaton, or what an encoding does; found kind 'task'.\n"
            "hint: use it with: show language NAME or show encoding NAME\n",
        ),
        (
            ["list", "tasks", "--svg", "x.svg"],
            "error: --svg is for encodings; found kind 'tasks'.\nhint: use it with: list encodings\n",
        ),
        (
            ["run", "parity", "--switch", "log_n,qk_nrm"],
            "error: switch 'qk_nrm' is unknown. Known: log_n, qk_norm, softmax_1, token_shift, no_bos.\n"
            "hint: did you mean 'qk_norm'?\n",
        ),
    ],
)
def test_wrong_input_is_reported_with_a_hint(run: Runner, arguments: list[str], said: str) -> None:
    assert run.fails(*arguments) == said


@pytest.mark.parametrize("command", [["show", "encoding"], ["conform", "nope"], ["cite", "nope"]])
def test_an_unknown_name_gets_a_suggestion(run: Runner, command: list[str]) -> None:
    said = run.fails(*command, "rop")
    assert re.match(r"error: encoding(, paper, task or language)? 'rop' is unknown. Known: nope, ape, ", said)
    assert said.endswith(".\nhint: did you mean 'rope'?\n")


# Switches


def test_switches_go_into_the_spec() -> None:
    options = build_parser().parse_args(["run", "parity", "--switch", "log_n, no_bos", "--switch", "qk_norm"])
    assert specs_of(options)[0].model == Shape(log_n=True, no_bos=True, qk_norm=True)
    assert specs_of(build_parser().parse_args(["run", "parity"]))[0].model == Shape()


# Without torch

_WITHOUT_TORCH = """
import sys

sys.modules["torch"] = None
from lengthwise.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def without_torch(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _WITHOUT_TORCH, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["list", "encodings", "--svg", "x.svg"], "drawing encodings"),
        (["show", "encoding", "rope", "--svg", "x.svg"], "drawing an encoding"),
        (["conform", "rope"], "the conformance suite"),
    ],
)
def test_without_torch_what_needs_it_says_what_to_install(arguments: list[str], what: str) -> None:
    done = without_torch(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"error: {what} needs torch, which is not installed.\nhint: {install_hint('train')}\n")


def test_without_torch_cards_are_shown_and_cited() -> None:
    shown = without_torch("show", "encoding", "rope")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("rope: rotary position embedding\n")
    assert shown.stdout.endswith(f"\n\n  a picture needs torch, which is not installed. {install_hint('train')}\n")
    listed = without_torch("list", "encodings", "--json")
    assert [row["name"] for row in json.loads(listed.stdout)] == list(ENCODINGS)
