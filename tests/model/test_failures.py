"""Where models break: the first wrong position and the examples, against loops over every output."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from made_results import make_result

from lengthwise.cli.commands import inspect
from lengthwise.cli.failures import aligned, failure_lines
from lengthwise.cli.main import main
from lengthwise.errors import InvalidOptionError, UnknownNameError
from lengthwise.experiment.models import kept_runs, models_folder, save_model
from lengthwise.experiment.plan import Run, make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.experiment.store import open_store
from lengthwise.model.inspection.failures import EXAMPLES, Example, find_failures, show_target
from lengthwise.model.inspection.watching import watch
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.task import IGNORE, Objective


def untrained(task: str, encoding: str = "nope") -> tuple[Run, object]:
    (run,) = make_runs([Spec(tasks=(task,), encodings=(encoding,), seeds=1, train_length=4, test_length=12)])
    return run, stack_of([run])


def kept(folder: Path, task: str = "bin_majority", encoding: str = "nope") -> tuple[Run, str]:
    """Keep a model as it is before training; return its run and the store."""
    run, stack = untrained(task, encoding)
    store = str(folder / "runs.sqlite")
    models_folder(store).mkdir(parents=True, exist_ok=True)
    save_model(run, stack.named_weights(0), models_folder(store))  # type: ignore[attr-defined]
    return run, store


def said(objective: Objective, outputs: list[float]) -> int:
    """Return what outputs say: the largest one, or the set of those above 0."""
    if objective is Objective.NEXT_SYMBOLS:
        return sum(2**number for number, value in enumerate(outputs) if value > 0)
    return max(range(len(outputs)), key=outputs.__getitem__)


@pytest.mark.parametrize("name", ["bin_majority", "repeat_copy", "(ab)*", "states(TOMITA_4)"])
def test_first_wrong_positions_are_those_that_loops_over_outputs_find(name: str) -> None:
    _, stack = untrained(name)
    task, model = find_task(name), stack.model  # type: ignore[attr-defined]
    found = find_failures(model, task, 4, 12, instances=8)
    assert found.by_length[-1].measured.length == 12
    for breaks in found.by_length:
        expected = []
        for seen in watch(model, task, [breaks.measured.length] * 8):
            for outputs, targets in zip(seen.outputs_BLO.tolist(), seen.targets_BL.tolist(), strict=True):
                scored = [
                    (said(task.objective, row), want)
                    for row, want in zip(outputs, targets, strict=True)
                    if want != IGNORE
                ]
                wrong = [number for number, (given, want) in enumerate(scored, start=1) if given != want]
                expected += wrong[:1]
        assert breaks.first_wrong == tuple(sorted(expected))
        assert breaks.measured.matched == pytest.approx(1 - len(expected) / 8)
    assert any(breaks.first_wrong for breaks in found.by_length), "an untrained model fails"


@pytest.mark.parametrize("name", ["bin_majority", "(ab)*"])
def test_examples_are_failing_instances_of_the_task_each_shown_once(name: str) -> None:
    _, stack = untrained(name)
    task = find_task(name)
    found = find_failures(stack.model, task, 4, 12, instances=30)  # type: ignore[attr-defined]
    assert 0 < len(found.examples) <= EXAMPLES
    assert len(set(found.examples)) == len(found.examples)
    for example in found.examples:
        assert example.expected[example.first] != example.given[example.first]
        assert example.expected[: example.first] == example.given[: example.first]
        if task.objective is Objective.ANSWER:
            sep = example.tokens.index("<sep>")
            assert task.answer(example.tokens[1:sep]) == list(example.expected[sep : sep + 1])
            assert set(example.expected[:sep]) == {""}, "the input is not scored"


def test_targets_are_shown_as_tokens_states_or_sets() -> None:
    assert show_target(find_task("bin_majority"), 1) == "1"
    assert show_target(find_task("states(TOMITA_4)"), 2) == "2"
    assert [show_target(find_task("(ab)*"), bits) for bits in (0, 1, 5)] == ["∅", "a", "a$"]


def test_an_example_has_its_tokens_in_columns_and_a_mark_below_the_first_that_is_wrong() -> None:
    example = Example(
        tokens=("<bos>", "a", "b", "<sep>", "a", "b"),
        expected=("", "", "", "a", "b", "<eos>"),
        given=("", "", "", "a", "a", "<eos>"),
        first=4,
    )
    assert aligned(example, 80) == [
        "tokens    <bos> a b <sep> a b",
        "right               a     b <eos>",
        "model               a     a <eos>",
        "                          ^",
    ]


@pytest.mark.parametrize("first", [0, 5, 50, 98, 99])
@pytest.mark.parametrize("room", [60, 100])
def test_a_long_example_shows_what_is_around_the_first_that_is_wrong(first: int, room: int) -> None:
    tokens = tuple("ab" * 50)
    lines = aligned(Example(tokens=tokens, expected=tokens, given=tokens, first=first), room)
    assert max(map(len, lines)) <= room
    assert lines[0][lines[3].index("^")] == tokens[first]
    assert ("… " in lines[0][8:10]) is (first > 20)
    assert lines[0].endswith(" …") is (first < 90)


def test_a_model_that_diverged_is_refused() -> None:
    _, stack = untrained("bin_majority")
    with torch.no_grad():
        stack.model.embedding_MVD[0, 1, 2] = torch.nan  # type: ignore[attr-defined]
    with pytest.raises(InvalidOptionError, match="weights that are not finite, 'embedding_MVD'"):
        find_failures(stack.model, find_task("bin_majority"), 4, 12)  # type: ignore[attr-defined]


def test_a_set_without_instances_of_these_lengths_is_told() -> None:
    _, stack = untrained("bin_majority")
    with pytest.raises(InvalidOptionError, match=r"has no instance of a length from 1 to 11\."):
        find_failures(stack.model, find_task("(a{12})*"), 4, 11)  # type: ignore[attr-defined]


# The command


def options(what: str, store: str, **fields: object) -> Namespace:
    parser = ArgumentParser()
    inspect.add_arguments(parser)
    parsed = vars(parser.parse_args([what, "--store", store, "--failures"]))
    return Namespace(**parsed | {"json": False, "instances": 8} | fields)


def test_the_command_shows_where_a_kept_model_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, store = kept(tmp_path)
    assert kept_runs(store) == {run.id}
    assert inspect.run(options(run.id, store)) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        f"bin_majority × nope, seed 0, run {run.id}: trained up to length 4\n\nWhere it breaks, on random"
    )
    assert "\n12 * " in shown
    assert shown.count("\ntokens  ") == shown.count("\nright   ") == shown.count("\nmodel   ") >= 1


def test_a_report_names_failing_runs_whose_models_lie_beside_the_store_with_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, store = kept(tmp_path)
    other = replace(run, seed=1)
    with open_store(store) as opened:
        opened.save([make_result(run, [1, 0.5, 0.2]), make_result(other, [1, 0.5, 0.1])])
    assert main(["report", store, "--out", str(tmp_path / "page.html")]) == 0
    command = f"lengthwise inspect {run.id} --failures --store {store}"
    shown = " ".join(capsys.readouterr().out.split())
    assert f"seed 0 has 20.0 % at 3×. {command}" in shown
    assert other.id not in shown, "its model was not kept"
    assert f"<code>{command}</code>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_command_looks_at_hard_instances_too_and_gives_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, store = kept(tmp_path)
    assert inspect.run(options(run.id, store, json=True, hard="boundary")) == 0
    found = json.loads(capsys.readouterr().out)["failures"]
    assert found["instances_of"] == "boundary"
    for example in found["examples"]:
        tokens = example["tokens"][1 : example["tokens"].index("<sep>")]
        assert abs(tokens.count("0") - tokens.count("1")) <= 2, "counts are close"
    last = found["lengths"][-1]
    assert (last["length"], last["instances"], len(last["largest_weights"])) == (12, 8, 8)
    assert len(last["first_wrong"]) == round((1 - last["matched"]) * 8)


def test_kinds_that_are_not_there_are_told(tmp_path: Path) -> None:
    run, store = kept(tmp_path)
    with pytest.raises(UnknownNameError, match="kind 'bondary' is unknown"):
        inspect.run(options(run.id, store, hard="bondary"))
    with pytest.raises(InvalidOptionError) as caught:
        inspect.run(options(run.id, store, hard="pumped"))
    assert str(caught.value) == (
        "'bin_majority' has no hard instances of the kind 'pumped'. It has: boundary.\nhint: choose one of these, or leave --hard out."
    )
    with pytest.raises(InvalidOptionError, match="--hard chooses what --failures looks at"):
        inspect.run(options(run.id, store, failures=False, hard="boundary"))


def test_the_command_draws_longer_instances_than_were_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, store = kept(tmp_path)
    assert inspect.run(options(run.id, store, json=True, lengths="13-24")) == 0
    lengths = [row["length"] for row in json.loads(capsys.readouterr().out)["failures"]["lengths"]]
    assert (lengths[0], lengths[-1]) == (13, 24)
    assert len(lengths) > 5
    assert inspect.run(options(run.id, store, lengths="20-20")) == 0
    shown = capsys.readouterr().out
    assert "trained up to length 4\n" in shown
    assert "\n20 * " in shown


@pytest.mark.parametrize("given", ["24-13", "0-5", "13", "13-", "1-100001", "a-b", "1--5", "١-٥"])
def test_lengths_that_are_none_are_told(tmp_path: Path, given: str) -> None:
    run, store = kept(tmp_path)
    with pytest.raises(InvalidOptionError) as caught:
        inspect.run(options(run.id, store, lengths=given))
    assert str(caught.value) == (
        f"--lengths must be LOW-HIGH, two lengths from 1 to 100000; found {given!r}.\nhint: for example 13-24."
    )
    with pytest.raises(InvalidOptionError, match="--lengths chooses what --failures looks at"):
        inspect.run(options(run.id, store, failures=False, lengths=given))


def test_lengths_without_positions_are_refused(tmp_path: Path) -> None:
    run, store = kept(tmp_path, encoding="ape")
    with pytest.raises(InvalidOptionError) as caught:
        inspect.run(options(run.id, store, lengths="13-24"))
    assert str(caught.value) == (
        "'ape' has positions up to length 12 in this run; found --lengths 13-24.\nhint: train it again with a larger room."
    )
    assert inspect.run(options(run.id, store, lengths="9-12")) == 0


def test_where_nothing_fails_longer_lengths_are_named() -> None:
    _, stack = untrained("bin_majority")
    found = replace(find_failures(stack.model, find_task("bin_majority"), 4, 12, instances=4), example_length=None)  # type: ignore[attr-defined]
    assert (
        failure_lines(found, longer="13-24")[-1] == "No instance of these lengths failed. Longer ones: --lengths 13-24."
    )
    assert failure_lines(found)[-1] == "No instance of these lengths failed."
