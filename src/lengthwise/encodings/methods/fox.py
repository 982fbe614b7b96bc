"""The forgetting transformer: every token decides how much of the past fades when it comes (arXiv 2503.02130).

CABLE (arXiv 2503.08067) is the same with the sign of the weights turned: log σ(−z) = −softplus(z).
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...crasp.fragments import Fragment
from ...seeds import Draw
from ...theory.precision.logics import Logic
from ..core.base import Encoding, Fit, Where
from ..core.card import OURS, ROUNDED_ONCE, Alias, Bound, Card
from ..core.initialization import normal

CARD = Card(
    name="fox",
    title="a forget gate: every token lets what came before it fade",
    formula="score(i, j) = q_i·k_j / √d + Σ_{l=j+1..i} log σ(w_h·x_l + b_h)",
    citation="arXiv 2503.02130; arXiv 2503.08067",
    family="contents",
    order=5,
    acts_on=("scores",),
    parameters="D·H + H",
    per_layer=True,
    aliases=(
        Alias(
            name="cable",
            means="fox",
            why="−softplus(z) = log σ(−z), so the two are one function, with the sign of the weights turned.",
            citation="arXiv 2503.08067",
        ),
    ),
    at_least=Bound(
        fragment=Fragment.PLAIN,
        citation=f"{OURS}: zero keys give uniform heads",
        assumption="the logarithm of an open forget gate rounds to 0",
        status="ours",
    ),
    precise_at_least=Bound(fragment=Logic.S, citation=f"{OURS}, theorem E", assumption=ROUNDED_ONCE, status="ours"),
    few_bits_if_precise=True,
    shift_invariant=True,
    reads_stream=True,
)


class FoX(Encoding):
    """score = q_i·k_j/√d + Σ_{l=j+1..i} log σ(x_l·w_h + b_h), over places; x is the stream that enters attention."""

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.weight_MDH = nn.Parameter(torch.empty(fit.num_models, fit.width, fit.num_heads))
        self.bias_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set the weights to small random numbers and b to 0, so that every gate starts half open."""
        with torch.no_grad():
            self.weight_MDH.copy_(normal(draw.named("weight"), tuple(self.weight_MDH.shape[1:]), deviation=0.02))
            self.bias_MH.zero_()

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return scores less what has been forgotten since the key.

        A difference of running sums holds only the gates between the two places, so instances that share a row do not
        mix.
        """
        with torch.autocast(x_MBLD.device.type, enabled=False):
            gate_BMHL = torch.einsum("mbld,mdh->bmhl", x_MBLD.float(), self.weight_MDH.float())
            kept_BMHL = functional.logsigmoid(gate_BMHL + self.bias_MH.float()[..., None])
            upto = torch.ones(kept_BMHL.shape[-1], kept_BMHL.shape[-1], device=kept_BMHL.device).triu()
            running = (
                kept_BMHL.flatten(1, 2).contiguous() @ upto
            )  # [B, M·H, L]; compilers of torch 2.11 trip over cumsum
        fading = queries.take(running)[..., :, None] - running[..., None, :]
        faded: Tensor = super().scores(q, k, x_MBLD, queries, keys) + fading
        return faded
