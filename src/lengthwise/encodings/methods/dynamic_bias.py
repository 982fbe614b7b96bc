"""A learned function of the logarithm of the distance (arXiv 2108.00154, as in x-transformers).

Shapes: F and G units of the first and the second hidden layer, P pairs of a query and a key of all rows, or distances, N distances;
the rest as in ``base``.
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, HIDDEN, UNIFORM_HEADS, Card
from ..core.initialization import normal

CARD = Card(
    name="dynamic_bias",
    title="a learned function of the logarithm of the distance",
    formula="score(i, j) = q_i·k_j / √d + f(log(1 + i − j)), f a network with two hidden layers",
    citation="arXiv 2108.00154; as in x-transformers",
    order=12,
    parameters="2·hidden + hidden·hidden + hidden + hidden·H",
    per_layer=True,
    options=(HIDDEN,),
    variants=("hidden=5",),
    at_least=UNIFORM_HEADS,
    bounded_bias=False,
    **DISTANCE_BIAS,
    note="beyond the training lengths f goes on as a straight line in the logarithm.",
)


class DynamicBias(Encoding):
    """score_ij = q_i·k_j/√d + f(±log(1 + |i − j|)) with the sign of i − j; f is a network with two hidden layers."""

    card = CARD

    def __init__(self, fit: Fit, *, hidden: int = 32) -> None:
        super().__init__(fit)
        models, heads = fit.num_models, fit.num_heads
        self.in_weight_MF = nn.Parameter(torch.empty(models, hidden))
        self.in_bias_MF = nn.Parameter(torch.empty(models, hidden))
        self.mid_weight_MFG = nn.Parameter(torch.empty(models, hidden, hidden))
        self.mid_bias_MG = nn.Parameter(torch.empty(models, hidden))
        self.out_weight_MGH = nn.Parameter(torch.empty(models, hidden, heads))

    def initialize(self, draw: Draw) -> None:
        """Set the weights, and the first bias, to random numbers that keep the size of what they map."""
        kept = self.in_bias_MF.shape[1] ** -0.5
        deviations = {"in_weight_MF": 1.0, "in_bias_MF": 1.0, "mid_weight_MFG": kept, "out_weight_MGH": kept}
        with torch.no_grad():
            self.mid_bias_MG.zero_()
            for name, deviation in deviations.items():
                parameter = self.get_parameter(name)
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=deviation))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return what the network gives: once for each distance where ids are one row of small numbers, else for each pair."""
        if queries.has_row_ids and keys.has_row_ids:
            return self._bias_by_distance(distances(queries, keys)[0, 0, 0], keys.ids_MBL.shape[-1])
        delta_MBQL = distances(queries, keys)[:, :, 0].transpose(0, 1).float()
        # hidden layers of all pairs are not kept for the gradient but computed again
        given_MHP: Tensor = checkpoint(
            self._network, _entering(delta_MBQL.flatten(1)), use_reentrant=False, preserve_rng_state=False
        )
        given_MHBQL = torch.unflatten(given_MHP, -1, delta_MBQL.shape[1:])
        return per_head(given_MHBQL.permute(2, 0, 1, 3, 4), given_MHP.shape[0])

    def _bias_by_distance(self, delta_QL: Tensor, num_ids: int) -> Tensor:
        """Return the bias of distances that are whole numbers between −num_ids and num_ids, [1, M·H, Q, L]."""
        delta_1N = torch.arange(1 - num_ids, num_ids, device=delta_QL.device)[None].float()
        given_MHN = self._network(_entering(delta_1N))
        rows_QL = delta_QL + num_ids - 1
        # each query looks up in a view of its own, where it meets a distance once: gradients do not collide
        views_MHQN = given_MHN[:, :, None].expand(-1, -1, rows_QL.shape[0], -1)
        found_MHQL = views_MHQN.gather(-1, rows_QL.expand(*given_MHN.shape[:2], -1, -1))
        return found_MHQL.flatten(0, 1)[None]

    def _network(self, u_MP: Tensor) -> Tensor:
        """Return f of every number, [M, H, P]."""
        with torch.autocast(u_MP.device.type, enabled=False):
            weight_MF, bias_MF = self.in_weight_MF.float(), self.in_bias_MF.float()
            first_MFP = functional.silu(u_MP[:, None] * weight_MF[..., None] + bias_MF[..., None])
            second_MGP = functional.silu(_affine(first_MFP, self.mid_weight_MFG, self.mid_bias_MG))
            return (
                self.out_weight_MGH.float().transpose(1, 2) @ second_MGP
            )  # a last bias softmax, without a sink, would not see


def _entering(delta: Tensor) -> Tensor:
    """Return what enters the network for distances: the sign of each times the logarithm of one more than its size."""
    return delta.sign() * torch.log1p(delta.abs())


def _affine(x_MIP: Tensor, weight_MIO: Tensor, bias_MO: Tensor) -> Tensor:
    """Map the second axis by each model's own matrix."""
    return weight_MIO.float().transpose(1, 2) @ x_MIP + bias_MO.float()[..., None]
