"""AdamW over a stack: every model has its own learning rate and its own clipping."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class StackedAdamW:
    """AdamW (Loshchilov and Hutter 2019) for parameters that lead with the model axis.

    Weight decay applies to matrices, not to biases, gains and shifts (those have two axes here, models first).
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        *,
        weight_decay: float,
        clip: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
    ) -> None:
        self.parameters = list(parameters)
        self.weight_decay = weight_decay
        self.clip = clip
        self.betas = betas
        self.epsilon = epsilon
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in self.parameters]

    @torch.no_grad()
    def step(self, rates_M: Tensor, number: Tensor) -> None:
        """Take step ``number``, from 0, with these learning rates; a model whose rate is zero keeps its weights."""
        gradients = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        scales_M = self._clip_scales(gradients)
        first, second = self.betas
        taken = (number + 1).to(torch.float64)
        second_correction = (1 - second**taken).sqrt()
        correction = (second_correction / (1 - first**taken)).to(rates_M.dtype)
        epsilon = (self.epsilon * second_correction).to(rates_M.dtype)
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            if parameter.grad is None:
                continue
            over_rest = (-1, *[1] * (parameter.dim() - 1))
            rates = rates_M.view(over_rest)
            gradient = parameter.grad * scales_M.view(over_rest)
            mean.mul_(first).add_(gradient, alpha=1 - first)
            square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
            if self.weight_decay and parameter.dim() > 2:
                parameter.mul_(1 - rates * self.weight_decay)
            parameter.sub_(mean / (square.sqrt() + epsilon) * (rates * correction))

    def _clip_scales(self, gradients: list[Tensor]) -> Tensor:
        """Return, per model, what its gradient is multiplied by so that its norm is at most ``clip``."""
        # parameters lie along the last axis, where a stack and a single model are summed in the same order
        flat = (gradient.reshape(gradient.shape[0], -1) for gradient in gradients)
        squares_M = torch.stack([gradient.square().sum(1) for gradient in flat], dim=1).sum(1)
        return (self.clip / (squares_M.sqrt() + 1e-6)).clamp(max=1.0)

    def keep(self, chosen: Tensor) -> None:
        """Forget all models but these; their parameters have been cut down already."""
        self.means = [mean[chosen] for mean in self.means]
        self.squares = [square[chosen] for square in self.squares]

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters:
            parameter.grad = None
