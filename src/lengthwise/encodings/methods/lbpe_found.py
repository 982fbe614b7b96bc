"""Gains on a few relations that a search has found, each with the keys it is allowed to point to; ours.

A query without such a key points to <bos>, so that there is always one token to be read, and that there is none is told too.

Shapes: R relations; X stands for 1 or M, Y for 1 or B; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..core.base import Encoding, Fit, Where
from ..core.card import CORRECTED, EQUATIONS, POINTING, Card, Option
from ..core.guarded import read_guarded
from ..core.pointing import STRIDE, ids_and_scales
from .lbpe import LBPE, coefficient_table, solve
from .shaw import require_whole

CARD = Card(
    name="lbpe_found",
    title="learned position relations: gains on a few equations that a search has found",
    formula="that of lbpe, with relations that hold for some keys only; a query without a key of theirs points to <bos>",
    order=4,
    parameters="slots·H",
    options=(
        Option(
            name="relations",
            kind="relations",
            default="r(1, -1, 1, 0, 0, 1, 1, 0, 1, 0, 1, -1, 0, 1, 0, 1, 0, -1, 1, 0)",
            meaning="ten numbers for each relation: a, b, c, d, two for each bound of the key, modulus, remainder",
        ),
        CORRECTED,
    ),
    variants=("relations=r(2, -1, 0, 1, 0, 1, 0, -1, 1, 0, 1, 0, 0, -3, 0, 0, 1, 2, 2, 1)", "corrected=false"),
    learns_relations=True,
    **POINTING,
    note=f"ours; relations are {EQUATIONS} for keys within bounds p·n + o and with a remainder, as "
    "`lengthwise relations TASK` finds them, by default q − i = n in the prompt and q − i = 1; there are so many slots; head h "
    "begins with relation h modulo their number, with gain 4.",
)


FIRST_GAIN = 4.0
"""The gain that a head begins with on its own relation."""


class LBPEFound(LBPE):
    """score = q·k/√d + b − log(q + 1)·(1 − tanh(relu b)), b = Σ_r g_hr·1[i is the key of relation r].

    Head h begins with the relation whose number is h modulo R; all gains are learned.
    """

    card = CARD

    def __init__(self, fit: Fit, *, relations: str, corrected: bool = True) -> None:
        Encoding.__init__(self, fit)
        self.hint = True
        self.corrected = corrected
        self.guarded = read_guarded(relations)
        self.relations = tuple(each.equation for each in self.guarded)
        self.register_buffer("table_4R", coefficient_table(self.relations), persistent=False)
        guards = [(*each.low, *each.high, each.modulus, each.remainder, each.has_no_end) for each in self.guarded]
        self.register_buffer("guards_7R", torch.tensor(guards, dtype=torch.int64).T.contiguous(), persistent=False)
        self.raw_MHR = nn.Parameter(torch.empty(fit.num_models, fit.num_heads, len(self.relations)))

        own = torch.arange(fit.num_heads)[:, None] % len(self.relations) == torch.arange(len(self.relations))
        self.register_buffer("first_HR", FIRST_GAIN * own.float(), persistent=False)

    def gains(self) -> Tensor:
        """Return what each head adds where each relation holds, [M, H, R]."""
        assert isinstance(self.first_HR, Tensor)
        return STRIDE * self.raw_MHR.float() + self.first_HR

    def prune(self, threshold: float) -> int:
        """Set gains that are smaller than a threshold to 0; return how many are left."""
        assert isinstance(self.first_HR, Tensor)
        with torch.no_grad():
            is_small = self.gains().abs() < threshold
            self.raw_MHR.copy_(torch.where(is_small, -self.first_HR / STRIDE, self.raw_MHR))
            return int((~is_small).sum())

    def keys(self, queries: Where) -> Tensor:
        """Return the key that each relation has for each query, [X, Y, Q, R], <bos> where it has none."""
        assert isinstance(self.table_4R, Tensor)
        assert isinstance(self.guards_7R, Tensor)
        query, scale = ids_and_scales(queries)
        require_whole(query)
        query, scale = query[..., None], scale[..., None]
        key = solve(self.table_4R, query, scale)
        low, low_0, high, high_0, modulus, remainder, has_no_end = self.guards_7R
        first = low * scale + low_0
        is_allowed = (key >= first) & (key <= query) & ((key <= high * scale + high_0) | (has_no_end == 1))
        return torch.where(is_allowed & ((key - first) % modulus == remainder), key, torch.zeros_like(key))
