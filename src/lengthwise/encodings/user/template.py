"""The file that ``lengthwise new encoding`` writes."""

from __future__ import annotations

TEMPLATE = '''"""A wave of the distance: every head learns how much it likes keys at multiples of a period."""

import math

import torch
from torch import nn

from lengthwise.encodings import Card, Encoding, Option, distances, per_head
from lengthwise.encodings.reference import attend

# The card is read without running this file: write it out, with constants only.
CARD = Card(
    name="NAME",
    title="a wave of the distance, as high as each head learns",
    formula="score(i, j) = q_i·k_j / √d + a_h·cos(2π(i − j) / period)",
    citation="mine",
    acts_on=("scores",),  # ids, input, queries and keys, scores, weights, values, or nothing
    parameters="H",  # how many numbers it learns: N positions, D width, H heads, d head width, options by name
    per_layer=True,  # every layer learns its own
    options=(Option(name="period", default=4.0, low=1.0, high=1000.0, meaning="the length of the wave"),),
    variants=("period=3",),  # other settings that the checks try too
    relation="relative",  # it is a function of i − j alone
    shift_invariant=True,  # adding a number to all positions changes nothing
    bounded_bias=True,  # what it adds to scores stays bounded at all distances
)


class Ripple(Encoding):
    """score = q·k/√d + a_h·cos(2πδ/period), δ = i − j. M models, H heads, Q queries, L keys."""

    card = CARD

    def __init__(self, fit, *, period=4.0):
        super().__init__(fit)
        self.period = period
        self.height_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw):
        """Set what is learned; a random start takes its numbers from ``draw``, see lengthwise.encodings.normal."""
        with torch.no_grad():
            self.height_MH.fill_(1.0)

    def bias(self, queries, keys):
        """Return what is added to scores from the positions of queries and keys, [1 or B, M·H, Q, L]."""
        # within one period, since the cosine of a large angle is off in 32 bits
        wave = torch.cos((distances(queries, keys) % self.period).float() * (2 * math.pi / self.period))
        return per_head(self.height_MH.float()[..., None, None] * wave, self.num_models)


def reference(case):
    """The same in plain Python, slow and obvious; if it is here, the checks compare the two."""
    heights = case.weights["height_MH"]
    period = case.number("period", 4)

    def score(h, i, j):
        return case.similarity(h, i, j) + heights[h] * math.cos(2 * math.pi * case.delta(i, j) / period)

    return attend(case, score)
'''
