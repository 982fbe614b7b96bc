"""Encodings of whole models: one for each layer, alike or of two kinds."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from ...seeds import Draw
from .base import Encoding, Fit


class PerLayer(Encoding):
    """An encoding of its own for every layer, all of one kind."""

    def __init__(self, fit: Fit, layers: Sequence[Encoding]) -> None:
        super().__init__(fit)
        self.layers = nn.ModuleList(layers)
        self.max_length = layers[0].max_length if layers else None

    @property
    def may_share_rows(self) -> bool:
        """As every one of them."""
        return all(self.at_layer(number).may_share_rows for number in range(len(self.layers)))

    def at_layer(self, layer: int) -> Encoding:
        """Return the encoding of one layer."""
        found = self.layers[layer]
        assert isinstance(found, Encoding)
        return found

    def initialize(self, draw: Draw) -> None:
        """Set the parameters of every layer."""
        for number in range(len(self.layers)):
            self.at_layer(number).initialize(draw.named(f"layer {number}"))
