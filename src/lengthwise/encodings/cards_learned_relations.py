"""Cards of encodings whose position relation is given by a circuit, or learned. Our reconstruction of arXiv 2510.04130."""

from __future__ import annotations

from .card import HIDDEN, UNIFORM_HEADS, Card, Option

_CITATION = "arXiv 2510.04130"
_HINT = Option(name="hint", default=True, meaning="whether relations may speak of the scale")
_CORRECTED = Option(name="corrected", default=True, meaning="whether other positions lose the logarithm of the length")
_EQUATIONS = "a·i + b·q + c·n + d = 0"

LEARNED_RELATIONS = (
    Card(
        name="ipe",
        title="the ideal encoding of a circuit: its operands are told apart, all else is alike",
        formula="score(i, j) = q_i·k_j / √d + Σ_s g_hs·1[j holds operand slot s at i], − log(i + 1) where j holds none",
        citation=_CITATION,
        acts_on=("scores",),
        module="ipe:IPE",
        parameters="(slots + eos)·H",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        bounded_bias=False,
        needs_scale=True,
        float_ids=False,
        options=(
            Option(name="circuit", default="copy", meaning="the circuit, with its parameters in parentheses"),
            _CORRECTED,
            Option(name="eos", default=False, meaning="whether a gate that reads <bos> says when to end"),
        ),
        note="our reconstruction; positions are those behind <bos>; where no gate stands, in the prompt and, without eos, at "
        "the token that predicts <eos>, all positions are others; a circuit whose wiring does not depend on the scale does "
        "not need it.",
    ),
    Card(
        name="lbpe",
        title="learned position relations: gains on 45 equations between key, query and scale",
        formula="score(i, j) = q_i·k_j / √d + b − log(i + 1)·(1 − tanh(relu b)), b = Σ_r g_hr·1[relation r holds for j, i, n]",
        citation=_CITATION,
        acts_on=("scores",),
        module="lbpe:LBPE",
        parameters="(15 + 30·hint)·H",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        bounded_bias=False,
        needs_scale=True,
        float_ids=False,
        options=(_HINT, _CORRECTED),
        note=f"our reconstruction; with key i, query q and scale n, relations are {_EQUATIONS}, (a, b) one of (−1, 1), "
        "(1, 1), (1, 0), c one of 0, −1, −2, and |d| ≤ 2; without the hint c = 0.",
    ),
    Card(
        name="lbpe_grown",
        title="learned position relations: gains on all equations with small coefficients",
        formula="that of lbpe, with other relations",
        citation=_CITATION,
        acts_on=("scores",),
        module="lbpe:LBPEGrown",
        parameters="(30 + 292·hint)·H",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        bounded_bias=False,
        needs_scale=True,
        float_ids=False,
        options=(_HINT, _CORRECTED),
        note=f"ours; relations are {_EQUATIONS} with |a|, |b|, |c| ≤ 2 and |d| ≤ 3, i and q counted from the start or "
        "from n + 1, where <sep> stands behind a prompt of one part; each once, and only those that some visible "
        "pair satisfies.",
    ),
    Card(
        name="lbpe_found",
        title="learned position relations: gains on a few equations that a search has found",
        formula="that of lbpe, with relations that hold for some keys only; a query without a key of theirs points to <bos>",
        citation=_CITATION,
        acts_on=("scores",),
        module="lbpe_found:LBPEFound",
        parameters="slots·H",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        bounded_bias=False,
        needs_scale=True,
        float_ids=False,
        options=(
            Option(
                name="relations",
                default="r(1, -1, 1, 0, 0, 1, 1, 0, 1, 0, 1, -1, 0, 1, 0, 1, 0, -1, 1, 0)",
                meaning="ten numbers for each relation: a, b, c, d, two for each bound of the key, modulus, remainder",
            ),
            _CORRECTED,
        ),
        note=f"ours; relations are {_EQUATIONS} for keys within bounds p·n + o and with a remainder, as "
        "`lengthwise relations TASK` finds them, by default q − i = n in the prompt and q − i = 1; there are so many slots; head h "
        "begins with relation h modulo their number, with gain 4.",
    ),
    Card(
        name="lbpe_mlp",
        title="learned position relations: a network gives each pair a label, and each label has a number",
        formula="score(i, j) = q_i·k_j / √d + softmax(f(j, i, n, i − j, i − j − n, i + j − 2n))·T_h",
        citation=_CITATION,
        acts_on=("scores",),
        module="lbpe_mlp:LBPEMLP",
        parameters="(4 + 3·hint)·hidden + (hidden + 1)·labels + labels·H",
        per_layer=True,
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        bounded_bias=True,
        needs_scale=True,
        options=(
            _HINT,
            Option(name="labels", default=8, low=2, high=1000, meaning="the number of labels"),
            HIDDEN,
            Option(name="hard", default=False, meaning="whether a pair has its likeliest label alone"),
        ),
        note="our reconstruction; f is a network with one hidden layer, and its input is divided by T; a hard label passes "
        "on the gradient of the softmax.",
    ),
)
