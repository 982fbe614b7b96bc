"""Two checks of the conformance suite: slopes by differences, and the positions that training draws."""

from __future__ import annotations

import torch
from torch import Tensor

from ..encodings.core.attend import attend
from ..encodings.core.base import Encoding, Where
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice
from ..seeds import INITIALIZATION, open_stream
from .cases import stir
from .models import SHAPE, Nonconforming, fit_for

_STEP = 1e-3  # relative to how large a tensor is
_FEW = 4  # numbers, each of which is tried by itself


def check_slopes(choice: Choice) -> None:
    """Compare gradients of attention, by what enters it and by every parameter, with differences along a direction."""
    encoding = make_encoding(choice, fit_for(SHAPE))
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    stir(encoding, (0,))
    kind = encoding.at_layer(0)
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 12, 8, generator=generator)
    x = torch.randn(1, 1, 12, 16, generator=generator)
    weight = torch.randn(1, 2, 12, 8, generator=generator)
    ids = torch.arange(12).expand(1, 1, 12)
    at = Where(ids, ids * 0 + 12, ids * 0 + 12)
    entering = {"queries": q, "keys": k, "values": v, "the stream": x}

    def loss() -> Tensor:
        turned = kind.transform(entering["queries"], entering["keys"], entering["the stream"], at, at)
        mixed = attend(*turned, entering["values"], entering["the stream"], kind, at, at)
        return (mixed.double() * weight.double()).sum()

    subjects: dict[str, Tensor] = {**entering, **dict(kind.named_parameters())}
    for name, subject in subjects.items():
        for other in subjects.values():
            other.requires_grad_(False)
        subject.requires_grad_(True)
        total = loss()
        gradient = torch.autograd.grad(total, subject, allow_unused=True)[0] if total.requires_grad else None
        slope = torch.zeros_like(subject) if gradient is None else gradient
        subject.requires_grad_(False)
        for direction in _directions(subject, generator):
            subject += _STEP * direction
            above = loss().item()
            subject -= 2 * _STEP * direction
            below = loss().item()
            subject += _STEP * direction
            expected, found = (above - below) / (2 * _STEP), (slope * direction).sum().item()
            if abs(found - expected) > 0.1 * abs(expected) + 0.03:
                raise Nonconforming(f"the gradient by {name} along a direction is {found:.4g}, not {expected:.4g}")


def _directions(subject: Tensor, generator: torch.Generator) -> list[Tensor]:
    """Return directions as large as a tensor: a random one, or every single number where there are few."""
    size = subject.abs().mean()
    if subject.numel() > _FEW:
        return [torch.randn(subject.shape, generator=generator) * size]
    return [one.reshape(subject.shape) * 3 * size for one in torch.eye(subject.numel())]


def check_training_ids(choice: Choice, encoding: Encoding, given: Tensor, drawn: Tensor, inside: Tensor) -> None:
    """Compare the ids of training, [B, L], with those at test and the definition of the encoding."""
    source = choice.card.ids_from
    if source == "order" and choice.card.shifts_ids:
        _require_shifts(drawn - given, inside, inside, 40)
    elif choice.card.shifts_ids:
        moved = inside & (given > 0)
        if (drawn[inside & (given == 0)] != 0).any():
            raise Nonconforming("position 0 is moved in training")
        _require_shifts(drawn - given, moved, inside, 41 if source == "digits" else 40)  # digits count from 1
    elif source in ("sample", "fractions"):
        length = getattr(encoding, "length")  # noqa: B009  # what draws ids has the length of its range
        steps = drawn.diff(dim=-1)[inside[:, 1:]]
        if (steps < (1 if source == "sample" else 0)).any() or drawn[inside].max() >= length or drawn.min() < 0:
            raise Nonconforming("positions in training are not a sorted sample")
        if drawn[inside].max() < 0.7 * length or drawn[inside].min() > 0.3 * length:
            raise Nonconforming("positions in training do not reach over the range")
        if len(set(steps.tolist())) < 5:
            raise Nonconforming("positions in training are evenly spaced")
        if source == "fractions" and (drawn[inside] % 1 == 0).float().mean() > 0.05:
            raise Nonconforming("positions in training are whole numbers")
    elif not choice.bases and not torch.equal(given, drawn):
        raise Nonconforming("positions in training differ from those at test")


def _require_shifts(shift: Tensor, moved: Tensor, inside: Tensor, room: int) -> None:
    """Raise unless each instance is moved by one number, and these run from 0 to what its size leaves of the room."""
    low = torch.where(moved, shift, room).min(-1).values
    high = torch.where(moved, shift, -1).max(-1).values
    if (low != high)[moved.any(-1)].any() or low.min() < 0:
        raise Nonconforming("positions of one instance are moved by different numbers")
    sizes = inside.sum(-1)
    for size in sorted(set(sizes.tolist())):
        rows = moved.any(-1) & (sizes == size)
        found = sorted(set(low[rows].tolist()))
        if (found[0], found[-1]) != (0, room - size) or len(found) < 10:
            raise Nonconforming(
                f"instances of {size} tokens are moved by {found[0]} to {found[-1]}, where there is room for {room - size}"
            )
