"""PaTH: between a key and a query lies a product of reflections that the tokens in between choose (arXiv 2505.16381).

The short convolution that the paper puts before the directions is left out.
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where
from ..core.card import UNIFORM_HEADS, Card
from ..core.initialization import normal

CARD = Card(
    name="path",
    title="products of reflections that the tokens between choose",
    formula="score(i, j) = k_jᵀ H_{j+1} … H_i q_i / √d, H_l = I − β_l w_l w_lᵀ, w_l and β_l from x_l",
    citation="arXiv 2505.16381",
    family="contents",
    order=7,
    acts_on=("scores",),
    parameters="D·H·d + D·H + H",
    per_layer=True,
    at_least=UNIFORM_HEADS,
    solves=("PARITY",),
    shift_invariant=True,
    reads_stream=True,
    note="without the short convolution that the paper puts before the directions.",
)


class PaTH(Encoding):
    """score = k_jᵀ H_{j+1} H_{j+2} … H_i q_i/√d, with H_l = I − β_l w_l w_lᵀ, over places.

    w_l is x_l·direction_h at length 1, β_l = 2σ(x_l·rate_h + rate_bias_h); x is the stream that enters attention.
    """

    card = CARD

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.direction_MDHK = nn.Parameter(torch.empty(fit.num_models, fit.width, fit.num_heads, fit.head_width))
        self.rate_MDH = nn.Parameter(torch.empty(fit.num_models, fit.width, fit.num_heads))
        self.rate_bias_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set the maps to small random numbers and the bias to 0, so that every H starts close to a projection."""
        with torch.no_grad():
            for name, parameter in (("direction", self.direction_MDHK), ("rate", self.rate_MDH)):
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=0.02))
            self.rate_bias_MH.zero_()

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:  # noqa: ARG002
        """Return scores with the reflections between key and query."""
        with torch.autocast(x_MBLD.device.type, enabled=False):  # a triangular system wants 32 bits
            x = x_MBLD.float()
            direction_BMHLK = torch.einsum("mbld,mdhk->bmhlk", x, self.direction_MDHK.float())
            w = functional.normalize(direction_BMHLK, dim=-1, eps=1e-6).flatten(1, 2)
            rate_BMHL = torch.einsum("mbld,mdh->bmhl", x, self.rate_MDH.float()) + self.rate_bias_MH.float()[..., None]
            beta = 2 * torch.sigmoid(rate_BMHL).flatten(1, 2)
            products = path_scores(q.float(), k.float(), w, beta, queries.sees(k.shape[-2]))
        scores: Tensor = products / self.head_width**0.5
        return scores


def path_scores(q: Tensor, k: Tensor, w: Tensor, beta: Tensor, sees: Tensor) -> Tensor:
    """Return k_jᵀ H_{j+1} … H_i q_i for all queries and the keys they see, [B, M·H, Q, L], by one triangular system.

    Proof. Let a_l = w_lᵀ H_{l+1} … H_i q_i. As H_m u = u − β_m (w_m·u) w_m, the vector H_{l+1} … H_i q_i is
    q_i − Σ_{l<m≤i} β_m a_m w_m. Times w_l, this is (I + the part of [β_m w_l·w_m] with m > l) a = [w_l·q_i, or 0 where
    l > i], which makes a_m = 0 for m > i. Times k_j, it is the score, k_j·q_i − Σ_{m>j} β_m (k_j·w_m) a_m. ∎

    Only places from m to i enter a_m, so scores are right where j and i are of one instance, whatever else is in the
    row. No reflection makes a vector longer, so |a_m| ≤ |q_i|.
    """
    w_on_q = torch.where(sees, q @ w.mT, 0.0)  # [B, M·H, Q, L]
    w_on_w = (w @ w.mT) * beta[..., None, :]  # at l, m; only what lies above the diagonal is read
    a = torch.linalg.solve_triangular(w_on_w, w_on_q.mT, upper=True, unitriangular=True)  # [B, M·H, L, Q]
    w_on_k = (k @ w.mT).triu(1) * beta[..., None, :]  # at j, m
    scores: Tensor = q @ k.mT - (w_on_k @ a).mT
    return scores


def reference_path_scores(q: Tensor, k: Tensor, w: Tensor, beta: Tensor, sees: Tensor) -> Tensor:
    """Return the same, walking back from each query one place at a time: the obvious oracle of ``path_scores``."""
    scores = []
    for place in reversed(range(k.shape[-2])):
        k_here, w_here = k[..., place, :, None], w[..., place, :, None]
        scores.append((q @ k_here)[..., 0])
        step = beta[..., place, None, None] * (q @ w_here) * w_here.mT
        q = q - torch.where(sees[..., place, None], step, 0.0)
    return torch.stack(scores[::-1], dim=-1)
