"""A learned function of the distance, rescaled by the position of the query (arXiv 2310.04418).

Shapes: F units of the hidden layer, P pairs of a query and a key, of all rows; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances, once, per_head
from ..core.card import HIDDEN, UNIFORM_HEADS, Card, Option
from ..core.initialization import normal

CARD = Card(
    name="fire",
    title="a learned function of the relative distance, rescaled by the query's position",
    formula="score(i, j) = q_i·k_j / √d + f(ψ(i − j) / ψ(max(L, i))), ψ(x) = log(|c|x + 1), f a small network",
    citation="arXiv 2310.04418",
    family="biases",
    order=11,
    acts_on=("scores",),
    parameters="2 + 2·hidden + hidden·H",
    per_layer=True,
    options=(
        HIDDEN,
        Option(
            name="threshold",
            default=512.0,
            low=1e-3,
            high=1e9,
            meaning="where L starts; it is learned as a multiple",
        ),
    ),
    variants=("hidden=5", "threshold=2"),
    at_least=UNIFORM_HEADS,
    shift_invariant=False,
    bounded_bias=True,
    revision=2,
    note="the maximum, not the minimum, of L and i: the input of f stays within 0 and 1 at every length.",
)


_LEAST = 1e-6


class FIRE(Encoding):
    """score_ij = q_i·k_j/√d + f(ψ(i − j)/(ψ(max(|L|, i)) + 10⁻⁶)), ψ(x) = log(|c|x + 1).

    f is a network with one hidden layer, f(u) = relu(u·w + b)·w'. A last bias would add the same to all scores of a
    query, which softmax, without a sink, does not see. L is ``threshold`` times a number that is learned. That number and c
    may turn negative; their absolute values count. The
    maximum keeps the input of f within 0 and 1 at every length.
    """

    card = CARD

    def __init__(self, fit: Fit, *, hidden: int = 32, threshold: float = 512.0) -> None:
        super().__init__(fit)
        self.threshold = threshold
        models = fit.num_models
        self.slope_M = nn.Parameter(torch.empty(models))
        self.threshold_M = nn.Parameter(torch.empty(models))
        self.in_weight_MF = nn.Parameter(torch.empty(models, hidden))
        self.in_bias_MF = nn.Parameter(torch.empty(models, hidden))
        self.out_weight_MFH = nn.Parameter(torch.empty(models, hidden, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set c to 0.1, L to the threshold, and the network to random numbers."""
        hidden = self.in_bias_MF.shape[1]
        deviations = {"in_weight_MF": 1.0, "in_bias_MF": 1.0, "out_weight_MFH": 0.5 * hidden**-0.5}
        with torch.no_grad():
            self.slope_M.fill_(0.1)
            self.threshold_M.fill_(1.0)
            for name, deviation in deviations.items():
                parameter = self.get_parameter(name)
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=deviation))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return what the network gives; its hidden layer is not kept for the gradient but computed again."""
        relative_MBQL = self._relative(queries, keys)
        given_MHP: Tensor = checkpoint(
            self._network, relative_MBQL.flatten(1), use_reentrant=False, preserve_rng_state=False
        )
        given_MHBQL = torch.unflatten(given_MHP, -1, relative_MBQL.shape[1:])
        return per_head(given_MHBQL.permute(2, 0, 1, 3, 4), given_MHP.shape[0])

    def _relative(self, queries: Where, keys: Where) -> Tensor:
        """Return ψ(i − j)/ψ(max(|L|, i)), [M, 1 or B, Q, L]."""
        delta_MBQL = distances(queries, keys)[:, :, 0].transpose(0, 1).float().clamp(min=0)
        i_MBQ = once(queries.ids_MBL).float().clamp(min=0)
        slope, times = (number_M.float().abs()[:, None, None] for number_M in (self.slope_M, self.threshold_M))
        longest_MBQ = torch.log1p(slope * torch.maximum(self.threshold * times, i_MBQ)) + _LEAST
        return torch.log1p(slope[..., None] * delta_MBQL) / longest_MBQ[..., None]

    def _network(self, u_MP: Tensor) -> Tensor:
        """Return f of every number, [M, H, P]."""
        with torch.autocast(u_MP.device.type, enabled=False):
            weight_MF, bias_MF = self.in_weight_MF.float(), self.in_bias_MF.float()
            hidden_MFP = torch.relu(u_MP[:, None] * weight_MF[..., None] + bias_MF[..., None])
            return self.out_weight_MFH.float().transpose(1, 2) @ hidden_MFP
