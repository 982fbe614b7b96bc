"""From the name of an encoding to the module that computes it."""

from __future__ import annotations

from dataclasses import replace

from .base import Encoding, Fit
from .cards import load_encoding
from .layers import PerLayer
from .names import Choice, find_encoding


def make_encoding(name: str | Choice, fit: Fit) -> Encoding:
    """Return the encoding of a name, made to fit; its parameters are not set yet.

    >>> fit = Fit(num_heads=2, head_width=8, width=16, max_length=30, trained=10, num_layers=3)
    >>> type(make_encoding("alibi", fit)).__name__
    'ALiBi'
    """
    choice = find_encoding(name) if isinstance(name, str) else name
    if choice.card.per_layer:
        return PerLayer(fit, [_make(choice, replace(fit, num_layers=1)) for _ in range(fit.num_layers)])
    return _make(choice, fit)


def _make(choice: Choice, fit: Fit) -> Encoding:
    kind = load_encoding(choice.card)
    options = dict(choice.options)
    make_base = _make if choice.card.per_layer else make_encoding
    bases = [
        make_base(base, kind.fit_of_base(fit, number, **options) if hasattr(kind, "fit_of_base") else fit)
        for number, base in enumerate(choice.bases)
    ]
    made: Encoding = kind(fit, *bases, **options)
    return made
