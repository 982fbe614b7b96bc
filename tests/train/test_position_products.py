"""Products of position vectors, fitted to relations of distances."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from lengthwise.errors import InvalidOptionError
from lengthwise.train.position_products import ProductFit, ProductStack, fit_products

SMALL = ProductFit(positions=12, train_length=5, test_lengths=(5, 8, 12), steps=20, batch=6)


def small_stack(seeds: list[int], relations: list[tuple[int, ...]], fit: ProductFit = SMALL) -> ProductStack:
    return ProductStack(relations, seeds=seeds, width=4, fit=fit, dtype=torch.float64)


def window_loss(stack: ProductStack, parameters: list[Tensor], starts: list[int], length: int) -> Tensor:
    """Return the mean squared error of the first fit over windows, cut out one by one: slow and obvious."""
    positions, queries, keys = parameters
    total, number = torch.zeros((), dtype=torch.float64), 0
    for start in starts:
        for query in range(start, start + length):
            for key in range(start, query + 1):
                logit = (positions[query] @ queries) @ (positions[key] @ keys)
                total = total + (logit - stack.targets_MNN[0, query, key]) ** 2
                number += 1
    return total / number


def test_the_loss_is_the_mean_over_windows_that_are_cut_out_one_by_one() -> None:
    stack = small_stack([3], [(1,)])
    stack.number.fill_(7)
    parameters = [each[0] for each in stack.parameters]
    expected = window_loss(stack, parameters, stack.starts()[0].tolist(), 5)
    expected = expected + 0.01 * sum(each.square().mean() for each in parameters)
    assert stack.loss().item() == pytest.approx(expected.item(), rel=1e-12)


def test_the_test_error_is_the_mean_over_all_windows_of_a_length() -> None:
    stack = small_stack([0], [(0, 2)])
    errors = stack.errors()[0]
    for number, length in enumerate(SMALL.test_lengths):
        starts = list(range(SMALL.positions - length + 1))
        with torch.no_grad():
            expected = window_loss(stack, [each[0] for each in stack.parameters], starts, length)
        assert errors[number].item() == pytest.approx(expected.item(), rel=1e-12)


def test_a_fit_in_a_stack_is_plain_adam_on_windows() -> None:
    stack = small_stack([5, 2], [(1,), (0, 3)])
    ours = [each[:1].detach().clone()[0].requires_grad_() for each in stack.parameters]
    optimizer = torch.optim.Adam(ours, lr=SMALL.learning_rate)
    for number in range(6):
        stack.number.fill_(number)
        loss = window_loss(stack, ours, stack.starts()[0].tolist(), 5)
        loss = loss + 0.01 * sum(each.square().mean() for each in ours)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        stack.step(number)
        assert stack.losses_M[0].item() == pytest.approx(loss.item(), rel=1e-6)
    for own, stacked in zip(ours, stack.parameters, strict=True):
        assert torch.allclose(own, stacked[0], atol=1e-9)


def test_the_gradient_of_the_loss_is_that_of_finite_differences() -> None:
    stack = small_stack([1], [(2,)])
    (loss,) = stack.loss()
    loss.backward()
    for parameter in stack.parameters:
        place = (0, 1, 2)
        with torch.no_grad():
            kept = parameter[place].item()
            found = []
            for shift in (1e-6, -1e-6):
                parameter[place] = kept + shift
                found.append(stack.loss().item())
            parameter[place] = kept
        assert parameter.grad is not None
        assert parameter.grad[place].item() == pytest.approx((found[0] - found[1]) / 2e-6, rel=1e-5)


def test_windows_and_starts_are_uniform_and_a_fit_does_not_depend_on_its_stack() -> None:
    fit = replace(SMALL, batch=8_000)
    stack = small_stack([0, 1, 0], [(1,), (1,), (4,)], fit)
    starts = stack.starts()
    assert (starts[0] == starts[2]).all()
    assert not (starts[0] == starts[1]).all()
    counts = torch.bincount(starts[0], minlength=8)
    assert counts.shape == (8,)
    assert (counts.double() - 1000).abs().max() < 6 * math.sqrt(1000)
    alone = small_stack([1], [(1,)])
    assert torch.equal(alone.positions_MND[0], stack.positions_MND[1])
    assert stack.positions_MND.abs().max() <= 1
    assert stack.queries_MDD.abs().max() <= 0.5


def test_a_fit_learns_its_relation() -> None:
    fit = ProductFit(positions=20, train_length=6, test_lengths=(6, 20), steps=600, batch=16, learning_rate=0.01)
    ((inside, beyond),) = fit_products(ProductStack([(0, 2, 4)], seeds=[0], width=16, fit=fit))
    assert inside < 0.05
    assert beyond > inside


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test_lengths": (5, 13)}, "a window's length must be a whole number from 1 to 12; found 13."),
        ({"steps": 0}, "steps must be a whole number from 1 to 1e+08; found 0."),
    ],
)
def test_settings_are_checked(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        replace(SMALL, **change)  # type: ignore[arg-type]
    assert caught.value.message == message


def test_every_fit_needs_a_relation_and_a_seed() -> None:
    with pytest.raises(InvalidOptionError, match="every fit has a relation and a seed; found 1 relations and 2 seeds"):
        ProductStack([(1,)], seeds=[0, 1], width=4, fit=SMALL)
