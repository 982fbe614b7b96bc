"""Two encodings that take turns over the layers."""

from __future__ import annotations

from dataclasses import replace

from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit
from ..core.card import OURS, Bound, Card, Option

CARD = Card(
    name="interleaved",
    title="layers of one encoding, with every so many a layer of another",
    formula="layer l = 1, 2, … uses the second base if l is a multiple of every, otherwise the first",
    citation="arXiv 2501.18795",
    family="wrappers",
    order=2,
    acts_on=("queries and keys", "scores"),
    options=(Option(name="every", default=2, low=1, high=100, meaning="how often the second base comes"),),
    bases=("window(rope, window=8)", "nope"),
    refuses=("chosen ids",),
    variants=("fire, alibi, every=3", "rope, fire, every=1"),
    at_least=Bound(
        fragment=Fragment.PLAIN,
        citation=f"{OURS}: the layers without positions have uniform heads",
        assumption="as many layers without positions as the program has nested counts",
        status="ours",
    ),
    few_bits_of_bases=True,
    bounds_need=("bases",),
    shift_invariant=True,
    chooses_layers=True,
)


class Interleaved(Encoding):
    """Layers 1, 2, … use the first encoding, and every so many the second."""

    card = CARD

    def __init__(self, fit: Fit, first: Encoding, second: Encoding, *, every: int = 2) -> None:
        super().__init__(fit)
        for base in (first, second):
            if base.is_embedding:
                raise InvalidOptionError(
                    "an encoding that is added to the input cannot be chosen layer by layer.",
                    hint="interleave encodings that act in attention, for example rope and nope.",
                )
        self.first, self.second, self.every = first, second, every
        limits = [base.max_length for base in (first, second) if base.max_length is not None]
        self.max_length = min(limits, default=None)

    @classmethod
    def fit_of_base(cls, fit: Fit, number: int, *, every: int) -> Fit:
        """Return what a base must be made for: the layers that are its own."""
        turns = fit.num_layers // every
        return replace(fit, num_layers=turns if number else fit.num_layers - turns)

    @property
    def may_share_rows(self) -> bool:
        """As both."""
        return self.first.may_share_rows and self.second.may_share_rows

    def at_layer(self, layer: int) -> Encoding:
        """Return the encoding of one layer."""
        turns = (layer + 1) // self.every  # of the second, up to this layer
        is_second = (layer + 1) % self.every == 0
        return self.second.at_layer(turns - 1) if is_second else self.first.at_layer(layer - turns)

    def initialize(self, draw: Draw) -> None:
        """Set the parameters of both."""
        self.first.initialize(draw.named("first"))
        self.second.initialize(draw.named("second"))
