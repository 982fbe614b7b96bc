"""Packing: rows hold what a batch holds, instances do not see each other, and what is not computed is not needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from stack_steps import rows_of
from torch import Tensor

from lengthwise.arrays import torch_arrays
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.base import Encoding, Fit, Where, distances, per_head
from lengthwise.model.shape import SWITCHES, Shape
from lengthwise.model.transformer import Scored, Transformer
from lengthwise.seeds import DATA, INITIALIZATION, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.core.task import IGNORE
from lengthwise.train.groups import make_training_runs
from lengthwise.train.objectives import loss_per_model
from lengthwise.train.packing import Rows
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

SHAPE = Shape(layers=2, heads=2, width=16)
CORE_TASKS = [
    "bin_majority",
    "majority",
    "unique_copy",
    "repeat_copy",
    "sort",
    "parity",
    "addition",
    "bin_majority_interleave",
]
ALL_TASKS = [
    *CORE_TASKS,
    *("TOMITA_4", "(aa)*", "states(PARITY)"),
    *(pytest.param(name, marks=pytest.mark.full) for name in TASKS if name not in CORE_TASKS),
]


def make_stack(
    task: str,
    encoding: str = "ape",
    seeds: Sequence[int] = (0, 1),
    shape: Shape = SHAPE,
    longest: int = 12,
    **changes: object,
) -> Stack:
    made = find_task(task)
    longest = max(longest, made.min_length + 3)
    settings: dict[str, object] = {"steps": 40, "batch": 8, "evaluate_every": 10, "examples": 8}
    return Stack.of(
        make_training_runs(
            task=made,
            encoding=encoding,
            shape=shape,
            training=Training(**(settings | changes)),  # type: ignore[arg-type]
            bins=length_bins(longest, 2 * longest),
            seeds=seeds,
            rates=[0.01] * len(seeds),
        )
    )


def instances_of(stack: Stack, number: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return tokens, ids, targets, lengths and sizes of a step before they are packed, drawn model by model."""
    parts: list[tuple[Tensor, ...]] = []
    for run in stack.runs.values():
        draw = open_stream(DATA, seed=[run.seed], xp=stack.xp).at(number)
        asked = stack.packing.lengths(stack.packing.choices(number, 1))[0].tolist()
        own = run.task.lengths(0, max(asked))
        lengths = torch.tensor([max(length for length in own if length <= room) for room in asked])
        batch = run.task.sample(draw.named("instance"), lengths, stack.packing.max_length, stack.xp)
        roles = run.task.roles(batch, stack.xp)
        ids = stack.model.encoding.ids(batch.tokens_MBL, batch.sizes_MB, draw.named("positions"), roles)
        parts.append((batch.tokens_MBL, ids, batch.targets_MBL, lengths[None], batch.sizes_MB))
    tokens, ids, targets, lengths, sizes = (torch.cat(values) for values in zip(*parts, strict=True))
    return tokens, ids, targets, lengths[0], sizes


@pytest.mark.parametrize("task", ALL_TASKS)
def test_rows_hold_every_token_of_every_instance_in_order(task: str) -> None:
    stack, made = make_stack(task), find_task(task)
    for number in range(3):
        rooms = stack.packing.lengths(stack.packing.choices(number, 1))[0]
        rows = rows_of(stack, number)
        tokens, ids, targets, lengths, _ = instances_of(stack, number)
        num_rows = stack.packing.num_rows
        assert num_rows == 4
        for model in range(2):
            for row in range(num_rows):
                start, expected_targets = 0, []
                for instance in (row, row + num_rows):
                    size = made.size(int(lengths[instance]))
                    place = slice(start, start + size)
                    assert torch.equal(rows.tokens_MRW[model, row, place], tokens[model, instance, :size])
                    assert torch.equal(rows.ids_MRW[model, row, place], ids[model, instance, :size])
                    assert (rows.scale_MRW[model % len(rows.scale_MRW), row, place] == lengths[instance]).all()
                    expected_targets += [t for t in targets[model, instance].tolist() if t != IGNORE]
                    start += made.size(int(rooms[instance]))
                packed = [t for t in rows.targets_MRS[model, row].tolist() if t != IGNORE]
                assert packed == expected_targets


ALWAYS_SCORED = (
    "bin_majority",
    "majority",
    "bin_majority_interleave",
    "unique_copy",
    "repeat_copy",
    "sort",
    "parity",
    "(aa)*",
    "TOMITA_4",
)
"""Tasks whose answers have one length, without gaps; of others an instance may have fewer places that are scored."""


@pytest.mark.parametrize("task", ALL_TASKS)
def test_the_places_that_may_be_scored_are_those_that_are(task: str) -> None:
    made = find_task(task)
    xp = torch_arrays()
    for length in made.lengths(0, 12):
        draw = open_stream(DATA, seed=[0], xp=xp).at(length)
        batch = made.sample(draw, torch.full((50,), length), length, xp)
        scored = (batch.targets_MBL != IGNORE).reshape(-1, made.size(length)).any(0).nonzero().flatten().tolist()
        assert set(scored) <= set(made.scored(length))
        if task in ALWAYS_SCORED:
            assert scored == list(made.scored(length))


def test_rows_are_nearly_full() -> None:
    """The longest instances of unique_copy(50) have 103 tokens; two in a row have 108 together, whichever they are."""
    packing = make_stack("unique_copy", batch=64, longest=50).packing
    assert packing.width == 112
    assert packing.num_rows == 32
    assert packing.num_scored_C.tolist() == [53] * 50


def test_every_length_is_uniform_and_the_same_for_all_models() -> None:
    stack = make_stack("bin_majority", batch=64)
    lengths = torch.cat([instances_of(stack, number)[3] for number in range(400)])
    counts = torch.bincount(lengths, minlength=13)[1:]
    assert lengths.min() == 1
    assert lengths.max() == 12
    expected = 400 * 64 / 12
    assert ((counts - expected).abs() < 5 * (2 * expected) ** 0.5).all(), counts
    pairs = instances_of(stack, 0)[3].reshape(2, -1).sum(0)
    assert (pairs == 13).all()


def losses_instance_by_instance(stack: Stack, number: int) -> Tensor:
    """Return the losses of a step with every instance in a row of its own, all places computed: the oracle."""
    tokens, ids, targets, lengths, sizes = instances_of(stack, number)
    scale = lengths[None, :, None].expand(tokens.shape)
    outputs = stack.model(tokens, Where(ids, scale, sizes[..., None].expand(tokens.shape)))
    return loss_per_model(stack.group.objective, outputs, targets, stack.is_output_MO)


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize("task", ALL_TASKS)
def test_losses_and_gradients_are_those_of_instances_alone(task: str, encoding: str) -> None:
    compare_with_instances_alone(make_stack(task, encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_with_every_encoding_losses_and_gradients_are_those_of_instances_alone(encoding: str) -> None:
    task = "unique_copy" if encoding == "coupling" else "addition"
    compare_with_instances_alone(make_stack(task, encoding))


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("encoding", ["nope", "alibi", "rope", "fox", "stick_breaking"])
def test_with_every_switch_losses_and_gradients_are_those_of_instances_alone(encoding: str, switch: str) -> None:
    for task in ("bin_majority", "TOMITA_4"):
        compare_with_instances_alone(make_stack(task, encoding, shape=replace(SHAPE, **{switch: True})))


def compare_with_instances_alone(stack: Stack) -> None:
    stack.advance(3)
    packed = stack._loss_per_model(rows_of(stack, 7))
    stack.weights.forget_gradients()
    packed.sum().backward()  # type: ignore[no-untyped-call]
    gradients = {name: parameter.grad for name, parameter in stack.model.named_parameters()}
    stack.weights.forget_gradients()
    alone = losses_instance_by_instance(stack, 7)
    alone.sum().backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(packed, alone, rtol=1e-5, atol=1e-6)
    for name, parameter in stack.model.named_parameters():
        assert parameter.grad is not None
        assert gradients[name] is not None
        scale = parameter.grad.abs().max().item()
        torch.testing.assert_close(gradients[name], parameter.grad, rtol=1e-4, atol=1e-5 * scale + 1e-8)


def test_an_odd_batch_has_one_instance_in_each_row() -> None:
    stack = make_stack("bin_majority", batch=5)
    assert stack.packing.num_rows == 5
    assert rows_of(stack, 0).visible is None
    packed = stack._loss_per_model(rows_of(stack, 0))
    torch.testing.assert_close(packed, losses_instance_by_instance(stack, 0), rtol=1e-5, atol=1e-6)


class Bumpy(Encoding):
    """A bias that depends on both positions and on the scale, and changes queries and keys by position."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        of_q, of_k = (
            where.ids_MBL.expand(self.num_models, -1, -1).permute(1, 0, 2).repeat_interleave(self.num_heads, dim=1)
            for where in (queries, keys)
        )
        return q * (1 - of_q[..., None] % 3), k * (1 + of_k[..., None] % 2)

    def bias(self, queries: Where, keys: Where) -> Tensor:
        scale = queries.scale_MBL.transpose(0, 1)[:, :, None, :, None]
        farness = -(distances(queries, keys).float() / scale.clamp(min=1)).abs()
        return per_head(farness.expand(-1, -1, self.num_heads, -1, -1), self.num_models)


class Steps(Encoding):
    """The plain encoding, but computed step by step."""

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        return torch.softmax(scores, dim=-1)


@pytest.mark.parametrize("kind", [Encoding, Bumpy, Steps])
@pytest.mark.parametrize("task", ["bin_majority", "unique_copy", "TOMITA_4"])
def test_trimming_the_last_block_changes_nothing(task: str, kind: type[Encoding]) -> None:
    stack = make_stack(task, "nope")
    shape = Shape(layers=2, heads=2, width=16)
    encoding = kind(Fit(num_models=2, num_heads=2, head_width=8, width=16, max_length=100, trained=50))
    made = find_task(task)
    model = Transformer(
        num_models=2, num_tokens=len(made.vocabulary), num_outputs=made.num_outputs, shape=shape, encoding=encoding
    )
    model.initialize(open_stream(INITIALIZATION, seed=[0, 1]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)
    rows: Rows = rows_of(stack, 3)
    results = []
    for trims in (False, True):
        model.zero_grad()
        outputs = model(rows.tokens_MRW, rows.at, Scored(rows.places_RS, rows.slots_RW, trims))
        loss_per_model(made.objective, outputs, rows.targets_MRS).sum().backward()
        results.append((outputs.detach(), [parameter.grad.clone() for parameter in model.parameters()]))  # type: ignore[union-attr]
    is_scored = rows.targets_MRS != IGNORE
    everywhere = model(rows.tokens_MRW, rows.at)
    row = torch.arange(rows.places_RS.shape[0])[:, None]
    torch.testing.assert_close(results[0][0], everywhere[:, row, rows.places_RS].detach())
    torch.testing.assert_close(results[0][0][is_scored], results[1][0][is_scored], rtol=1e-4, atol=1e-5)
    for one, two in zip(results[0][1], results[1][1], strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5 * one.abs().max().item() + 1e-8)
