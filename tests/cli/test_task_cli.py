"""`list tasks` and `show task`: verdicts beside what is published, and examples that can be read."""

from __future__ import annotations

import json

import pytest
from command_runner import printed_by, refusal_of

from lengthwise.cli.kinds.tasks import make_examples
from lengthwise.errors import LengthwiseError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.papers.headlines import LANGUAGE_FIGURES, headline_of
from lengthwise.papers.huang2025.paper import TASKS as PUBLISHED
from lengthwise.tasks.core.catalog import TASKS, find_named_task, find_task
from lengthwise.tasks.core.family import Group
from lengthwise.tasks.core.lengths import shortest_length


def test_the_list_has_every_task_with_its_verdicts_and_counts_them(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed_by(capsys, "list", "tasks")
    for name in TASKS:
        assert f"\n  {name} " in out, name
    for group in Group:
        assert f"{group} (" in out
    assert "published: ape 100/99.9/98.7, nope 100/18/0 (arXiv" in " ".join(out.split())
    rows = json.loads(printed_by(capsys, "list", "tasks", "--json"))
    assert [row["name"] for row in rows] == sorted(
        TASKS, key=lambda name: (list(Group).index(TASKS[name].group), list(TASKS).index(name))
    )
    for encoding in ("nope", "ape"):
        answers = [row["verdicts"][encoding]["answer"] for row in rows]
        counts = ", ".join(f"{answers.count(answer)} {answer}" for answer in ("YES", "NO", "UNKNOWN"))
        assert f"{encoding}: {counts}" in " ".join(out.split())


def test_every_no_has_a_witness_or_a_source(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(printed_by(capsys, "list", "tasks", "--json"))
    refusals = [verdict for row in rows for verdict in row["verdicts"].values() if verdict["answer"] == "NO"]
    assert len(refusals) > 100
    for verdict in refusals:
        assert verdict["theorem"] != "open"
        assert verdict["certificate"] or len(verdict["reason"]) > 20
    out = printed_by(capsys, "list", "tasks", "--why", "--group", "arithmetic")
    assert "[communication]" in out
    assert "counting (" not in out


def test_examples_stand_below_one_another(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed_by(capsys, "show", "task", "bin_majority", "--length", "12", "--count", "5")
    lines = [line for line in out.split("\n") if "→" in line]
    assert len(lines) == 5
    assert len({line.index("→") for line in lines}) == 1
    for line in lines:
        prompt, answer = line.split("→")
        assert find_task("bin_majority").answer(prompt.split()) == answer.split()
        assert len(prompt.split()) == 12
    out = printed_by(capsys, "show", "task", "TOMITA_4", "--length", "4", "--count", "2")
    symbols, asked = out.rstrip().split("\n")[-2:]
    assert [symbols.index(word) for word in symbols.split()[:1]] == [asked.index(word) for word in asked.split()[:1]]
    assert len(symbols.split()) == len(asked.split()) == 5
    data = json.loads(printed_by(capsys, "show", "task", "unique_copy", "--count", "3", "--json"))
    assert len(data["examples"]) == 3
    assert data["examples"][0]["prompt"] == data["examples"][0]["answer"][:-1]


def test_the_examples_of_every_task_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for name in TASKS:
        out = printed_by(capsys, "show", "task", name, "--count", "2")
        assert "2 examples of length" in out, name


def test_what_cannot_be_shown_is_refused_with_what_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal_of(capsys, "show", "task", "(aa)*", "--length", "5") == (
        "error: '(aa)*' has no instance of length 5; the nearest are 2, 4, 6.\nhint: choose another.\n"
    )
    assert refusal_of(capsys, "show", "task", "parity", "--count", "0") == (
        "error: --count is a whole number from 1 to 1000; found 0.\nhint: for example --count 5.\n"
    )
    assert refusal_of(capsys, "show", "language", "D_2", "--length", "5") == (
        "error: --length sets the length of the examples; found kind 'language'.\nhint: use it with: show task NAME\n"
    )
    assert refusal_of(capsys, "list", "languages", "--why") == (
        "error: --why is for tasks; found kind 'languages'.\nhint: use it with: list tasks\n"
    )
    assert "did you mean 'arithmetic'?" in refusal_of(capsys, "list", "tasks", "--group", "arithmetics")


def test_the_first_length_is_found_where_long_ones_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed_by(capsys, "show", "task", "copy_every(100)", "--json")
    assert len(json.loads(out)["examples"][0]["prompt"]) == find_task("copy_every(100)").min_length
    with pytest.raises(LengthwiseError, match="too long"):
        find_task("copy_every(100)").lengths(100, 250)
    error = refusal_of(capsys, "show", "task", "copy_every(100)", "--length", "99")
    assert "has no instance of length 99; the nearest are 100, 101, 102." in error
    assert shortest_length(find_task("(aaaaaaa)*b")) == 1


def test_too_long_examples_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for length in ("100000000", "-1"):
        assert refusal_of(capsys, "show", "task", "parity", "--length", length) == (
            f"error: --length is a whole number from 0 to 10000; found {length}.\nhint: for example --length 20.\n"
        )


def test_a_name_is_a_name_with_space_around_it_too() -> None:
    for name in ("parity", "count_mod(3)", "D_2", "accepts(D_2)", "states(D_2)"):
        assert find_task(f" {name}\n").name == name
    assert find_named_task(" parity") is not None
    assert find_task("accepts( D_2 )").name == "accepts(D_2)"
    assert " " in find_task("(a b)*").symbols, "in an expression, a space is a symbol"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the name of a task is ''; it must not be empty."),
        (" \t", "the name of a task is ' \\t'; it must not be empty."),
        ("accepts()", "the name of a language is ''; it must not be empty."),
        ("states( )", "the name of a language is ' '; it must not be empty."),
        (
            "accepts(D_2, 3)",
            "accepts takes a language or a regular expression in parentheses; found 'D_2', '3'.",
        ),
        (
            "states(even.json, 3)",
            "states takes a language or a regular expression in parentheses; found 'even.json', '3'.",
        ),
    ],
)
def test_what_looks_like_a_name_is_never_read_as_an_expression(name: str, message: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        find_task(name)
    assert caught.value.message == message
    assert caught.value.hint


def test_published_figures_are_of_tasks_and_languages_that_exist() -> None:
    assert set(LANGUAGE_FIGURES) <= set(LANGUAGES)
    assert len(LANGUAGE_FIGURES) == 17
    for name in TASKS:
        headline = headline_of(name)
        assert headline is None or "arXiv" in headline.source
    for cell in PUBLISHED.published:
        found = headline_of(cell.task)
        assert found is not None
        assert cell.encoding in found.text


def test_examples_come_from_the_first_seed() -> None:
    task = find_task("parity")
    assert make_examples(task, 9, 2) == make_examples(task, 9, 4)[:2]
