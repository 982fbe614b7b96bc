"""No position encoding: order reaches the model through the causal mask alone."""

from __future__ import annotations

from .base import Encoding


class NoPE(Encoding):
    """Nothing at all."""
