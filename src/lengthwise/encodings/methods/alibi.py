"""A penalty linear in the distance, in every head (arXiv 2108.12409), with fixed or learned slopes."""

from __future__ import annotations

import torch
from torch import Tensor

from ..core.base import Encoding, Where, distances, per_head
from ..core.card import DISTANCE_BIAS, FADED, FADED_TO_WINDOWS, Card

CARD = Card(
    name="alibi",
    title="a penalty linear in the distance, in every head",
    formula="score(i, j) = q_i·k_j / √d − m_h·(i − j), m_h = 2^(−8h/H)",
    citation="arXiv 2108.12409",
    order=5,
    at_most=FADED,
    precise_at_most=FADED_TO_WINDOWS,
    bounded_bias=False,
    never_positive=True,
    unsigned=True,
    **DISTANCE_BIAS,
    note="it cannot attend uniformly, so not even plain C-RASP is known to be expressible.",
)


def slopes(num_heads: int, device: torch.device | None = None) -> Tensor:
    """Return the slope of each head, [H].

    If H is a power of two, 2^(−8h/H) for h = 1, …, H. Otherwise the slopes of the power of two below, then every other
    one of the power of two above, from its first on, until there are enough.

    >>> slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    power = 1 << (num_heads.bit_length() - 1)
    regular = torch.arange(1, power + 1, dtype=torch.float32, device=device) / power
    between = (torch.arange(num_heads - power, dtype=torch.float32, device=device) + 0.5) / power
    return torch.exp2(-8 * torch.cat([regular, between]))


def softplus_inverse(values: Tensor) -> Tensor:
    """Return the numbers whose softplus, log(1 + e^x), is the given one."""
    return values.double().expm1().log().float()


class ALiBi(Encoding):
    """score_ij = q_i·k_j/√d − m_h·(i − j), with the slopes m_h fixed."""

    card = CARD

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the penalties."""
        delta = distances(queries, keys).float()
        return per_head(-slopes(self.num_heads, delta.device)[:, None, None] * delta, self.num_models)
