"""The positional penalty: its value by the formula, its gradient by finite differences, and its weight."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from spec_files import dump_spec, parse_spec

from lengthwise.encodings.methods.lbpe import dictionaries_of
from lengthwise.errors import InvalidOptionError, InvalidSpecError, UnknownNameError
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.model.shape import Shape
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.train.groups import make_training_runs
from lengthwise.train.settings import PENALTY_NAMES, Training
from lengthwise.train.stack import Stack
from lengthwise.train.terms import positional


def make_stack(
    weight: float, encoding: str = "ape", penalty: str = "positional", seeds: Sequence[int] = (0, 1)
) -> Stack:
    return Stack.of(
        make_training_runs(
            task=find_task("bin_majority"),
            encoding=encoding,
            shape=Shape(layers=2, heads=2, width=8),
            training=Training(steps=30, batch=8, examples=8, penalties=((penalty, weight),)),
            bins=length_bins(4, 8),
            seeds=seeds,
            rates=[0.01] * len(seeds),
        )
    )


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("penalty", [name for name in PENALTY_NAMES if name != "relations"])
def test_the_gradient_of_a_penalty_is_that_alone_bit_for_bit(penalty: str) -> None:
    gradients = []
    for seeds in ([0, 1], [0], [1]):
        stack = make_stack(1.0, penalty=penalty, seeds=seeds)
        stack.advance(2)  # biases begin as zeros
        stack.weights.forget_gradients()
        stack.penalties().sum().backward()  # type: ignore[no-untyped-call]
        gradients.append([parameter.grad for parameter in stack.model.parameters() if parameter.grad is not None])
    together, *alone = gradients
    assert any(gradient.any() for gradient in together)
    for model, own in enumerate(alone):
        for gradient, of_one in zip(together, own, strict=True):
            assert torch.equal(gradient[model], of_one[0])


def written_out(stack: Stack, number: int) -> float:
    """Return the penalty of one model, pair by pair."""
    positions = stack.model.encoding.table_MND[number].detach().double()  # type: ignore[index]
    total = 0.0
    for block in stack.model.blocks:
        weight = block.qkv.weight_MIO[number].detach().double()  # type: ignore[union-attr,index]
        for head in range(2):
            columns = slice(4 * head, 4 * head + 4)
            q, k = positions @ weight[:, :8][:, columns], positions @ weight[:, 8:16][:, columns]
            for i in range(len(positions)):
                for j in range(i + 1):
                    total += float((q[i] @ k[j]) ** 2) / len(positions)
    return total


def test_the_penalty_is_its_formula() -> None:
    stack = make_stack(1.0)
    with torch.no_grad():
        for parameter in stack.model.parameters():
            parameter.mul_(20)
    found = positional(stack.model)
    assert found.shape == (2,)
    assert found.min() > 0.01
    for number in range(2):
        assert found[number].item() == pytest.approx(written_out(stack, number), rel=1e-5)


def test_its_gradient_is_that_of_finite_differences() -> None:
    stack = make_stack(1.0)
    model = stack.model.double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(20)
    positional(model).sum().backward()  # type: ignore[no-untyped-call]
    generator = torch.Generator().manual_seed(0)
    table, weight = model.encoding.table_MND, model.blocks[1].qkv.weight_MIO  # type: ignore[union-attr]
    for moved in (table, weight):
        assert isinstance(moved, torch.nn.Parameter)
        assert moved.grad is not None
        direction = torch.randn(moved.shape, generator=generator, dtype=torch.float64)
        slope = (moved.grad * direction).sum().item()
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                moved.add_(direction, alpha=sign * 1e-6)
                values.append(positional(model).sum().item())
                moved.add_(direction, alpha=-sign * 1e-6)
        assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope, rel=1e-5)


def test_a_weight_of_zero_is_no_penalty_at_all() -> None:
    def losses(stack: Stack) -> torch.Tensor:
        return torch.stack([stack.step() for _ in range(5)])

    with_zero = make_stack(1e-2)
    with_zero.penalty_weights_PM.zero_()
    assert torch.equal(losses(make_stack(0.0)), losses(with_zero))
    without, weighted = make_stack(0.0), make_stack(1e-2)
    losses(without), losses(weighted)
    assert not torch.equal(without.weights.values_MP, weighted.weights.values_MP)


def test_the_penalty_is_added_to_what_is_minimized_and_pulls_it_down() -> None:
    plain, heavy = make_stack(0.0), make_stack(100.0)
    for stack in (plain, heavy):
        with torch.no_grad():
            for parameter in stack.model.parameters():
                parameter.mul_(10)
    assert heavy.penalties().tolist() == pytest.approx((100 * positional(heavy.model)).tolist())
    assert torch.equal(heavy.step(), plain.step())  # the reported loss excludes penalties
    plain.advance(29)
    heavy.advance(29)
    assert (positional(heavy.model) < positional(plain.model)).all()


def test_an_encoding_without_positions_cannot_be_regularized() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        make_stack(1.0, "nope")
    assert str(caught.value) == (
        "the penalty 'positional' acts on a table of positions, and 'nope' has none.\n"
        "hint: use the encoding 'ape', or leave the penalty out."
    )


def test_a_table_within_other_encodings_can_be_regularized() -> None:
    stack = make_stack(2.0, "window(ape, window=3)")
    assert stack.penalties().tolist() == pytest.approx((2 * positional(stack.model)).tolist())
    with pytest.raises(InvalidOptionError, match="acts on a table of positions"):
        make_stack(2.0, "window(rope, window=3)")


def test_learned_relations_are_penalized_by_their_gains() -> None:
    stack = make_stack(3.0, "lbpe", "relations")
    gains = torch.stack([module.gains().abs().sum((1, 2)) for _, module in dictionaries_of(stack.model.encoding)])
    assert stack.penalties().tolist() == pytest.approx((3 * gains.sum(0)).tolist(), rel=1e-5)
    with pytest.raises(
        InvalidOptionError, match="the penalty 'relations' acts on learned relations, and 'ape' has none"
    ):
        make_groups(Spec(tasks=("parity",), encodings=("ape",), training=stack.runs[0].training))


def test_a_penalty_is_known_once_and_has_a_weight() -> None:
    with pytest.raises(UnknownNameError, match="penalty"):
        Training(penalties=(("relation", 1.0),))
    with pytest.raises(InvalidOptionError, match="named twice"):
        Training(penalties=(("relations", 1.0), ("relations", 1.0)))
    with pytest.raises(InvalidOptionError, match="the penalty 'relations' must be a number from 0"):
        Training(penalties=(("relations", -1.0),))


def test_penalties_are_a_table_of_a_spec() -> None:
    text = 'tasks = ["parity"]\nencodings = ["ape"]\n[training.penalties]\npositional = 0.5\n'
    spec = parse_spec(text)
    assert spec.training.penalties == (("positional", 0.5),)
    assert parse_spec(dump_spec(spec)) == spec
    with pytest.raises(InvalidSpecError, match="must be a table"):
        parse_spec('tasks = ["parity"]\n[training]\npenalties = 3\n')
