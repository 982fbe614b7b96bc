"""Encodings: their names, the hooks, absolute positions, positions that are resampled, and two ways to attend."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import Tensor

from lengthwise.arrays import torch_arrays
from lengthwise.encodings.catalog import ALIASES, ENCODINGS
from lengthwise.encodings.core.attend import attend
from lengthwise.encodings.core.base import Encoding, Fit, Where, are_row_ids, distances, per_head
from lengthwise.encodings.core.build import make_encoding as make_by_name
from lengthwise.encodings.core.choice import find_encoding, split_names
from lengthwise.encodings.core.initialization import normal
from lengthwise.encodings.core.tables import _Collect, _Spread, collect, spread
from lengthwise.encodings.methods.ape import LearnedAPE
from lengthwise.encodings.methods.dynamic_bias import DynamicBias
from lengthwise.encodings.methods.nope import NoPE
from lengthwise.errors import CapExceededError, InvalidOptionError, UnknownNameError
from lengthwise.model.shape import SWITCHES, Shape
from lengthwise.model.transformer import Transformer
from lengthwise.seeds import DATA, INITIALIZATION, Draw, open_stream

pytestmark = pytest.mark.usefixtures("one_thread")

SHAPE = Shape(layers=2, heads=2, width=16)
ROOM = 24
VOCABULARY = 7


def make_encoding(kind: str | type[Encoding], *, models: int = 1, room: int = ROOM, shape: Shape = SHAPE) -> Encoding:
    fit = Fit(
        num_models=models,
        num_heads=shape.heads,
        head_width=shape.width // shape.heads,
        width=shape.width,
        max_length=room,
        trained=room // 2,
        num_layers=shape.layers,
        digits=(1, 2),
    )
    return make_by_name(kind, fit) if isinstance(kind, str) else kind(fit)


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
    whole = sizes[..., None].expand(tokens_MBL.shape)
    outputs: Tensor = model(tokens_MBL, Where(places, whole, whole))
    return outputs


def training_draw(*seeds: int) -> Draw:
    return open_stream(DATA, seed=list(seeds), xp=torch_arrays())


# Names


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_name_of_a_card_is_the_shortest(name: str) -> None:
    assert find_encoding(name).name == name
    options = ", ".join(f"{option.name}={option.default}".lower() for option in ENCODINGS[name].options)
    bases = ", ".join(ENCODINGS[name].bases)
    inside = ", ".join(part for part in (bases, options) if part)
    assert find_encoding(f" {name} ( {inside} ) ").name == name


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("rope(base=500000)", "rope(base=500000)"),
        ("rope(base=5e5)", "rope(base=500000)"),
        ("randomized( rope , length = 64 )", "randomized(rope, length=64)"),
        ("randomized(sinusoidal)", "randomized"),
        ("offset(learned)", "ape"),
        ("stick_breaking(diagonal=true)", "stick_breaking(diagonal=true)"),
        ("yarn(slow=1, factor=2.5)", "yarn(factor=2.5)"),
        ("window(rope(base=100), window=8)", "window(rope(base=100), window=8)"),
        ("interleaved(window(rope, window=8), nope)", "interleaved"),
        ("cable", "fox"),
        ("abf", "rope(base=500000)"),
        ("shape", "offset"),
        ("predictive_coupling", "coupling"),
        ("index_hints", "nope"),
    ],
)
def test_equal_encodings_have_one_name(written: str, read: str) -> None:
    assert find_encoding(written).name == read
    assert find_encoding(read) == find_encoding(written)


def test_an_alias_says_why_it_is_the_same() -> None:
    for alias in ALIASES.values():
        assert find_encoding(alias.name) == find_encoding(alias.means)
        assert alias.why.endswith(".")
        assert alias.citation


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "'' is not the name of an encoding: a name is missing."),
        ("rope(", "'rope(' is not the name of an encoding: a parenthesis is not closed."),
        ("rope)", "'rope)' is not the name of an encoding: ')' comes after its end."),
        ("rope(base=1", "'rope(base=1' is not the name of an encoding: a parenthesis is not closed."),
        ("rope(base=2, base=3)", "'rope(base=2, base=3)' is not the name of an encoding: 'base' is given twice."),
        ("ro$e", "'ro$e' is not the name of an encoding: '$' does not belong in a name."),
        ("window(" * 10 + ")" * 10, "is nested more than 8 deep."),
        ("rope(bass=3)", "encoding 'rope' has no option 'bass'. Known: base.\nhint: did you mean 'base'?"),
        ("nope(x=3)", "encoding 'nope' has no option 'x'. It has none.\nhint: lengthwise show encoding nope"),
        ("rope(base=x)", "option 'base' of encoding 'rope' must be a number from 1e-12 to 1e+12; found 'x'."),
        ("t5(buckets=1)", "option 'buckets' of encoding 't5' must be a whole number from 2 to 10000; found '1'."),
        ("t5(buckets=2.5)", "option 'buckets' of encoding 't5' must be a whole number from 2 to 10000; found '2.5'."),
        ("stick_breaking(diagonal=1)", "must be true or false; found '1'."),
        ("rope(nope)", "encoding 'rope' takes no other in parentheses; found 1: nope.\nhint: write 'rope' alone."),
        (
            "window(rope, nope)",
            "encoding 'window' takes 1 other in parentheses; found 2: rope, nope.\nhint: for example window(nope).",
        ),
        ("cable(x=1)", "'cable' is another name of 'fox' and takes no options.\nhint: write 'fox' with the options."),
        (
            "offset(randomized)",
            "'offset' goes around encodings that take positions as they come; 'randomized' chooses its own.",
        ),
        ("randomized(ape)", "hint: put the two the other way round, or use learned instead of ape."),
        ("interleaved(offset(rope), nope)", "'interleaved' goes around encodings that take positions as they come"),
        ("window(dape_v2)", "a window around 'dape_v2' has no one meaning"),
        ("dape(window(alibi))", "'dape' adapts a plain bias, not 'window(alibi)'."),
        (
            "random_float(t5)",
            "random_float gives fractions as positions, and 't5' has rows for whole numbers only.\n"
            "hint: put it around a formula, for example rope, alibi or sinusoidal.",
        ),
    ],
)
def test_a_malformed_name_gets_a_sentence(name: str, text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        find_encoding(name)
    assert text in str(caught.value)


def test_an_unknown_name_inside_another_is_named() -> None:
    with pytest.raises(
        UnknownNameError, match=r"encoding 'rop' is unknown\. Known: nope, ape, .*\nhint: did you mean 'rope'"
    ):
        find_encoding("randomized(rop)")


def test_commas_in_parentheses_do_not_split_a_list() -> None:
    assert split_names("nope,rope(base=5), randomized(rope, length=64)") == [
        "nope",
        "rope(base=5)",
        "randomized(rope, length=64)",
    ]


KINDS = ("at_least", "at_most", "precise_at_least", "precise_at_most")


def bounds(name: str) -> tuple[str, ...]:
    """Return the classes of the bounds of an encoding, with a dash where none is proved."""
    found = [getattr(find_encoding(name), kind) for kind in KINDS]
    return tuple("–" if bound is None else str(bound.fragment) for bound in found)


NOTHING = ("–",) * 4


def test_bounds_hold_for_what_is_around_an_encoding_only_where_they_are_proved() -> None:
    for base in ("rope", "t5", "alibi", "stick_breaking"):  # they do not see where positions start
        for kind in KINDS:
            assert getattr(find_encoding(f"offset({base})"), kind) == getattr(find_encoding(base), kind)
    assert bounds("offset(sinusoidal)") == bounds("sinusoidal") == ("PLAIN", "–", "–", "LTL[P]")
    for name in (
        "randomized(rope)",
        "coupling(rope)",
        "window(rope)",
        "interleaved(rope, alibi)",
        "random_float(fire)",
    ):
        assert bounds(name) == NOTHING, name
    assert bounds("window") == ("LTL[Y]",) * 4
    assert bounds("rope(base=500)") == bounds("rope")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t5(buckets=2)", ("PLAIN", "LOCAL", "LTL[P]", "LTL[P,Y]")),
        ("t5(buckets=4)", ("LOCAL", "LOCAL", "LTL[P,Y]", "LTL[P,Y]")),
        ("shaw(clip=1)", ("PLAIN", "LOCAL", "LTL[P]", "LTL[P,Y]")),
        ("deberta(clip=1)", ("PLAIN", "LOCAL", "LTL[P]", "LTL[P,Y]")),
        (
            "relative_projection",
            ("PLAIN", "LOCAL", "LTL[P]", "LTL[P,Y]"),
        ),  # its reach is a length that is not known here
        ("relative_projection(reach=2)", ("LOCAL", "LOCAL", "LTL[P,Y]", "LTL[P,Y]")),
        ("hard_alibi", ("LOCAL", "LOCAL", "LTL[P,Y]", "LTL[P,Y]")),
        ("hard_alibi(window=1)", ("PLAIN", "LOCAL", "LTL[P]", "LTL[P,Y]")),
        ("hard_alibi(heads=4)", NOTHING),  # no head may be left without a window
        ("window(window=1)", NOTHING),
        ("cope(positions=1)", ("PLAIN", "–", "–", "–")),
        ("cope(positions=2)", ("PLAIN", "–", "LTL[S]", "–")),
        ("rope_partial(share=0.5)", ("PLAIN", "–", "LTL[P]", "LTL[P]")),
        ("rope_partial(share=1)", ("PLAIN", "–", "–", "LTL[P]")),  # that is rope
        ("p_rope(share=1)", ("PLAIN", "–", "–", "LTL[P]")),
    ],
)
def test_bounds_depend_on_options_where_their_proofs_do(name: str, expected: tuple[str, ...]) -> None:
    assert bounds(name) == expected


def test_weaker_lower_bounds_are_those_declared_after_the_first_that_fits() -> None:
    for name in ("t5", "offset(t5)"):
        choice = find_encoding(name)
        assert choice.at_least is not None
        assert choice.precise_at_least is not None
        assert [str(bound.fragment) for bound in choice.weaker(choice.at_least)] == ["PLAIN"]
        assert [str(bound.fragment) for bound in choice.weaker(choice.precise_at_least)] == ["LTL[P]"]
    for name in ("t5(buckets=2)", "rope"):
        choice = find_encoding(name)
        assert choice.at_least is not None
        assert choice.weaker(choice.at_least) == ()


def test_few_bits_pass_around_wrappers_only_if_no_far_key_can_be_singled_out() -> None:
    """A bias by distance finds one far key where positions come from roles: the one at the same position."""
    for name in ("rope", "t5", "ape", "cope", "offset(t5)", "randomized(t5)", "coupling(rope)", "abacus(learned)"):
        assert find_encoding(name).few_bits, name
    for name in ("alibi", "fox", "path", "coupling(t5)", "coupling(shaw)", "abacus(t5)", "randomized(alibi)"):
        assert not find_encoding(name).few_bits, name
    assert find_encoding("interleaved").few_bits
    assert not find_encoding("interleaved(alibi, nope)").few_bits


# Switches


@pytest.mark.parametrize("switch", [switch for switch in SWITCHES if switch != "no_bos"])
def test_a_switch_changes_outputs_and_is_off_by_default(switch: str) -> None:
    tokens = random_tokens(1, 3, 12)
    off, on = make_model("rope"), make_model("rope", shape=Shape(layers=2, heads=2, width=16, **{switch: True}))
    assert not getattr(Shape(), switch)
    assert not torch.allclose(outputs_of(off, tokens), outputs_of(on, tokens), atol=1e-3)
    outputs_of(on, tokens).square().sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in on.parameters())


@pytest.mark.parametrize("name", ["nope", "alibi", "fox", "rope", "shaw"])
def test_a_sink_takes_its_share_of_every_softmax(name: str) -> None:
    """With a sink, weights are exp(s) / (1 + Σ exp(s)): so with values of one, less than one passes on."""
    encoding = make_encoding(name).at_layer(0)
    if list(encoding.parameters()):
        encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 1, 2, 6, 8, generator=generator)
    x = torch.randn(1, 1, 6, 16, generator=generator)
    ids = torch.arange(6).expand(1, 1, 6)
    at = Where(ids, ids, ids)
    q, k = encoding.transform(q, k, x, at, at)
    scores = encoding.scores(q, k, x, at, at) + (0 if encoding.bias(at, at) is None else encoding.bias(at, at))
    powers = scores.exp().tril()
    expected = powers / (1 + powers.sum(-1, keepdim=True))
    found = attend(q, k, torch.eye(6, 8).expand(1, 2, 6, 8), x, encoding, at, at, has_sink=True)
    if name == "shaw":  # it passes on more than values
        found = found - encoding.value(expected, torch.zeros(1, 2, 6, 8), at, at)
    torch.testing.assert_close(found[..., :6], expected, rtol=1e-4, atol=1e-5)


def test_log_n_counts_the_keys_that_are_seen() -> None:
    shape = Shape(layers=1, heads=1, width=8, log_n=True)
    model = make_model("nope", shape=shape)
    block = model.blocks[0]
    q = torch.ones(1, 1, 4, 8)
    at = Where(*(torch.arange(4).expand(1, 1, 4),) * 3)
    expected = model.blocks[0].sharpen.rate_MH.item() * torch.tensor([1.0, 2, 3, 4]).log()
    torch.testing.assert_close(block.sharpen(q, at, 4)[0, 0, :, 0], expected)


def test_shifted_channels_come_from_the_token_before_in_the_same_instance() -> None:
    from lengthwise.model.transformer import _shift

    x = torch.arange(1.0, 25).reshape(1, 1, 6, 4)
    ids = torch.arange(6).expand(1, 1, 6)
    shifted = _shift(x, Where(ids, ids, ids))[0, 0]
    assert torch.equal(shifted[:, :2], x[0, 0, :, :2])
    assert torch.equal(shifted[1:, 2:], x[0, 0, :-1, 2:])
    assert not shifted[0, 2:].any()
    segment = torch.tensor([0, 0, 0, 1, 1, 1])
    sees = ((segment[:, None] == segment) & torch.ones(6, 6, dtype=torch.bool).tril())[None, None]
    packed = _shift(x, Where(ids, ids, ids, sees))[0, 0]
    assert not packed[3, 2:].any()
    assert torch.equal(packed[4:, 2:], shifted[4:, 2:])


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


def test_all_rows_of_the_table_of_positions_are_trained() -> None:
    model = make_model("ape", seeds=(0,))
    tokens = random_tokens(1, 400, 6)
    outputs_of(model, tokens, draw=training_draw(0)).square().mean().backward()
    encoding = model.encoding
    assert isinstance(encoding, LearnedAPE)
    assert encoding.table_MND.grad is not None
    assert (encoding.table_MND.grad.abs().sum(-1) > 0).all()


# Positions that are shifted, resampled or counted


@pytest.mark.full
def test_a_randomized_sample_is_uniform_over_all_subsets() -> None:
    encoding = make_encoding("randomized(learned, length=6)", room=4)
    counts: Counter[tuple[int, ...]] = Counter()
    for step in range(3000):
        draw = training_draw(0).at(step)
        ids = encoding.ids(torch.zeros(1, 1, 4, dtype=torch.int64), torch.tensor([[3]]), draw)
        counts[tuple(ids[0, 0, :3].tolist())] += 1
    assert len(counts) == 20
    expected = 3000 / 20
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20 + 6 * 20**0.5


def test_random_floats_are_sorted_uniform_and_only_padding_lies_beyond() -> None:
    encoding = make_encoding("random_float(rope, length=10)")
    sizes = torch.tensor([[5, 9] * 400])
    ids = encoding.ids(torch.zeros(1, 800, 9, dtype=torch.int64), sizes, training_draw(1))
    assert (ids.diff(dim=-1) >= 0).all()
    real = ids[torch.arange(9) < sizes[..., None]]
    assert (ids[0, ::2, 5:] == 10).all()
    assert real.max() < 10
    assert real.mean().item() == pytest.approx(5, abs=0.15)
    assert real.std().item() == pytest.approx(10 / 12**0.5, abs=0.15)


def test_the_resampled_positions_of_a_test_are_always_the_same() -> None:
    for name in ("randomized", "random_float"):
        encoding = make_encoding(name, models=2)
        tokens = random_tokens(2, 3, 11)
        sizes = torch.tensor([[11, 4, 7], [1, 11, 2]])
        first, second = (encoding.ids(tokens, sizes, None) for _ in range(2))
        assert torch.equal(first, second)


def test_coupled_positions_keep_their_distances_when_shifted() -> None:
    encoding = make_encoding("coupling")
    roles = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3]).expand(1, 500, 8)
    tokens = torch.zeros(1, 500, 8, dtype=torch.int64)
    ids = encoding.ids(tokens, torch.full((1, 500), 8), training_draw(0), roles)
    assert torch.equal(ids[..., 1:4], ids[..., 5:8])
    assert (ids[..., 1:4].diff(dim=-1) == 1).all()
    assert not ids[..., [0, 4]].any()
    assert ids.max() < ROOM
    assert len(ids[0, :, 1].unique()) > 5
    assert torch.equal(encoding.ids(tokens, torch.full((1, 500), 8), None, roles), roles)


def test_coupling_without_roles_is_an_error() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        make_encoding("coupling").ids(torch.zeros(1, 1, 4, dtype=torch.int64), torch.tensor([[4]]), None)
    assert str(caught.value) == (
        "coupling needs a task whose tokens have roles, and this one gives none.\n"
        "hint: use a task with roles, such as unique_copy or repeat_copy, or hand in the roles."
    )


def test_digits_are_counted_from_the_start_of_their_number() -> None:
    encoding = make_encoding("abacus")
    tokens = torch.tensor([[[1, 2, 1, 0, 2, 0, 0, 1, 1]]])
    assert encoding.ids(tokens, torch.tensor([[9]]), None).tolist() == [[[1, 2, 3, 0, 1, 0, 0, 1, 2]]]
    shifted = encoding.ids(tokens.expand(1, 200, 9), torch.full((1, 200), 9), training_draw(0))
    assert not shifted[..., 3].any()
    assert (shifted[..., 1] - shifted[..., 0] == 1).all()
    assert len(shifted[0, :, 0].unique()) > 5
    assert shifted.max() <= ROOM


def test_abacus_without_digits_is_an_error() -> None:
    fit = Fit(num_heads=1, head_width=4, width=4, max_length=8, trained=4)
    with pytest.raises(
        InvalidOptionError, match=r"abacus counts digits, and none of the tokens are known to be digits"
    ):
        make_by_name("abacus", fit)


def test_layers_take_turns() -> None:
    encoding = make_encoding("interleaved(fire, alibi, every=3)", shape=Shape(layers=7, heads=2, width=16))
    kinds = [type(encoding.at_layer(layer)).__name__ for layer in range(7)]
    assert kinds == ["FIRE", "FIRE", "ALiBi", "FIRE", "FIRE", "ALiBi", "FIRE"]
    fires = [encoding.at_layer(layer) for layer in (0, 1, 3, 4, 6)]
    assert len({id(fire) for fire in fires}) == 5


def test_what_is_added_to_the_input_cannot_take_turns() -> None:
    with pytest.raises(
        InvalidOptionError, match="an encoding that is added to the input cannot be chosen layer by layer"
    ):
        make_encoding("interleaved(sinusoidal, nope)")


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
    embedded = encoding.embed(Where(ids, ids, ids))
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

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        return torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        shares = torch.exp(scores - scores.amax(-1, keepdim=True))
        return shares / shares.sum(-1, keepdim=True)

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        return torch.einsum("bhqk,bhkd->bhqd", weights, v)


class Distance(Encoding):
    """A penalty on distance, steeper in each head: a bias from positions alone."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        slopes = 0.3 * (1 + torch.arange(self.num_heads))
        return per_head(-slopes[:, None, None] * distances(queries, keys).abs(), self.num_models)


class DistanceStepByStep(Distance):
    """The same penalty on the step-by-step path: one overridden hook is enough."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        return Encoding.scores(self, q, k, x_MBLD, queries, keys) * 1.0


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


def test_tisa_can_single_out_any_one_distance_and_adds_nothing_far_away() -> None:
    encoding = make_encoding("tisa(kernels=1)").at_layer(0)
    with torch.no_grad():
        for name, number in (("height_MHS", 3.0), ("sharpness_MHS", -50.0), ("centre_MHS", 4.0)):
            encoding.get_parameter(name).fill_(number)
    ids = torch.arange(ROOM).expand(1, 1, ROOM)
    at = Where(ids, ids, ids)
    bias = encoding.bias(at, at)
    assert bias is not None
    delta = ids[0, 0, :, None] - ids[0, 0]
    torch.testing.assert_close(bias[0, 1], torch.where(delta == 4, 3.0, 0.0))


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
        at = Where(ids, ids, ids)
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


@pytest.mark.parametrize("name", ENCODINGS)
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


# Sums by products, which a GPU takes


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (3, 2), (1, 2)])
def test_sums_by_products_are_those_by_scattering(shape: tuple[int, int]) -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randint(4, (*shape, 1, 5, 7), generator=generator)
    by_row = torch.randn(3, 2, 2, 5, 4, generator=generator, requires_grad=True)
    by_key = torch.randn(3, 2, 2, 5, 7, generator=generator, requires_grad=True)
    for plain, fast, given in (
        (spread(by_row, rows), _Spread.apply(by_row, rows), by_row),
        (collect(by_key, rows, 4), _Collect.apply(by_key, rows, 4), by_key),
    ):
        torch.testing.assert_close(fast, plain)
        weight = torch.randn(plain.shape, generator=generator)
        one, two = (torch.autograd.grad((out * weight).sum(), given)[0] for out in (plain, fast))
        torch.testing.assert_close(two, one)


def test_reflections_by_one_triangular_system_are_those_one_by_one() -> None:
    from lengthwise.encodings.methods.path import path_scores, reference_path_scores

    generator = torch.Generator().manual_seed(0)
    q, k, w = torch.randn(3, 2, 3, 14, 6, generator=generator)
    w = torch.nn.functional.normalize(w, dim=-1)
    beta = 2 * torch.rand(2, 3, 14, generator=generator)
    segment = torch.tensor([0] * 5 + [1] * 9)
    sees = ((segment[:, None] == segment) & torch.ones(14, 14, dtype=torch.bool).tril())[None, None]
    fast, slow = path_scores(q, k, w, beta, sees), reference_path_scores(q, k, w, beta, sees)
    seen = sees.expand(fast.shape)
    torch.testing.assert_close(fast[seen], slow[seen], rtol=1e-4, atol=1e-4)


def test_options_that_are_too_much_together_are_refused_before_anything_is_made() -> None:
    fit = Fit(num_heads=2, head_width=8, width=16, max_length=30, trained=10)
    with pytest.raises(CapExceededError) as caught:
        make_by_name("relative_projection(curves=1000, reach=500000)", fit)
    assert str(caught.value) == (
        "encoding 'relative_projection(curves=1000, reach=500000)' would learn 500,034,000 numbers for inputs of up to 30 "
        "tokens; the cap is 100,000,000.\nhint: choose smaller options, shorter inputs or a narrower model."
    )
    with pytest.raises(CapExceededError, match="encoding 'learned' would learn 160,000,000 numbers"):
        make_by_name("randomized(learned, length=10000000)", fit)


# A network on distances


def dynamic_bias_and_where(*, known: bool) -> tuple[DynamicBias, Where, Tensor]:
    """Return the encoding of two models, one row of ids whose last one repeats, and weights for what the bias adds up to."""
    encoding = DynamicBias(Fit(num_models=2, num_heads=3, head_width=4, width=12, max_length=9, trained=9))
    encoding.initialize(open_stream(INITIALIZATION, seed=[0, 1]))
    ids = torch.tensor([0, 1, 2, 3, 4, 5, 6, 6, 6]).expand(2, 4, -1)
    at = Where(ids, ids, ids, row_ids=ids if known else None)
    return encoding, at, normal(open_stream(DATA, seed=[3]), (6, 9, 9), deviation=1.0)


def gradients_of_bias(*, known: bool) -> tuple[Tensor, list[Tensor]]:
    encoding, at, weights = dynamic_bias_and_where(known=known)
    bias = encoding.bias(at, at)
    (bias * weights).sum().backward()  # type: ignore[no-untyped-call]
    return bias.detach(), [parameter.grad for parameter in encoding.parameters() if parameter.grad is not None]


def test_a_bias_of_each_distance_once_is_that_of_all_pairs() -> None:
    bias, gradients = gradients_of_bias(known=True)
    of_pairs, of_pairs_gradients = gradients_of_bias(known=False)
    torch.testing.assert_close(bias, of_pairs)
    assert len(gradients) == 5
    for one, other in zip(gradients, of_pairs_gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_ids_that_were_replaced_are_not_taken_for_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding, at, _ = dynamic_bias_and_where(known=True)
    numbers = []
    network = DynamicBias._network

    def counted(self: DynamicBias, u_MP: Tensor) -> Tensor:
        numbers.append(u_MP.shape[1])
        return network(self, u_MP)

    monkeypatch.setattr(DynamicBias, "_network", counted)
    far = at._replace(ids_MBL=(at.ids_MBL[0, 0] * 100).expand(2, 4, -1))
    assert not far.has_row_ids
    biases = [encoding.bias(at, at), encoding.bias(far, far), encoding.bias(far, at)]
    assert numbers == [17, 81, 81], "distances, then all pairs"
    pairs = at._replace(row_ids=None)
    torch.testing.assert_close(biases[0], encoding.bias(pairs, pairs))


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (torch.arange(5).expand(2, 3, -1), True),
        (torch.arange(5).clamp(max=3).expand(2, 3, -1), True),
        (torch.arange(5).expand(2, 3, -1).contiguous(), False),
        (torch.arange(5).float().expand(2, 3, -1), False),
        ((torch.arange(5) + 1).expand(2, 3, -1), False),
        ((torch.arange(5) - 1).expand(2, 3, -1), False),
    ],
    ids=["places", "last repeated", "a row for each", "fractions", "beyond", "negative"],
)
def test_one_row_of_small_whole_numbers_is_known(ids: Tensor, expected: bool) -> None:
    assert are_row_ids(ids) is expected
