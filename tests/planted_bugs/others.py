"""Planted bugs in encodings that act on the input, choose ids, go around others, or learn relations."""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.encodings.core.base import Encoding, Fit, Where
from lengthwise.encodings.core.id_wrapper import shift_at_random
from lengthwise.encodings.methods.abacus import Abacus
from lengthwise.encodings.methods.ape import LearnedAPE
from lengthwise.encodings.methods.coupling import Coupling
from lengthwise.encodings.methods.interleaved import Interleaved
from lengthwise.encodings.methods.lbpe import LBPE
from lengthwise.encodings.methods.learned import Learned
from lengthwise.encodings.methods.length_corrected import LengthCorrected
from lengthwise.encodings.methods.offset import Offset
from lengthwise.encodings.methods.periodic import Periodic
from lengthwise.encodings.methods.random_float import RandomFloat
from lengthwise.encodings.methods.randomized import Randomized
from lengthwise.encodings.methods.scale_hint import ScaleHint
from lengthwise.encodings.methods.scaled_sinusoidal import ScaledSinusoidal
from lengthwise.encodings.methods.sinusoidal import Sinusoidal
from lengthwise.encodings.methods.window import Window
from lengthwise.seeds import Draw

from .where import first_row, places


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


class LearnedFromAWideTable(Learned):
    """The table starts ten times too wide."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.table_MND.mul_(10)


class LearnedFromUniformNumbers(Learned):
    """The table starts with uniform numbers of the right deviation."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            normal = self.table_MND / 0.02
            self.table_MND.copy_(0.02 * 3**0.5 * torch.erf(normal / 2**0.5))


class LearnedOfTheFirstModel(Learned):
    """All models of a stack start with the table of the first."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.table_MND.copy_(self.table_MND[:1].expand_as(self.table_MND).clone())


class ApeOneRowShort(LearnedAPE):
    """The last row of the table is never reached in training."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        ids = Learned.ids(self, tokens_MBL, sizes_MB, draw, roles_MBL)
        assert self.max_length is not None
        return ids if draw is None else shift_at_random(ids, sizes_MB, self.max_length - 1, draw)


class PeriodicFromOne(Periodic):
    """The table begins at position 1."""

    def embed(self, at: Where) -> Tensor:
        return super().embed(at._replace(ids_MBL=at.ids_MBL + self.period - 1))


class SinusoidalIn32Bits(Sinusoidal):
    """Angles are computed in 32 bits."""

    def embed(self, at: Where) -> Tensor:
        t = torch.arange(-(-self.width // 2))
        angles = at.ids_MBL.float()[..., None] * self.base ** (-2 * t / self.width)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., : self.width]


class SinusoidalOfEvenWidth(Sinusoidal):
    """An odd width has the frequencies of the even one above it."""

    def embed(self, at: Where) -> Tensor:
        width = self.width + self.width % 2
        t = torch.arange(width // 2, dtype=torch.float64)
        angles = at.ids_MBL.double()[..., None] * self.base ** (-2 * t / width)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., : self.width].float()


class SinusoidalOfTheFirstRow(Sinusoidal):
    """What is added to the first row is added to all."""

    def embed(self, at: Where) -> Tensor:
        return super().embed(first_row(at))


class ScaledSinusoidalFromOne(ScaledSinusoidal):
    """The gain starts at 1."""

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        with torch.no_grad():
            self.gain_M.fill_(1.0)


class OffsetBeyondTheRoom(Offset):
    """Offsets are drawn from the whole room, however long the instance is."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        ids = self.base.ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        if draw is None:
            return ids
        return ids + draw.named("offset").integers(sizes_MB * 0 + self.room, (ids.shape[1],))[..., None]


class OffsetOfTheBatch(Offset):
    """One offset is drawn for all instances of a batch."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        ids = super().ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        return ids if draw is None else ids[:, :1] - ids[:, :1, :1] * 0 + torch.zeros_like(ids)


class RandomizedOnce(Randomized):
    """The sample of the test is used in training too."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        return super().ids(tokens_MBL, sizes_MB, None, roles_MBL)


class RandomFloatRounded(RandomFloat):
    """Fractions are rounded to whole numbers."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        return super().ids(tokens_MBL, sizes_MB, draw, roles_MBL).floor()


class CouplingThatMovesZero(Coupling):
    """Tokens without a role are moved in training, too."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        roles = super().ids(tokens_MBL, sizes_MB, None, roles_MBL)
        return roles if draw is None else shift_at_random(roles, sizes_MB, self.room, draw)


class AbacusOneShort(Abacus):
    """The last row of the table is never reached in training."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        found = super().ids(tokens_MBL, sizes_MB, None, roles_MBL)
        return found if draw is None else torch.where(found > 0, shift_at_random(found, sizes_MB, self.room, draw), 0)


class AbacusWithAShortTable(Abacus):
    """The table has no row for the last digit of the longest number."""

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        return fit


class AbacusOverAllNumbers(Abacus):
    """Digits are counted from the first of the row, not from the first of their number."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        found = super().ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        return torch.where(found > 0, (found > 0).cumsum(-1), 0)


class WindowOneTooWide(Window):
    """The window has one token more."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(queries._replace(ids_MBL=queries.ids_MBL - 1), keys)


class WindowOfPlaces(Window):
    """The window counts places, not positions."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(places(queries), places(keys))


class WindowOfTheFirstRow(Window):
    """The window of the first row hides keys in all rows."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        return super().bias(first_row(queries), first_row(keys))


class InterleavedOneLayerLate(Interleaved):
    """Every layer has the encoding of the one before it."""

    def at_layer(self, layer: int) -> Encoding:
        return super().at_layer(max(layer - 1, 0))


class ScaleHintOfTheFirstRow(ScaleHint):
    """All rows have the scale of the first."""

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        return super().transform(q, k, x_MBLD, _first_scale(queries), keys)

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        return super().bias(_first_scale(queries), keys)


class LengthCorrectedByTheRow(LengthCorrected):
    """The correction counts all keys of the row, also those that the query does not see."""

    def bias(self, queries: Where, keys: Where) -> Tensor:
        bias = self.base.bias(queries, keys)
        assert bias is not None
        number = torch.tensor(float(keys.ids_MBL.shape[-1]))
        return bias - number.log() * (1 - torch.tanh(torch.relu(bias)))


class LbpeOfTheFirstRow(LBPE):
    """All rows have the scale of the first."""

    def keys(self, queries: Where) -> Tensor:
        return super().keys(_first_scale(queries))


class LbpeWithoutStride(LBPE):
    """Gains start eight times too large."""

    def initialize(self, draw: Draw) -> None:
        super().initialize(draw)
        with torch.no_grad():
            self.raw_MHR.mul_(8)


def _first_scale(where: Where) -> Where:
    return where._replace(scale_MBL=where.scale_MBL[:1, :1].expand_as(where.scale_MBL))


OTHERS: list[tuple[str, type[Encoding]]] = [
    ("learned", LearnedThatWraps),
    ("randomized", RandomizedInTrainingOnly),
    ("abacus", AbacusFromZero),
    ("learned", LearnedFromAWideTable),
    ("learned", LearnedFromUniformNumbers),
    ("learned", LearnedOfTheFirstModel),
    ("ape", ApeOneRowShort),
    ("periodic", PeriodicFromOne),
    ("sinusoidal", SinusoidalIn32Bits),
    ("sinusoidal", SinusoidalOfEvenWidth),
    ("sinusoidal", SinusoidalOfTheFirstRow),
    ("scaled_sinusoidal", ScaledSinusoidalFromOne),
    ("offset", OffsetBeyondTheRoom),
    ("offset", OffsetOfTheBatch),
    ("randomized", RandomizedOnce),
    ("random_float", RandomFloatRounded),
    ("coupling", CouplingThatMovesZero),
    ("abacus", AbacusOneShort),
    ("abacus", AbacusWithAShortTable),
    ("abacus", AbacusOverAllNumbers),
    ("window", WindowOneTooWide),
    ("window", WindowOfPlaces),
    ("window", WindowOfTheFirstRow),
    ("interleaved", InterleavedOneLayerLate),
    ("scale_hint", ScaleHintOfTheFirstRow),
    ("length_corrected", LengthCorrectedByTheRow),
    ("lbpe", LbpeOfTheFirstRow),
    ("lbpe", LbpeWithoutStride),
]
