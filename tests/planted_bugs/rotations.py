"""Planted bugs in encodings that turn queries and keys. Each is a mistake that has been made somewhere, or could be."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lengthwise.encodings.core.base import Encoding, Fit, Where, once
from lengthwise.encodings.methods import rope
from lengthwise.encodings.methods.dynamic_ntk import DynamicNTK
from lengthwise.encodings.methods.llama3 import Llama3
from lengthwise.encodings.methods.longrope import LongRoPE
from lengthwise.encodings.methods.ntk import NTK
from lengthwise.encodings.methods.p_rope import PRoPE
from lengthwise.encodings.methods.periodic_rope import PeriodicRoPE
from lengthwise.encodings.methods.pi import PI
from lengthwise.encodings.methods.pope import PoPE
from lengthwise.encodings.methods.rope import RoPE
from lengthwise.encodings.methods.rope_partial import PartialRoPE
from lengthwise.encodings.methods.xpos import XPos
from lengthwise.encodings.methods.yarn import YaRN
from lengthwise.seeds import Draw

from .where import first_row


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


class RopeOfTheFirstRow(RoPE):
    """Angles are those of the first row, for all rows."""

    def waves(self, where: Where) -> tuple[Tensor, Tensor]:
        return super().waves(first_row(where))


class RopeOfTheFirstModel(RoPE):
    """Angles are those of the first model, for all models of a stack."""

    def waves(self, where: Where) -> tuple[Tensor, Tensor]:
        return super().waves(where._replace(ids_MBL=where.ids_MBL[:1].expand_as(where.ids_MBL)))


class RopeIn32Bits(RoPE):
    """Angles are computed in 32 bits."""

    def frequencies(self, where: Where) -> Tensor:
        return super().frequencies(where).float()


class RopeOfFourFrequencies(RoPE):
    """A table of four frequencies, made for heads of width 8, is used again for wider ones."""

    def frequencies(self, where: Where) -> Tensor:
        theta = super().frequencies(where)
        return theta[torch.arange(self.num_pairs) % 4]


class RopeOfTwoPairings(RoPE):
    """Keys are turned in pairs of neighbours, queries in pairs of halves."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        halves = torch.cat([k[..., 0::2], k[..., 1::2]], dim=-1)
        return super().transform(q, halves, x_MBLD, queries, keys)


class RopeOfLaterQueries(RoPE):
    """Queries stand one position later than their keys, as after a cache is filled and counted."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        return super().transform(q, k, x_MBLD, queries._replace(ids_MBL=queries.ids_MBL + 1), keys)


class RopeWithATableOf512(RoPE):
    """Cosines come from a table that ends, and positions beyond it share its last row."""

    def waves(self, where: Where) -> tuple[Tensor, Tensor]:
        return super().waves(where._replace(ids_MBL=where.ids_MBL.clamp(max=511)))


class PartialRopeRounded(PartialRoPE):
    """The number of pairs is rounded, and an odd share loses its half pair: what this package did first."""

    def __init__(self, fit: Fit, *, base: float = 10_000.0, share: float = 0.5) -> None:
        super().__init__(fit, base=base, share=share)
        self.num_pairs = min(max(1, round(share * fit.head_width / 2)), fit.head_width // 2)
        self.rotary_width = 2 * self.num_pairs


class PartialRopeOfTheLastChannels(PartialRoPE):
    """The last channels are turned, and the first are left as they are."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        turned = super().transform(q.flip(-1), k.flip(-1), x_MBLD, queries, keys)
        return turned[0].flip(-1), turned[1].flip(-1)


class PRopeOfTheSlowest(PRoPE):
    """The fastest pairs are left alone instead of the slowest."""

    def frequencies(self, where: Where) -> Tensor:
        theta = RoPE.frequencies(self, where)
        return torch.where(torch.arange(self.num_pairs) >= self.num_pairs - self.num_turned, theta, 0.0)


class PeriodicRopeFromOne(PeriodicRoPE):
    """Pair t has the frequency of pair t + 1."""

    def frequencies(self, where: Where) -> Tensor:
        return super().frequencies(where) + 2 * math.pi / self.period


class PiOfTheBase(PI):
    """The base is multiplied by the factor, instead of positions being divided by it."""

    def frequencies(self, where: Where) -> Tensor:
        return rope.falling(self.base * self.factor, self.num_pairs, where.ids_MBL.device)


class DynamicNtkOfTheFirstRow(DynamicNTK):
    """The size of the first instance decides for all."""

    def frequencies(self, where: Where) -> Tensor:
        sizes = where.sizes_MBL[:, :1, :1].expand_as(where.sizes_MBL)
        return super().frequencies(where._replace(sizes_MBL=sizes))


class YarnBoundedByPairs(YaRN):
    """The ramp ends at the last pair at the latest, where the authors' program lets it run on to the last channel."""

    def _pair(self, turns: float) -> float:
        return min(super()._pair(turns), self.num_pairs - 1.0)


class YarnWithoutMscale(YaRN):
    """The scale of scores follows from the factor alone."""

    def __init__(self, fit: Fit, **options: float) -> None:
        super().__init__(fit, **options)  # type: ignore[arg-type]
        self.gain = 0.1 * math.log(self.factor) + 1


class Llama3WithoutABlend(Llama3):
    """Frequencies are kept or divided, with nothing between."""

    def frequencies(self, where: Where) -> Tensor:
        theta = RoPE.frequencies(self, where)
        return torch.where(theta * self.trained / (2 * math.pi) > self.high, theta, theta / self.factor)


class LongRopeOneTooEarly(LongRoPE):
    """An instance that is exactly as long as the longest of training counts as long."""

    def frequencies(self, where: Where) -> Tensor:
        return super().frequencies(where._replace(sizes_MBL=where.sizes_MBL + 1))


class LongRopeOfTheLongFactors(LongRoPE):
    """The long factors are used in every instance."""

    def frequencies(self, where: Where) -> Tensor:
        return super().frequencies(where._replace(sizes_MBL=torch.full_like(where.sizes_MBL, 10**6)))


class XposOfOneDecay(XPos):
    """All pairs decay at the same rate."""

    def _fade(self, x: Tensor, where: Where, sign: float) -> Tensor:
        steps = (once(where.ids_MBL).float() - self.centre) * (sign / self.decay)
        power = rope.per_row((steps[..., None] * math.log(0.7)).exp())
        cos, sin = self.waves(where)
        return rope.turn(x, cos * power, sin * power, self.num_heads)


class PopeClipped(PoPE):
    """Phases above 0 are cut, as in the paper: they get no gradient."""

    def phases(self) -> Tensor:
        return super().phases().clamp(-2 * math.pi, 0.0)


class PopeWithOppositePhases(PoPE):
    """The phase is taken away instead of added."""

    def phases(self) -> Tensor:
        return -super().phases()


class PopeFromRandomPhases(PoPE):
    """Phases start anywhere in the circle."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.phase_MHK.uniform_(-math.pi, math.pi, generator=torch.Generator().manual_seed(0))


ROTATIONS: list[tuple[str, type[Encoding]]] = [
    ("rope", RopeWithSharedCache),
    ("rope", RopeInHalfPrecision),
    ("rope_partial", PartialRopeOfTheWholeHead),
    ("ntk", NtkWithAnotherExponent),
    ("dynamic_ntk", DynamicNtkThatIsNot),
    ("yarn", YarnOfQueriesOnly),
    ("xpos", XposTurnedAround),
    ("rope", RopeOfTheFirstRow),
    ("rope", RopeOfTheFirstModel),
    ("rope", RopeIn32Bits),
    ("rope", RopeOfFourFrequencies),
    ("rope", RopeOfTwoPairings),
    ("rope", RopeOfLaterQueries),
    ("rope", RopeWithATableOf512),
    ("rope_partial", PartialRopeRounded),
    ("rope_partial", PartialRopeOfTheLastChannels),
    ("p_rope", PRopeOfTheSlowest),
    ("periodic_rope", PeriodicRopeFromOne),
    ("pi", PiOfTheBase),
    ("dynamic_ntk", DynamicNtkOfTheFirstRow),
    ("yarn", YarnBoundedByPairs),
    ("yarn", YarnWithoutMscale),
    ("llama3", Llama3WithoutABlend),
    ("longrope", LongRopeOneTooEarly),
    ("longrope", LongRopeOfTheLongFactors),
    ("xpos", XposOfOneDecay),
    ("pope", PopeClipped),
    ("pope", PopeWithOppositePhases),
    ("pope", PopeFromRandomPhases),
]
