"""A bias that convolutions along the keys adapt to the scores: the second version of DAPE (arXiv 2410.04798)."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit
from ..core.card import HIDDEN, Card, Option
from .dape import Adaptive, map_channels

CARD = Card(
    name="dape_v2",
    title="a bias that convolutions along the keys adapt to the scores",
    formula="score = s + B + f([s, B]), f two causal convolutions along the keys",
    citation="arXiv 2410.04798",
    family="contents",
    order=4,
    acts_on=("scores",),
    parameters="reach·2·H·hidden + hidden + reach·hidden·H",
    per_layer=True,
    options=(
        HIDDEN,
        Option(name="reach", default=3, low=1, high=100, meaning="how many keys a convolution sees"),
    ),
    bases=("kerple_log",),
    refuses=("wrapped",),
    variants=("alibi, hidden=4, reach=2",),
    shift_invariant=True,
    uses_visible_keys=True,
    network_on_scores=True,
    note="the published code centres its convolutions, which lets later keys act on earlier scores; these do not.",
)


class DAPEv2(Adaptive):
    """DAPE with two causal convolutions along keys: at (i, j) each sees keys j, j−1, …, j−``reach``+1.

    A key that i does not see counts as 0, in both of them; so instances that share a row do not mix.
    """

    card = CARD

    def __init__(self, fit: Fit, base: Encoding, *, hidden: int = 32, reach: int = 3) -> None:
        super().__init__(fit, base, hidden=hidden)
        if type(reach) is not int or reach < 1:
            raise InvalidOptionError(
                f"reach must be a whole number of at least 1; found {reach!r}.", hint="correct the value."
            )
        self.in_weight_MCIF = nn.Parameter(torch.empty(fit.num_models, reach, 2 * fit.num_heads, hidden))
        self.out_weight_MCFH = nn.Parameter(torch.empty(fit.num_models, reach, hidden, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set the network and the base."""
        self._initialize(draw, self.in_weight_MCIF, self.out_weight_MCFH)

    def _correct(self, s_BMHQL: Tensor, bias_BMHQL: Tensor, sees: Tensor) -> Tensor:
        of_s, of_bias = self.in_weight_MCIF.chunk(2, dim=2)
        hidden = _convolve(of_s, s_BMHQL, sees) + _convolve(of_bias, bias_BMHQL, sees)
        hidden = functional.leaky_relu(hidden + self.in_bias_MF.float()[..., None, None], 0.01)
        mapped: Tensor = _convolve(self.out_weight_MCFH, hidden, sees)
        return mapped


def _convolve(weight_MCIF: Tensor, values_BMIQL: Tensor, sees: Tensor) -> Tensor:
    """Return Σ_c of each model's c-th map of the values at key j−c, 0 where that is not seen, [B, M, F, Q, L]."""
    seen_BMIQL = torch.where(sees, values_BMIQL, 0.0)
    num_taps, num_keys = weight_MCIF.shape[1], values_BMIQL.shape[-1]
    taps = [functional.pad(seen_BMIQL, (tap, 0))[..., :num_keys] for tap in range(num_taps)]
    return map_channels(weight_MCIF.flatten(1, 2), torch.cat(taps, dim=2))
