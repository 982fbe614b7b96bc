"""Cards of no encoding at all, and of those that add positions to the input."""

from __future__ import annotations

from ..crasp.fragments import Fragment
from .card import DEPTH, HUANG, ROUNDED, UNIFORM_HEADS, Bound, Card, Option

_BASE = Option(name="base", default=10000.0, low=1.0001, high=1e12, meaning="the base of the frequencies")

ABSOLUTE = (
    Card(
        name="nope",
        title="no position encoding",
        formula="score(i, j) = q_i·k_j / √d",
        citation="arXiv 2203.16634; arXiv 2305.19466",
        acts_on=("nothing",),
        module="nope:NoPE",
        at_least=Bound(fragment=Fragment.PLAIN, citation=HUANG),
        at_most=Bound(fragment=Fragment.PLAIN, citation=f"{HUANG}; {DEPTH}", assumption=ROUNDED),
        expressible=Bound(fragment=Fragment.PLAIN, citation=HUANG),
        shift_invariant=True,
        note="order reaches the model through the causal mask alone.",
    ),
    Card(
        name="ape",
        title="learned absolute positions, trained with random offsets",
        formula="x_i ← x_i + P[i + o], o random in training and 0 at test",
        citation=f"{HUANG}; arXiv 2109.05644",
        acts_on=("ids", "input"),
        module="learned:LearnedAPE",
        parameters="N·D",
        at_least=Bound(fragment=Fragment.PERIODIC_LOCAL, citation=HUANG),
        at_most=Bound(
            fragment=Fragment.PERIODIC_LOCAL,
            citation=HUANG,
            assumption="that limit transformers do no more than C-RASP[periodic, local], which is seen but not proved",
        ),
        expressible=Bound(fragment=Fragment.PERIODIC_LOCAL, citation=HUANG),
        shift_invariant=False,
        max_length=True,
        float_ids=False,
    ),
    Card(
        name="learned",
        title="learned absolute positions, always from the first row",
        formula="x_i ← x_i + P[i]",
        citation="arXiv 1706.03762",
        acts_on=("input",),
        module="learned:Learned",
        parameters="N·D",
        shift_invariant=False,
        max_length=True,
        float_ids=False,
        expressible=UNIFORM_HEADS,
        note="rows beyond the training lengths are never trained, so longer inputs meet random rows.",
    ),
    Card(
        name="sinusoidal",
        title="fixed sines and cosines added to the input",
        formula="x_i ← x_i + (sin, cos)(i·θ_t), θ_t = base^(−2t/D)",
        citation="arXiv 1706.03762",
        acts_on=("input",),
        module="sinusoidal:Sinusoidal",
        at_most=Bound(fragment=Fragment.PERIODIC, citation=f"{DEPTH}, appendix E", assumption=ROUNDED),
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        options=(_BASE,),
        note="phases beyond the training lengths are new to the model.",
    ),
    Card(
        name="scaled_sinusoidal",
        title="sines and cosines times a learned gain, added to the input",
        formula="x_i ← x_i + g·(sin, cos)(i·θ_t), θ_t = base^(−2t/D)",
        citation="arXiv 1706.03762; as in x-transformers",
        acts_on=("input",),
        module="sinusoidal:ScaledSinusoidal",
        parameters="1",
        at_most=Bound(fragment=Fragment.PERIODIC, citation=f"{DEPTH}, appendix E", assumption=ROUNDED),
        expressible=UNIFORM_HEADS,
        shift_invariant=False,
        options=(_BASE,),
        note="the gain starts at 1/√D.",
    ),
)
