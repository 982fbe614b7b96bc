"""The conformance suite over all encodings, and wrong variants of encodings that it must catch."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from lengthwise.conformance.suite import CHECKS, conform, run_check
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core import build
from lengthwise.encodings.core.base import Encoding, Fit, Where, distances, once, per_head
from lengthwise.encodings.core.choice import Choice, find_encoding
from lengthwise.encodings.methods import rope
from lengthwise.encodings.methods.abacus import Abacus
from lengthwise.encodings.methods.alibi import ALiBi
from lengthwise.encodings.methods.cope import CoPE
from lengthwise.encodings.methods.dynamic_ntk import DynamicNTK
from lengthwise.encodings.methods.fire import FIRE
from lengthwise.encodings.methods.fox import FoX
from lengthwise.encodings.methods.kerple_log import KerpleLog
from lengthwise.encodings.methods.learned import Learned
from lengthwise.encodings.methods.ntk import NTK
from lengthwise.encodings.methods.path import PaTH
from lengthwise.encodings.methods.randomized import Randomized
from lengthwise.encodings.methods.rope import RoPE
from lengthwise.encodings.methods.rope_partial import PartialRoPE
from lengthwise.encodings.methods.sandwich import Sandwich
from lengthwise.encodings.methods.shaw import Shaw
from lengthwise.encodings.methods.stick_breaking import StickBreaking
from lengthwise.encodings.methods.t5 import T5
from lengthwise.encodings.methods.tisa import TISA
from lengthwise.encodings.methods.transformer_xl import TransformerXL
from lengthwise.encodings.methods.xpos import XPos
from lengthwise.encodings.methods.yarn import YaRN
from lengthwise.seeds import Draw

pytestmark = pytest.mark.usefixtures("one_thread")


def test_there_are_at_least_forty_encodings() -> None:
    assert len(ENCODINGS) >= 40


QUICK = (
    "nope",
    "ape",
    "periodic",
    "rope",
    "t5",
    "shaw",
    "alibi",
    "fire",
    "cope",
    "fox",
    "path",
    "stick_breaking",
    "window",
    "offset",
)
"""One encoding of each kind; the others are for the full suite, and for ``lengthwise conform``."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name not in QUICK)) for name in ENCODINGS]
)
def test_every_encoding_conforms(name: str) -> None:
    outcomes = conform(name)
    assert [outcome.check for outcome in outcomes] == list(CHECKS)
    assert [(outcome.check, outcome.failure) for outcome in outcomes if outcome.failure] == []


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "randomized(window(rope), length=2048)",
        "window(stick_breaking)",
        "window(learned)",
        "interleaved(xpos, nope)",
        "interleaved(window(fox), rope(base=500), every=2)",
        "offset(dape(fire))",
        "dape_v2(kerple_power)",
        "coupling(sinusoidal)",
        "randomized(interleaved(t5, nope))",
    ],
)
def test_encodings_around_encodings_conform_too(name: str) -> None:
    assert [(outcome.check, outcome.failure) for outcome in conform(name) if outcome.failure] == []


# Wrong variants. Each is a mistake that has been made somewhere, or could be.


class FireWithMinimum(FIRE):
    """min(L, i) where the paper has max(L, i)."""

    def _relative(self, queries: Where, keys: Where) -> Tensor:
        delta = distances(queries, keys)[:, :, 0].transpose(0, 1).float().clamp(min=0)
        i = once(queries.ids_MBL).float().clamp(min=0)
        slope, threshold = (number.float().abs()[:, None, None] for number in (self.slope_M, self.threshold_M))
        longest = torch.log1p(slope * torch.minimum(threshold, i)) + 1e-6
        return torch.log1p(slope[..., None] * delta) / longest[..., None]


class FireWithoutAbsoluteValues(FIRE):
    """What is learned as L is taken as it is, also when it has turned negative."""

    def _relative(self, queries: Where, keys: Where) -> Tensor:
        delta = distances(queries, keys)[:, :, 0].transpose(0, 1).float().clamp(min=0)
        i = once(queries.ids_MBL).float().clamp(min=0)
        slope, threshold = self.slope_M.float().abs()[:, None, None], self.threshold_M.float()[:, None, None]
        longest = torch.log1p(slope * torch.maximum(threshold, i)) + 1e-6
        return torch.log1p(slope[..., None] * delta) / longest[..., None]


class AlibiOffByOne(ALiBi):
    """Slopes from h = 0 on."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        slope = 2.0 ** (-8 * torch.arange(self.num_heads) / self.num_heads)
        return per_head(-slope[:, None, None] * distances(queries, keys).float(), self.num_models)


class AlibiForPowersOfTwo(ALiBi):
    """The formula for powers of two, used for every number of heads."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        slope = 2.0 ** (-8 * torch.arange(1, self.num_heads + 1) / self.num_heads)
        return per_head(-slope[:, None, None] * distances(queries, keys).float(), self.num_models)


class AlibiWithHiddenPositions(ALiBi):
    """A table of absolute positions that nobody asked for is still there."""

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        generator = torch.Generator().manual_seed(0)
        self.hidden = torch.randn(fit.max_length, fit.width, generator=generator)

    def embed(self, at: Where) -> Tensor:
        return self.hidden[: at.ids_MBL.shape[-1]].expand(*at.ids_MBL.shape, -1)


class T5OffByOne(T5):
    """Every bucket begins one later."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(queries._replace(ids_MBL=queries.ids_MBL - 1), keys)


class T5WithoutLogarithm(T5):
    """Buckets go on one by one until they run out."""

    def __init__(self, fit: Fit, *, buckets: int = 32, distance: int = 128) -> None:
        super().__init__(fit, buckets=buckets, distance=distance)
        self.bucket_of = torch.arange(buckets)


class StickBreakingWithDiagonal(StickBreaking):
    """A token may always attend to itself."""

    def __init__(self, fit: Fit, *, diagonal: bool = False) -> None:  # noqa: ARG002
        super().__init__(fit, diagonal=True)


class RopeWithSharedCache(RoPE):
    """Frequencies are kept by their number, and the base is forgotten."""

    known: dict[int, Tensor] = {}  # noqa: RUF012  # the mistake

    def frequencies(self, where: Where) -> Tensor:
        return self.known.setdefault(self.num_pairs, super().frequencies(where))


class RopeInHalfPrecision(RoPE):
    """Positions are rounded to the precision of the weights, and beyond 256 they run together."""

    def waves(self, where: Where) -> tuple[Tensor, Tensor]:
        return super().waves(where._replace(ids_MBL=where.ids_MBL.to(torch.bfloat16)))


class PartialRopeOfTheWholeHead(PartialRoPE):
    """Frequencies of the whole head on the channels that are turned."""

    def frequencies(self, where: Where) -> Tensor:
        return rope.falling(self.base, self.head_width // 2, where.ids_MBL.device)[: self.num_pairs]


class NtkWithAnotherExponent(NTK):
    """factor^(d/(d−1)) where it must be d/(d−2)."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, factor: float = 4.0) -> None:
        super().__init__(fit, base=base, factor=factor)
        self.base = base * factor ** (fit.head_width / (fit.head_width - 1))


class DynamicNtkThatIsNot(DynamicNTK):
    """The scale is taken from the trained length, not from that of the input."""

    def frequencies(self, where: Where) -> Tensor:
        return super().frequencies(where._replace(sizes_MBL=torch.ones_like(where.sizes_MBL)))


class YarnOfQueriesOnly(YaRN):
    """The attention factor multiplies queries only."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        turned_q, turned_k = super().transform(q, k, x_MBLD, queries, keys)
        return turned_q, turned_k / self.gain


class XposTurnedAround(XPos):
    """Keys decay and queries grow."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        turned_k, turned_q = super().transform(k, q, x_MBLD, keys, queries)
        return turned_q, turned_k


class ShawWithoutClip(Shaw):
    """Distances beyond the clip wrap around."""

    def _rows(self, queries: Where, keys: Where) -> Tensor:
        return distances(queries, keys) % (self.clip + 1)


class TransformerXlWithHalfTheScale(TransformerXL):
    """Only the content terms are divided by √d."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        whole = super().scores(q, k, x_MBLD, queries, keys)
        u = self.content_MHK.flatten(0, 1)[:, None]
        content = (q + u) @ k.mT / self.head_width**0.5
        return content + (whole - content) * self.head_width**0.5


class SandwichWithoutCosine(Sandwich):
    """The cosine is forgotten: a sum of angles."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        t = torch.arange(1, self.width // 2 + 1)
        summed = distances(queries, keys).float() * (10000.0 ** (-2 * t / self.width)).sum()
        ratio = self.num_heads / (8 * torch.arange(1, self.num_heads + 1))
        return per_head(ratio[:, None, None] * summed, self.num_models)


class KerpleThatRewards(KerpleLog):
    """The sign is lost, and distant tokens are preferred."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return -super().bias(queries, keys)


class TisaOnTheOtherSide(TISA):
    """Centres have the paper's sign, which is that of the distance turned round."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(queries._replace(ids_MBL=-queries.ids_MBL), keys._replace(ids_MBL=-keys.ids_MBL))


class TisaWithoutAbsoluteValues(TISA):
    """A sharpness that has turned negative gives a curve that grows without bound."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        delta = distances(queries, keys).float()[..., None]
        height, sharpness, centre = (
            number_MHS[:, :, None, None] for number_MHS in (self.height_MHS, self.sharpness_MHS, self.centre_MHS)
        )
        return per_head((height * torch.exp(-sharpness * (delta - centre) ** 2)).sum(-1), self.num_models)


class CopeWithUnscaledGates(CoPE):
    """Gates see scores that are not divided by √d."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        scale = self.head_width**0.5
        scaled = super().scores(q * scale, k, x_MBLD, queries, keys)
        return scaled / scale


class FoxThatForgetsTooMuch(FoX):
    """The key's own gate counts as well: the sum begins at j instead of j + 1."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        gate = torch.einsum("mbld,mdh->bmhl", x_MBLD, self.weight_MDH) + self.bias_MH[..., None]
        own = torch.nn.functional.logsigmoid(gate).flatten(1, 2)
        return super().scores(q, k, x_MBLD, queries, keys) + own[..., None, :]


class PathInTheOtherOrder(PaTH):
    """Reflections are multiplied from the query to the key."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        if queries.places_BL is not None or queries.visible is not None:
            return super().scores(q, k, x_MBLD, queries, keys)
        direction = torch.einsum("mbld,mdhk->bmhlk", x_MBLD, self.direction_MDHK).flatten(1, 2)
        w = torch.nn.functional.normalize(direction, dim=-1)
        rate = torch.einsum("mbld,mdh->bmhl", x_MBLD, self.rate_MDH) + self.rate_bias_MH[..., None]
        beta = 2 * rate.sigmoid().flatten(1, 2)
        columns = []
        for key in range(k.shape[-2]):
            moved = q
            column = moved @ k[..., key, :, None]
            for place in range(key + 1, k.shape[-2]):
                here = w[..., place, :, None]
                later = torch.arange(q.shape[-2])[:, None] >= place
                moved = torch.where(later, moved - beta[..., place, None, None] * (moved @ here) * here.mT, moved)
                column = torch.where(later, moved @ k[..., key, :, None], column)
            columns.append(column)
        return torch.cat(columns, dim=-1) / self.head_width**0.5


class LearnedThatWraps(Learned):
    """Positions beyond the table begin again at its first row."""

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:  # noqa: ARG002
        assert self.max_length is not None
        return ids_MBL % self.max_length


class RandomizedInTrainingOnly(Randomized):
    """At test positions simply count up."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        if draw is None:
            return torch.arange(tokens_MBL.shape[-1]).expand(tokens_MBL.shape)
        return super().ids(tokens_MBL, sizes_MB, draw, roles_MBL)


class AbacusFromZero(Abacus):
    """The first digit of a number has the position of tokens that are no digits."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        return (super().ids(tokens_MBL, sizes_MB, draw, roles_MBL) - 1).clamp(min=0)


WRONG: list[tuple[str, type[Encoding]]] = [
    ("fire", FireWithMinimum),
    ("fire", FireWithoutAbsoluteValues),
    ("alibi", AlibiOffByOne),
    ("alibi", AlibiForPowersOfTwo),
    ("alibi", AlibiWithHiddenPositions),
    ("t5", T5OffByOne),
    ("t5", T5WithoutLogarithm),
    ("stick_breaking", StickBreakingWithDiagonal),
    ("rope", RopeWithSharedCache),
    ("rope", RopeInHalfPrecision),
    ("rope_partial", PartialRopeOfTheWholeHead),
    ("ntk", NtkWithAnotherExponent),
    ("dynamic_ntk", DynamicNtkThatIsNot),
    ("yarn", YarnOfQueriesOnly),
    ("xpos", XposTurnedAround),
    ("shaw", ShawWithoutClip),
    ("transformer_xl", TransformerXlWithHalfTheScale),
    ("sandwich", SandwichWithoutCosine),
    ("kerple_log", KerpleThatRewards),
    ("tisa", TisaOnTheOtherSide),
    ("tisa", TisaWithoutAbsoluteValues),
    ("cope", CopeWithUnscaledGates),
    ("fox", FoxThatForgetsTooMuch),
    ("path", PathInTheOtherOrder),
    ("learned", LearnedThatWraps),
    ("randomized", RandomizedInTrainingOnly),
    ("abacus", AbacusFromZero),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=[wrong.__name__ for _, wrong in WRONG])
def test_a_wrong_variant_is_caught(name: str, wrong: type[Encoding], monkeypatch: pytest.MonkeyPatch) -> None:
    right: Any = build.load_encoding

    def load(choice: Choice) -> Any:
        return wrong if choice.card.name == name else right(choice)

    monkeypatch.setattr(build, "load_encoding", load)
    encoding = find_encoding(name)
    outcomes = (run_check(check, encoding) for check in CHECKS)
    caught = next((outcome for outcome in outcomes if outcome.failure), None)
    assert caught is not None
    print(f"{wrong.__name__}: caught by {caught.check}")
    assert caught.failure.startswith(("Nonconforming", "AssertionError")), caught.failure  # it runs, and is wrong


def test_a_wrong_variant_of_at_least_ten_encodings_is_tried() -> None:
    assert len({name for name, _ in WRONG}) >= 10


def test_the_slopes_are_the_published_ones() -> None:
    """Of 8 heads, and of 12, as printed in the paper's own code and in models that use it."""
    from lengthwise.encodings.methods.alibi import slopes

    assert slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    extra = [2 ** (-8 * h / 16) for h in (1, 3, 5, 7)]
    assert slopes(12).tolist() == pytest.approx([2.0**-h for h in range(1, 9)] + extra)
    assert math.isclose(slopes(3)[2].item(), 2 ** (-8 / 4))
