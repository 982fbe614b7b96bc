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
from torch import Tensor, nn

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.encodings.base import Fit, Where
from lengthwise.encodings.build import make_encoding
from lengthwise.encodings.cards import ENCODINGS
from lengthwise.encodings.tables import _LookUp, look_up
from lengthwise.errors import InvalidOptionError
from lengthwise.experiment.plan import make_plan
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.model.reference import reference_outputs
from lengthwise.model.shape import Shape
from lengthwise.model.transformer import Transformer
from lengthwise.seeds import INITIALIZATION, Draw, open_stream
from lengthwise.tasks.catalog import find_task
from lengthwise.tasks.lengths import length_bins
from lengthwise.tasks.pool import Pool
from lengthwise.train.evaluation import match_instances
from lengthwise.train.loop import Progress, train_stack
from lengthwise.train.optimizer import StackedAdamW
from lengthwise.train.settings import TRAINER_REVISION, Training
from lengthwise.train.stack import Stack

GOLDEN = Path(__file__).parent / "golden" / "losses.json"
SHAPE = Shape(layers=2, heads=2, width=16)
ANSWER, NEXT_SYMBOLS, STATES = "bin_majority", "(aa)*", "states(TOMITA_4)"


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
    return Stack(
        task=find_task(task),
        encoding=encoding,
        shape=shape,
        training=training or Training(steps=40, batch=32, warmup=5, evaluate_every=10, examples=32),
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
            stack.keep([0, 2])
            del singles[1]
        together = stack.step(step)
        alone = torch.cat([single.step(step) for single in singles])
        assert torch.equal(together, alone), f"losses differ at step {step}"
    for number, single in enumerate(singles):
        for (name, one), two in zip(stack.model.named_parameters(), single.model.parameters(), strict=True):
            assert torch.equal(one[number], two[0]), f"{name} of model {number} differs"
    assert stack.scores() == [single.scores()[0] for single in singles]


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
        together = torch.stack([stack.step(step) for step in range(8)])
        for number, seed in enumerate(seeds):
            single = make_stack(task, encoding, [seed], [0.003], shape=shape, training=training)
            assert torch.equal(together[:, number], torch.cat([single.step(step) for step in range(8)]))
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
    for step in range(50):
        together = stack.step(step)
        alone = torch.cat([single.step(step) for single in singles])
        torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-6)


def test_models_of_a_stack_do_not_see_each_other() -> None:
    """The losses of a model stay as they are, whoever trains beside it."""
    one = make_stack(ANSWER, "ape", [0, 1, 2], [0.003] * 3)
    two = make_stack(ANSWER, "ape", [7, 1, 9], [0.1, 0.003, 0.0])
    for step in range(10):
        assert torch.equal(one.step(step)[1], two.step(step)[1])


def test_training_a_stack_to_the_end_is_training_its_models_to_the_end() -> None:
    training = Training(steps=120, batch=32, warmup=10, evaluate_every=20, examples=64)
    seeds, rates = [0, 1, 2], [0.03, 1e-6, 0.03]
    shape = Shape(layers=1, heads=1, width=16)

    def trained(seeds: list[int], rates: list[float]) -> list[tuple[object, ...]]:
        stack = make_stack("TOMITA_1", "nope", seeds, rates, shape=shape, training=training)
        return [(run.scores, run.losses, run.steps) for run in train_stack(stack)]

    together = trained(seeds, rates)
    assert together == [trained([seed], [rate])[0] for seed, rate in zip(seeds, rates, strict=True)]
    steps = [run[2] for run in together]
    assert steps[0] < steps[1] == 120, "one model should stop early and one not at all"


# What a GPU or a compiled program does another way


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", [ANSWER, NEXT_SYMBOLS])
def test_a_compiled_stack_trains_as_one_that_is_not(task: str) -> None:
    stacks = [
        Stack(
            task=find_task(task),
            encoding="ape",
            shape=SHAPE,
            training=Training(steps=40, batch=32, warmup=5, examples=32),
            bins=length_bins(8, 16),
            seeds=[0, 1],
            rates=[0.003, 0.01],
            compiled=compiled,
        )
        for compiled in (False, True)
    ]
    for step in range(20):
        one, two = (stack.step(step) for stack in stacks)
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
    fast, slow = train_stack(stack, seen.append)
    assert fast.steps < slow.steps == 400
    assert [step for step, _ in fast.losses] == list(range(25, fast.steps + 1, 25))
    assert [step for step, _ in slow.losses] == list(range(25, 401, 25))
    assert stack.model.num_models == 1, "the fast one should have left the stack"
    assert seen[-1].matched[0] == 1.0 > seen[-1].matched[1]
    assert [progress.step for progress in seen] == list(range(25, 401, 25))
    assert {progress.steps for progress in seen} == {400}
    assert all(score.matches == score.examples for score in fast.scores if score.length <= 8)
    assert {score.length for score in fast.scores} <= set(range(17))
    assert sum(score.examples for score in fast.scores) == 2 * 64


def test_training_ends_as_soon_as_all_models_are_done() -> None:
    training = Training(steps=2000, batch=32, warmup=10, evaluate_every=25, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_1", "nope", [0], [0.03], shape=shape, training=training)
    seen: list[Progress] = []
    (run,) = train_stack(stack, seen.append)
    assert seen[-1].step == run.steps < 400


def test_a_model_stops_at_the_first_evaluation_at_which_all_is_right() -> None:
    training = Training(steps=300, batch=32, warmup=10, evaluate_every=5, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_1", "nope", [0], [0.03], shape=shape, training=training)
    seen: list[Progress] = []
    (run,) = train_stack(stack, seen.append)
    is_right = [progress.matched[0] == 1.0 for progress in seen if progress.step % 5 == 0]
    assert is_right == [False] * (len(is_right) - 1) + [True]
    assert run.steps == 5 * len(is_right) < 300


def test_a_model_that_is_right_on_most_of_its_evaluation_set_goes_on() -> None:
    training = Training(steps=30, batch=32, warmup=10, evaluate_every=5, examples=64)
    shape = Shape(layers=1, heads=1, width=16)
    stack = make_stack("TOMITA_4", "ape", [0], [0.02], shape=shape, training=training)
    seen: list[Progress] = []
    (run,) = train_stack(stack, seen.append)
    assert all(0.5 < progress.matched[0] < 1.0 for progress in seen)
    assert run.steps == 30


def test_the_learning_rate_warms_up_and_then_falls_to_zero() -> None:
    training = Training(steps=10, batch=32, warmup=4, weight_decay=0.0, evaluate_every=10, examples=8)
    rates: list[float] = []

    class RecordingAdamW(StackedAdamW):
        def step(self, rates_M: Tensor, number: Tensor) -> None:
            rates.append(rates_M.item())
            super().step(rates_M, number)

    stack = make_stack(ANSWER, "nope", [0], [0.01], training=training)
    stack.optimizer = RecordingAdamW(stack.model.parameters(), weight_decay=0.0, clip=1.0)
    for step in range(10):
        stack.step(step)
    expected = [0.01 * min(1, (step + 1) / 4) * (1 - step / 10) for step in range(10)]
    assert rates == pytest.approx(expected)


def test_the_slices_of_an_evaluation_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = make_stack(ANSWER, "ape", [0, 1], [0.01, 0.01])
    for step in range(20):
        stack.step(step)
    examples = stack._examples(0)
    whole = match_instances(stack.model, stack.task, examples)
    width = examples.batch.tokens_MBL.shape[-1]
    monkeypatch.setattr("lengthwise.train.evaluation._TOKENS_PER_MODEL", 7 * width + 3)
    assert torch.equal(match_instances(stack.model, stack.task, examples), whole)


def test_evaluation_is_at_offset_zero_and_leaves_no_gradient() -> None:
    stack = make_stack(ANSWER, "ape", [0, 1], [0.01, 0.01])
    assert not match_instances(stack.model, stack.task, stack._examples(0)).requires_grad
    assert torch.equal(stack.matched(), stack.matched())


def test_a_stack_without_anything_to_train_on_says_so() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        Stack(
            task=find_task("aaaaaaaaaa*"),
            encoding="nope",
            shape=SHAPE,
            training=Training(),
            bins=length_bins(8, 16),
            seeds=[0],
            rates=[0.1],
        )
    assert str(caught.value) == ("'aaaaaaaaaa*' has no instance of a length from 0–8.\nhint: train on longer inputs.")


# The optimizer


def gradients_of(stack: Stack, step: int) -> None:
    """Set the gradients of a stack as its own step would, without taking it."""
    stack.optimizer.zero_grad()
    stack._loss_per_model(stack._make_rows(torch.tensor(step)))[0].sum().backward()


@pytest.mark.parametrize("clip", [1e6, 0.05], ids=["no clipping", "clipping"])
def test_the_optimizer_is_adamw_with_decay_on_matrices_only(clip: float) -> None:
    stack = make_stack(ANSWER, "ape", [0], [0.01])
    ours = StackedAdamW(stack.model.parameters(), weight_decay=0.3, clip=clip)
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
        ours.step(torch.tensor([0.01]), torch.tensor(step))
        theirs.step()
        for one, two in zip(stack.model.parameters(), theirs_model.parameters(), strict=True):
            torch.testing.assert_close(one, two, rtol=1e-5, atol=1e-6)


def test_each_model_is_clipped_by_its_own_norm() -> None:
    parameter = nn.Parameter(torch.zeros(3, 2, 2))
    other = nn.Parameter(torch.zeros(3, 2))
    optimizer = StackedAdamW([parameter, other], weight_decay=0.0, clip=1.0)
    large, small = torch.full((2, 2), 3.0), torch.full((2, 2), 0.1)
    parameter.grad = torch.stack([large, small, torch.zeros(2, 2)])
    other.grad = torch.tensor([[0.0, 8.0], [0.0, 0.1], [0.0, 0.0]])
    scales = optimizer._clip_scales([parameter.grad, other.grad])
    assert scales.tolist() == pytest.approx([0.1, 1.0, 1.0], rel=1e-4)


def test_a_rate_of_zero_freezes_a_model_exactly() -> None:
    stack = make_stack(ANSWER, "ape", [0, 1], [0.01, 0.01])
    for step in range(3):
        stack.step(step)
    before = {name: value.clone() for name, value in weights_of(stack.model, 0).items()}
    stack.rates_M[0] = 0.0
    for step in range(3, 8):
        stack.step(step)
    for name, value in weights_of(stack.model, 0).items():
        assert torch.equal(value, before[name]), name
    assert all(not torch.equal(value, before[name]) for name, value in weights_of(stack.model, 1).items())


def test_a_parameter_without_a_gradient_stays_as_it_is() -> None:
    used, unused = nn.Parameter(torch.ones(1, 2, 2)), nn.Parameter(torch.ones(1, 2, 2))
    optimizer = StackedAdamW([used, unused], weight_decay=0.1, clip=1.0)
    used.grad = torch.ones(1, 2, 2)
    optimizer.step(torch.tensor([0.1]), torch.tensor(0))
    assert torch.equal(unused, torch.ones(1, 2, 2))
    assert not torch.equal(used, torch.ones(1, 2, 2))
    optimizer.zero_grad()
    assert used.grad is None


# Golden losses

GOLDEN_SPECS = {
    name: Spec(
        tasks=(task,),
        encodings=(encoding,),
        seeds=1,
        train_length=8,
        test_length=16,
        learning_rates=(0.003,),
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
        tasks=("unique_copy" if name == "coupling" else "addition",),
        encodings=(name,),
        seeds=1,
        train_length=8,
        test_length=16,
        learning_rates=(0.003,),
        model=Shape(layers=2, heads=2, width=16),
        training=Training(steps=4, batch=8, warmup=0, evaluate_every=4, examples=8),
    )
    for name in ENCODINGS
}


def golden_losses(name: str) -> tuple[str, list[float]]:
    """Return the id of the run of a setting, and all its losses."""
    (plan,) = make_plan(GOLDEN_SPECS[name])
    (run,) = plan.runs
    stack = stack_of(plan.runs)
    return run.id, [stack.step(step).item() for step in range(run.training.steps)]


Golden = dict[str, dict[str, object]]


@pytest.fixture(scope="module")
def golden() -> Golden:
    """The golden file, written anew first where LENGTHWISE_GOLDEN=write asks for it."""
    if os.environ.get("LENGTHWISE_GOLDEN") == "write":
        written = {}
        for name in GOLDEN_SPECS:
            run, losses = golden_losses(name)
            written[name] = {"run": run, "losses": [float(f"{loss:.7g}") for loss in losses]}
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    read: Golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
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


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_step_is_taken_without_looking_at_any_number(encoding: str) -> None:
    """A recorded step may not look at numbers, not even to index with a tensor of one, nor bring new ones from the CPU."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class NoLooks(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            assert func not in forbidden
            return func(*args, **(kwargs or {}))

    task = "unique_copy" if encoding == "coupling" else "addition" if encoding == "abacus" else NEXT_SYMBOLS
    stack = make_stack(task, encoding, [0, 1], [0.01, 0.01])
    stack.xp = replace(stack.xp, may_look=False)
    stack.data, stack.schedule = (Draw(keys=draw.keys, xp=stack.xp) for draw in (stack.data, stack.schedule))
    forbidden = [torch.ops.aten._local_scalar_dense.default]
    with NoLooks():
        stack._step()
    rows = stack._make_rows(stack.number)
    forbidden.append(torch.ops.aten.lift_fresh.default)
    with NoLooks():
        sum(stack._loss_per_model(rows)).sum().backward()


def test_a_step_from_a_pool_is_taken_without_looking_at_any_number() -> None:
    """Tasks made one by one feed a recorded step from a pool of instances."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class NoLooks(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            assert func is not torch.ops.aten._local_scalar_dense.default
            return func(*args, **(kwargs or {}))

    stack = make_stack("listops", "ape", [0, 1], [0.01, 0.01])
    assert stack.source is stack.task  # on a CPU instances are made as they are needed
    stack.source = Pool(stack.task, stack.task.lengths(0, 8), stack.xp, per_length=4)
    stack.xp = replace(stack.xp, may_look=False)
    stack.data, stack.schedule = (Draw(keys=draw.keys, xp=stack.xp) for draw in (stack.data, stack.schedule))
    before = [parameter.detach().clone() for parameter in stack.model.parameters()]
    with NoLooks():
        stack._step()
    assert any(not torch.equal(one, two) for one, two in zip(before, stack.model.parameters(), strict=True))
