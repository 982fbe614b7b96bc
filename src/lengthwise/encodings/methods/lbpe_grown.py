"""Gains on all equations with small coefficients, instead of a few that were chosen knowing some tasks; ours."""

from __future__ import annotations

from itertools import product
from math import gcd

import torch

from ...theory.positions.relations_ideal import Equation
from ..core.card import CORRECTED, EQUATIONS, HINT, POINTING, Card
from .lbpe import LBPE, coefficient_table, solve

CARD = Card(
    name="lbpe_grown",
    title="learned position relations: gains on all equations with small coefficients",
    formula="that of lbpe, with other relations",
    order=3,
    parameters="(30 + 292·hint)·H",
    options=(HINT, CORRECTED),
    scale_options=("hint",),
    learns_relations=True,
    **POINTING,
    note=f"ours; relations are {EQUATIONS} with |a|, |b|, |c| ≤ 2 and |d| ≤ 3, i and q counted from the start or "
    "from n + 1, where <sep> stands behind a prompt of one part; each once, and only those that some visible "
    "pair satisfies.",
)

_GROWN_COEFFICIENT = 2
_GROWN_CONSTANT = 3
_PROBED_SCALE = 20  # a relation that no visible pair satisfies at this scale is left out


def grown_dictionary(*, hint: bool) -> list[Equation]:
    """Return all relations with small coefficients that some visible pair satisfies, each once.

    |a|, |b|, |c| ≤ 2 and |d| ≤ 3, where i and q count from the start of the row or, if the scale is known, from <sep>, which
    stands at n + 1 behind a prompt of one part. Relations without i are left out: they add the same to all keys.

    >>> len(grown_dictionary(hint=True)), len(grown_dictionary(hint=False))
    (322, 30)
    """
    most = _GROWN_COEFFICIENT
    coefficients = range(-most, most + 1)
    starts = (0, 1) if hint else (0,)
    found: dict[tuple[int, int, int, int], None] = {}
    for a, b, c, d in product(
        range(1, most + 1), coefficients, coefficients if hint else (0,), range(-_GROWN_CONSTANT, _GROWN_CONSTANT + 1)
    ):
        for from_sep_i, from_sep_q in product(starts, starts):
            moved = a * from_sep_i + b * from_sep_q  # i − (n + 1) in place of i
            relation = (a, b, c - moved, d - moved)
            common = gcd(*relation)
            found[tuple(number // common for number in relation)] = None  # type: ignore[index]
    every = sorted(found, key=lambda relation: (sum(map(abs, relation)), relation))
    made = [Equation(key=a, query=b, scale=c, constant=d) for a, b, c, d in every]
    query = torch.arange(4 * _PROBED_SCALE)[None, :]
    key_QR = solve(coefficient_table(made), query[..., None], torch.full_like(query, _PROBED_SCALE)[..., None])[0]
    is_met = ((key_QR >= 0) & (key_QR <= query[0, :, None])).any(0).tolist()
    return [relation for relation, met in zip(made, is_met, strict=True) if met]


class LBPEGrown(LBPE):
    """The same with all relations of small coefficients, instead of a few that were chosen knowing some tasks."""

    card = CARD

    @staticmethod
    def make_dictionary(*, hint: bool) -> list[Equation]:
        """Return the relations to choose from."""
        return grown_dictionary(hint=hint)
