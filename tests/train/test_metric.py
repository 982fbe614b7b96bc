"""Exact match: a perfect predictor scores 100 %, a constant one what counting says, and padding never counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from lengthwise.arrays import torch_arrays
from lengthwise.encodings.core.base import Encoding, Fit
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.seeds import EVALUATION, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange, length_bins
from lengthwise.tasks.core.task import EOS, IGNORE, SEP, Batch, Objective, Task
from lengthwise.train.evaluation import Score, make_examples, score_by_length
from lengthwise.train.objectives import exact_matches, loss_per_model

BINS = length_bins(8, 24)
PLAIN = Encoding(Fit(num_heads=1, head_width=8, width=8, max_length=100, trained=10))
NAMES = (*TASKS, *LANGUAGES, *(f"states({name})" for name in LANGUAGES))
ONE_OF_EACH = ("bin_majority", "repeat_copy", "TOMITA_4", "{0,1,2}*02*", "states(D_3)")


def bins_of(task: Task, *, examples: int = 48, seeds: tuple[int, ...] = (0, 1)) -> Iterator[tuple[LengthRange, Batch]]:
    """Yield the evaluation batch of every bin that has instances."""
    draw = open_stream(EVALUATION, seed=list(seeds), xp=torch_arrays())
    for number, bounds in enumerate(BINS):
        if task.lengths(bounds.low, bounds.high):
            yield bounds, make_examples(task, bounds, examples, draw.at(number), torch_arrays(), PLAIN).batch


def perfect_outputs(task: Task, targets_MBL: Tensor) -> Tensor:
    """Return outputs that say exactly what the targets say, and nonsense where nothing is scored."""
    places = torch.arange(task.num_outputs)
    if task.objective is Objective.NEXT_SYMBOLS:
        return (targets_MBL[..., None] >> places & 1) * 2.0 - 1.0
    return (targets_MBL[..., None] == places).float()


def constant_outputs(task: Task, said: int, shape: torch.Size) -> Tensor:
    """Return outputs that say the same class, or the same set, everywhere."""
    return perfect_outputs(task, torch.full(shape, said))


def share_matched(task: Task, outputs: Tensor, batch: Batch) -> list[float]:
    return exact_matches(task.objective, outputs, batch.targets_MBL).double().mean(1).tolist()


# Known predictors


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_predictor_scores_everything_in_every_bin(name: str) -> None:
    task = find_task(name)
    num_bins = 0
    for bounds, batch in bins_of(task):
        outputs = perfect_outputs(task, batch.targets_MBL)
        assert share_matched(task, outputs, batch) == [1.0, 1.0]
        matches = exact_matches(task.objective, outputs, batch.targets_MBL)
        for scores in score_by_length(matches, batch.scale_MB):
            assert all(score.matches == score.examples and score.length in bounds for score in scores)
            assert sum(score.examples for score in scores) == 48
        num_bins += 1
    assert num_bins == (
        2 if name in ("needle", "mqar_word_problem", "path_star", "hanoi", "life_step") else 3
    )  # few lengths


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_predictor_can_be_arbitrarily_sure(name: str) -> None:
    """The loss goes to 0 where the right answer is certain: the loss and the metric want the same."""
    task = find_task(name)
    _, batch = next(bins_of(task))
    outputs = perfect_outputs(task, batch.targets_MBL)
    sure = outputs * 60 if task.objective is Objective.NEXT_SYMBOLS else (outputs - 1) * 60
    assert loss_per_model(task.objective, sure, batch.targets_MBL).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_constant_predictor_scores_what_counting_says(name: str) -> None:
    task = find_task(name)
    for _, batch in bins_of(task, seeds=(3,)):
        rows = [[target for target in row if target != IGNORE] for row in batch.targets_MBL[0].tolist()]
        said = {target for row in rows for target in row}
        said |= {0, 1} if task.objective is Objective.NEXT_SYMBOLS else set(range(min(task.num_outputs, 5)))
        for one in sorted(said)[:12]:
            counted = sum(all(target == one for target in row) for row in rows)
            outputs = constant_outputs(task, one, batch.targets_MBL.shape)
            assert share_matched(task, outputs, batch) == [counted / len(rows)]


@pytest.mark.parametrize(("name", "said"), [("parity", "e"), ("parity", "o"), ("bin_majority", "1")])
def test_one_answer_to_everything_scores_how_often_it_is_right(name: str, said: str) -> None:
    task = find_task(name)
    for _, batch in bins_of(task, seeds=(4,)):
        at_separator = batch.tokens_MBL == task.token(SEP)
        words = torch.where(at_separator, task.token(said), task.token(EOS))
        rows = zip(batch.tokens_MBL[0].tolist(), batch.targets_MBL[0].tolist(), strict=True)
        prompts = [task.read_back(*row)[0] for row in rows]
        right = sum(task.answer(prompt) == [said] for prompt in prompts)
        assert 0 < right < len(prompts)
        assert share_matched(task, perfect_outputs(task, words), batch) == [right / len(prompts)]


def test_an_output_of_zero_says_that_a_symbol_cannot_follow() -> None:
    task = find_task("[ab]*")  # everything can always follow
    for _, batch in bins_of(task):
        assert share_matched(task, torch.zeros(*batch.targets_MBL.shape, 3), batch) == [0.0, 0.0]
        assert share_matched(task, torch.full((*batch.targets_MBL.shape, 3), 1e-30), batch) == [1.0, 1.0]


# One position at a time


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_one_wrong_position_anywhere_makes_an_instance_wrong_and_no_other(name: str) -> None:
    task = find_task(name)
    _, batch = next(bins_of(task, examples=8, seeds=(0,)))
    right = perfect_outputs(task, batch.targets_MBL)
    scored = (batch.targets_MBL != IGNORE).nonzero().tolist()
    assert len(scored) > 8
    for model, instance, place in scored:
        for output in range(0, task.num_outputs, max(1, task.num_outputs // 3)):
            wrong = right.clone()
            if task.objective is Objective.NEXT_SYMBOLS:
                wrong[model, instance, place, output] *= -1
            else:
                wrong[model, instance, place, output] = 2.0
            is_other = task.objective is Objective.NEXT_SYMBOLS or batch.targets_MBL[model, instance, place] != output
            matches = exact_matches(task.objective, wrong, batch.targets_MBL)[0].tolist()
            assert matches == [not (is_other and number == instance) for number in range(8)]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_what_is_said_where_nothing_is_scored_never_counts(name: str) -> None:
    task = find_task(name)
    generator = torch.Generator().manual_seed(0)
    for _, batch in bins_of(task):
        unscored = (batch.targets_MBL == IGNORE)[..., None]
        assert unscored.any()
        right = perfect_outputs(task, batch.targets_MBL)
        noise = torch.randn(right.shape, generator=generator) * 100
        noisy = torch.where(unscored, noise, right)
        assert share_matched(task, noisy, batch) == [1.0, 1.0]
        losses = [loss_per_model(task.objective, outputs, batch.targets_MBL) for outputs in (right, noisy)]
        assert torch.equal(*losses)


def test_padding_is_not_scored_so_a_wider_batch_scores_the_same() -> None:
    for name in ONE_OF_EACH:
        task = find_task(name)
        _, batch = next(bins_of(task))
        outputs = torch.randn(*batch.targets_MBL.shape, task.num_outputs, generator=torch.Generator().manual_seed(1))
        wider_targets = torch.cat([batch.targets_MBL, torch.full_like(batch.targets_MBL, IGNORE)], dim=-1)
        wider_outputs = torch.cat([outputs, torch.randn_like(outputs)], dim=-2)
        for measure in (exact_matches, loss_per_model):
            narrow = measure(task.objective, outputs, batch.targets_MBL)
            wide = measure(task.objective, wider_outputs, wider_targets)
            torch.testing.assert_close(narrow, wide, rtol=1e-6, atol=0)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_loss_has_a_gradient_exactly_where_something_is_scored(name: str) -> None:
    task = find_task(name)
    _, batch = next(bins_of(task))
    outputs = torch.randn(*batch.targets_MBL.shape, task.num_outputs, generator=torch.Generator().manual_seed(2))
    outputs.requires_grad_()
    loss_per_model(task.objective, outputs, batch.targets_MBL).sum().backward()
    assert outputs.grad is not None
    has_gradient = (outputs.grad != 0).any(-1)
    assert torch.equal(has_gradient, batch.targets_MBL != IGNORE)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_loss_of_a_model_is_the_mean_over_its_own_scored_positions(name: str) -> None:
    task = find_task(name)
    _, batch = next(bins_of(task, examples=6))
    outputs = torch.randn(*batch.targets_MBL.shape, task.num_outputs, generator=torch.Generator().manual_seed(3))
    found = loss_per_model(task.objective, outputs, batch.targets_MBL).tolist()
    for model in range(2):
        losses = []
        for instance, place in (batch.targets_MBL[model] != IGNORE).nonzero().tolist():
            target = int(batch.targets_MBL[model, instance, place])
            values = outputs[model, instance, place].double()
            if task.objective is Objective.NEXT_SYMBOLS:
                signs = [1 if target >> bit & 1 else -1 for bit in range(task.num_outputs)]
                chances = torch.sigmoid(values * torch.tensor(signs))
                losses.append(-chances.log().sum().item())
            else:
                losses.append(-torch.log_softmax(values, -1)[target].item())
        assert found[model] == pytest.approx(sum(losses) / len(losses), rel=1e-5)


def test_scores_are_counted_by_length() -> None:
    matches = torch.tensor([[True, False, True, True], [False, False, False, True]])
    lengths = torch.tensor([[3, 1, 3, 1], [2, 2, 2, 9]])
    assert score_by_length(matches, lengths) == [
        [Score(length=1, examples=2, matches=1), Score(length=3, examples=2, matches=2)],
        [Score(length=2, examples=3, matches=0), Score(length=9, examples=1, matches=1)],
    ]


def test_evaluation_is_drawn_once_and_differs_between_bins_and_seeds() -> None:
    task = find_task("repeat_copy")
    first, again = (list(bins_of(task)) for _ in range(2))
    for (_, one), (_, two) in zip(first, again, strict=True):
        assert torch.equal(one.tokens_MBL, two.tokens_MBL)
        assert not torch.equal(one.tokens_MBL[0], one.tokens_MBL[1])
    assert [sorted(set(batch.scale_MB.flatten().tolist()))[0] for _, batch in first] == [1, 9, 17]


# The order of sets is no part of the metric

_SCRIPT = """
import json, sys
from hashlib import sha256
import numpy as np
from test_metric import bins_of, perfect_outputs, share_matched
from lengthwise.tasks.core.catalog import find_task
found = {}
for name in sys.argv[1:]:
    task = find_task(name)
    shares, digest = [], sha256("|".join(task.vocabulary).encode())
    for _, batch in bins_of(task, seeds=(0,)):
        shares += share_matched(task, perfect_outputs(task, batch.targets_MBL), batch)
        digest.update(np.ascontiguousarray(batch.tokens_MBL).tobytes() + np.ascontiguousarray(batch.targets_MBL).tobytes())
    found[name] = [min(shares), digest.hexdigest()]
print(json.dumps([hash("a symbol"), found]))
"""

_HASHED = ("bin_majority", "parity", "unique_copy(30)", *LANGUAGES, "states(TOMITA_3)", "states({a,b}*d{b,c}*)")


def scores_under_hash_seed(seed: int) -> tuple[int, dict[str, list[object]]]:
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.path.dirname(__file__)}
    command = [sys.executable, "-c", _SCRIPT, *_HASHED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    hashed, found = json.loads(done.stdout)
    return hashed, found


def assert_perfect_and_the_same(seeds: range) -> None:
    outcomes = [scores_under_hash_seed(seed) for seed in seeds]
    assert len({hashed for hashed, _ in outcomes}) == len(seeds)  # the seeds did make a difference to sets
    assert all(share == 1.0 for _, found in outcomes for share, _ in found.values())
    assert all(found == outcomes[0][1] for _, found in outcomes)
    assert len(outcomes[0][1]) == len(_HASHED)


@pytest.mark.full
def test_a_perfect_predictor_scores_everything_under_several_hash_seeds() -> None:
    assert_perfect_and_the_same(range(3))


@pytest.mark.full
def test_a_perfect_predictor_scores_everything_under_twenty_hash_seeds() -> None:
    assert_perfect_and_the_same(range(20))
