"""AdamW over a stack: every model has its own learning rate, decay, clip and number of steps taken.

Shapes: M models, P numbers of a model, T steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .settings import Training
from .weights import Weights

BETAS = (0.9, 0.999)
EPSILON = 1e-8

FACTORS = ("size", "epsilon", "decay", "clip")
"""What a step of a model is computed with: the numbers of :func:`step_factors`, in this order."""

IDLE = (0.0, 1.0, 0.0, 1.0)
"""The factors of a slot whose weights stay as they are."""


def step_factors(training: Training, rate: float, step: int) -> tuple[float, ...]:
    """Return the factors of one step: a warm-up, then linear decay to 0; after the last step the weights stay.

    They are computed in Python, once for a step. A function such as a power, computed on the device for all models at once,
    could round differently in a stack and alone.
    """
    if step >= training.steps:
        return IDLE
    warm = min(1.0, (step + 1) / max(1, training.warmup))
    scaled = rate * warm * (1 - step / training.steps)
    return adam_factors(scaled, step, weight_decay=training.weight_decay, clip=training.clip)


def adam_factors(rate: float, step: int, *, weight_decay: float, clip: float) -> tuple[float, ...]:
    """Return the factors of step ``step``, from 0, at a learning rate."""
    first, second = BETAS
    second_correction = (1 - second ** (step + 1)) ** 0.5
    correction = second_correction / (1 - first ** (step + 1))
    return rate * correction, EPSILON * second_correction, rate * weight_decay, clip


class StackedAdamW:
    """AdamW (Loshchilov and Hutter 2019) for the weights of a stack.

    Weight decay applies to matrices, not to biases, gains and shifts.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.means_MP = torch.zeros_like(weights.values_MP)
        self.squares_MP = torch.zeros_like(weights.values_MP)

    @torch.no_grad()
    def step(self, gradient_MP: Tensor, factors_FM: Tensor) -> None:
        """Take a step with the factors of each model; a model that is idle keeps its weights."""
        size, epsilon, decay, clip = factors_FM[:, :, None].unbind(0)
        first, second = BETAS
        gradient_MP = gradient_MP * clip_scales(gradient_MP, clip[:, 0])[:, None]
        self.means_MP.mul_(first).add_(gradient_MP, alpha=1 - first)
        self.squares_MP.mul_(second).addcmul_(gradient_MP, gradient_MP, value=1 - second)
        update_MP = self.means_MP / (self.squares_MP.sqrt() + epsilon) * size
        self.weights.values_MP.mul_(1 - decay * self.weights.decays_P).sub_(update_MP)

    def clear(self, slots: Sequence[int]) -> None:
        """Forget the moments of these models."""
        for slot in slots:
            self.means_MP[slot] = 0.0
            self.squares_MP[slot] = 0.0


def clip_scales(gradient_MP: Tensor, clip_M: Tensor) -> Tensor:
    """Return, per model, what its gradient is multiplied by so that its norm is at most its clip."""
    # the numbers of a model lie along the last axis, where a stack and a single model are summed in the same order
    return (clip_M / (gradient_MP.square().sum(1).sqrt() + 1e-6)).clamp(max=1.0)
