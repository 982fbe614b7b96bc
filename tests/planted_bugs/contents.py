"""Planted bugs in encodings that look at contents. Each is a mistake that has been made somewhere, or could be."""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.encodings.core.base import Encoding, Fit, Where
from lengthwise.encodings.methods import dape_v2
from lengthwise.encodings.methods.cope import CoPE
from lengthwise.encodings.methods.counters import Counters
from lengthwise.encodings.methods.dape import DAPE
from lengthwise.encodings.methods.dape_v2 import DAPEv2
from lengthwise.encodings.methods.fox import FoX
from lengthwise.encodings.methods.path import PaTH, path_scores
from lengthwise.encodings.methods.relative_projection import RelativeProjection
from lengthwise.encodings.methods.rpe_square import RPESquare
from lengthwise.encodings.methods.stick_breaking import StickBreaking
from lengthwise.seeds import Draw

from .where import places_of


class StickBreakingWithDiagonal(StickBreaking):
    """A token may always attend to itself."""

    def __init__(self, fit: Fit, *, diagonal: bool = False) -> None:  # noqa: ARG002
        super().__init__(fit, diagonal=True)


class CountersThatAverage(Counters):
    """Sums are divided by the number of tokens."""

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        found = super().weights(scores, queries, keys)
        return found / found.sum(-1, keepdim=True)


class CountersOfFractions(Counters):
    """Values are not rounded before they are added up."""

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        counting = self._counting(v)
        in_use = (torch.arange(v.shape[-1], device=v.device) < self.channels).to(v.dtype)
        mixed = weights @ torch.where(counting, 8 * v * in_use, v)
        return torch.where(counting, mixed.clamp(-self.most, self.most), mixed)


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


class PathInBlocksOf64(PaTH):
    """Only the reflections in the query's own block of 64 tokens are multiplied."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        x, q, k = x_MBLD.float(), q.float(), k.float()
        direction = torch.einsum("mbld,mdhk->bmhlk", x, self.direction_MDHK.float()).flatten(1, 2)
        w = torch.nn.functional.normalize(direction, dim=-1, eps=1e-6)
        rate = torch.einsum("mbld,mdh->bmhl", x, self.rate_MDH.float()) + self.rate_bias_MH.float()[..., None]
        beta, block = 2 * rate.sigmoid().flatten(1, 2), torch.arange(k.shape[-2]) // 64
        scores = torch.zeros_like(q @ k.mT)
        for number in range(int(block[-1]) + 1):
            here = path_scores(q, k, w, torch.where(block == number, beta, 0.0), queries.sees(k.shape[-2]))
            scores = torch.where((places_of(queries, k) // 64 == number)[:, None], here, scores)
        return scores / self.head_width**0.5


class PathFromOpenGates(PaTH):
    """Rates start at 2σ(2), not at 1."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.rate_bias_MH.fill_(2.0)


class PathWithRatesUpToOne(PaTH):
    """β is σ of the rate, where the paper has twice that."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        rate, bias = self.rate_MDH.data, self.rate_bias_MH.data
        self.rate_MDH.data, self.rate_bias_MH.data = rate / 2, bias / 2
        try:
            return super().scores(q, k, x_MBLD, queries, keys)
        finally:
            self.rate_MDH.data, self.rate_bias_MH.data = rate, bias


class FoxInBlocksOf128(FoX):
    """Running sums start anew at every 128th token."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        gate = torch.einsum("mbld,mdh->bmhl", x_MBLD, self.weight_MDH) + self.bias_MH[..., None]
        kept = torch.nn.functional.logsigmoid(gate).flatten(1, 2)
        lost = torch.zeros_like(kept)
        for block in range(128, k.shape[-2], 128):
            lost[..., block:] += kept[..., :block].sum(-1, keepdim=True)
        fading = queries.take(lost)[..., :, None] - lost[..., None, :]
        return super().scores(q, k, x_MBLD, queries, keys) - fading


class FoxFromOpenGates(FoX):
    """The bias of the gates starts at 4: nothing is forgotten at first."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.bias_MH.fill_(4.0)


class StickBreakingOf64(StickBreaking):
    """Only the 64 keys before a query get a share."""

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        weights = super().weights(scores, queries, keys)
        key = torch.arange(weights.shape[-1])
        return weights * (places_of(queries, scores.mT)[..., None] - key <= 64)


class StickBreakingWithARest(StickBreaking):
    """Weights are normalized, so that no stick is left over."""

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        weights = super().weights(scores, queries, keys)
        return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


class CopeWithoutInterpolation(CoPE):
    """Counts are rounded down to a row of the table."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        z = Encoding.scores(self, q, k, x_MBLD, queries, keys)
        gates = torch.where(queries.sees(k.shape[-2]), torch.sigmoid(z), 0.0)
        models, rows = self.table_MNK.shape[:2]
        count = gates.flip(-1).cumsum(-1).flip(-1).clamp(max=rows - 1)
        by_row = (torch.unflatten(q, 1, (models, -1)) @ self.table_MNK.mT[:, None]).flatten(1, 2)
        return z + by_row.gather(-1, count.long())


class CopeFromZero(CoPE):
    """The table starts at 0."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.table_MNK.zero_()


class DapeWithoutScores(DAPE):
    """The network sees the bias twice, and the scores not at all."""

    def _correct(self, s_BMHQL: Tensor, bias_BMHQL: Tensor, sees: Tensor) -> Tensor:
        return super()._correct(bias_BMHQL.expand_as(s_BMHQL), bias_BMHQL, sees)


class DapeV2ThatLooksAhead(DAPEv2):
    """Taps look at later keys, as far as the query sees them."""

    def _correct(self, s_BMHQL: Tensor, bias_BMHQL: Tensor, sees: Tensor) -> Tensor:
        parts = (part.flip(-1) for part in (s_BMHQL, bias_BMHQL, sees))
        return super()._correct(*parts).flip(-1)


class DapeV2OfTwoTaps(DAPEv2):
    """The last tap of both convolutions is forgotten."""

    def _correct(self, s_BMHQL: Tensor, bias_BMHQL: Tensor, sees: Tensor) -> Tensor:
        of_s, of_bias = self.in_weight_MCIF[:, :-1].chunk(2, dim=2)
        hidden = dape_v2._convolve(of_s, s_BMHQL, sees) + dape_v2._convolve(of_bias, bias_BMHQL, sees)
        hidden = torch.nn.functional.leaky_relu(hidden + self.in_bias_MF[..., None, None], 0.01)
        return dape_v2._convolve(self.out_weight_MCFH[:, :-1], hidden, sees)


class RelativeProjectionBeyondItsReach(RelativeProjection):
    """Distances beyond the reach have the last row, where they must have nothing."""

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        most = self.table_MRT.shape[1] - 1
        delta = (queries.ids_MBL[..., :, None] - keys.ids_MBL[..., None, :]).clamp(max=most)
        mix = torch.einsum("bmqd,mdht->bmhqt", queries.take(x_MBLD.transpose(0, 1)), self.mix_MDHT)
        by_row = (mix + self.mix_bias_MHT[:, :, None]) @ self.table_MRT.mT[:, None]
        row = delta.transpose(0, 1)[:, :, None].long()
        found = by_row.gather(-1, row.clamp(min=0).expand(*by_row.shape[:-1], row.shape[-1]))
        return Encoding.scores(self, q, k, x_MBLD, queries, keys) + torch.where(row >= 0, found, 0.0).flatten(1, 2)


class RpeSquareClippedOneEarly(RPESquare):
    """Differences are clipped one too early."""

    def _matrix(self, num_distances: int) -> Tensor:
        reach, self.reach = self.reach, self.reach - 1
        whole = self.table_MNH.data
        self.table_MNH.data = whole[:, 1:-1]
        try:
            return super()._matrix(num_distances)
        finally:
            self.reach, self.table_MNH.data = reach, whole


CONTENTS: list[tuple[str, type[Encoding]]] = [
    ("stick_breaking", StickBreakingWithDiagonal),
    ("cope", CopeWithUnscaledGates),
    ("fox", FoxThatForgetsTooMuch),
    ("path", PathInTheOtherOrder),
    ("path", PathInBlocksOf64),
    ("path", PathFromOpenGates),
    ("path", PathWithRatesUpToOne),
    ("fox", FoxInBlocksOf128),
    ("fox", FoxFromOpenGates),
    ("stick_breaking", StickBreakingOf64),
    ("stick_breaking", StickBreakingWithARest),
    ("cope", CopeWithoutInterpolation),
    ("cope", CopeFromZero),
    ("dape", DapeWithoutScores),
    ("dape_v2", DapeV2ThatLooksAhead),
    ("dape_v2", DapeV2OfTwoTaps),
    ("relative_projection", RelativeProjectionBeyondItsReach),
    ("rpe_square", RpeSquareClippedOneEarly),
]
