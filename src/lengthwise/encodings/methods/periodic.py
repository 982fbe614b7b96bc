"""A learned table of positions that repeats: row i mod period, at every length.

Theory asks for exactly this where the position modulo a number decides (docs/concepts/encodings.md). Nothing grows with the length, so
rows that training has seen are all there are.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from ...crasp.fragments import Fragment
from ...theory.precision.logics import Logic
from ..core.base import Fit, Where
from ..core.card import DEPTH, ROUNDED, ROUNDED_ONCE, SEES_THE_PAST, TURNING, UNIFORM_HEADS, Bound, Card, Option
from .learned import Learned

CARD = Card(
    name="periodic",
    title="a learned table of positions that repeats",
    formula="x_i ← x_i + P[i mod period]",
    citation="arXiv 2608.11909",
    family="absolute",
    order=6,
    acts_on=("input",),
    parameters="period·D",
    options=(
        Option(name="period", default=12, low=1, high=10_000, meaning="after how many positions the table repeats"),
    ),
    variants=("period=2", "period=5"),
    at_least=(Bound(fragment=Fragment.PERIODIC, citation=TURNING, period="period"), UNIFORM_HEADS),
    at_most=Bound(fragment=Fragment.PERIODIC, citation=f"{TURNING}; {DEPTH}", assumption=ROUNDED),
    precise_at_least=(Bound(fragment=Logic.P_MOD, citation=TURNING, period="period"), SEES_THE_PAST),
    precise_at_most=Bound(fragment=Logic.P_MOD, citation=TURNING, assumption=ROUNDED_ONCE),
    few_bits=True,
    shift_invariant=False,
    float_ids=False,
    has_table=True,
    note="a solution that needs the position modulo m is there if the period is a multiple of m.",
)


class Periodic(Learned):
    """x_i ← x_i + P[i mod period]."""

    card = CARD

    def __init__(self, fit: Fit, *, period: int = 12) -> None:
        super().__init__(replace(fit, max_length=period))
        self.max_length = None  # it works at any length
        self.period = period

    def embed(self, at: Where) -> Tensor:
        """Return the rows of the table."""
        return super().embed(at._replace(ids_MBL=at.ids_MBL % self.period))
