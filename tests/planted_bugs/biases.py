"""Planted bugs in encodings that add to scores by distance. Each is a mistake that has been made somewhere, or could be."""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.encodings.core.base import Encoding, Fit, Where, distances, once, per_head
from lengthwise.encodings.methods.alibi import ALiBi, slopes
from lengthwise.encodings.methods.deberta import DeBERTa
from lengthwise.encodings.methods.dynamic_bias import DynamicBias
from lengthwise.encodings.methods.fire import FIRE
from lengthwise.encodings.methods.hard_alibi import HardALiBi
from lengthwise.encodings.methods.kerple_log import KerpleLog
from lengthwise.encodings.methods.kerple_power import KerplePower
from lengthwise.encodings.methods.learned_alibi import LearnedALiBi
from lengthwise.encodings.methods.sandwich import Sandwich
from lengthwise.encodings.methods.shaw import Shaw
from lengthwise.encodings.methods.t5 import T5
from lengthwise.encodings.methods.tisa import TISA
from lengthwise.encodings.methods.transformer_xl import TransformerXL
from lengthwise.seeds import Draw

from .where import first_row, places


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


class AlibiUpToEightHeads(ALiBi):
    """The slopes of eight heads, again and again."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        known = slopes(min(self.num_heads, 8))
        slope = known[torch.arange(self.num_heads) % len(known)]
        return per_head(-slope[:, None, None] * distances(queries, keys).float(), self.num_models)


class AlibiByPlace(ALiBi):
    """Distances are those of places in the row, whatever the ids are."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(places(queries), places(keys))


class LearnedAlibiWithExponential(LearnedALiBi):
    """Slopes are e^raw, though raw starts at the inverse of softplus."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        slope = self.raw_MH.float().exp()
        return per_head(-slope[..., None, None] * distances(queries, keys).float(), slope.shape[0])


class HardAlibiRoundedUp(HardALiBi):
    """Of an odd number of heads, the larger half has windows."""

    def __init__(self, fit: Fit, *, window: int = 2, heads: int = 0) -> None:
        super().__init__(fit, window=window, heads=heads or -(-fit.num_heads // 2))


class FireOfAnotherSlope(FIRE):
    """The slope starts at 1, not at the 0.1 of the paper's code."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.slope_M.fill_(1.0)


class FireOfTheFirstModel(FIRE):
    """All models of a stack start with the network of the first."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            for name in ("in_weight_MF", "in_bias_MF", "out_weight_MFH"):
                parameter = self.get_parameter(name)
                parameter.copy_(parameter[:1].expand_as(parameter).clone())


class FireOfTheFirstRow(FIRE):
    """Positions are read from the first row, and all rows are taken to be like it."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(first_row(queries), first_row(keys))


class KerpleFromZero(KerpleLog):
    """What softplus maps to the two numbers starts at 0."""

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.zero_()


class KerplePowerUpToOne(KerplePower):
    """The exponent stays below 1, where the paper has 2."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        scale = torch.nn.functional.softplus(self.scale_raw_MH)[..., None, None]
        far = distances(queries, keys).float().abs()
        power = torch.sigmoid(self.power_raw_MH)[..., None, None]
        return per_head(-scale * torch.where(far > 0, far.clamp(min=1e-9) ** power, 0.0), scale.shape[0])


class T5OfDeviationOne(T5):
    """The numbers of buckets start far too large."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.table_MBH.mul_(50)


class T5WithAnotherLogarithm(T5):
    """The logarithm runs to half of the distance."""

    def __init__(self, fit: Fit, *, buckets: int = 32, distance: int = 128) -> None:
        super().__init__(fit, buckets=buckets, distance=max(distance // 2, buckets // 2 + 1))


class T5OfTheFirstRow(T5):
    """Buckets are looked up for the first row alone."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(first_row(queries), first_row(keys))


class ShawWithoutTheLastValue(Shaw):
    """The last row of the values is never used."""

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:
        rows, self.clip = self.clip, self.clip - 1
        try:
            return super().value(weights, v, queries, keys)
        finally:
            self.clip = rows


class DebertaOfTheReleasedCode(DeBERTa):
    """Keys look up i − j, as in the released code, whatever is asked for."""

    def __init__(self, fit: Fit, *, clip: int = 16, index: str = "paper") -> None:
        super().__init__(fit, clip=clip, index=index)
        self.sign = 1


class TransformerXlOfEvenWidth(TransformerXL):
    """An odd width has the frequencies of the even one above it."""

    def _match(self, q_BMHQK: Tensor, queries: Where, keys: Where) -> Tensor:
        width = self.map_MDHK.shape[1]
        base, self.base = self.base, self.base ** (width / (width + width % 2))
        try:
            return super()._match(q_BMHQK, queries, keys)
        finally:
            self.base = base


class TransformerXlWithoutTheLastSine(TransformerXL):
    """Of an odd width, the last sine is lost."""

    def _match(self, q_BMHQK: Tensor, queries: Where, keys: Where) -> Tensor:
        width = self.map_MDHK.shape[1]
        kept = torch.ones(width)
        if width % 2:
            kept[width // 2] = 0.0
        whole = self.map_MDHK.data
        self.map_MDHK.data = whole * kept[:, None, None]
        try:
            return super()._match(q_BMHQK, queries, keys)
        finally:
            self.map_MDHK.data = whole


class SandwichIn32Bits(Sandwich):
    """Angles are computed in 32 bits."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        t = torch.arange(1, self.width // 2 + 1)
        rates = 10000.0 ** (-2 * t / self.width)
        of_queries, of_keys = (where.ids_MBL.float().transpose(0, 1)[..., None] * rates for where in (queries, keys))
        sums = of_queries.cos() @ of_keys.cos().mT + of_queries.sin() @ of_keys.sin().mT
        ratio = self.num_heads / (8 * torch.arange(1, self.num_heads + 1))
        return per_head((ratio[:, None, None] * sums[:, :, None]), self.num_models)


class SandwichFromZero(Sandwich):
    """The sum begins at t = 0 and ends one term earlier."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        t = torch.arange(self.width // 2, dtype=torch.float64)
        angles = distances(queries, keys).double()[..., None] * 10000.0 ** (-2 * t / self.width)
        ratio = self.num_heads / (8 * torch.arange(1, self.num_heads + 1))
        return per_head(ratio[:, None, None] * angles.cos().sum(-1).float(), self.num_models)


class TisaFromOne(TISA):
    """Centres start at 1, 2, 3, …, so that no curve begins at the token itself."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.centre_MHS.add_(1.0)


class DynamicBiasOffByOne(DynamicBias):
    """Where ids are known to be one row, every distance looks up the next one."""

    def _bias_by_distance(self, delta_QL: Tensor, num_ids: int) -> Tensor:
        return super()._bias_by_distance((delta_QL + 1).clamp(max=num_ids - 1), num_ids)


BIASES: list[tuple[str, type[Encoding]]] = [
    ("fire", FireWithMinimum),
    ("fire", FireWithoutAbsoluteValues),
    ("alibi", AlibiOffByOne),
    ("alibi", AlibiForPowersOfTwo),
    ("alibi", AlibiWithHiddenPositions),
    ("t5", T5OffByOne),
    ("t5", T5WithoutLogarithm),
    ("shaw", ShawWithoutClip),
    ("transformer_xl", TransformerXlWithHalfTheScale),
    ("sandwich", SandwichWithoutCosine),
    ("kerple_log", KerpleThatRewards),
    ("tisa", TisaOnTheOtherSide),
    ("tisa", TisaWithoutAbsoluteValues),
    ("alibi", AlibiUpToEightHeads),
    ("alibi", AlibiByPlace),
    ("learned_alibi", LearnedAlibiWithExponential),
    ("hard_alibi", HardAlibiRoundedUp),
    ("fire", FireOfAnotherSlope),
    ("fire", FireOfTheFirstModel),
    ("fire", FireOfTheFirstRow),
    ("kerple_log", KerpleFromZero),
    ("kerple_power", KerplePowerUpToOne),
    ("t5", T5OfDeviationOne),
    ("t5", T5WithAnotherLogarithm),
    ("t5", T5OfTheFirstRow),
    ("shaw", ShawWithoutTheLastValue),
    ("deberta", DebertaOfTheReleasedCode),
    ("transformer_xl", TransformerXlOfEvenWidth),
    ("transformer_xl", TransformerXlWithoutTheLastSine),
    ("sandwich", SandwichIn32Bits),
    ("sandwich", SandwichFromZero),
    ("tisa", TisaFromOne),
    ("dynamic_bias", DynamicBiasOffByOne),
]
