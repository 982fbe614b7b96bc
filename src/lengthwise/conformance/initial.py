"""A check of the conformance suite: the values that everything an encoding learns starts with."""

from __future__ import annotations

import torch
from torch import Tensor

from ..encodings.core.base import Encoding
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice
from ..encodings.reference.initial_values import INITIAL_VALUES, WIDTH, Normal, Start
from ..model.shape import Shape
from ..seeds import INITIALIZATION, open_stream
from .models import Nonconforming, fit_for

_SHAPE = Shape(layers=2, heads=4, width=WIDTH)
_SEEDS = tuple(range(128))
_ERRORS = 5.0
"""How many standard errors a mean, a deviation or a share may be away."""


@torch.no_grad()
def check_initial(choice: Choice) -> None:
    """What is learned starts with the values of the reference; models, layers and parameters are drawn independently."""
    encoding = _initialized(choice, _SEEDS)
    for number, seed in enumerate(_SEEDS[:4]):
        alone = dict(_initialized(choice, (seed,)).named_parameters())
        for name, parameter in encoding.named_parameters():
            if not torch.equal(parameter[number], alone[name][0]):
                raise Nonconforming(f"{name} starts with other values in a stack than alone")
    if any(part.path for part in choice.parts):
        return  # a user's file does not say where its parameters start
    found: dict[str, list[Tensor]] = {}
    starts: dict[str, Start] = {}
    for module in encoding.modules():
        parameters = dict(module.named_parameters(recurse=False))
        if not parameters or not isinstance(module, Encoding):
            continue
        known = INITIAL_VALUES[module.card.name]({name: tuple(each.shape[1:]) for name, each in parameters.items()})
        if set(known) != set(parameters):
            raise Nonconforming(f"{', '.join(parameters)} are learned; the reference knows {', '.join(known)}")
        for name, parameter in parameters.items():
            key = f"{module.card.name}: {name}"
            starts[key] = known[name]
            found.setdefault(key, []).append(parameter)
    for key, start in starts.items():
        _require_start(key, torch.stack(found[key]), start)
    _require_independent(
        [values for key, start in starts.items() if isinstance(start, Normal) for values in found[key]]
    )


def _initialized(choice: Choice, seeds: tuple[int, ...]) -> Encoding:
    encoding = make_encoding(choice, fit_for(_SHAPE, models=len(seeds), room=64))
    encoding.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
    return encoding


def _require_start(name: str, values: Tensor, start: Start) -> None:
    """Raise unless the values of a parameter in all layers and models are those of the reference."""
    if not isinstance(start, Normal):
        expected = torch.tensor(start).expand(values.shape)
        if not torch.allclose(values, expected, rtol=1e-4, atol=1e-7):
            raise Nonconforming(f"{name} starts with values around {values.mean().item():.3g}, not {start}")
        return
    count = values.numel()
    error = _ERRORS / count**0.5
    mean, deviation = values.mean().item() / start.deviation, values.square().mean().sqrt().item() / start.deviation
    central = (values.abs() < 0.6745 * start.deviation).float().mean().item()  # half of all normal numbers
    if abs(mean) > error or abs(deviation - 1) > error or abs(central - 0.5) > error:
        raise Nonconforming(
            f"{name} starts with mean {values.mean().item():.3g} and deviation {deviation * start.deviation:.3g}, "
            f"{central:.0%} of {count} within the middle half; the reference has normal numbers of deviation {start.deviation:.3g}"
        )


def _require_independent(parameters: list[Tensor]) -> None:
    """Raise if two models, layers or parameters begin with the same random numbers, up to their size."""
    seen: set[tuple[int, ...]] = set()
    for parameter in parameters:
        for values in parameter.flatten(1):
            first = values[:8] / values[0].abs().clamp(min=1e-30)
            key = tuple((first * 1000).round().int().tolist())
            if len(key) > 3 and key in seen:
                raise Nonconforming("two models, layers or parameters start with the same random numbers")
            seen.add(key)
