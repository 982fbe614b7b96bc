"""Penalties that grow like a logarithm or a power of the distance, learned in every head (arXiv 2205.09921)."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ..seeds import Draw
from .alibi import slopes, softplus_inverse
from .base import Encoding, Fit, Where, distances, per_head


class KerpleLog(Encoding):
    """score_ij = q_i·k_j/√d − r₁ log(1 + r₂|i − j|), with r₁ and r₂ the softplus of what is learned; both start at 1."""

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.scale_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))
        self.rate_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set r₁ and r₂ to 1."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(softplus_inverse(torch.ones_like(parameter)))

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return the penalties."""
        scale, rate = (
            functional.softplus(raw_MH.float())[..., None, None] for raw_MH in (self.scale_raw_MH, self.rate_raw_MH)
        )
        far = distances(asking, at).float().abs()
        return per_head(-scale * torch.log1p(rate * far), scale.shape[0])


class KerplePower(Encoding):
    """score_ij = q_i·k_j/√d − r₁|i − j|^r₂, r₁ = softplus(scale) and r₂ = 2σ(power); it starts as ALiBi."""

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self.scale_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))
        self.power_raw_MH = nn.Parameter(torch.empty(fit.num_models, fit.num_heads))

    def initialize(self, draw: Draw) -> None:  # noqa: ARG002
        """Set r₁ to the slopes of ALiBi and r₂ to 1."""
        with torch.no_grad():
            self.scale_raw_MH.copy_(softplus_inverse(slopes(self.num_heads)))
            self.power_raw_MH.zero_()

    def bias(self, asking: Where, at: Where) -> Tensor:
        """Return the penalties."""
        scale = functional.softplus(self.scale_raw_MH.float())[..., None, None]
        power = 2 * torch.sigmoid(self.power_raw_MH.float())[..., None, None]
        far = distances(asking, at).float().abs()
        is_far = far > 0
        # 0^r is 0 whatever r is, but its derivative, 0^r log 0, would be computed as 0·(−∞)
        raised = torch.where(is_far, torch.where(is_far, far, 1.0) ** power, 0.0)
        return per_head(-scale * raised, scale.shape[0])
