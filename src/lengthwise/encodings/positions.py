"""What can be done to position ids before any other encoding sees them: shift, resample, couple, count digits."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ..arrays import torch_arrays
from ..errors import InvalidOptionError
from ..seeds import EVALUATION, Draw, open_stream
from .base import Encoding, Fit, Where, require_room


def shift_at_random(ids_MBL: Tensor, sizes_MB: Tensor, room: int, draw: Draw) -> Tensor:
    """Return ids plus an offset for each instance, uniform over all that leave it within the room."""
    offset_MB = draw.named("offset").integers(room - sizes_MB + 1, (ids_MBL.shape[1],))
    shifted: Tensor = ids_MBL + offset_MB[..., None]
    return shifted.clamp(max=room - 1)  # only padding lies beyond


class Wrapper(Encoding):
    """An encoding that gives other ids to the one it is put around; all else is that one's."""

    def __init__(self, fit: Fit, base: Encoding) -> None:
        super().__init__(fit)
        self.base = base
        self.room = fit.max_length

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base of this number must be made for."""
        return fit

    @property
    def may_share_rows(self) -> bool:
        """As the base."""
        return self.base.may_share_rows

    @property
    def is_embedding(self) -> bool:
        """As the base."""
        return self.base.is_embedding

    def embed(self, at: Where) -> Tensor | None:
        """Return what the base adds to the input."""
        return self.base.embed(at)

    def at_layer(self, layer: int) -> Encoding:
        """Return the layer of the base."""
        return self.base.at_layer(layer)

    def initialize(self, draw: Draw) -> None:
        """Set the parameters of the base."""
        self.base.initialize(draw.named("base"))


class Offset(Wrapper):
    """The base at i + o, with o uniform over all offsets that fit in training, and 0 otherwise."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return the ids of the base, from a random offset in training."""
        ids_MBL = self.base.ids(tokens_MBL, sizes_MB, draw, roles_MBL)
        if draw is None:
            return ids_MBL
        require_room(tokens_MBL.shape[-1], self.room)
        return shift_at_random(ids_MBL, sizes_MB, self.room, draw)


class Randomized(Wrapper):
    """The base at a sorted sample without repeats of {0, …, length − 1}, one for each instance."""

    def __init__(self, fit: Fit, base: Encoding, *, length: int = 0) -> None:
        super().__init__(fit, base)
        self.length = self.max_length = length or 4 * fit.max_length
        if self.length < fit.max_length:
            raise InvalidOptionError(
                f"a sample of up to {fit.max_length} positions cannot be drawn from {self.length}.",
                hint=f"choose a length of at least {fit.max_length}.",
            )

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base must be made for: the whole range."""
        return replace(fit, max_length=int(options["length"]) or 4 * fit.max_length)

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """Return, for each instance, as many sorted numbers of the range as it has tokens.

        The numbers of the range are put in random order, once for a batch. An instance of n tokens takes the first n.
        """
        num_tokens = tokens_MBL.shape[-1]
        require_room(num_tokens, self.length)
        source = _draw_for(draw, tokens_MBL).named("sample")
        order_MN = source.permutation(self.length)
        rank_MN = torch.empty_like(order_MN).scatter_(
            -1, order_MN, torch.arange(self.length, device=order_MN.device).expand(order_MN.shape)
        )
        taken_MBN = rank_MN[..., None, :] < sizes_MB[..., None]
        upto_MBN = taken_MBN.cumsum(-1)
        wanted = torch.arange(1, num_tokens + 1, device=tokens_MBL.device).expand(tokens_MBL.shape)
        found = torch.searchsorted(upto_MBN.expand(*tokens_MBL.shape[:2], -1).contiguous(), wanted.contiguous())
        return found.clamp(max=self.length - 1)  # only padding lies beyond


class RandomFloat(Wrapper):
    """The base at sorted uniform numbers of [0, length), drawn for each instance."""

    def __init__(self, fit: Fit, base: Encoding, *, length: int = 0) -> None:
        super().__init__(fit, base)
        self.length = length or fit.max_length

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base must be made for: the whole range."""
        return replace(fit, max_length=int(options["length"]) or fit.max_length)

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """Return, for each instance, as many sorted fractions as it has tokens."""
        batch, num_tokens = tokens_MBL.shape[1:]
        bits = _draw_for(draw, tokens_MBL).named("numbers").bits31((batch, num_tokens))
        numbers_MBL = (bits.to(torch.float64) + 0.5) * (self.length / 2**31)
        place = torch.arange(num_tokens, device=tokens_MBL.device)
        numbers_MBL = torch.where(place < sizes_MB[..., None], numbers_MBL, float(self.length))
        return torch.sort(numbers_MBL, dim=-1).values.to(torch.float32).expand(tokens_MBL.shape)


class Coupling(Wrapper):
    """The base at the roles that the task gives its tokens, from a random start in training; role 0 stays 0."""

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return the roles, shifted in training."""
        if roles_MBL is None:
            raise InvalidOptionError(
                "coupling needs a task whose tokens have roles, and this one gives none.",
                hint="use a task with roles, such as unique_copy or repeat_copy, or hand in the roles.",
            )
        roles_MBL = roles_MBL.expand(tokens_MBL.shape)
        require_room(tokens_MBL.shape[-1], self.room)  # a role is a number of tokens at most
        if draw is None:
            return roles_MBL
        return torch.where(roles_MBL > 0, shift_at_random(roles_MBL, sizes_MB, self.room, draw), 0)


class Abacus(Wrapper):
    """The base at 1 + the index of a digit within its number, plus a random number in training; 0 for other tokens."""

    def __init__(self, fit: Fit, base: Encoding) -> None:
        super().__init__(fit, base)
        if not fit.digits:
            raise InvalidOptionError(
                "abacus counts digits, and none of the tokens are known to be digits.",
                hint="use a task whose symbols have digits among them, or say which tokens are digits.",
            )
        self.digits = fit.digits

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base must be made for: one row more, for tokens that are no digits."""
        return replace(fit, max_length=fit.max_length + 1)

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """Return the place of every digit in its run, from 1."""
        require_room(tokens_MBL.shape[-1], self.room)
        is_digit = torch.zeros_like(tokens_MBL, dtype=torch.bool)
        for digit in self.digits:
            is_digit = is_digit | (tokens_MBL == digit)
        place = torch.arange(tokens_MBL.shape[-1], device=tokens_MBL.device)
        last_other = torch.cummax(torch.where(is_digit, -1, place), dim=-1).values
        index_MBL = place - last_other
        if draw is not None:
            index_MBL = shift_at_random(index_MBL, sizes_MB, self.room + 1, draw)
        return torch.where(is_digit, index_MBL, 0)


def _draw_for(draw: Draw | None, tokens_MBL: Tensor) -> Draw:
    """Return the draw of training or, at test, one that is always the same and the same for all models."""
    if draw is not None:
        return draw
    return open_stream(EVALUATION, seed=[0], xp=torch_arrays(str(tokens_MBL.device))).named("positions")
