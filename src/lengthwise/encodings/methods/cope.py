"""Contextual positions: a query counts the keys that it cares about, and is told the count (arXiv 2405.18719)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ...theory.precision.logics import Logic
from ..core.base import Encoding, Fit, Where
from ..core.card import MANY, OURS, ROUNDED_ONCE, UNIFORM_HEADS, Bound, Card, Option
from ..core.initialization import normal

CARD = Card(
    name="cope",
    title="contextual positions: distances count the tokens that a gate lets count",
    formula="score(i, j) = z_ij + q_i·e[p_ij], z_ij = q_i·k_j / √d, p_ij = min(Σ_{t=j..i} σ(z_it), positions), e interpolated",
    citation="arXiv 2405.18719",
    family="contents",
    order=2,
    acts_on=("scores",),
    parameters="(positions + 1)·d",
    per_layer=True,
    options=(Option(name="positions", default=16, low=1, high=100_000, meaning="the largest position"),),
    variants=("positions=3",),
    at_least=UNIFORM_HEADS,
    few_bits=True,
    precise_at_least=Bound(
        fragment=Logic.S,
        citation=f"{OURS}, theorem E",
        assumption=ROUNDED_ONCE,
        status="ours",
        where=(("positions", 2, MANY),),
    ),
    shift_invariant=True,
    note="the gate uses scores divided by √d.",
)


class CoPE(Encoding):
    """score = z_ij + q_i·e[p_ij], where z_ij = q_i·k_j/√d and p_ij = min(Σ_{t=j..i} σ(z_it), ``positions``).

    Sums run over the keys that i sees. Between whole numbers e is interpolated; its rows are shared by the heads. The
    gates use scaled scores, while q_i·e is not scaled, as in the code that the paper prints.
    """

    card = CARD

    def __init__(self, fit: Fit, *, positions: int = 16) -> None:
        super().__init__(fit)
        if type(positions) is not int or positions < 1:
            raise InvalidOptionError(
                f"positions must be a whole number of at least 1; found {positions!r}.", hint="correct the value."
            )
        self.table_MNK = nn.Parameter(torch.empty(fit.num_models, positions + 1, fit.head_width))

    def initialize(self, draw: Draw) -> None:
        """Set the table to small random numbers."""
        with torch.no_grad():
            self.table_MNK.copy_(normal(draw.named("table"), tuple(self.table_MNK.shape[1:]), deviation=0.02))

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return scores with what the counts add to them."""
        z = super().scores(q, k, x_MBLD, queries, keys).float()
        gates = torch.where(queries.sees(k.shape[-2]), torch.sigmoid(z), 0.0)
        num_models, num_rows = self.table_MNK.shape[:2]
        count = gates.flip(-1).cumsum(-1).flip(-1).clamp(max=num_rows - 1)
        with torch.autocast(q.device.type, enabled=False):
            q_BMHQK = q.float().reshape(q.shape[0], num_models, self.num_heads, *q.shape[2:])
            by_row = (q_BMHQK @ self.table_MNK.float().mT[:, None]).flatten(1, 2)  # [B, M·H, Q, N]
        below, above = count.floor(), count.ceil()
        rest = count - below.detach()
        interpolated = by_row.gather(-1, below.long()) * (1 - rest) + by_row.gather(-1, above.long()) * rest
        summed: Tensor = z + interpolated
        return summed
