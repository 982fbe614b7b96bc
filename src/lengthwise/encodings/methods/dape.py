"""Data-adaptive encodings: a small network sees the scores of all heads beside a bias, and corrects their sum.

DAPE (arXiv 2405.14722) looks at one pair of places at a time, its second version (arXiv 2410.04798) also at the keys
just before.
"""

from __future__ import annotations

from abc import abstractmethod

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import HIDDEN, Card
from ..core.initialization import normal

CARD = Card(
    name="dape",
    title="a bias that a network adapts to the scores of all heads",
    formula="score = s + B + f([s, B]), s = q_i·k_j / √d, B the bias of the base, f a network across heads",
    citation="arXiv 2405.14722",
    family="contents",
    order=3,
    acts_on=("scores",),
    parameters="2·H·hidden + hidden + hidden·H",
    per_layer=True,
    options=(HIDDEN,),
    bases=("kerple_log",),
    refuses=("wrapped",),
    variants=("t5, hidden=4", "fire"),
    shift_invariant=True,
    network_on_scores=True,
)


class Adaptive(Encoding):
    """score = s + B + f(s, B), where s = q·k/√d, B is the bias of ``base`` and f looks across heads."""

    in_bias_MF: nn.Parameter

    def __init__(self, fit: Fit, base: Encoding, *, hidden: int) -> None:
        super().__init__(fit)
        if type(hidden) is not int or hidden < 1:
            raise InvalidOptionError(
                f"hidden must be a whole number of at least 1; found {hidden!r}.", hint="correct the value."
            )
        if type(base).bias is Encoding.bias or not base.is_fused or base.is_transforming:
            raise InvalidOptionError(
                f"{type(base).__name__} cannot be adapted: it is not a bias that depends on positions alone.",
                hint="choose such a bias, for example kerple_log, alibi, t5 or fire.",
            )
        self.base = base
        self.max_length = base.max_length
        self.in_bias_MF = nn.Parameter(torch.empty(fit.num_models, hidden))

    @property
    def num_models(self) -> int:
        """How many models are in the stack; when it is set, so is that of the base."""
        return self.in_bias_MF.shape[0]

    @num_models.setter
    def num_models(self, count: int) -> None:
        if "base" in self._modules:  # it is not there yet when the constructor sets its own
            self.base.num_models = count

    @property
    def may_share_rows(self) -> bool:
        """As the base: its bias would have to be made for each row."""
        return self.base.may_share_rows

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return scores with the bias and its correction.

        Keys that the base hides with a bias of -inf stay hidden; the network is told 0 of them.
        """
        scores = super().scores(q, k, x_MBLD, queries, keys).float()
        bias = self.base.bias(queries, keys)
        assert bias is not None
        bias = bias.float().expand(-1, scores.shape[1], -1, -1)
        s_BMHQL, bias_BMHQL = (
            part.reshape(part.shape[0], self.num_models, self.num_heads, *part.shape[2:]) for part in (scores, bias)
        )
        heard_BMHQL = bias_BMHQL.masked_fill(bias_BMHQL == -torch.inf, 0.0)
        with torch.autocast(q.device.type, enabled=False):
            correction_BMHQL = self._correct(s_BMHQL, heard_BMHQL, queries.sees(k.shape[-2])[:, :, None])
        corrected: Tensor = s_BMHQL + bias_BMHQL + correction_BMHQL
        return corrected.flatten(1, 2)

    @abstractmethod
    def _correct(self, s_BMHQL: Tensor, bias_BMHQL: Tensor, sees: Tensor) -> Tensor:
        """Return f(s, B), [B, M, H, Q, L]; ``sees`` is [B or 1, 1, 1, Q, L]."""

    def _initialize(self, draw: Draw, in_weight: Tensor, out_weight: Tensor) -> None:
        """Set weights of deviation 1/√inputs, biases 0, and the base."""
        with torch.no_grad():
            for name, weight in (("in_weight", in_weight), ("out_weight", out_weight)):
                inputs = weight[0, ..., 0].numel()
                weight.copy_(normal(draw.named(name), tuple(weight.shape[1:]), deviation=inputs**-0.5))
            self.in_bias_MF.zero_()
        self.base.initialize(draw.named("base"))


class DAPE(Adaptive):
    """score = s + B + f([s; B]) at every (i, j): f maps 2·H numbers by affine, leaky relu and affine to H.

    B is the bias of ``base``, an encoding of the same stack.
    """

    card = CARD

    def __init__(self, fit: Fit, base: Encoding, *, hidden: int = 32) -> None:
        super().__init__(fit, base, hidden=hidden)
        self.in_weight_MIF = nn.Parameter(torch.empty(fit.num_models, 2 * fit.num_heads, hidden))
        self.out_weight_MFH = nn.Parameter(torch.empty(fit.num_models, hidden, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set the network and the base."""
        self._initialize(draw, self.in_weight_MIF, self.out_weight_MFH)

    def _correct(self, s_BMHQL: Tensor, bias_BMHQL: Tensor, sees: Tensor) -> Tensor:  # noqa: ARG002
        of_s, of_bias = self.in_weight_MIF.chunk(2, dim=1)  # apart, a bias shared by the batch is mapped only once
        hidden = (
            map_channels(of_s, s_BMHQL) + map_channels(of_bias, bias_BMHQL) + self.in_bias_MF.float()[..., None, None]
        )
        mapped: Tensor = map_channels(self.out_weight_MFH, functional.leaky_relu(hidden, 0.01))
        return mapped


def map_channels(weight_MIF: Tensor, values_BMIQL: Tensor) -> Tensor:
    """Return each model's map of the values, [B, M, F, Q, L]."""
    mapped: Tensor = weight_MIF.float().mT @ values_BMIQL.flatten(3)
    return mapped.reshape(*mapped.shape[:3], *values_BMIQL.shape[3:])
