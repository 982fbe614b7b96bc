"""No position encoding: order reaches the model through the causal mask alone."""

from __future__ import annotations

from ...crasp.fragments import Fragment
from ...theory.precision.logics import Logic
from ..core.base import Encoding
from ..core.card import DEPTH, FINITE, HUANG, ROUNDED, ROUNDED_ONCE, SEES_THE_PAST, Alias, Bound, Card

CARD = Card(
    name="nope",
    title="no position encoding",
    formula="score(i, j) = q_i·k_j / √d",
    citation="arXiv 2203.16634; arXiv 2305.19466",
    family="absolute",
    order=1,
    acts_on=("nothing",),
    aliases=(
        Alias(
            name="index_hints",
            means="nope",
            why="the hints are tokens of the text, a matter of the task; the model itself has no positions.",
            citation="arXiv 2310.16028; arXiv 2402.09371",
        ),
    ),
    relation="constant",
    at_least=Bound(fragment=Fragment.PLAIN, citation=HUANG),
    at_most=Bound(fragment=Fragment.PLAIN, citation=f"{HUANG}; {DEPTH}", assumption=ROUNDED),
    precise_at_least=SEES_THE_PAST,
    precise_at_most=Bound(fragment=Logic.P, citation=FINITE, assumption=ROUNDED_ONCE),
    few_bits=True,
    shift_invariant=True,
    note="order reaches the model through the causal mask alone.",
)


class NoPE(Encoding):
    """Nothing at all."""

    card = CARD
