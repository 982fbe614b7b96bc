"""What a model shows without labels: how sure it is, and whether it ever says that nothing can follow."""

from __future__ import annotations

from itertools import accumulate

import pytest

torch = pytest.importorskip("torch")

from lengthwise.model.shape import Shape  # noqa: E402
from lengthwise.model.transformer import Transformer  # noqa: E402
from lengthwise.seeds import INITIALIZATION, open_stream  # noqa: E402
from lengthwise.tasks.core.catalog import find_task  # noqa: E402
from lengthwise.tasks.core.lengths import length_bins  # noqa: E402
from lengthwise.tasks.languages.regular import NextSymbols  # noqa: E402
from lengthwise.train.groups import make_training_runs  # noqa: E402
from lengthwise.train.models import make_model  # noqa: E402
from lengthwise.train.settings import Training  # noqa: E402
from lengthwise.train.signals import NUMBER, signals_of  # noqa: E402
from lengthwise.train.stack import Stack  # noqa: E402

SHAPE, BINS = Shape(layers=1, heads=2, width=16), length_bins(6, 18)


def task_of(text: str) -> NextSymbols:
    task = find_task(text)
    assert isinstance(task, NextSymbols)
    return task


def model_for(task: NextSymbols, seeds: list[int]) -> Transformer:
    model = make_model(task, "nope", SHAPE, BINS, num_models=len(seeds))
    model.initialize(open_stream(INITIALIZATION, seed=seeds))
    return model


def with_outputs(task: NextSymbols, outputs: list[float]) -> Transformer:
    """Return a model that always gives these outputs."""
    model = model_for(task, [0])
    assert model.readout is not None
    with torch.no_grad():
        for name, parameter in model.readout.named_parameters():
            parameter.copy_(torch.tensor(outputs) if "bias" in name else torch.zeros_like(parameter))
    return model


def test_a_model_that_says_that_nothing_can_follow_is_not_alive() -> None:
    task = task_of("(a|b)*")
    (silent,) = signals_of(with_outputs(task, [-1.0, -2.0, -3.0]), task, 6)
    (open_,) = signals_of(with_outputs(task, [0.5, 2.0, -3.0]), task, 6)
    (ended,) = signals_of(with_outputs(task, [-1.0, -2.0, 3.0]), task, 6)
    assert (silent.alive, open_.alive, ended.alive) == (0.0, 1.0, 1.0)
    assert open_.near == open_.far == open_.own == pytest.approx(0.5)
    assert set(open_.choices) == {chr(ord("0") + 0b011)}
    assert len(open_.choices) == 4 * NUMBER


def test_models_side_by_side_show_what_each_shows_alone() -> None:
    task = task_of("(ab|c)*")
    together = signals_of(model_for(task, [3, 5]), task, 6)
    for seed, signals in zip((3, 5), together, strict=True):
        (alone,) = signals_of(model_for(task, [seed]), task, 6)
        for name, value in alone.to_json().items():
            found = signals.to_json()[name]
            assert found == value if isinstance(value, str) else found == pytest.approx(value, abs=2e-3)


def test_a_trained_model_writes_strings_that_go_on() -> None:
    task = task_of("(ab)*")
    runs = make_training_runs(
        task=task,
        encoding="nope",
        shape=SHAPE,
        training=Training(steps=200, batch=32, evaluate_every=200, examples=16),
        bins=BINS,
        seeds=[0],
        rates=[0.01],
    )
    stack = Stack.of(runs)
    (before,) = signals_of(model_for(task, [0]), task, 6)
    stack.advance(200)
    model = make_model(task, "nope", SHAPE, BINS, num_models=1)
    weights = stack.named_weights(0)
    for name, parameter in model.named_parameters():
        parameter.data.copy_(weights[name])
    (after,) = signals_of(model, task, 6)
    assert after.alive == 1.0
    assert after.near > before.near


@pytest.mark.parametrize("text", ["(a|b)*", "ccb(b)*aab", "((ba|(a|b|b))|(bab)*|((a|a)|a))", "(ab|bba)*"])
def test_a_model_that_is_right_is_alive_also_where_words_end(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(text)

    def right(_model: Transformer, tokens: torch.Tensor) -> torch.Tensor:
        transitions, sets = torch.tensor(task.language.transitions), torch.tensor(task.sets)
        state = torch.zeros(tokens.shape[:2], dtype=torch.int64)
        step = accumulate(tokens[..., 1:].unbind(-1), lambda state, symbol: transitions[state, symbol], initial=state)
        bits = sets[torch.stack(list(step), dim=-1)][..., None] >> torch.arange(task.num_outputs) & 1
        return 2.0 * bits - 1.0

    monkeypatch.setattr("lengthwise.train.signals._outputs", right)
    (signals,) = signals_of(model_for(task, [0]), task, 6)
    assert signals.alive == 1.0
    assert signals.own == signals.near == 1.0
