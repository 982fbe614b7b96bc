"""Three checks of the conformance suite: attention as the literal reference computes it, in 64 bits and plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from ..encodings.core.attend import attend
from ..encodings.core.base import Encoding, Fit, are_row_ids
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice
from ..seeds import INITIALIZATION, open_stream
from .cases import Case, Unmeasured, literal_outputs, make_case, stir
from .models import DIGITS, Nonconforming, require_same

_ROOM = 700
_LAYERS = 4
_SIZES = ((1, 4), (4, 6), (6, 4))
"""Heads and their width: a number of heads that is no power of two, and a width of which half is odd."""


@torch.no_grad()
def check_reference(choice: Choice) -> None:
    """Attention is what the literal reference says, at n = 17, for several numbers of heads, widths and configurations."""
    for number, (variant, heads, head_width) in enumerate(_configurations(choice)):
        fit = _fit(heads, head_width, heads * head_width)
        layouts = ("plain", "spread", "packed", *(["fractions"] if variant.float_ids else []))
        _compare(variant, fit, layouts, f"{variant.name} with {heads} heads of width {head_width}", seed=number)
    # a head of width 16 has eight pairs; 51 channels are an odd number, and not those of the heads
    what = f"{choice.name} with 3 heads of width 16 and width 51"
    _compare(choice, _fit(3, 16, 51), ("plain", "spread"), what, seed=99)
    _compare(choice, _fit(12, 4, 48), ("plain",), f"{choice.name} with 12 heads of width 4", seed=98)


@torch.no_grad()
def check_long(choice: Choice) -> None:
    """Attention is what the literal reference says at n = 130, beyond blocks of 64 and 128 tokens."""
    _compare(choice, _fit(2, 4, 8), ("long",), choice.name, seed=97)


@torch.no_grad()
def check_far(choice: Choice) -> None:
    """Attention is what the reference says in 64 bits at ids near 100,000, where there is room for them."""
    if choice.max_length:
        raise Unmeasured("the number of its positions is fixed, and ids near 100,000 are beyond it")
    _compare(choice, _fit(2, 16, 32), ("far",), choice.name, seed=96)


def _configurations(choice: Choice) -> Iterator[tuple[Choice, int, int]]:
    for variant in (choice, *choice.variants):
        for heads, head_width in _SIZES:
            yield variant, heads, head_width


def _fit(heads: int, head_width: int, width: int) -> Fit:
    return Fit(
        num_heads=heads,
        head_width=head_width,
        width=width,
        max_length=_ROOM,
        trained=10,
        num_layers=_LAYERS,
        digits=DIGITS,
    )


def _compare(choice: Choice, fit: Fit, layouts: tuple[str, ...], what: str, *, seed: int) -> None:
    """Compare an encoding with its reference on a random row of each layout."""
    encoding = make_encoding(choice, fit)
    encoding.initialize(open_stream(INITIALIZATION, seed=[seed]))
    stir(encoding, (seed,))
    for layout in layouts:
        case = make_case(choice, encoding, fit, layout, seed=seed)
        for layer in range(_LAYERS if choice.bases else 1):
            kind = encoding.at_layer(layer)
            found = _outputs(kind, case)
            asked = list(case.asking) or slice(None)
            expected = torch.tensor(literal_outputs(choice, layer, kind, case))
            require_same(found[:, asked], expected, f"{what}, {layout} ids: outputs")
            if are_row_ids(case.at.ids_MBL):  # told so, an encoding may take a shorter way
                told = replace(case, at=case.at._replace(row_ids=case.at.ids_MBL))
                require_same(_outputs(kind, told), found, f"{what}, ids known to be one row, and not: outputs")
        added, embedded = encoding.embed(case.at), case.embedded(choice, encoding)
        if (added is None) != (embedded is None):
            raise Nonconforming(f"{choice.name} {'adds nothing' if added is None else 'adds'} to the input")
        if added is not None:
            require_same(added[0, 0], torch.tensor(embedded), f"{what}, {layout} ids: what is added to the input")


def _outputs(kind: Encoding, case: Case) -> Tensor:
    """Return what attention passes on, [H, L, K]."""
    q, k = kind.transform(case.q, case.k, case.x_MBLD, case.at, case.at)
    outputs: Tensor = attend(q, k, case.v, case.x_MBLD, kind, case.at, case.at)[0]
    return outputs
