"""The length-corrected softmax: what a bias does not point at weighs as little in a long instance as in a short one.

Our reconstruction of arXiv 2510.04130. Where a bias points at one place and gives all others the same number, the share
of these others grows with how many there are, and what was sharp at the lengths of training blurs beyond them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Encoding, Fit, Where
from ..core.card import Card
from ..core.wrapper import Wrapper

CARD = Card(
    name="length_corrected",
    title="a bias whose pull does not fade as more tokens are seen",
    formula="b ← b − log(s_i)·(1 − tanh(max(b, 0))), b the bias of the base, s_i the number of tokens that i sees",
    citation="our reconstruction of arXiv 2510.04130",
    family="relations",
    order=3,
    acts_on=("scores",),
    bases=("rpe",),
    refuses=("no positive bias",),
    variants=("t5", "scale_hint"),
    shift_invariant=True,
    uses_visible_keys=True,
    note="around biases that can be positive; of a penalty it would take the same from all keys, which softmax does not see.",
)


class LengthCorrected(Wrapper):
    """The base with b − log(s)·(1 − tanh(max(b, 0))) for its bias b, s the number of tokens that the query sees.

    Where b is 0 or less, all of log(s) is taken off, so that s such places weigh together as one place did; where b is
    well above 0, nothing is.
    """

    card = CARD

    def __init__(self, fit: Fit, base: Encoding) -> None:
        super().__init__(fit, base)
        if not all(base.at_layer(number).is_biased for number in range(fit.num_layers)):
            raise InvalidOptionError(
                f"{type(base).__name__} has no bias by position alone: the correction would be the same for all keys, "
                "and softmax would not see it.",
                hint="put length_corrected around a bias, for example rpe, t5 or scale_hint(rpe).",
            )

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the bias of the base, corrected."""
        bias = self.base.bias(queries, keys)
        assert bias is not None
        # of the tokens in the row only those of the query's own instance are seen
        seen = queries.sees(keys.ids_MBL.shape[-1]).sum(-1, dtype=torch.float32)[..., None]
        return bias - seen.log() * (1 - torch.tanh(torch.relu(bias)))
