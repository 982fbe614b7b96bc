"""The weights of a stack as one matrix, a row for each model; the parameters of the modules are views of it.

A run is then one vector: it is put into a slot, copied out, saved or moved by a single operation, and the optimizer works
on one tensor. Rows and parameters begin at multiples of 64 bytes, so that vector instructions never span two models.

Shapes: M models, P numbers of a model.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

_ALIGNED = 16  # numbers of 32 bits
_ROW = 64


class Weights:
    """All parameters of a stack, by name, side by side."""

    def __init__(self, named: Mapping[str, nn.Parameter]) -> None:
        first = next(iter(named.values()))
        num_models = first.shape[0]
        self.places: dict[str, tuple[int, int]] = {}
        end = 0
        for name, parameter in named.items():
            start = -(-end // _ALIGNED) * _ALIGNED
            end = start + parameter[0].numel()
            self.places[name] = (start, end)
        width = -(-end // _ROW) * _ROW
        self.values_MP = torch.zeros(num_models, width, dtype=first.dtype, device=first.device)
        self.decays_P = self.values_MP.new_zeros(width)  # 1 for matrices, which decay; 0 for biases, gains and shifts
        self.parameters = list(named.values())
        self._gaps: list[Tensor] = []
        with torch.no_grad():
            for parameter, (start, stop) in zip(self.parameters, self.places.values(), strict=True):
                view = self.values_MP[:, start:stop].view(parameter.shape)
                view.copy_(parameter)
                parameter.data = view
                self.decays_P[start:stop] = float(parameter.dim() > 2)
        starts = [start for start, _ in self.places.values()][1:]
        for (_, stop), following in zip(self.places.values(), [*starts, width], strict=True):
            self._gaps.append(self.values_MP.new_zeros(num_models, following - stop))

    def gradient(self) -> Tensor:
        """Return the gradient of all parameters, [M, P]; a parameter without one does not decay either."""
        parts = []
        for parameter, gap, (start, stop) in zip(self.parameters, self._gaps, self.places.values(), strict=True):
            if parameter.grad is None:
                self.decays_P[start:stop] = 0.0
                parts.append(self.values_MP.new_zeros(parameter.shape[0], stop - start))
            else:
                parts.append(parameter.grad.reshape(parameter.shape[0], -1))
            if gap.shape[1]:
                parts.append(gap)
        return torch.cat(parts, dim=1)

    def forget_gradients(self) -> None:
        """Let go of all gradients, so that the next ones are written, not added."""
        for parameter in self.parameters:
            parameter.grad = None

    def put(self, slot: int, values_P: Tensor) -> None:
        """Set the weights of one model."""
        self.values_MP[slot].copy_(values_P)
