"""Real decoding: the same as teacher forcing where more tokens change nothing before them, and measured where they do."""

from __future__ import annotations

import pytest
import torch

from lengthwise.model.shape import Shape
from lengthwise.seeds import EVALUATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.train.evaluation import Examples, make_examples, match_instances
from lengthwise.train.generation import match_generated
from lengthwise.train.groups import make_training_runs
from lengthwise.train.settings import GENERATED_EXAMPLES, Training
from lengthwise.train.stack import Stack

BINS = length_bins(6, 12)


def trained_stack(task: str, encoding: str, *, generate: bool = False, steps: int = 60) -> Stack:
    """Return two models after a few steps: right on some instances and wrong on others."""
    runs = make_training_runs(
        task=find_task(task),
        encoding=encoding,
        shape=Shape(layers=1, heads=2, width=16),
        training=Training(steps=steps, batch=32, evaluate_every=steps, examples=60),
        bins=BINS,
        seeds=(0, 1),
        rates=(0.01, 0.01),
        generate=generate,
    )
    stack = Stack.of(runs)
    stack.advance(steps)
    return stack


def examples_of(stack: Stack, number: int = 40) -> Examples:
    draw = open_stream(EVALUATION, seed=[0, 1], xp=stack.xp).at(0)
    return make_examples(stack.runs[0].task, BINS[1], number, draw, stack.xp, stack.model.encoding)


@pytest.mark.full
@pytest.mark.parametrize("task", ["bin_majority", "unique_copy(12)", "(ab)*", "states((ab)*)", "add_decimal"])
@pytest.mark.parametrize("encoding", ["nope", "rope", "alibi", "ape"])
def test_decoding_equals_teacher_forcing_where_more_tokens_change_nothing(task: str, encoding: str) -> None:
    stack = trained_stack(task, encoding)
    examples = examples_of(stack)
    forced = match_instances(stack.model, stack.group.objective, examples, stack.is_output_MO)
    generated = match_generated(stack.model, stack.runs[0].task, examples, stack.xp, stack.is_output_MO)
    assert generated.tolist() == forced.tolist()


def test_a_model_sees_nothing_that_comes_later() -> None:
    stack = trained_stack("unique_copy(12)", "dynamic_ntk", steps=5)
    examples = examples_of(stack)
    tokens = examples.batch.tokens_MBL
    first = examples.places_MBS[..., 0]
    matches = match_generated(stack.model, stack.runs[0].task, examples, stack.xp, stack.is_output_MO)
    later = torch.arange(tokens.shape[-1]) > first[..., None]
    tokens[later] = 0  # other answers than the right ones: decoding must not read them
    again = match_generated(stack.model, stack.runs[0].task, examples, stack.xp, stack.is_output_MO)
    assert again.tolist() == matches.tolist()


class _Sevens(torch.nn.Module):
    """A model that always answers with token 7, and notes what it sees."""

    def __init__(self, stack: Stack) -> None:
        super().__init__()
        self.encoding, self.num_outputs = stack.model.encoding, stack.runs[0].task.num_outputs
        self.seen: list[list[int]] = []

    def stream(self, tokens_MBL: torch.Tensor, _at: object) -> torch.Tensor:
        self.seen.append(tokens_MBL[0, 0].tolist())
        return tokens_MBL[..., None].float()

    def read(self, stream_MBLD: torch.Tensor) -> torch.Tensor:
        outputs = torch.zeros(*stream_MBLD.shape[:-1], self.num_outputs)
        outputs[..., 7] = 1.0
        return outputs


def test_what_is_written_is_fed_back() -> None:
    stack = trained_stack("unique_copy(12)", "nope", steps=1)
    examples, model = examples_of(stack, 1), _Sevens(stack)
    match_generated(model, stack.runs[0].task, examples, stack.xp)  # type: ignore[arg-type]
    separator = int(examples.places_MBS[0, 0, 0])
    written = [tokens[separator + 1 :] for tokens in model.seen]
    assert written == [[7] * number for number in range(len(written))]
    assert len(written) > 6


def test_runs_are_decoded_when_asked_for_and_always_where_it_may_differ() -> None:
    plain, asked, changing = (
        trained_stack("bin_majority", encoding, generate=generate, steps=2)
        for encoding, generate in (("nope", False), ("nope", True), ("dynamic_ntk", False))
    )
    assert plain.test([0])[0].generated == ()
    for stack in (asked, changing):
        tested = stack.test([0])[0]
        number = min(GENERATED_EXAMPLES, stack.group.examples)
        assert [sum(score.examples for score in scores) for scores in (tested.generated, tested.forced)] == [
            2 * number
        ] * 2
    assert asked.test([0])[0].generated == asked.test([0])[0].forced
