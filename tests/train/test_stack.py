"""Stacks: M models at once compute and train exactly as M models alone, and losses stay what they were."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from reference_transformer import reference_outputs
from stack_steps import rows_of, train_all
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.base import Fit, Where
from lengthwise.encodings.core.build import make_encoding
from lengthwise.encodings.core.tables import _LookUp, look_up
from lengthwise.errors import InvalidOptionError
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.model.shape import Shape
from lengthwise.model.transformer import Transformer
from lengthwise.seeds import INITIALIZATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.core.pool import Pool
from lengthwise.train.evaluation import join_examples, match_instances
from lengthwise.train.groups import TrainingRun, make_training_runs
from lengthwise.train.loop import Progress
from lengthwise.train.optimizer import FACTORS, StackedAdamW, adam_factors, clip_scales
from lengthwise.train.settings import TRAINER_REVISION, Training
from lengthwise.train.stack import Stack
from lengthwise.train.weights import Weights

GOLDEN = Path(__file__).parents[1] / "golden" / "losses.json"
SHAPE = Shape(layers=2, heads=2, width=16)
ANSWER, NEXT_SYMBOLS, STATES = "bin_majority", "(aa)*", "states(TOMITA_4)"
BRIEF = Training(steps=40, batch=32, warmup=5, evaluate_every=10, examples=32)


@pytest.fixture(autouse=True)
def one_thread_and_deterministic() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.set_num_threads(threads)


def make_stack(
    task: str,
    encoding: str,
    seeds: Sequence[int],
    rates: Sequence[float],
    *,
    shape: Shape = SHAPE,
    training: Training | None = None,
) -> Stack:
    return Stack.of(runs_of(task, encoding, seeds, rates, shape=shape, training=training))


def runs_of(
    task: str,
    encoding: str,
    seeds: Sequence[int],
    rates: Sequence[float],
    *,
    shape: Shape = SHAPE,
    training: Training | None = None,
) -> list[TrainingRun]:
    return make_training_runs(
        task=find_task(task),
        encoding=encoding,
        shape=shape,
        training=training or BRIEF,
        bins=length_bins(8, 16),
        seeds=seeds,
        rates=rates,
    )


def make_model(encoding: str, seeds: Sequence[int], shape: Shape) -> Transformer:
    """Return a model with large weights everywhere, also where they start at zero or one."""
    positions = make_encoding(
        encoding,
        Fit(
            num_models=len(seeds),
            num_heads=shape.heads,
            head_width=shape.width // shape.heads,
            width=shape.width,
            max_length=20,
            trained=10,
            num_layers=shape.layers,
        ),
    )
    model = Transformer(
        num_models=len(seeds), num_tokens=6, num_outputs=6 if shape.tied else 4, shape=shape, encoding=positions
    )
    model.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(8 if parameter.dim() > 2 else 1)
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.1)
    return model


def weights_of(model: nn.Module, number: int) -> dict[str, Tensor]:
    return {name: parameter.detach()[number] for name, parameter in model.named_parameters()}


# The oracle


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize(
    "shape",
    [
        Shape(layers=1, heads=1, width=8),
        Shape(layers=2, heads=3, width=12),
        Shape(layers=3, heads=4, width=32),
        Shape(layers=2, heads=2, width=16, tied=True),
    ],
    ids=str,
)
def test_every_model_of_a_stack_computes_what_the_reference_does(encoding: str, shape: Shape) -> None:
    model = make_model(encoding, [0, 1, 2], shape)
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(6, (3, 5, 11), generator=generator)
    ids = torch.randint(20, (3, 5, 11), generator=generator)
    outputs = model(tokens, Where(ids, torch.full((3, 5, 11), 11), torch.full((3, 5, 11), 11))).detach()
    assert outputs.std() > 0.3
    for number in range(3):
        expected = reference_outputs(
            weights_of(model, number), tokens[number], ids[number], layers=shape.layers, heads=shape.heads
        )
        torch.testing.assert_close(outputs[number], expected, rtol=1e-5, atol=1e-5)
    stacked = {name: parameter.detach() for name, parameter in model.named_parameters()}
    mapped = torch.func.vmap(
        lambda weights, tokens, ids: reference_outputs(weights, tokens, ids, layers=shape.layers, heads=shape.heads)
    )(stacked, tokens, ids)
    torch.testing.assert_close(outputs, mapped, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("encoding", ["nope", "ape"])
def test_the_gradient_of_a_stack_is_that_of_the_reference(encoding: str) -> None:
    model = make_model(encoding, [0, 1], SHAPE)
    tokens = torch.randint(6, (2, 5, 11), generator=torch.Generator().manual_seed(0))
    ids = torch.arange(11).expand(2, 5, 11)
    model(tokens, Where(ids, torch.full((2, 5, 11), 11), torch.full((2, 5, 11), 11))).square().sum().backward()
    for number in range(2):
        weights = {name: value.clone().requires_grad_() for name, value in weights_of(model, number).items()}
        outputs = reference_outputs(weights, tokens[number], ids[number], layers=SHAPE.layers, heads=SHAPE.heads)
        outputs.square().sum().backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None
            scale = parameter.grad[number].abs().max().item()
            torch.testing.assert_close(parameter.grad[number], weights[name].grad, rtol=1e-4, atol=1e-5 * scale)


# A stack of M is M single runs


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize("task", [ANSWER, NEXT_SYMBOLS, STATES, "unique_copy(20)"])
def test_a_stack_trains_as_its_models_do_alone_bit_for_bit(task: str, encoding: str) -> None:
    seeds, rates = [3, 0, 11], [0.003, 0.03, 0.001]
    stack = make_stack(task, encoding, seeds, rates)
    singles = [make_stack(task, encoding, [seed], [rate]) for seed, rate in zip(seeds, rates, strict=True)]
    for step in range(20):
        if step == 12:  # a model leaves the stack
            stack = stack.moved([0, 2])
            del singles[1]
        together = stack.step()
        alone = torch.cat([single.step() for single in singles])
        assert torch.equal(together, alone), f"losses differ at step {step}"
    for number, single in enumerate(singles):
        for (name, one), two in zip(stack.model.named_parameters(), single.model.parameters(), strict=True):
            assert torch.equal(one[number], two[0]), f"{name} of model {number} differs"
    assert list(stack.test([0, 1]).values()) == [single.test([0])[0] for single in singles]


@pytest.mark.full
@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("head_width", [8, 16])
@pytest.mark.parametrize("batch", [32, 64])
@pytest.mark.parametrize("task", [ANSWER, NEXT_SYMBOLS, STATES, "D_3", "parity", "repeat_copy"])
def test_stacks_of_many_shapes_train_bit_for_bit(task: str, batch: int, head_width: int, heads: int) -> None:
    shape = Shape(layers=2, heads=heads, width=heads * head_width)
    training = Training(steps=40, batch=batch, warmup=5, evaluate_every=10, examples=8)
    seeds = [5, 6, 7, 8, 9]
    for encoding in ("nope", "ape"):
        stack = make_stack(task, encoding, seeds, [0.003] * 5, shape=shape, training=training)
        together = torch.stack([stack.step() for step in range(8)])
        for number, seed in enumerate(seeds):
            single = make_stack(task, encoding, [seed], [0.003], shape=shape, training=training)
            assert torch.equal(together[:, number], torch.cat([single.step() for step in range(8)]))
            for one, two in zip(stack.model.parameters(), single.model.parameters(), strict=True):
                assert torch.equal(one[number], two[0])


@pytest.mark.parametrize("task", [ANSWER, NEXT_SYMBOLS, STATES])
def test_a_stack_of_any_shape_trains_as_its_models_do_alone_up_to_rounding(task: str) -> None:
    shape = Shape(layers=1, heads=3, width=9)
    training = Training(steps=60, batch=5, warmup=5, evaluate_every=10, examples=8)
    stack = make_stack(task, "ape", [0, 1], [0.003, 0.001], shape=shape, training=training)
    singles = [
        make_stack(task, "ape", [n], [rate], shape=shape, training=training) for n, rate in ((0, 3e-3), (1, 1e-3))
    ]
    for _ in range(50):
        together = stack.step()
        alone = torch.cat([single.step() for single in singles])
        torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-6)


def test_models_of_a_stack_do_not_see_each_other() -> None:
    """The losses of a model stay as they are, whoever trains beside it."""
    one = make_stack(ANSWER, "ape", [0, 1, 2], [0.003] * 3)
    two = make_stack(ANSWER, "ape", [7, 1, 9], [0.1, 0.003, 0.0])
    for _ in range(10):
        assert torch.equal(one.step()[1], two.step()[1])


def test_training_a_stack_to_the_end_is_training_its_models_to_the_end() -> None:
    training = Training(steps=120, batch=32, warmup=10, evaluate_every=20, examples=64)
    seeds, rates = [0, 1, 2], [0.03, 1e-6, 0.03]
    shape = Shape(layers=1, heads=1, width=16)

    def trained(seeds: list[int], rates: list[float]) -> list[tuple[object, ...]]:
        stack = make_stack("TOMITA_1", "nope", seeds, rates, shape=shape, training=training)
        return [(run.scores, run.losses, run.steps) for run in train_all(stack)]

    together = trained(seeds, rates)
    assert together == [trained([seed], [rate])[0] for seed, rate in zip(seeds, rates, strict=True)]
    steps = [run[2] for run in together]
    assert steps[0] < steps[1] == 120, "one model should stop early and one not at all"


# What a GPU or a compiled program does another way


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", [ANSWER, NEXT_SYMBOLS])
def test_a_compiled_stack_trains_as_one_that_is_not(task: str) -> None:
    stacks = [Stack.of(runs_of(task, "ape", [0, 1], [0.003, 0.01]), compiled=compiled) for compiled in (False, True)]
    for _ in range(20):
        one, two = (stack.step() for stack in stacks)
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-6)


def test_looking_up_by_products_has_the_gradient_of_looking_up() -> None:
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(13, (3, 5, 7), generator=generator)
    weights = torch.randn(3, 5, 7, 4, generator=generator)
    gradients = []
    for function in (look_up, _LookUp.apply):
        table = torch.randn(3, 13, 4, generator=torch.Generator().manual_seed(1)).requires_grad_()
        (function(table, ids) * weights).sum().backward()
        gradients.append(table.grad)
    torch.testing.assert_close(gradients[0], gradients[1])


def test_counting_gives_the_order_that_sorting_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    values = torch.randint(-5, 5, (40, 31), generator=torch.Generator().manual_seed(0))  # with many ties
    xp = torch_arrays()
    order, ranks = xp.stable_argsort(values), xp.stable_ranks(values)
    monkeypatch.setattr("lengthwise.arrays._counts", lambda _values: True)
    assert torch.equal(xp.stable_argsort(values), order)
    assert torch.equal(xp.stable_ranks(values), ranks)
    assert (numpy_arrays().stable_ranks(values.numpy()) == ranks.numpy()).all()
    assert torch.equal(torch.gather(order, -1, ranks), torch.arange(31).expand(40, 31))


# The loop


def test_a_model_that_is_right_on_all_its_evaluation_set_leaves_the_stack() -> None:
    training = Training(steps=400, batch=32, warmup=10, evaluate_every=25, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_1", "nope", [0, 1], [0.03, 1e-6], shape=shape, training=training)
    seen: list[Progress] = []
    fast, slow = train_all(stack, seen.append)
    assert fast.steps < slow.steps == 400
    assert [step for step, _ in fast.losses] == list(range(25, fast.steps + 1, 25))
    assert [step for step, _ in slow.losses] == list(range(25, 401, 25))
    assert seen[-1].slot_steps == fast.steps + slow.steps, "the fast one should have left the stack"
    assert seen[-1].matched[0] == 1.0 > seen[-1].matched[1]
    assert [progress.done for progress in seen] == [0] * (fast.steps // 25 - 1) + [1] * ((400 - fast.steps) // 25) + [2]
    assert [progress.step for progress in seen][-2:] == [775, 800]
    assert {progress.steps for progress in seen} == {800}
    inside = [score for score in fast.scores if score.length <= 8]
    assert sum(score.matches for score in inside) >= 0.95 * sum(score.examples for score in inside)
    assert {score.length for score in fast.scores} <= set(range(17))
    assert sum(score.examples for score in fast.scores) == 2 * 64


def test_training_ends_as_soon_as_all_models_are_done() -> None:
    training = Training(steps=2000, batch=32, warmup=10, evaluate_every=25, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_1", "nope", [0], [0.03], shape=shape, training=training)
    seen: list[Progress] = []
    (run,) = train_all(stack, seen.append)
    assert seen[-1].slot_steps == run.steps < 400


def test_a_model_stops_at_the_first_evaluation_at_which_all_is_right() -> None:
    training = Training(steps=300, batch=32, warmup=10, evaluate_every=5, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_1", "nope", [0], [0.03], shape=shape, training=training)
    seen: list[Progress] = []
    (run,) = train_all(stack, seen.append)
    is_right = [progress.matched[0] == 1.0 for progress in seen]
    assert is_right == [False] * (len(is_right) - 1) + [True]
    assert run.steps == 5 * len(is_right) < 300


def test_a_model_that_is_right_on_most_of_its_evaluation_set_goes_on() -> None:
    training = Training(steps=30, batch=32, warmup=10, evaluate_every=5, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_4", "ape", [0], [0.02], shape=shape, training=training)
    seen: list[Progress] = []
    (run,) = train_all(stack, seen.append)
    assert all(0.5 < progress.matched[0] < 1.0 for progress in seen)
    assert run.steps == 30


def test_the_instances_that_decide_when_to_stop_are_others_than_those_of_the_scores() -> None:
    stack = make_stack(ANSWER, "nope", [0], [0.01])
    (scored,) = stack._test_sets([0], "", 0)
    stops, scores = (set(map(tuple, found[0].batch.tokens_MBL[0].tolist())) for found in (stack._examples, scored))
    assert len(stops) > 20
    assert len(stops & scores) < len(stops) / 2, "short words may be in both"


def test_the_learning_rate_warms_up_and_then_falls_to_zero() -> None:
    training = Training(steps=10, batch=32, warmup=4, weight_decay=0.5, evaluate_every=10, examples=8)
    stack = make_stack(ANSWER, "nope", [0], [0.01], training=training)
    stack.advance(10)
    expected = [0.01 * min(1, (step + 1) / 4) * (1 - step / 10) for step in range(10)]
    decays = stack.ring.factors_TFM[:, FACTORS.index("decay"), 0] / 0.5  # as fast as the learning rate
    assert decays.tolist() == pytest.approx(expected)


def test_the_slices_of_an_evaluation_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = make_stack(ANSWER, "ape", [0, 1], [0.01, 0.01])
    stack.advance(20)
    examples = join_examples([stack._examples[0], stack._examples[1]])
    whole = match_instances(stack.model, stack.group.objective, examples)
    width = examples.batch.tokens_MBL.shape[-1]
    monkeypatch.setattr("lengthwise.train.evaluation._TOKENS_PER_MODEL", 7 * width + 3)
    assert torch.equal(match_instances(stack.model, stack.group.objective, examples), whole)


def test_evaluation_is_at_offset_zero_and_leaves_no_gradient() -> None:
    stack = make_stack(ANSWER, "ape", [0, 1], [0.01, 0.01])
    examples = join_examples([stack._examples[0], stack._examples[1]])
    assert torch.equal(examples.ids_MBL[1, 3], torch.arange(examples.ids_MBL.shape[-1]))
    assert not match_instances(stack.model, stack.group.objective, examples).requires_grad
    assert stack.matched() == stack.matched()


def test_a_stack_without_anything_to_train_on_says_so() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        make_stack("aaaaaaaaaa*", "nope", [0], [0.1])
    assert str(caught.value) == ("'aaaaaaaaaa*' has no instance of a length from 0–8.\nhint: train on longer inputs.")


# The optimizer


def gradients_of(stack: Stack, step: int) -> None:
    """Set the gradients of a stack as its own step would, without taking it."""
    stack.weights.forget_gradients()
    stack._loss_per_model(rows_of(stack, step)).sum().backward()


@pytest.mark.parametrize("clip", [1e6, 0.05], ids=["no clipping", "clipping"])
def test_the_optimizer_is_adamw_with_decay_on_matrices_only(clip: float) -> None:
    stack = make_stack(ANSWER, "ape", [0], [0.01])
    theirs_model = make_stack(ANSWER, "ape", [0], [0.01]).model
    matrices = [parameter for parameter in theirs_model.parameters() if parameter.dim() > 2]
    others = [parameter for parameter in theirs_model.parameters() if parameter.dim() <= 2]
    groups = [{"params": matrices, "weight_decay": 0.3}, {"params": others, "weight_decay": 0.0}]
    theirs = torch.optim.AdamW(groups, lr=0.01)
    for step in range(10):
        gradients_of(stack, step)
        for one, two in zip(stack.model.parameters(), theirs_model.parameters(), strict=True):
            assert one.grad is not None
            two.grad = one.grad.clone()
        norm = torch.nn.utils.clip_grad_norm_(theirs_model.parameters(), clip)
        assert (norm > clip) == (clip < 1)
        factors = torch.tensor(adam_factors(0.01, step, weight_decay=0.3, clip=clip))[:, None]
        stack.optimizer.step(stack.weights.gradient(), factors)
        theirs.step()
        for one, two in zip(stack.model.parameters(), theirs_model.parameters(), strict=True):
            torch.testing.assert_close(one, two, rtol=1e-5, atol=1e-6)


def test_each_model_is_clipped_by_its_own_norm() -> None:
    large, small = torch.full((4,), 3.0), torch.full((4,), 0.1)
    gradient = torch.stack(
        [torch.cat([large, torch.tensor([0.0, 8.0])]), torch.cat([small, torch.zeros(2)]), torch.zeros(6)]
    )
    scales = clip_scales(gradient, torch.tensor([1.0, 1.0, 0.5]))
    assert scales.tolist() == pytest.approx([0.1, 1.0, 1.0], rel=1e-4)
    assert clip_scales(gradient, torch.tensor([5.0, 0.02, 1.0])).tolist() == pytest.approx([0.5, 0.1, 1.0], rel=1e-4)


def test_a_run_that_has_taken_all_its_steps_stays_exactly_as_it_is() -> None:
    runs = runs_of(ANSWER, "ape", [0], [0.01], training=replace(BRIEF, steps=10)) + runs_of(ANSWER, "ape", [1], [0.01])
    stack = Stack.of(runs)
    stack.advance(10)
    before = [{name: value.clone() for name, value in weights_of(stack.model, slot).items()} for slot in (0, 1)]
    stack.advance(5)
    for name, value in weights_of(stack.model, 0).items():
        assert torch.equal(value, before[0][name]), name
    assert all(not torch.equal(value, before[1][name]) for name, value in weights_of(stack.model, 1).items())


def test_a_parameter_without_a_gradient_stays_as_it_is() -> None:
    used, unused = nn.Parameter(torch.ones(1, 2, 2)), nn.Parameter(torch.ones(1, 2, 2))
    weights = Weights({"used": used, "unused": unused})
    used.grad = torch.ones(1, 2, 2)
    factors = torch.tensor(adam_factors(0.1, 0, weight_decay=0.1, clip=1.0))[:, None]
    StackedAdamW(weights).step(weights.gradient(), factors)
    assert torch.equal(unused, torch.ones(1, 2, 2))
    assert not torch.equal(used, torch.ones(1, 2, 2))
    weights.forget_gradients()
    assert used.grad is None


# Golden losses

GOLDEN_SPECS = {
    name: Spec(
        tasks=(task,),
        encodings=(encoding,),
        seeds=1,
        train_length=8,
        test_length=16,
        room=16,
        learning_rate=0.003,
        model=Shape(layers=layers, heads=2, width=16),
        training=Training(steps=50, batch=32, warmup=10, weight_decay=0.01, clip=1.0, evaluate_every=50, examples=16),
    )
    for name, task, encoding, layers in (
        ("bin_majority, nope", "bin_majority", "nope", 1),
        ("TOMITA_4, ape", "TOMITA_4", "ape", 2),
        ("states(PARITY), ape", "states(PARITY)", "ape", 1),
    )
}


GOLDEN_SPECS |= {
    f"encoding {name}": Spec(
        tasks=("unique_copy" if card.ids_from == "roles" else "addition",),
        encodings=(name,),
        seeds=1,
        train_length=8,
        test_length=16,
        room=16,
        learning_rate=0.003,
        model=Shape(layers=2, heads=2, width=16),
        training=Training(steps=4, batch=8, warmup=0, evaluate_every=4, examples=8),
    )
    for name, card in ENCODINGS.items()
}


def golden_losses(name: str) -> tuple[str, list[float]]:
    """Return the id of the run of a setting, and all its losses."""
    (run,) = make_runs([GOLDEN_SPECS[name]])
    stack = stack_of([run])
    return run.id, [stack.step().item() for _ in range(run.training.steps)]


Golden = dict[str, dict[str, object]]


@pytest.fixture(scope="module")
def golden() -> Golden:
    """The golden file; with LENGTHWISE_GOLDEN=write, settings whose run is new are recorded first."""
    read: Golden = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    if os.environ.get("LENGTHWISE_GOLDEN") == "write":
        written: Golden = {}
        for name in GOLDEN_SPECS:
            run, losses = golden_losses(name)
            is_old = name in read and read[name]["run"] == run
            written[name] = read[name] if is_old else {"run": run, "losses": [float(f"{loss:.7g}") for loss in losses]}
        GOLDEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
        return written
    return read


@pytest.mark.parametrize("name", GOLDEN_SPECS)
def test_training_goes_as_it_did_or_has_a_new_revision(name: str, golden: Golden) -> None:
    before = golden[name]
    run, losses = golden_losses(name)
    is_same = losses == pytest.approx(before["losses"], rel=1e-4)
    if run == before["run"]:
        assert is_same, (
            f"the losses of {name!r} changed, but the id of its run did not: old results would be taken for new ones. "
            f"Raise TRAINER_REVISION (now {TRAINER_REVISION}) or the revision of the task or encoding whose behaviour "
            "changed, then write the golden file anew with LENGTHWISE_GOLDEN=write."
        )
    assert run == before["run"], (
        f"the id of the run of {name!r} changed ({'and its losses too' if not is_same else 'but its losses did not'}). "
        "If that is meant, write the golden file anew with LENGTHWISE_GOLDEN=write."
    )


def test_the_golden_losses_are_of_models_that_learn(golden: Golden) -> None:
    assert set(golden) == set(GOLDEN_SPECS)
    for name, before in golden.items():
        losses = before["losses"]
        assert isinstance(losses, list)
        if name.startswith("encoding"):
            continue
        assert len(losses) == 50
        assert sum(losses[-5:]) < 0.8 * sum(losses[:5]), name


# What a GPU needs


class NoLooks(TorchDispatchMode):
    """Forbids what a recorded step may not do."""

    def __init__(self, *forbidden: object) -> None:
        super().__init__()
        self.forbidden = forbidden

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert func not in self.forbidden
        return func(*args, **(kwargs or {}))


LOOKS = (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.lift_fresh.default)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_step_is_taken_without_looking_at_any_number(encoding: str) -> None:
    """A recorded step may not look at numbers, not even to index with a tensor of one, nor bring new ones from the CPU."""
    task = "unique_copy" if encoding == "coupling" else "addition" if encoding == "abacus" else NEXT_SYMBOLS
    stack = make_stack(task, encoding, [0, 1], [0.01, 0.01])
    stack._fill_ring()
    before = stack.weights.values_MP.clone()
    with NoLooks(*LOOKS):
        stack._step()
    assert not torch.equal(stack.weights.values_MP, before)


def test_on_a_gpu_instances_made_one_by_one_come_from_a_pool() -> None:
    stack = make_stack("listops", "ape", [0, 1], [0.01, 0.01])
    task = stack.runs[0].task
    assert stack.ring._source([task]).makes is task  # on a CPU instances are made as they are needed
    stack.ring.forget_tasks()
    stack.ring._on_gpu = True
    pool = stack.ring._source([task])
    assert isinstance(pool.makes, Pool)
    assert stack.ring._source([task]) is pool
    stack._fill_ring()
    with NoLooks(*LOOKS):
        stack._step()
    assert stack.losses_M.isfinite().all()
