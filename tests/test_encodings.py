"""Encodings: what every one of them must do, and what each declares of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from lengthwise.arrays import torch_arrays
from lengthwise.encodings.ape import LearnedAPE
from lengthwise.encodings.base import Encoding
from lengthwise.encodings.cards import ENCODINGS, load_encoding, require_trainable
from lengthwise.encodings.initialization import normal
from lengthwise.encodings.nope import NoPE
from lengthwise.errors import InvalidOptionError
from lengthwise.model.shape import Shape
from lengthwise.model.transformer import Transformer, Where, attend
from lengthwise.seeds import DATA, INITIALIZATION, Draw, open_stream

TRAINABLE = [name for name, card in ENCODINGS.items() if card.module]
SHAPE = Shape(layers=2, heads=2, width=16)
ROOM = 24
VOCABULARY = 7


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=TRAINABLE)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make_encoding(kind: str | type[Encoding], *, models: int = 1, room: int = ROOM, shape: Shape = SHAPE) -> Encoding:
    made = load_encoding(ENCODINGS[kind]) if isinstance(kind, str) else kind
    encoding: Encoding = made(
        num_models=models,
        num_heads=shape.heads,
        head_width=shape.width // shape.heads,
        width=shape.width,
        max_length=room,
    )
    return encoding


def make_model(
    kind: str | type[Encoding], *, seeds: tuple[int, ...] = (0,), room: int = ROOM, shape: Shape = SHAPE
) -> Transformer:
    """Return a model whose weights are large enough for every part of it to matter."""
    encoding = make_encoding(kind, models=len(seeds), room=room, shape=shape)
    model = Transformer(num_models=len(seeds), num_tokens=VOCABULARY, num_outputs=5, shape=shape, encoding=encoding)
    model.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(10 if parameter.dim() > 2 else 1)
    return model


def random_tokens(*shape: int, seed: int = 0) -> Tensor:
    return torch.randint(VOCABULARY, shape, generator=torch.Generator().manual_seed(seed))


def full_sizes(tokens_MBL: Tensor) -> Tensor:
    return torch.full(tokens_MBL.shape[:2], tokens_MBL.shape[-1])


def outputs_of(
    model: Transformer, tokens_MBL: Tensor, *, draw: Draw | None = None, ids: Tensor | None = None
) -> Tensor:
    sizes = full_sizes(tokens_MBL)
    places = model.encoding.ids(tokens_MBL, sizes, draw) if ids is None else ids
    outputs: Tensor = model(tokens_MBL, Where(places, sizes[..., None].expand(tokens_MBL.shape)))
    return outputs


def training_draw(*seeds: int) -> Draw:
    return open_stream(DATA, seed=list(seeds), xp=torch_arrays())


# Cards


def test_the_trainable_encodings_are_these() -> None:
    assert TRAINABLE == ["nope", "ape"]
    assert load_encoding(ENCODINGS["nope"]) is NoPE
    assert load_encoding(ENCODINGS["ape"]) is LearnedAPE


def test_a_card_without_a_class_says_what_can_be_trained() -> None:
    for read in (load_encoding, require_trainable):
        with pytest.raises(InvalidOptionError) as caught:
            read(ENCODINGS["rope"])
        assert str(caught.value) == (
            "encoding 'rope' has a card but cannot be trained in this version. Trainable: nope, ape.\n"
            "hint: ask for a verdict with 'lengthwise predict', or train one of these."
        )


def test_a_class_is_bounded_exactly_where_its_card_says_so(name: str) -> None:
    assert (make_encoding(name).max_length is not None) == ENCODINGS[name].max_length


# The interface


def test_the_hooks_of_the_base_do_nothing() -> None:
    encoding = make_encoding(Encoding)
    q, k, v = torch.randn(3, 2, 2, 5, 8, generator=torch.Generator().manual_seed(0))
    x = torch.zeros(1, 2, 5, 16)
    tokens = random_tokens(1, 2, 5)
    ids = encoding.ids(tokens, full_sizes(tokens), training_draw(0))
    assert torch.equal(ids, torch.arange(5).expand(1, 2, 5))
    assert encoding.embed(ids) is None
    assert encoding.bias(ids, ids, None) is None
    same_q, same_k = encoding.transform(q, k, x, ids)
    assert same_q is q
    assert same_k is k
    scores = encoding.scores(q, k, x, ids)
    torch.testing.assert_close(scores, torch.einsum("bhqd,bhkd->bhqk", q, k) / 8**0.5)
    weights = encoding.weights(scores)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2, 5))
    assert torch.equal(encoding.value(weights, v, ids), weights @ v)
    assert encoding.is_fused
    assert encoding.max_length is None
    assert list(encoding.parameters()) == []


def test_an_embedding_has_the_shape_of_the_stream_or_is_none(name: str) -> None:
    encoding = make_encoding(name, models=3)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0, 1, 2]))
    tokens = random_tokens(3, 4, 9)
    embedded = encoding.embed(encoding.ids(tokens, full_sizes(tokens), None))
    assert embedded is None or tuple(embedded.shape) == (3, 4, 9, SHAPE.width)


def test_parameters_lead_with_the_models_and_are_all_initialized(name: str) -> None:
    encoding = make_encoding(name, models=3)
    for parameter in encoding.parameters():
        parameter.data.fill_(torch.nan)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0, 1, 1]))
    for parameter in encoding.parameters():
        assert parameter.shape[0] == 3
        assert parameter.isfinite().all()
        assert not torch.equal(parameter[0], parameter[1])
        assert torch.equal(parameter[1], parameter[2])


def test_ids_start_at_zero_and_count_up_outside_training(name: str) -> None:
    encoding = make_encoding(name, models=2)
    tokens = random_tokens(2, 3, 11)
    ids = encoding.ids(tokens, torch.tensor([[11, 4, 7], [1, 11, 2]]), None)
    assert torch.equal(ids, torch.arange(11).expand(2, 3, 11))


def test_the_gradient_reaches_every_parameter(name: str) -> None:
    model = make_model(name, seeds=(0, 1))
    tokens = random_tokens(2, 64, ROOM)
    outputs_of(model, tokens).square().mean().backward()
    for label, parameter in model.named_parameters():
        assert parameter.grad is not None, label
        reached = parameter.grad.flatten(1).abs().sum(1)
        assert (reached > 0).all(), label


def test_all_rows_of_the_table_of_positions_are_trained() -> None:
    model = make_model("ape", seeds=(0,))
    tokens = random_tokens(1, 400, 6)
    outputs_of(model, tokens, draw=training_draw(0)).square().mean().backward()
    encoding = model.encoding
    assert isinstance(encoding, LearnedAPE)
    assert encoding.table_MND.grad is not None
    assert (encoding.table_MND.grad.abs().sum(-1) > 0).all()


# Stacks and configurations


def test_a_stack_computes_what_its_models_compute_alone(name: str) -> None:
    seeds = (4, 0, 9)
    stack = make_model(name, seeds=seeds)
    tokens = random_tokens(3, 5, 12)
    draws = (None, training_draw(*seeds))
    for draw in draws:
        together = outputs_of(stack, tokens, draw=draw)
        for number, seed in enumerate(seeds):
            alone = outputs_of(
                make_model(name, seeds=(seed,)), tokens[number : number + 1], draw=draw and training_draw(seed)
            )
            torch.testing.assert_close(together[number], alone[0], rtol=1e-5, atol=1e-5)


def test_two_configurations_do_not_influence_each_other(name: str) -> None:
    """What a module computes must not depend on which other modules were called before, as with a shared cache."""
    small = Shape(layers=1, heads=2, width=8)
    configurations = [
        {"seeds": (0,), "room": ROOM, "shape": SHAPE},
        {"seeds": (0,), "room": 2 * ROOM, "shape": SHAPE},
        {"seeds": (0,), "room": ROOM, "shape": small},
        {"seeds": (1,), "room": ROOM, "shape": SHAPE},
    ]
    tokens = random_tokens(1, 3, 10)
    alone = [outputs_of(make_model(name, **each), tokens) for each in configurations]  # type: ignore[arg-type]
    models = [make_model(name, **each) for each in configurations]  # type: ignore[arg-type]
    for _ in range(2):
        for number in (3, 0, 2, 1, 0, 3):
            assert torch.equal(outputs_of(models[number], tokens), alone[number])
    assert not torch.equal(alone[0], alone[3])


# Time runs forward


def test_a_later_token_never_changes_an_earlier_output(name: str) -> None:
    model = make_model(name)
    tokens = random_tokens(1, 4, 10)
    before = outputs_of(model, tokens)
    for place in range(10):
        changed = tokens.clone()
        changed[..., place] = (changed[..., place] + 1) % VOCABULARY
        after = outputs_of(model, changed)
        assert torch.equal(after[:, :, :place], before[:, :, :place])
        assert not torch.equal(after[:, :, place], before[:, :, place])


def test_more_tokens_leave_the_outputs_of_the_first_ones_as_they_were(name: str) -> None:
    """So that exact match under teacher forcing is exact match of greedy decoding."""
    model = make_model(name)
    tokens = random_tokens(1, 4, ROOM)
    whole = outputs_of(model, tokens)
    for length in (1, 2, 7, ROOM - 1):
        torch.testing.assert_close(outputs_of(model, tokens[..., :length]), whole[:, :, :length], rtol=1e-5, atol=1e-5)


# Without positions


def test_without_positions_the_ids_change_nothing() -> None:
    model = make_model("nope")
    tokens = random_tokens(1, 4, 12)
    expected = outputs_of(model, tokens)
    shuffled = torch.randperm(12, generator=torch.Generator().manual_seed(0))
    for ids in (torch.arange(12) + 1000, shuffled, torch.zeros(12, dtype=torch.int64)):
        assert torch.equal(outputs_of(model, tokens, ids=ids.expand(1, 4, 12)), expected)


def test_without_positions_one_layer_sees_a_bag_of_what_came_before() -> None:
    """No absolute position hides anywhere: the output at the last token is the same in every order of the others."""
    model = make_model("nope", shape=Shape(layers=1, heads=2, width=16))
    tokens = random_tokens(1, 4, 12)
    order = torch.randperm(11, generator=torch.Generator().manual_seed(0))
    shuffled = torch.cat([tokens[..., order], tokens[..., 11:]], dim=-1)
    assert not torch.equal(shuffled, tokens)
    torch.testing.assert_close(
        outputs_of(model, shuffled)[:, :, -1], outputs_of(model, tokens)[:, :, -1], rtol=1e-5, atol=1e-5
    )


def test_with_positions_the_order_is_seen() -> None:
    model = make_model("ape", shape=Shape(layers=1, heads=2, width=16))
    tokens = random_tokens(1, 4, 12)
    shuffled = torch.cat([tokens[..., :11].flip(-1), tokens[..., 11:]], dim=-1)
    assert not torch.allclose(outputs_of(model, shuffled)[:, :, -1], outputs_of(model, tokens)[:, :, -1], atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
def test_eight_times_the_length_stays_finite(dtype: torch.dtype) -> None:
    model = make_model("nope", room=ROOM).to(dtype)
    outputs = outputs_of(model, random_tokens(1, 2, 8 * ROOM))
    assert outputs.dtype == dtype
    assert outputs.isfinite().all()


# Absolute positions


def test_offsets_are_uniform_over_all_that_fit() -> None:
    encoding = make_encoding("ape", models=2)
    sizes = torch.tensor([18, 24, 10]).repeat(2, 1500)
    tokens = torch.zeros(2, 4500, ROOM, dtype=torch.int64)
    offsets = encoding.ids(tokens, sizes, training_draw(0, 1))[..., 0]
    assert not torch.equal(offsets[0], offsets[1])
    for size in (18, 24, 10):
        counts = Counter(offsets[sizes == size].tolist())
        num_offsets = ROOM - size + 1
        assert set(counts) == set(range(num_offsets))
        expected = 3000 / num_offsets
        statistic = sum((count - expected) ** 2 / expected for count in counts.values())
        assert statistic < num_offsets + 6 * num_offsets**0.5 + 6


def test_shifted_ids_count_up_and_only_padding_is_clamped() -> None:
    encoding = make_encoding("ape")
    sizes = torch.tensor([[20, 24, 1, 13] * 50])
    tokens = torch.zeros(1, 200, ROOM, dtype=torch.int64)
    ids = encoding.ids(tokens, sizes, training_draw(3))
    for row, size in zip(ids[0].tolist(), sizes[0].tolist(), strict=True):
        assert row == [min(row[0] + place, ROOM - 1) for place in range(ROOM)]
        assert row[0] + size <= ROOM
        assert row[:size] == list(range(row[0], row[0] + size))


def test_an_embedding_is_the_row_of_its_own_model() -> None:
    encoding = make_encoding("ape", models=2)
    assert isinstance(encoding, LearnedAPE)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0, 1]))
    ids = torch.tensor([[[0, 5, 5]], [[23, 1, 0]]])
    embedded = encoding.embed(ids)
    for model in range(2):
        for place in range(3):
            assert torch.equal(embedded[model, 0, place], encoding.table_MND[model, ids[model, 0, place]])


@pytest.mark.parametrize("draw", [None, training_draw(0)], ids=["test", "training"])
def test_an_instance_beyond_the_table_is_an_error(draw: Draw | None) -> None:
    encoding = make_encoding("ape")
    tokens = torch.zeros(1, 2, ROOM + 1, dtype=torch.int64)
    with pytest.raises(InvalidOptionError) as caught:
        encoding.ids(tokens, torch.tensor([[3, ROOM + 1]]), draw)
    assert str(caught.value) == (
        "an instance of 25 tokens does not fit the 24 positions of this encoding.\n"
        "hint: make the model with a larger max_length."
    )


# Two ways to attend


class StepByStep(Encoding):
    """The formulas of the base, written out, so that attention takes the step-by-step path."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, ids_MBL: Tensor) -> Tensor:  # noqa: ARG002
        return torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5

    def weights(self, scores: Tensor) -> Tensor:
        shares = torch.exp(scores - scores.amax(-1, keepdim=True))
        return shares / shares.sum(-1, keepdim=True)

    def value(self, weights: Tensor, v: Tensor, ids_MBL: Tensor) -> Tensor:  # noqa: ARG002
        return torch.einsum("bhqk,bhkd->bhqd", weights, v)


class Distance(Encoding):
    """A penalty on distance, steeper in each head: a bias from positions alone."""

    def bias(self, ids_q: Tensor, ids_k: Tensor, scale_MBL: Tensor | None) -> Tensor:  # noqa: ARG002
        distance_MBQL = (ids_q[..., :, None] - ids_k[..., None, :]).abs()
        slopes = 0.3 * (1 + torch.arange(self.num_heads))
        biases_MBHQL = -slopes[:, None, None] * distance_MBQL[:, :, None]
        return biases_MBHQL.permute(1, 0, 2, 3, 4).flatten(1, 2)


class DistanceStepByStep(Distance):
    """The same penalty on the step-by-step path: one overridden hook is enough."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, ids_MBL: Tensor) -> Tensor:
        return Encoding.scores(self, q, k, x_MBLD, ids_MBL) * 1.0


@pytest.mark.parametrize(("fused", "steps"), [(NoPE, StepByStep), (Distance, DistanceStepByStep)])
def test_fused_attention_equals_attention_step_by_step(fused: type[Encoding], steps: type[Encoding]) -> None:
    seeds = (0, 1, 2)
    tokens = random_tokens(3, 4, 12)
    one, two = make_model(fused, seeds=seeds), make_model(steps, seeds=seeds)
    assert one.encoding.is_fused
    assert not two.encoding.is_fused
    results = []
    for model in (one, two):
        outputs = outputs_of(model, tokens)
        outputs.square().mean().backward()
        results.append((outputs, [parameter.grad for parameter in model.parameters()]))
    torch.testing.assert_close(results[0], results[1], rtol=1e-4, atol=1e-5)


def test_a_bias_reaches_its_own_model_and_head() -> None:
    tokens = random_tokens(2, 3, 9)
    plain, biased = make_model(NoPE, seeds=(0, 1)), make_model(Distance, seeds=(0, 1))
    assert not torch.allclose(outputs_of(plain, tokens), outputs_of(biased, tokens), atol=1e-3)
    for number in range(2):
        alone = outputs_of(make_model(Distance, seeds=(number,)), tokens[number : number + 1])
        torch.testing.assert_close(outputs_of(biased, tokens)[number], alone[0], rtol=1e-5, atol=1e-5)


def test_a_relative_bias_does_not_see_a_shift_of_all_ids() -> None:
    model = make_model(Distance)
    tokens = random_tokens(1, 3, 9)
    ids = torch.arange(9).expand(1, 3, 9)
    assert torch.equal(outputs_of(model, tokens, ids=ids), outputs_of(model, tokens, ids=ids + 50))


@pytest.mark.parametrize("kind", [NoPE, StepByStep, Distance, DistanceStepByStep])
def test_attention_is_a_weighted_mean_of_what_came_before(kind: type[Encoding]) -> None:
    """With equal values everywhere but in the future, the result is that value."""
    encoding = make_encoding(kind)
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 3, 2, 6, 8, generator=generator)
    ids = torch.arange(6).expand(1, 3, 6)
    for place in range(6):
        v = torch.ones(3, 2, 6, 8)
        v[:, :, place + 1 :] = 99.0
        at = Where(ids, torch.zeros_like(ids))
        mixed = attend(q, k, v, torch.zeros(1, 3, 6, 16), encoding, at, at)
        torch.testing.assert_close(mixed[:, :, : place + 1], torch.ones(3, 2, place + 1, 8))


# Initial weights


def test_normal_numbers_have_the_stated_mean_and_deviation() -> None:
    drawn = normal(open_stream(INITIALIZATION, seed=[0]), (200, 200), deviation=0.02)
    assert drawn.dtype == torch.float32
    assert abs(drawn.mean().item()) < 4 * 0.02 / 200
    assert drawn.std().item() == pytest.approx(0.02, rel=0.02)
    assert drawn.abs().max() < 6.3 * 0.02
    within = [(drawn.abs() < 0.02 * times).double().mean().item() for times in (1, 2)]
    assert within == pytest.approx([0.6827, 0.9545], abs=0.01)


def test_the_initial_weights_of_a_seed_are_the_same_in_every_stack(name: str) -> None:
    alone, stacked = make_model(name, seeds=(7,)), make_model(name, seeds=(3, 7))
    for one, two in zip(alone.parameters(), stacked.parameters(), strict=True):
        assert torch.equal(one[0], two[1])


def test_matrices_start_small_and_smaller_where_branches_add_up() -> None:
    shape = Shape(layers=2, heads=2, width=64)
    encoding = make_encoding("nope", shape=shape)
    model = Transformer(num_models=1, num_tokens=VOCABULARY, num_outputs=5, shape=shape, encoding=encoding)
    model.initialize(open_stream(INITIALIZATION, seed=[0]))
    for label, parameter in model.named_parameters():
        if label.endswith(("bias_MO", "shift_MD")):
            assert not parameter.any()
        elif label.endswith("gain_MD"):
            assert (parameter == 1).all()
        else:
            adds = "project" in label or "contract" in label
            assert parameter.std().item() == pytest.approx(0.01 if adds else 0.02, rel=0.15), label
