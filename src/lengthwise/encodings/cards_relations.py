"""Cards of encodings of the theory of position relations: distances, the scale hint, and the length correction."""

from __future__ import annotations

from .card import UNIFORM_HEADS, Card, Option

RELATIONS_CARDS = (
    Card(
        name="rpe",
        title="a learned number for every distance",
        formula="score(i, j) = q_i·k_j / √d + b_h[i − j], b = 0 at the start",
        citation="our reconstruction of arXiv 2510.04130",
        acts_on=("scores",),
        module="rpe:RPE",
        parameters="2·N·H",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        relation="relative",
        shift_invariant=True,
        bounded_bias=True,
        max_length=True,
        float_ids=False,
        note="a distance that training never meets adds nothing; negative distances have rows too, for coupling and scale_hint.",
    ),
    Card(
        name="scale_hint",
        title="an encoding of distances that is told the scale of the instance",
        formula="the base with i − n instead of i for the query: what depends on i − j depends on i − j − n",
        citation="our reconstruction of arXiv 2510.04130",
        acts_on=("queries and keys", "scores"),
        module="scale_hint:ScaleHint",
        relation="relative_scaled",
        shift_invariant=True,
        needs_scale=True,
        bases=("rpe",),
        note="alibi, learned_alibi, t5 and shaw have no meaning of their own for negative distances: they see |i − j − n|.",
    ),
    Card(
        name="length_corrected",
        title="a bias whose pull does not fade as more tokens are seen",
        formula="b ← b − log(s_i)·(1 − tanh(max(b, 0))), b the bias of the base, s_i the number of tokens that i sees",
        citation="our reconstruction of arXiv 2510.04130",
        acts_on=("scores",),
        module="length_corrected:LengthCorrected",
        shift_invariant=True,
        bases=("rpe",),
        note="around biases that can be positive; of a penalty it would take the same from all keys, which softmax does not see.",
    ),
    Card(
        name="rpe_square",
        title="the relative position of the relative positions to tokens that attention finds",
        formula="score(i, j) = q_i·k_j / √d + Σ_k Σ_l a_ik b_jl R_h[(i − k) − (j − l)], a and b softmaxes of contents, R clipped at ±reach",
        citation="our reconstruction of arXiv 2410.08898",
        acts_on=("scores",),
        module="rpe_square:RPESquare",
        parameters="(2·reach + 1)·H + 4·D·H·width",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        shift_invariant=True,
        options=(
            Option(name="reach", default=16, low=0, high=100_000, meaning="the difference from which all are alike"),
            Option(name="width", default=8, low=1, high=10_000, meaning="the width of the maps that find tokens"),
        ),
        note="distances count tokens, whatever their ids.",
    ),
)
