"""Polar positions: content gives only lengths, position only angles (arXiv 2509.10534).

Each channel of a query or key becomes a point of the plane. How far out it lies is softplus of the channel; its angle
is id·θ_c, plus, for keys, a phase that is learned. A score is then a sum over channels of two lengths times the cosine
of an angle that depends on the difference of ids alone. Queries and keys come out twice as wide as they came in.

The paper keeps phases within −2π … 0, where they start at 0. That is a full turn, so the bound excludes no score; but a
phase that is pushed beyond it no longer gets a gradient. Here phases are free, and the functions are the same.
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import BASE, TURNED, Card
from .rope import cosines_and_sines, falling

CARD = Card(
    name="pope",
    title="polar positions: content gives magnitudes, position gives phases",
    formula="score(i, j) = Σ_c softplus(q_ic)·softplus(k_jc)·cos((j − i)θ_c + δ_c) / √d, θ_c = base^(−c/d)",
    citation="arXiv 2509.10534",
    family="rotations",
    order=11,
    acts_on=("queries and keys",),
    parameters="H·d",
    per_layer=True,
    options=(BASE,),
    variants=("base=100",),
    relation="relative",
    precise_at_most=TURNED,
    few_bits=True,
    shift_invariant=True,
    revision=2,
    note="phases are not clipped to −2π … 0 as in the paper: that is a full turn, and a clipped phase gets no gradient.",
)


class PoPE(Encoding):
    """score(i, j) = Σ_c softplus(q_c)·softplus(k_c)·cos((j − i)·θ_c + phase_c)/√K, with θ_c = base^(−c/K)."""

    card = CARD

    def __init__(self, fit: Fit, *, base: float = 10_000.0) -> None:
        super().__init__(fit)
        self.base = base
        self.phase_MHK = nn.Parameter(torch.empty(fit.num_models, fit.num_heads, fit.head_width))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set all phases to 0."""
        with torch.no_grad():
            self.phase_MHK.zero_()

    def phases(self) -> Tensor:
        """Return what is added to the angle of each channel of keys, [M, H, K]."""
        return self.phase_MHK.float()

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return queries, [B, M·H, Q, 2K], and keys, [B, M·H, L, 2K]: cosines first, then sines."""
        q_cos, q_sin = self._waves(queries)
        k_cos, k_sin = (q_cos, q_sin) if keys is queries else self._waves(keys)
        phase_MHLK = self.phases()[:, :, None]
        cos, sin = phase_MHLK.cos(), phase_MHLK.sin()
        # the phase joins as a rotation of its own: added to a large angle, it would lose its last digits
        shifted = k_cos * cos - k_sin * sin, k_sin * cos + k_cos * sin
        return self._polar(q, q_cos, q_sin), self._polar(k, *shifted)

    def _waves(self, where: Where) -> tuple[Tensor, Tensor]:
        """Return cosines and sines of id·θ_c, [1 or B, 1 or M, 1, L, K]."""
        return cosines_and_sines(where, falling(self.base, self.head_width, where.ids_MBL.device))

    def _polar(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        lengths = torch.unflatten(functional.softplus(wide), 1, (-1, self.num_heads))
        return torch.cat([(lengths * cos).to(x.dtype), (lengths * sin).to(x.dtype)], dim=-1).flatten(1, 2)
