"""What gives other ids to the encoding it is put around: the base of offset, randomized, coupling and their kin."""

from __future__ import annotations

from torch import Tensor

from ...arrays import torch_arrays
from ...seeds import EVALUATION, Draw, open_stream
from .base import Encoding, Fit
from .wrapper import Wrapper


def shift_at_random(ids_MBL: Tensor, sizes_MB: Tensor, room: int, draw: Draw) -> Tensor:
    """Return ids plus an offset for each instance, uniform over all that leave it within the room."""
    offset_MB = draw.named("offset").integers(room - sizes_MB + 1, (ids_MBL.shape[1],))
    shifted: Tensor = ids_MBL + offset_MB[..., None]
    return shifted.clamp(max=room - 1)  # only padding lies beyond


class IdWrapper(Wrapper):
    """An encoding that gives other ids to the one it is put around; all else is that one's."""

    def __init__(self, fit: Fit, base: Encoding) -> None:
        Encoding.__init__(self, fit)  # layers are those of the base: ids are chosen once, for the whole model
        self.base = base
        self.room = fit.max_length

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, **options: float) -> Fit:  # noqa: ARG003
        """Return what the base of this number must be made for."""
        return fit

    def at_layer(self, layer: int) -> Encoding:
        """Return the layer of the base."""
        return self.base.at_layer(layer)


def draw_for(draw: Draw | None, tokens_MBL: Tensor) -> Draw:
    """Return the draw of training or, at test, one that is always the same and the same for all models."""
    if draw is not None:
        return draw
    return open_stream(EVALUATION, seed=[0], xp=torch_arrays(str(tokens_MBL.device))).named("positions")
