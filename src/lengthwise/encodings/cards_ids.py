"""Cards of wrappers: what they do to the ids, the windows or the layers of another encoding."""

from __future__ import annotations

from ..crasp.fragments import Fragment
from .card import Bound, Card, Option

WRAPPERS = (
    Card(
        name="window",
        title="every head sees the last few tokens only",
        formula="score(i, j) = that of the base if i − j < window, else −∞",
        citation="arXiv 2004.05150",
        acts_on=("scores",),
        module="windows:Window",
        at_most=Bound(
            fragment=Fragment.LOCAL,
            citation="without positions the output depends on the last layers·(window − 1) + 1 symbols only",
        ),
        shift_invariant=True,
        bounded_bias=False,
        options=(Option(name="window", default=4, low=1, high=10**6, meaning="how many tokens are seen"),),
        bases=("nope",),
    ),
    Card(
        name="interleaved",
        title="layers of one encoding, with every so many a layer of another",
        formula="layer l = 1, 2, … uses the second base if l is a multiple of every, otherwise the first",
        citation="arXiv 2501.18795",
        acts_on=("queries and keys", "scores"),
        module="interleaved:Interleaved",
        shift_invariant=True,
        options=(Option(name="every", default=2, low=1, high=100, meaning="how often the second base comes"),),
        bases=("window(rope, window=8)", "nope"),
    ),
    Card(
        name="offset",
        title="positions that start at a random number in training",
        formula="the base at i + o, o random in training and 0 at test",
        citation="arXiv 2109.05644; arXiv 2410.02140",
        acts_on=("ids",),
        module="positions:Offset",
        shift_invariant=False,
        bases=("sinusoidal",),
    ),
    Card(
        name="randomized",
        title="positions that are a random sorted sample of a longer range",
        formula="the base at the sorted sample p_1 < … < p_n of {0, …, length − 1}, in training and at test",
        citation="arXiv 2305.16843",
        acts_on=("ids",),
        module="positions:Randomized",
        shift_invariant=False,
        prefix_consistent=False,
        options=(
            Option(
                name="length", default=0, low=0, high=10**7, meaning="the range; 0: four times the longest instance"
            ),
        ),
        bases=("sinusoidal",),
        max_length=True,
        needs_scale=True,
        note="a batch shares one order of the range, of which an instance of n tokens takes the first n; at test it is fixed.",
    ),
    Card(
        name="random_float",
        title="positions that are sorted random fractions",
        formula="the base at sorted uniform numbers p_1 ≤ … ≤ p_n of [0, length), in training and at test",
        citation="arXiv 2602.14050",
        acts_on=("ids",),
        module="positions:RandomFloat",
        shift_invariant=False,
        prefix_consistent=False,
        options=(
            Option(name="length", default=0, low=0, high=10**7, meaning="the range; 0: that of the longest instance"),
        ),
        bases=("rope",),
        needs_scale=True,
        note="at test the numbers of an instance come from a fixed key.",
    ),
    Card(
        name="coupling",
        title="one position for all tokens of a role",
        formula="the base at the role of each token, as its task gives it, from a random start in training",
        citation="arXiv 2405.20671; arXiv 2410.15787; arXiv 2502.16792",
        acts_on=("ids",),
        module="positions:Coupling",
        shift_invariant=False,
        bases=("learned",),
        note="needs a task whose tokens have roles; that of an answer's token may depend on the prompt only.",
    ),
    Card(
        name="abacus",
        title="the place of a digit within its number",
        formula="the base at 1 + the index in the run of digits (+ a random number in training), other tokens at 0",
        citation="arXiv 2405.17399",
        acts_on=("ids",),
        module="positions:Abacus",
        shift_invariant=False,
        bases=("learned",),
        note="meant for numbers written from their least significant digit.",
    ),
)
