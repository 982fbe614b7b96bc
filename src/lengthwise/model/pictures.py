"""What a position encoding does to attention, as a square of numbers: rows are queries, columns are keys.

Content is held constant, so that all that is seen comes from positions: the stream that enters attention is all ones,
and every query and every key has the same number in all channels, so that without positions every score is 1. The
encoding is as initialized with seed 0, for a model trained on half as many tokens as are shown. Those that learn a
function or a table (fire, t5, learned, …) are random before training. What is done to values, as by shaw, is not seen.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..encodings.core.base import Encoding, Fit, Where
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice, find_encoding
from ..errors import InvalidOptionError
from ..seeds import INITIALIZATION, open_stream

Square = list[list[float | None]]

LENGTH = 32
HEADS = 4
HEAD_WIDTH = 16
_DIGIT = 1
_NOISE = 1e-5  # of the largest number, what rounding may leave where there should be 0


def effect(name: str | Choice, length: int = LENGTH, *, heads: int = HEADS, head: int = 0) -> Square:
    """Return what an encoding does to the score of key j at query i, for all j ≤ i, in one head of the first layer.

    That is the score of constant content, and where something is added to the input, on top of it the inner product of
    what is added at i and at j, divided by √D. What tokens give themselves, on average, is taken off: softmax does not
    see that, and without positions everything is 0. Weights that are no softmax are shown by their logarithm.
    None stands for keys that are not seen: those with j > i, and those that the encoding hides.

    >>> effect("alibi", 3)
    [[0.0, None, None], [-0.25, 0.0, None], [-0.5, -0.25, 0.0]]
    """
    if not 1 <= head + 1 <= heads:
        raise InvalidOptionError(f"there is no head {head} among {heads} heads.", hint=f"choose 0 to {heads - 1}.")
    choice = find_encoding(name) if isinstance(name, str) else name
    fit = Fit(
        num_heads=heads,
        head_width=HEAD_WIDTH,
        width=heads * HEAD_WIDTH,
        max_length=length,
        trained=max(1, length // 2),
        digits=(_DIGIT,),
    )
    encoding = make_encoding(choice, fit)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    with torch.no_grad():
        shown_LL = _scores(encoding, fit, _places(encoding, length), head)
    return [[value if value > -torch.inf else None for value in row] for row in shown_LL.tolist()]


def _places(encoding: Encoding, length: int) -> Where:
    """Return where the tokens stand at test: for roles as in copying, for digits as in a sum of two numbers."""
    place = torch.arange(length)
    is_sign = (place == length * 3 // 10) | (place == length * 2 // 3)
    tokens_MBL = torch.where(is_sign, 0, _DIGIT)[None, None]
    sizes_MB = torch.tensor([[length]])
    roles_MBL = (place % max(1, length // 2))[None, None]
    ids_MBL = encoding.ids(tokens_MBL, sizes_MB, None, roles_MBL)
    whole_MBL = sizes_MB[..., None].expand(1, 1, length)
    return Where(ids_MBL=ids_MBL, scale_MBL=whole_MBL, sizes_MBL=whole_MBL)


def _scores(encoding: Encoding, fit: Fit, at: Where, head: int) -> Tensor:
    """Return what constant content comes to in one head, [L, L], −∞ where nothing is seen."""
    layer = encoding.at_layer(0)
    length = at.ids_MBL.shape[-1]
    same = torch.full((1, fit.num_heads, length, fit.head_width), fit.head_width**-0.25)  # of score 1
    x_MBLD = torch.ones(1, 1, length, fit.width)
    q, k = layer.transform(same, same, x_MBLD, at, at)
    scores = layer.scores(q, k, x_MBLD, at, at)
    bias = layer.bias(at, at)
    scores = (scores if bias is None else scores + bias).masked_fill(~at.sees(length), -torch.inf)
    weights = layer.weights(scores, at, at)
    if not torch.allclose(weights, torch.softmax(scores, dim=-1), atol=1e-6):
        return weights[0, head].log()
    shown_LL = scores[0, head]
    added_MBLD = encoding.embed(at)
    if added_MBLD is not None:
        shown_LL = shown_LL + added_MBLD[0, 0] @ added_MBLD[0, 0].T / fit.width**0.5
    shown_LL = shown_LL - shown_LL.diagonal().mean()
    least = _NOISE * shown_LL.abs().masked_fill(shown_LL.isinf(), 0).max()
    return shown_LL.masked_fill(shown_LL.abs() < least, 0)
