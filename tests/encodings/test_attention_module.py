"""The layer of attention for models of one's own: with every encoding, with a past, with padding, with any ids."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as functional
from torch import Tensor

import lengthwise.encodings
from lengthwise.encodings.attention import Attention
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import INITIALIZATION, open_stream

WIDTH, HEADS, ROOM = 24, 3, 32
HINTED = ("scale_hint", "ipe", "lbpe", "lbpe_grown", "lbpe_found", "lbpe_mlp")
FOR_MODELS = ("ape", "interleaved", "offset", "randomized", "random_float", "coupling", "abacus")
NAMES = [name for name in ENCODINGS if name not in (*FOR_MODELS, *HINTED)] + ["window(fire, window=3)", "dape(alibi)"]


@pytest.mark.parametrize("name", [*HINTED, "length_corrected(scale_hint(rpe))"])
def test_an_encoding_that_must_know_the_scale_is_refused(name: str) -> None:
    with pytest.raises(InvalidOptionError) as refused:
        Attention(WIDTH, HEADS, name)
    assert str(refused.value) == (
        f"encoding {find_encoding(name).name!r} must know the scale of every instance, which is not told here.\n"
        "hint: train with it by lengthwise run, where tasks say their scale."
    )


@pytest.fixture(autouse=True)
def fixed_seed() -> Iterator[None]:
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        yield


def make(name: str, **options: int) -> Attention:
    """Return a layer whose queries and keys are large enough to matter."""
    layer = Attention(WIDTH, HEADS, name, max_length=ROOM, trained=8, **options).eval()
    layer.qkv.weight.mul_(3)
    return layer


def stream(batch: int = 2, length: int = 12) -> Tensor:
    return torch.randn(batch, length, WIDTH)


def assert_close(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-4)


def test_without_positions_it_is_plain_causal_attention() -> None:
    layer, x = make("nope"), stream()
    q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in layer.qkv(x).chunk(3, dim=-1))
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
    assert_close(layer(x), layer.project(mixed))


@pytest.mark.parametrize("name", NAMES)
def test_with_a_past_it_computes_the_same(name: str) -> None:
    layer, x = make(name), stream()
    whole = layer(x)
    assert whole.shape == x.shape
    assert whole.isfinite().all()
    past, parts = None, []
    for first, last in ((0, 5), (5, 6), (6, 10), (10, 11), (11, 12)):
        part, past = layer.extend(x[:, first:last], past)
        parts.append(part)
    if ENCODINGS[name.partition("(")[0]].prefix_consistent:
        assert_close(torch.cat(parts, dim=1), whole)
    assert_close(parts[-1], whole[:, -1:])


@pytest.mark.parametrize("name", NAMES)
def test_padding_on_either_side_changes_nothing(name: str) -> None:
    layer, x = make(name), stream(batch=1, length=7)
    alone = layer(x)
    padded = torch.cat([torch.cat([stream(1, 4), x], dim=1), torch.cat([x, stream(1, 4)], dim=1)])
    mask = torch.ones(2, 11, dtype=torch.bool)
    mask[0, :4], mask[1, 7:] = False, False
    found = layer(padded, mask_BL=mask)
    assert found.isfinite().all()
    assert_close(found[:1, 4:], alone)
    assert_close(found[1:, :7], alone)
    new, left = stream(1, 1), padded[:1]
    _, past = layer.extend(left, mask_BQ=mask[:1])
    after, past = layer.extend(new, past)
    again, _ = layer.extend(new, past, mask_BQ=torch.ones(1, 1))
    assert_close(after, layer(torch.cat([x, new], dim=1))[:, -1:])
    assert_close(again, layer(torch.cat([x, new, new], dim=1))[:, -1:])


def test_ids_may_be_any_numbers_and_are_remembered() -> None:
    x = stream(1, 6)
    ids = torch.tensor([[3.0, 3.5, 3.5, 9.0, 11.25, 20.0]])
    for name in ("rope", "fire", "alibi", "sinusoidal"):
        layer = make(name)
        whole = layer(x, ids)
        first, past = layer.extend(x[:, :4], ids_BQ=ids[:, :4])
        second, _ = layer.extend(x[:, 4:], past, ids_BQ=ids[:, 4:])
        assert_close(torch.cat([first, second], dim=1), whole)
        assert (whole - layer(x)).abs().max() > 1e-3
    layer = make("rope")
    assert_close(layer(x, torch.arange(5, 11)[None]), layer(x))
    _, past = layer.extend(x[:, :4], ids_BQ=ids[:, :4])
    _, past = layer.extend(x[:, 4:], past)
    assert past.ids_BL.tolist() == [[3.0, 3.5, 3.5, 9.0, 10.0, 11.0]]


def test_an_encoding_of_the_input_is_added_to_what_enters() -> None:
    layer, plain, x = make("learned"), make("nope"), stream()
    plain.load_state_dict({key: value for key, value in layer.state_dict().items() if "encoding" not in key})
    table = layer.encoding.get_parameter("table_MND")
    assert_close(layer(x), plain(x + table[0, : x.shape[1]]))


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_is_learned_gets_a_gradient(name: str) -> None:
    layer = make(name)
    with torch.enable_grad():
        layer(stream()).square().sum().backward()
    for parameter in layer.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().max() > 0


def test_the_seed_draws_what_the_encoding_learns() -> None:
    one, same, other = (make("fire", seed=seed).encoding.state_dict() for seed in (1, 1, 2))
    key = "layers.0.in_weight_MF"
    assert torch.equal(one[key], same[key])
    assert not torch.equal(one[key], other[key])
    expected = make("fire").encoding
    expected.initialize(open_stream(INITIALIZATION, seed=[1]).named("encoding"))
    assert torch.equal(expected.state_dict()[key], one[key])


def test_dropout_is_for_training_only() -> None:
    layer, x = Attention(WIDTH, HEADS, "alibi", dropout=0.5), stream()
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))


def test_sizes_are_those_of_the_instance_now() -> None:
    layer, x = make("dynamic_ntk"), stream(1, 20)
    assert_close(layer(x[:, :8]), make_like(layer, "rope")(x[:, :8]))
    assert (layer(x) - make_like(layer, "rope")(x)).abs().max() > 1e-3


def make_like(layer: Attention, name: str) -> Attention:
    """Return a layer of another encoding with the same maps."""
    other = make(name)
    other.load_state_dict(layer.state_dict())
    return other


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_it_compiles_as_one_graph(name: str) -> None:
    layer, x = make(name), stream()
    torch._dynamo.reset()
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    assert_close(compiled(x), layer(x))


def test_what_is_not_for_one_layer_is_refused() -> None:
    for name in FOR_MODELS:
        if name == "interleaved":
            expected = "encoding 'interleaved' chooses among the layers of a model, and this is one of them.\n"
            expected += "hint: name the encoding of each layer."
        else:
            expected = f"encoding {name!r} chooses ids for a whole model, and this is one layer of it.\n"
            expected += "hint: name the encoding that it is put around, and hand the ids to every layer."
        with pytest.raises(InvalidOptionError) as refused:
            Attention(WIDTH, HEADS, name)
        assert str(refused.value) == expected


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(InvalidOptionError) as refused:
        Attention(24, 5)
    assert str(refused.value) == (
        "width 24 cannot be divided among 5 heads.\nhint: choose a width that is a multiple of the heads."
    )
    with pytest.raises(InvalidOptionError, match=f"of {ROOM + 1} tokens does not fit the {ROOM} positions"):
        make("learned")(stream(1, ROOM + 1))
    with pytest.raises(InvalidOptionError, match=f"of {ROOM + 1} tokens does not fit the {ROOM} positions"):
        make("window(learned)")(stream(1, 1), torch.tensor([[ROOM]]))


@pytest.mark.parametrize("word", ["width", "heads", "max_length", "trained"])
@pytest.mark.parametrize("value", [0, -4, 1.5])
@pytest.mark.parametrize("name", ["rope", "yarn", "relative_projection"])
def test_sizes_that_make_no_sense_are_refused(word: str, value: float, name: str) -> None:
    options = {"width": WIDTH, "heads": HEADS, word: value}
    with pytest.raises(InvalidOptionError) as refused:
        Attention(encoding=name, **options)  # type: ignore[arg-type]
    assert str(refused.value) == (
        f"{word} must be a whole number from 1 to 100000000; found {value}.\nhint: correct the value."
    )


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="the name of an encoding must be a string; found None"):
        Attention(WIDTH, HEADS, None)  # type: ignore[arg-type]


def test_a_mask_of_another_shape_is_refused() -> None:
    layer, x = make("rope"), stream(2, 7)
    for mask in (torch.ones(7), torch.ones(2, 6), torch.ones(3, 7), torch.ones(2, 7, 7)):
        with pytest.raises(InvalidOptionError) as refused:
            layer(x, mask_BL=mask)
        assert str(refused.value) == (
            f"a mask must have a value for every token, in shape (1, 7) or (2, 7); found shape {tuple(mask.shape)}.\n"
            "hint: hand in a mask with a row for each text; mask[None] is one for all of them."
        )


def test_one_row_of_a_mask_may_stand_for_all() -> None:
    layer, x = make("fire"), stream(2, 7)
    mask = torch.tensor([[False, False, True, True, True, True, True]])
    assert_close(layer(x, mask_BL=mask), layer(x, mask_BL=mask.expand(2, -1)))
    _, past = layer.extend(x[:, :4], mask_BQ=mask[:, :4])
    assert_close(layer.extend(x[:, 4:], past)[0], layer(x[:, 2:])[:, 2:])


def test_ids_that_a_table_has_no_row_for_are_refused() -> None:
    x = stream(1, 10)
    for name in ("learned", "window(learned)"):
        with pytest.raises(InvalidOptionError) as refused:
            make(name)(x, torch.arange(-5, 5)[None])
        assert str(refused.value) == (
            f"this encoding has positions 0 to {ROOM - 1}; found the id -5.\n"
            "hint: count ids from 0, or choose an encoding that is a formula, for example rope."
        )
        with pytest.raises(InvalidOptionError, match=f"does not fit the {ROOM} positions"):
            make(name)(x, torch.arange(ROOM - 9, ROOM + 1)[None])
    rope = make("rope")
    assert_close(rope(x, torch.arange(-5, 5)[None]), rope(x))


def test_the_package_of_encodings_offers_these_names() -> None:
    exported = "Attention Bound Card Encoding Fit IdWrapper Option Where "
    exported += "Wrapper attach distances load make_encoding normal per_head"
    assert lengthwise.encodings.__all__ == exported.split()
    for name in lengthwise.encodings.__all__:
        assert getattr(lengthwise.encodings, name) is not None
    assert lengthwise.encodings.Attention is Attention
    with pytest.raises(AttributeError, match="has no attribute 'attacch'"):
        _ = lengthwise.encodings.attacch
