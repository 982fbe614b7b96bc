"""The terms of the regularizer R(T): values against plain formulas, gradients against finite differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.base import Fit
from lengthwise.encodings.core.build import make_encoding
from lengthwise.errors import InvalidOptionError
from lengthwise.model.shape import Shape
from lengthwise.model.transformer import Block, Transformer
from lengthwise.seeds import INITIALIZATION, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import LengthRange
from lengthwise.train.groups import make_training_runs
from lengthwise.train.settings import PENALTY_NAMES, Training
from lengthwise.train.stack import Stack
from lengthwise.train.terms import POSITIONS, TERMS, evaluate_terms, nuclear_norm, spectral_norm

DIFFERENTIABLE = [name for name, term in TERMS.items() if term.differentiable]


def make_model(
    encoding: str = "ape", models: int = 2, *, tied: bool = False, scale: float = 20.0, digits: tuple[int, ...] = ()
) -> Transformer:
    """Return a small stack with random weights of a size that counts, in float64."""
    shape = Shape(layers=2, heads=2, width=8, tied=tied)
    fit = Fit(
        num_models=models, num_heads=2, head_width=4, width=8, max_length=7, trained=4, num_layers=2, digits=digits
    )
    made = Transformer(
        num_models=models, num_tokens=5, num_outputs=5, shape=shape, encoding=make_encoding(encoding, fit)
    )
    made.initialize(open_stream(INITIALIZATION, seed=list(range(models))))
    made.double()
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(scale).add_(torch.randn_like(parameter), alpha=0.1)
    return made


def head_maps(model: Transformer, place: int) -> list[dict[str, Tensor]]:
    """Return the matrices of every layer and head of one model, written out."""
    found = []
    for block in model.blocks:
        assert isinstance(block, Block)
        weight, width, size = block.qkv.weight_MIO[place].detach(), 8, 4
        for head in range(2):
            own = slice(head * size, (head + 1) * size)
            q, k, v = (weight[:, start : start + width][:, own] for start in (0, width, 2 * width))
            out = block.project.weight_MIO[place].detach()[own]
            found.append({"q": q, "k": k, "v": v @ out})
    return found


def norm(matrix: Tensor, kind: str | int) -> float:
    return float(torch.linalg.matrix_norm(matrix, ord=kind))


def test_every_term_is_what_its_formula_says() -> None:
    model = make_model()
    found = evaluate_terms(model)
    assert set(found) == set(TERMS)
    for place in range(2):
        heads = head_maps(model, place)
        blocks = [block for block in model.blocks if isinstance(block, Block)]
        positions = model.encoding.table_MND[place].detach()  # type: ignore[index]
        products = [(positions @ head["q"]) @ (positions @ head["k"]).T for head in heads]
        assert model.readout is not None
        expected = {
            "size": 4.0,
            "value_rank": 4.0,
            "value_nuclear": max(norm(head["v"], "nuc") for head in heads),
            "key_query_norm": max(norm(head["k"] @ head["q"].T, 2) for head in heads),
            "value_norm": max(norm(head["v"], 2) for head in heads),
            "expand_norm": max(norm(block.expand.weight_MIO[place].detach(), "fro") for block in blocks),
            "contract_norm": max(norm(block.contract.weight_MIO[place].detach(), "fro") for block in blocks),
            "readout_norm": norm(model.readout.weight_MIO[place].detach(), 2),
            "position_norm": max(float(row.norm()) for row in positions),
            "embedding_norm": max(float(row.norm()) for row in model.embedding_MVD[place].detach()),
            "bias_norm": max(float(block.expand.bias_MO[place].detach().norm()) for block in blocks),
            "positional_first": sum(float(f[i, 0]) ** 2 for f in products for i in range(7)),
            "positional": sum(float(f[i, j]) ** 2 for f in products for i in range(7) for j in range(i + 1)) / 7,
        }
        assert {name: float(found[name][place]) for name in expected} == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_gradient_of_a_term_agrees_with_finite_differences(name: str) -> None:
    model, term = make_model(), TERMS[name]
    term.function(model).sum().backward()  # type: ignore[no-untyped-call]
    torch.manual_seed(1)
    moved = 0
    for parameter in model.parameters():
        direction = torch.randn_like(parameter)
        slope = 0.0 if parameter.grad is None else float((parameter.grad * direction).sum())
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter.add_(direction, alpha=sign * 1e-6)
                values.append(float(term.function(model).sum()))
                parameter.add_(direction, alpha=-sign * 1e-6)
        assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope, rel=1e-5, abs=1e-6)
        moved += slope != 0
    assert moved


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_term_of_a_stack_is_that_of_each_model_alone(name: str) -> None:
    stack = make_model(models=3)
    for place in range(3):
        alone = make_model(models=1)
        for own, parameter in zip(alone.parameters(), stack.parameters(), strict=True):
            own.data.copy_(parameter.data[place : place + 1])
        own_value, value = TERMS[name].function(alone)[0].item(), TERMS[name].function(stack)[place].item()
        assert own_value == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("shape", [(6, 6), (9, 4), (3, 8), (5, 1)])
@pytest.mark.parametrize("rank", [1, 3])
def test_norms_by_products_agree_with_singular_values(shape: tuple[int, int], rank: int) -> None:
    torch.manual_seed(sum(shape) + rank)
    matrix = torch.randn(2, shape[0], rank, dtype=torch.float64) @ torch.randn(2, rank, shape[1], dtype=torch.float64)
    values = torch.linalg.svdvals(matrix)
    assert torch.allclose(spectral_norm(matrix), values[:, 0], rtol=1e-7)
    assert torch.allclose(nuclear_norm(matrix), values.sum(1), rtol=1e-7)
    assert torch.allclose(nuclear_norm(matrix.float()), values.sum(1).float(), rtol=1e-3)


def test_norms_of_nothing_are_zero_and_have_no_infinite_gradient() -> None:
    matrix = torch.zeros(1, 4, 4, requires_grad=True)
    (spectral_norm(matrix) + nuclear_norm(matrix)).sum().backward()  # type: ignore[no-untyped-call]
    assert spectral_norm(matrix).item() == nuclear_norm(matrix).item() == 0
    assert matrix.grad is not None
    assert torch.equal(matrix.grad, torch.zeros_like(matrix))


def test_equal_singular_values_still_have_a_finite_gradient() -> None:
    matrix = torch.eye(4, dtype=torch.float64)[None].requires_grad_()
    spectral_norm(matrix).sum().backward()  # type: ignore[no-untyped-call]
    assert matrix.grad is not None
    assert torch.allclose(matrix.grad[0], torch.eye(4, dtype=torch.float64) / 4)


def test_the_rank_and_its_surrogate_see_a_lost_direction() -> None:
    model = make_model(models=1)
    before = evaluate_terms(model)
    with torch.no_grad():
        for block in model.blocks:
            assert isinstance(block, Block)
            block.project.weight_MIO[:, [0, 4]] = 0  # one channel of each head
    after = evaluate_terms(model)
    assert (float(before["value_rank"]), float(after["value_rank"])) == (4, 3)
    assert float(after["value_nuclear"]) < float(before["value_nuclear"])


def test_the_precision_counts_binary_digits_after_the_point() -> None:
    model = make_model(models=2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_((parameter * 8).round() / 8)
        model.embedding_MVD[:, 0, 0] = torch.tensor([0.125, 3 / 1024])
    assert TERMS["precision"].function(model).tolist() == [3, 10]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_((parameter * 8).round())
    assert TERMS["precision"].function(model).tolist() == [0, 0]


def test_a_tied_readout_is_the_embedding() -> None:
    model = make_model(tied=True)
    values = torch.linalg.svdvals(model.embedding_MVD.detach())[:, 0]
    assert torch.allclose(TERMS["readout_norm"].function(model), values)


def test_terms_on_positions_need_a_table_of_them() -> None:
    assert {name for name, term in TERMS.items() if term.needs} == {"position_norm", "positional_first", "positional"}
    assert {term.needs for term in TERMS.values()} == {"", POSITIONS}
    for encoding in ("nope", "rope", "deberta", "sinusoidal"):
        model = make_model(encoding)
        assert set(evaluate_terms(model)) == {name for name, term in TERMS.items() if not term.needs}
        with pytest.raises(InvalidOptionError) as caught:
            TERMS["position_norm"].function(model)
        assert str(caught.value) == (
            "this term of the regularizer acts on a table of positions, and the model has none.\n"
            "hint: use the encoding 'ape', or leave the term out."
        )


@pytest.mark.parametrize(
    "encoding", ["window(ape, window=3)", "offset(learned)", "randomized(learned)", "window(offset(learned), window=3)"]
)
def test_a_table_within_other_encodings_is_a_table_of_positions(encoding: str) -> None:
    model = make_model(encoding)
    (table,) = (each for name, each in model.named_parameters() if name.endswith("table_MND"))
    found = evaluate_terms(model)
    assert set(found) == set(TERMS)
    assert torch.allclose(found["position_norm"], table.detach().norm(dim=-1).amax(1), rtol=1e-14)


@pytest.mark.parametrize("encoding", sorted(ENCODINGS))
def test_the_terms_of_every_encoding_are_one_number_for_each_model(encoding: str) -> None:
    for values in evaluate_terms(make_model(encoding, digits=(0, 1))).values():
        assert values.shape == (2,)
        assert torch.isfinite(values).all()


def make_stack(name: str | None, weight: float) -> Stack:
    return Stack.of(
        make_training_runs(
            task=find_task("bin_majority"),
            encoding="ape",
            shape=Shape(layers=1, heads=2, width=16),
            training=Training(steps=20, batch=32, penalties=() if name is None else ((name, weight),)),
            bins=[LengthRange(low=1, high=5), LengthRange(low=6, high=10)],
            seeds=[0, 1],
            rates=[1e-3, 1e-3],
        )
    )


@pytest.mark.parametrize("name", [name for name in DIFFERENTIABLE if name in PENALTY_NAMES])
def test_a_weight_of_zero_is_no_penalty_at_all(name: str) -> None:
    def losses(stack: Stack) -> Tensor:
        return torch.stack([stack.step() for _ in range(3)])

    plain = losses(make_stack(None, 0.0))
    assert torch.equal(losses(make_stack(name, 0.0)), plain)
    weighted = make_stack(name, 1.0)
    first = TERMS[name].function(weighted.model).detach()
    assert torch.allclose(weighted.penalties(), first, atol=1e-5)
