"""What is put around another encoding, layer by layer, and changes what that one computes in attention."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from ...seeds import Draw
from .base import Encoding, Fit, Where


class Wrapper(Encoding):
    """Another encoding, hook by hook; what derives from it changes some of the hooks."""

    def __init__(self, fit: Fit, base: Encoding) -> None:
        super().__init__(fit)
        self.base = base
        self.max_length = base.max_length
        layers = [base.at_layer(number) for number in range(fit.num_layers)]
        has_layers = any(layer is not base for layer in layers)
        # in a tuple they are not found as parts of this one: what they learn is among the parts of the base already
        self.layers = tuple(self.around(replace(fit, num_layers=1), layer) for layer in layers if has_layers)

    def around(self, fit: Fit, base: Encoding) -> Encoding:
        """Return the same around another base."""
        return type(self)(fit, base)

    @property
    def is_fused(self) -> bool:
        """As the base."""
        return self.base.is_fused

    @property
    def is_biased(self) -> bool:
        """As the base."""
        return self.base.is_biased

    @property
    def may_share_rows(self) -> bool:
        """As the base."""
        return self.base.may_share_rows

    @property
    def is_embedding(self) -> bool:
        """As the base."""
        return self.base.is_embedding

    @property
    def is_transforming(self) -> bool:
        """As the base."""
        return self.base.is_transforming

    def ids(self, tokens_MBL: Tensor, sizes_MB: Tensor, draw: Draw | None, roles_MBL: Tensor | None = None) -> Tensor:
        """Return the ids of the base."""
        return self.base.ids(tokens_MBL, sizes_MB, draw, roles_MBL)

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return ids that the base can be told."""
        return self.base.checked(ids_MBL, most)

    def embed(self, at: Where) -> Tensor | None:
        """Return what the base adds to the input."""
        return self.base.embed(at)

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        """Return queries and keys as the base changes them."""
        return self.base.transform(q, k, x_MBLD, queries, keys)

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        """Return what the base adds to scores by position alone."""
        return self.base.bias(queries, keys)

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return the scores of the base."""
        return self.base.scores(q, k, x_MBLD, queries, keys)

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return the weights of the base."""
        return self.base.weights(scores, queries, keys)

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return what attention of the base passes on."""
        return self.base.value(weights, v, queries, keys)

    def at_layer(self, layer: int) -> Encoding:
        """Return the encoding of one layer: that of the base, with this around it."""
        return self.layers[layer] if self.layers else self

    def initialize(self, draw: Draw) -> None:
        """Set the parameters of the base."""
        self.base.initialize(draw.named("base"))
