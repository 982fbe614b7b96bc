"""Encodings of the theory of position relations: distances, the scale hint, the length correction, and squares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from lengthwise.conformance.cases import stir
from lengthwise.conformance.suite import CHECKS, conform, run_check
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core import build
from lengthwise.encodings.core.attend import attend
from lengthwise.encodings.core.base import Encoding, Fit, Where
from lengthwise.encodings.core.build import make_encoding
from lengthwise.encodings.core.choice import Choice, find_encoding
from lengthwise.encodings.methods.length_corrected import LengthCorrected
from lengthwise.encodings.methods.nope import NoPE
from lengthwise.encodings.methods.rpe import RPE
from lengthwise.encodings.methods.rpe_square import RPESquare
from lengthwise.encodings.methods.scale_hint import ScaleHint, hinted
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import INITIALIZATION, open_stream
from lengthwise.theory.positions.relations import RELATIONS

LENGTH = 14
FIT = Fit(num_heads=2, head_width=4, width=8, max_length=40, trained=10)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make(name: str, fit: Fit = FIT) -> Encoding:
    """Return the first layer of an encoding whose parameters are random."""
    encoding = make_encoding(name, fit)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0] * fit.num_models))
    stir(encoding, range(fit.num_models))
    return encoding.at_layer(0)


def rows_of(scales: list[int], length: int = LENGTH, models: int = 1) -> Where:
    """Return rows of whole instances that differ in their scale; ids are expanded from one row."""
    ids = torch.arange(length).expand(models, len(scales), length)
    return Where(ids, torch.tensor(scales)[None, :, None].expand(models, -1, length), torch.full_like(ids, length))


def bias_of(encoding: Encoding, queries: Where, keys: Where | None = None) -> Tensor:
    bias = encoding.bias(queries, queries if keys is None else keys)
    assert bias is not None
    return bias.detach()


# Conformance of what the suite does not run by itself


@pytest.mark.parametrize("name", ["scale_hint(kerple_log)", "length_corrected(scale_hint(rpe))"])
def test_a_hinted_or_corrected_encoding_conforms(name: str) -> None:
    assert [(outcome.check, outcome.failure) for outcome in conform(name) if outcome.failure] == []


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        *(f"scale_hint({card.name})" for card in ENCODINGS.values() if card.relation in ("relative", "t5_bucket", "clipped")),
        "length_corrected(t5)",
        "length_corrected(fire)",
        "length_corrected(sandwich)",
        "length_corrected(dynamic_bias)",
        "length_corrected(scale_hint(t5))",
        "window(scale_hint(rope))",
        "interleaved(scale_hint, nope)",
        "interleaved(rpe_square, scale_hint(shaw))",
        "offset(scale_hint)",
        "randomized(scale_hint)",
        "coupling(rpe)",
        "coupling(length_corrected(scale_hint))",
        "dape(rpe)",
    ],
)  # fmt: skip
def test_every_encoding_of_distances_conforms_with_a_hint(name: str) -> None:
    assert [(outcome.check, outcome.failure) for outcome in conform(name) if outcome.failure] == []


class HintThatIsAdded(ScaleHint):
    """Queries are told id + n."""

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        return super().bias(queries._replace(scale_MBL=-queries.scale_MBL), keys)


class HintOfTheFirstInstance(ScaleHint):
    """All rows, and all instances of a row, are taken to have the scale of the first."""

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        return super().bias(queries._replace(scale_MBL=queries.scale_MBL[..., :1]), keys)


class HintOfTheSize(ScaleHint):
    """The number of tokens so far is taken for the scale: what is written changes as more is."""

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        return super().bias(queries._replace(scale_MBL=queries.sizes_MBL), keys)


class CorrectionByTheRow(LengthCorrected):
    """All tokens of the row are counted, also those of another instance."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(queries._replace(visible=None), keys)


class CorrectionOfAll(LengthCorrected):
    """What the bias points at is corrected too, which softmax does not see."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        bias = self.base.bias(queries, keys)
        assert bias is not None
        return bias - 1


class RpeWithoutRoom(RPE):
    """Distances beyond the table share its last row."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        near = queries._replace(ids_MBL=queries.ids_MBL.clamp(max=5))
        return super().bias(near, keys)


class SquareOfAllKeys(RPESquare):
    """Tokens look for anchors in other instances of the row too."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        return super().scores(q, k, x_MBLD, queries._replace(visible=None), keys._replace(visible=None))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("scale_hint", HintThatIsAdded),
        ("scale_hint", HintOfTheFirstInstance),
        ("scale_hint", HintOfTheSize),
        ("length_corrected", CorrectionByTheRow),
        ("length_corrected", CorrectionOfAll),
        ("rpe", RpeWithoutRoom),
        ("rpe_square", SquareOfAllKeys),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_wrong_variant_is_caught(name: str, wrong: type[Encoding], monkeypatch: pytest.MonkeyPatch) -> None:
    right: Any = build.load_encoding

    def load(choice: Choice) -> Any:
        return wrong if choice.card.name == name else right(choice)

    monkeypatch.setattr(build, "load_encoding", load)
    outcomes = (run_check(check, find_encoding(name)) for check in CHECKS)
    caught = next((outcome for outcome in outcomes if outcome.failure), None)
    assert caught is not None
    assert caught.failure.startswith("Nonconforming"), caught.failure


# The table of distances


def test_a_distance_that_was_never_trained_adds_nothing() -> None:
    encoding = make_encoding("rpe", FIT).at_layer(0)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    assert isinstance(encoding, RPE)
    at = rows_of([4])
    (gradient_MNH,) = torch.autograd.grad(encoding.bias(at, at).sum(), encoding.table_MNH)
    with torch.no_grad():
        encoding.table_MNH.sub_(gradient_MNH)
    longer = rows_of([4], length=30)
    bias = bias_of(encoding, longer)[0, 0]
    distance = torch.arange(30)[:, None] - torch.arange(30)
    assert (bias[distance.abs() < LENGTH] != 0).all()
    assert (bias[distance.abs() >= LENGTH] == 0).all()


def test_a_bias_of_distances_is_made_once_for_all_rows_and_a_hinted_one_for_each() -> None:
    at = rows_of([3, 5, 5])
    assert bias_of(make("rpe"), at).shape[0] == 1
    assert bias_of(make("scale_hint(rpe)"), at).shape[0] == 3
    assert not make("rpe").may_share_rows
    assert make("scale_hint(rpe)").may_share_rows
    assert make("length_corrected(scale_hint(rpe))").may_share_rows
    assert not make("length_corrected(rpe)").may_share_rows


def test_ids_and_scales_that_all_models_share_stay_shared() -> None:
    told = hinted(rows_of([3, 5], models=4))
    assert told.ids_MBL.shape == (4, 2, LENGTH)
    assert told.ids_MBL.stride(0) == 0
    same = Where(*(torch.arange(LENGTH).expand(4, 2, LENGTH),) * 3)
    assert hinted(same).ids_MBL.stride()[:2] == (0, 0)


# The scale hint


@pytest.mark.parametrize("name", ["rpe", "kerple_log", "sandwich"])
def test_a_hinted_bias_is_that_of_the_theory_at_q_minus_i_minus_n(name: str) -> None:
    """Two pairs of any rows have the same bias if, and for a table only if, the relation gives them one label."""
    relation = RELATIONS["relative_scaled"]
    scales = [2, 3, 6]
    bias = bias_of(make(f"scale_hint({name})"), rows_of(scales))
    values: dict[object, float] = {}
    for row, n in enumerate(scales):
        for q in range(LENGTH):
            for i in range(q + 1):
                value = bias[row, 0, q, i].item()
                assert values.setdefault(relation(i, q, n), value) == pytest.approx(value, rel=1e-5, abs=1e-6)
    if name == "rpe":
        assert len(set(values.values())) == len(values)


def test_a_hinted_rotation_depends_on_q_minus_i_minus_n_alone() -> None:
    encoding = make("scale_hint(rope)")
    at = rows_of([2, 5])
    q, k = torch.randn(2, 1, 2, 1, 4, generator=torch.Generator().manual_seed(0)).expand(-1, 2, -1, LENGTH, -1)
    turned_q, turned_k = encoding.transform(q, k, torch.zeros(1, 2, LENGTH, 8), at, at)
    scores = turned_q @ turned_k.mT
    torch.testing.assert_close(scores[0, :, 7, 4], scores[1, :, 10, 4], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(scores[0, :, 7, 4], scores[1, :, 7, 1], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(scores[0, :, 7, 4], scores[1, :, 7, 4], atol=1e-3)


@pytest.mark.parametrize("name", ["alibi", "learned_alibi", "t5"])
def test_without_signs_the_hinted_bias_is_that_of_the_plain_distance(name: str) -> None:
    encoding = make(f"scale_hint({name})")
    assert isinstance(encoding, ScaleHint)
    plain = bias_of(encoding.base, rows_of([1], length=40))[0, :, :, 0]  # of every distance
    found = bias_of(encoding, rows_of([5]))[0]
    for q in range(LENGTH):
        for i in range(q + 1):
            torch.testing.assert_close(found[:, q, i], plain[:, abs(q - i - 5)])


def test_a_hinted_alibi_prefers_the_place_that_is_copied() -> None:
    bias = bias_of(make("scale_hint(alibi)"), rows_of([4]))[0, 0]
    assert [bias[q, : q + 1].argmax().item() for q in range(4, LENGTH)] == list(range(LENGTH - 4))


@pytest.mark.parametrize(
    "name", ["scale_hint(rpe)", "scale_hint(rope)", "scale_hint(shaw)", "length_corrected(scale_hint)"]
)
def test_instances_of_several_scales_share_a_row_as_if_each_were_alone(name: str) -> None:
    encoding = make(name)
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 14, 4, generator=generator)
    x = torch.randn(1, 1, 14, 8, generator=generator)
    segment = torch.tensor([0] * 6 + [1] * 8)
    sees = ((segment[:, None] == segment) & torch.ones(14, 14, dtype=torch.bool).tril())[None, None]
    ids = torch.tensor([*range(6), *range(8)])[None, None]
    scale = torch.tensor([2] * 6 + [3] * 8)[None, None]

    def attended(part: slice, visible: Tensor | None) -> Tensor:
        at = Where(ids[..., part], scale[..., part], scale[..., part] * 2 + 2, visible)
        turned = encoding.transform(q[:, :, part], k[:, :, part], x[:, :, part], at, at)
        return attend(*turned, v[:, :, part], x[:, :, part], encoding, at, at)

    packed = attended(slice(0, 14), sees)
    torch.testing.assert_close(packed[:, :, :6], attended(slice(0, 6), None), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(packed[:, :, 6:], attended(slice(6, 14), None), rtol=1e-4, atol=1e-5)


# The length correction


def test_places_without_a_bias_weigh_together_as_one_at_every_length() -> None:
    """A place with a large bias b keeps nearly the weight e^b/(e^b + 1), however many others there are."""
    fit = Fit(num_heads=1, head_width=4, width=4, max_length=600, trained=9)
    encoding = make_encoding("length_corrected(scale_hint(rpe))", fit)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    (table,) = encoding.parameters()
    with torch.no_grad():
        table[0, 600] = 6.0
    for length, n in ((18, 8), (514, 256)):
        bias = bias_of(encoding.at_layer(0), rows_of([n], length=length))[0, 0, -1]
        weight = torch.softmax(bias, -1)
        assert weight.argmax().item() == length - 1 - n
        assert weight.max().item() == pytest.approx(1 / (1 + math.exp(-6)), abs=1e-3)


def test_the_correction_takes_nothing_off_what_points_and_all_off_the_rest() -> None:
    class Fixed(Encoding):
        def bias(self, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
            return torch.tensor([[[[-torch.inf, -3.0, 0.0, 20.0]]]])

    keys = rows_of([1], length=4)
    queries = keys.at_places(torch.tensor([[3]]))
    bias = bias_of(LengthCorrected(FIT, Fixed(FIT)), queries, keys)
    expected = torch.tensor([-torch.inf, -3 - math.log(4), -math.log(4), 20.0])
    torch.testing.assert_close(bias[0, 0, 0], expected)


# Squares


def test_the_square_finds_the_token_as_far_from_its_anchor_as_the_query_from_its_own() -> None:
    """With anchors <sep> for queries and <bos> for keys, and R large at 0 alone, copying needs no scale."""
    fit = Fit(num_heads=1, head_width=2, width=3, max_length=9, trained=9)
    encoding = make_encoding("rpe_square(reach=3, width=2)", fit)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    layer = encoding.at_layer(0)
    assert isinstance(layer, RPESquare)
    with torch.no_grad():
        layer.table_MNH.zero_()
        layer.table_MNH[0, 3] = 30.0
        for maps in (layer.seek_MDTHW, layer.offer_MDTHW):
            maps.zero_()
        layer.seek_MDTHW[0, :, :, :, 0] = 40.0  # everyone looks
        layer.offer_MDTHW[0, 1, 0, 0, 0] = 1.0  # <sep> is what a finds
        layer.offer_MDTHW[0, 0, 1, 0, 0] = 1.0  # <bos> is what b finds
    for n in (3, 40):
        length = 2 * n + 2
        x = torch.zeros(1, 1, length, 3)
        x[..., 2] = 1.0
        x[0, 0, 0], x[0, 0, n + 1] = torch.tensor([1.0, 0, 0]), torch.tensor([0, 1.0, 0])
        at = rows_of([n], length=length)
        zero = torch.zeros(1, 1, length, 2)
        scores = layer.scores(zero, zero, x, at, at)[0, 0].detach()
        best = [scores[q, : q + 1].argmax().item() for q in range(n + 1, length)]
        assert best == [q - n - 1 for q in range(n + 1, length)]


# Names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "scale_hint(nope)",
            "'scale_hint' takes the scale from distances, and 'nope' is not a function of distances alone.\n"
            "hint: put it around such an encoding, for example rpe, rope, kerple_log or t5.",
        ),
        ("scale_hint(fire)", "and 'fire' is not a function of distances alone."),
        ("scale_hint(window(rope))", "and 'window(rope)' is not a function of distances alone."),
        ("scale_hint(scale_hint)", "'scale_hint' has 'scale_hint' in it already."),
        (
            "length_corrected(rope)",
            "'rope' has no bias by position alone: the correction would be the same for all keys, and softmax would not "
            "see it.\nhint: put length_corrected around a bias that can be positive, for example rpe, t5 or "
            "scale_hint(rpe).",
        ),
        ("length_corrected(dape)", "'dape' has no bias by position alone"),
        ("length_corrected(scale_hint(rope))", "'rope' has no bias by position alone"),
        ("length_corrected(interleaved(t5, nope))", "'nope' has no bias by position alone"),
        (
            "length_corrected(alibi)",
            "the bias of 'alibi' is never above 0, so the correction would be the same for all keys, and softmax would "
            "not see it.",
        ),
        ("length_corrected(scale_hint(kerple_log))", "the bias of 'kerple_log' is never above 0"),
        ("length_corrected(length_corrected)", "'length_corrected' has 'length_corrected' in it already."),
        ("length_corrected(window(t5))", "'window(t5)' needs no correction: the tokens in its window do not become more."),
        ("window(rpe_square)", "a window around 'rpe_square' has no one meaning"),
        ("window(length_corrected)", "a window around 'length_corrected' has no one meaning"),
    ],
)  # fmt: skip
def test_what_a_hint_or_a_correction_cannot_go_around_is_refused(name: str, text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        find_encoding(name)
    assert text in str(caught.value)


def test_a_correction_of_a_module_without_a_bias_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="NoPE has no bias by position alone"):
        LengthCorrected(FIT, NoPE(FIT))


def test_the_hinted_relation_of_the_cards_is_that_of_the_theory() -> None:
    for name in ("rpe", "scale_hint"):
        card = ENCODINGS[name]
        assert RELATIONS[card.relation].needs_scale == find_encoding(name).needs_scale
    assert find_encoding("length_corrected(scale_hint)").needs_scale
    assert not find_encoding("length_corrected").needs_scale
