"""Probes: models whose breaking length is known get it named, random models get nothing, and measurements survive interruptions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from command_runner import Runner
from compiled_probers import compiled_prober
from tiny_decoders import ARCHITECTURES, save_decoder
from torch import Tensor

from lengthwise.errors import InvalidOptionError, UnreadableFileError, UserCodeError
from lengthwise.probe.harness import export_tasks
from lengthwise.probe.measure import Cell, Measured, Settings, measure
from lengthwise.probe.models import CallableProber, FolderProber, find_prober
from lengthwise.probe.probes import PROBES, answer_symbols, is_single, lengths_of, make_instances
from lengthwise.probe.profile import Finding, find_profile, is_above_chance
from lengthwise.probe.prompts import form_for, rows_of

LENGTHS = (8, 16, 32, 64, 128)
SHORT = Settings(lengths=LENGTHS, number=30)


def finding(name: str, longest: int | None, settings: Settings = SHORT) -> Finding:
    model = CallableProber(compiled_prober(name, longest), name)
    return find_profile(measure(model, [PROBES[name]], settings, None), model, "nope")[0]


# Models whose breaking length is known


@pytest.mark.parametrize(("longest", "breaks"), [(None, None), (20, (16, 32)), (100, (64, 128))])
def test_the_length_of_a_planted_fault_is_named(longest: int | None, breaks: tuple[int, int] | None) -> None:
    found = finding("majority", longest)
    assert (found.state, found.breaks, str(found.predicted)) == ("done", breaks, "YES")


@pytest.mark.full
@pytest.mark.parametrize("longest", [None, 9, 20, 40, 60, 100, 120])
@pytest.mark.parametrize("name", ["majority", "alternation", "adjacency", "induction"])
def test_every_planted_fault_is_found_at_its_length(name: str, longest: int | None) -> None:
    found = finding(name, longest)
    expected = None
    if longest is not None:
        expected = (max(n for n in LENGTHS if n <= longest), min(n for n in LENGTHS if n > longest))
    assert (found.state, found.breaks) == ("done", expected)


def test_a_model_without_the_symbols_of_a_task_is_not_measured_on_it() -> None:
    model = CallableProber(compiled_prober("majority"), "majority")
    assert measure(model, [PROBES["induction"]], SHORT, None) == [
        Measured(probe="induction", cells=(), left_out="the vocabulary has no symbols for it")
    ]


# Random models


@pytest.fixture(scope="module")
def random_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_decoder(tmp_path_factory.mktemp("models") / "llama", "llama")


def states(folder: Path, probes: Sequence[str], lengths: tuple[int, ...], number: int) -> list[str]:
    model = FolderProber(folder, "cpu")
    measured = measure(
        model, [PROBES[name] for name in probes], Settings(lengths=lengths, number=number, shots=3), None
    )
    return [found.state for found in find_profile(measured, model, "rope")]


def test_a_random_model_is_at_chance(random_llama: Path) -> None:
    assert states(random_llama, ["copy_repeated", "majority"], (8, 16), 20) == ["chance", "chance"]


@pytest.mark.full
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("seed", [0, 1])
def test_random_models_of_all_architectures_have_no_profile(tmp_path: Path, architecture: str, seed: int) -> None:
    folder = save_decoder(tmp_path / architecture, architecture, seed=seed)
    assert "done" not in states(folder, list(PROBES), (8, 16, 32), 100)


# Questions


@pytest.mark.parametrize("name", PROBES)
def test_instances_have_the_answers_of_the_catalogue(name: str) -> None:
    probe = PROBES[name]
    for length in lengths_of(probe, (8, 32))[:1]:
        for instance in make_instances(probe, length, 20, 3, "questions"):
            assert set(instance.answer) <= set(answer_symbols(probe))
            sep = instance.question.index("<sep>")
            if name.startswith("recall"):
                written = instance.question[:sep]
                key = instance.question[-1]
                latest = max(place for place in range(0, sep, 2) if written[place] == key)
                assert instance.answer == (written[latest + 1],)
            else:
                answer = [symbol for symbol in probe.task.answer(list(instance.question[:sep])) if symbol != "<eos>"]
                assert (list(instance.answer), sep) == (answer, len(instance.question) - 1)


@pytest.mark.parametrize("name", PROBES)
def test_every_probe_stands_beside_another_one(name: str) -> None:
    assert PROBES[name].beside in PROBES
    assert PROBES[name].beside != name


def test_every_symbol_of_a_prompt_is_one_token_and_the_answer_is_asked_for_where_it_stands(random_llama: Path) -> None:
    model = FolderProber(random_llama, "cpu")
    for name in ("copy_distinct", "majority", "recall_latest"):
        form = form_for(PROBES[name], model, 3, 0)
        assert form is not None
        assert len(set(form.tokens.values())) == len(form.tokens)
        for row in rows_of(form, model, lengths_of(PROBES[name], (8,))[0], 5):
            whole = [*model.first, *model.tokens(row.text + row.answer)]
            assert list(row.tokens) == whole[:-1]
            assert tuple(whole[place + 1] for place in row.places) == row.right


def test_shuffled_examples_keep_the_question_and_change_the_answers_before_it(random_llama: Path) -> None:
    model = FolderProber(random_llama, "cpu")
    form = form_for(PROBES["copy_repeated"], model, 4, 0)
    assert form is not None
    plain, shuffled = (rows_of(form, model, 8, 10, shuffled=shuffled) for shuffled in (False, True))
    for before, after in zip(plain, shuffled, strict=True):
        assert before.text.splitlines()[-1] == after.text.splitlines()[-1]
        assert before.right == after.right
    assert [row.text for row in plain] != [row.text for row in shuffled]


# Measuring


class Stubborn:
    """Gives every token the same score but one."""

    def __init__(self, favourite: str) -> None:
        self.vocabulary = {symbol: number for number, symbol in enumerate(("0", "1", "<bos>", "<sep>"))}
        self.favourite = self.vocabulary[favourite]
        self.asked = 0

    def __call__(self, tokens_BL: Tensor) -> Tensor:
        self.asked += 1
        scores = torch.zeros(*tokens_BL.shape, len(self.vocabulary))
        scores[..., self.favourite] = 1
        return scores


def test_always_the_same_answer_is_chance() -> None:
    model = CallableProber(Stubborn("1"), "stubborn")
    (measured,) = measure(model, [PROBES["majority"]], Settings(lengths=(9, 21), number=100), None)
    assert not any(map(is_above_chance, measured.cells))
    assert find_profile([measured], model, None)[0].sentence == "at chance on short inputs"


def cell(matches: int, instances: int = 100, length: int = 8) -> Cell:
    return Cell(length=length, tokens=9, instances=instances, matches=matches, greedy=0, chance=0.5, margin=0.0)


@pytest.mark.parametrize(
    ("matches", "state", "breaks"),
    [
        ([100, 100, 100], "done", None),
        ([100, 88, 60], "done", (16, 32)),  # 88 of 100 may still be 90 %
        ([95, 70, 99], "done", (8, 16)),
        ([80, 80, 10], "partly", None),
        ([55, 50, 50], "chance", None),
    ],
)
def test_a_break_is_claimed_only_with_confidence(
    matches: list[int], state: str, breaks: tuple[int, int] | None
) -> None:
    cells = tuple(cell(count, length=length) for count, length in zip(matches, (8, 16, 32), strict=True))
    model = CallableProber(Stubborn("1"), "stubborn")
    found = find_profile([Measured(probe="majority", cells=cells)], model, None)[0]
    assert (found.state, found.breaks) == (state, breaks)


def test_an_interrupted_probe_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file, asked = tmp_path / "probe.json", []
    settings = Settings(lengths=(9, 21, 41), number=10)
    stubborn = Stubborn("1")
    model = CallableProber(stubborn, "stubborn")

    def stop(_name: str, length: int) -> None:
        asked.append(length)
        if length == 41:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(model, [PROBES["majority"]], settings, file, stop)
    done = stubborn.asked
    (whole,) = measure(model, [PROBES["majority"]], settings, file)
    assert stubborn.asked == done + 1
    assert whole == measure(model, [PROBES["majority"]], settings, None)[0]
    with pytest.raises(InvalidOptionError, match="another model or with other settings"):
        measure(model, [PROBES["majority"]], Settings(lengths=(9,), number=11), file)


@pytest.mark.parametrize("text", ["[]", '{"version": 1}', '{"version": 1, "model": 2, "settings": 3, "cells": [1]}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "probe.json"
    file.write_text(text)
    model = CallableProber(Stubborn("1"), "stubborn")
    with pytest.raises(UnreadableFileError, match="holds no measurements of probes"):
        measure(model, [PROBES["majority"]], SHORT, file)


def test_inputs_that_the_model_cannot_take_are_left_out_and_never_cut() -> None:
    stubborn = Stubborn("1")
    stubborn.max_length = 30  # type: ignore[attr-defined]
    (found,) = measure(
        CallableProber(stubborn, "s"), [PROBES["majority"]], Settings(lengths=(9, 21, 41), number=5), None
    )
    assert [each.length for each in found.cells] == [9, 21]
    assert found.left_out == "length 41 has 43 tokens, and the model takes 30"


def test_scores_of_another_shape_get_a_sentence() -> None:
    def wrong(tokens_BL: Tensor) -> Tensor:
        return torch.zeros(len(tokens_BL), 3, 4)

    wrong.vocabulary = Stubborn("1").vocabulary  # type: ignore[attr-defined]
    with pytest.raises(UserCodeError, match=r"must return scores of shape \[5, 11, vocabulary\]; found \[5, 3, 4\]"):
        measure(CallableProber(wrong, "wrong"), [PROBES["majority"]], Settings(lengths=(9,), number=5), None)


# The command


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Runner:
    return Runner(capsys, tmp_path)


def test_the_command_prints_a_profile_and_writes_a_page(
    tmp_path: Path, run_command: Runner, random_llama: Path
) -> None:
    page = tmp_path / "probe.html"
    arguments = [
        "probe",
        str(random_llama),
        "--probe",
        "majority",
        "--lengths",
        "8,16",
        "--number",
        "20",
        "--shots",
        "2",
    ]
    done = run_command(*arguments, "--encoding", "rope", "--page", str(page))
    assert done.code == 0
    assert "at chance on short inputs" in done.out
    assert "which of two symbols occurs more often" in page.read_text()
    data = json.loads(run_command(*arguments, "--json").out)
    assert [each["state"] for each in data["findings"]] == ["chance"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing/"], "there is no model 'missing/'"),
        (["."], "there is no config.json"),
        ([".", "--probe", "majoritty"], "did you mean 'majority'?"),
        ([".", "--lengths", "0,8"], "whole numbers from 1 to 1,000,000"),
    ],
)
def test_wrong_input_gets_a_sentence(
    arguments: list[str], words: str, tmp_path: Path, run_command: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_command("probe", *arguments)
    assert (done.code, words in done.err) == (2, True), done.err


def test_weights_that_could_run_code_are_refused(tmp_path: Path, random_llama: Path) -> None:
    folder = tmp_path / "pickled"
    folder.mkdir()
    for path in random_llama.iterdir():
        if path.suffix != ".safetensors":
            (folder / path.name).write_bytes(path.read_bytes())
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(UnreadableFileError, match="cannot be loaded"):
        find_prober(str(folder), "cpu")


# lm-evaluation-harness


@pytest.mark.full
def test_the_harness_gives_the_same_numbers(tmp_path: Path, random_llama: Path) -> None:
    lm_eval = pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed (pip install lm_eval)")
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    model = FolderProber(random_llama, "cpu")
    probes = [PROBES[name] for name in ("majority", "induction", "copy_repeated")]
    settings = Settings(lengths=(8, 16), number=40, shots=2)
    names = export_tasks(model, probes, settings, tmp_path / "harness")
    found = lm_eval.simple_evaluate(
        model=HFLM(pretrained=str(random_llama), device="cpu", batch_size=8, add_bos_token=True),
        tasks=names,
        task_manager=TaskManager(include_path=str(tmp_path / "harness")),
        bootstrap_iters=0,
    )
    for measured in measure(model, probes, settings, None):
        for each in measured.cells:
            theirs = found["results"][f"lengthwise_{measured.probe}_{each.length}"]["acc,none"]
            ours = each.matches if is_single(PROBES[measured.probe]) else each.greedy
            assert theirs == pytest.approx(ours / each.instances)
