"""The cases of the conformance suite: random rows of tokens as tensors for the module and as lists for its reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..encodings.core.base import Encoding, Fit, Where
from ..encodings.core.choice import Choice
from ..encodings.reference.case import Case as LiteralCase
from ..encodings.reference.catalog import BASE_OF_LAYER, EMBEDDED, FIRST_SEEN, REFERENCES
from ..encodings.user.load import load_user_reference

LENGTH = 17
LONG = 130
"""A number of tokens beyond blocks of 64 and of 128, in which fast programs like to compute."""
ASKING = (65, 129)
"""The places of a long row whose outputs are compared: a reference in plain Python takes long for all."""


class Unmeasured(Exception):
    """A check has nothing to compare an encoding with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row of tokens for one model: q, k, v are [1, H, n, d], and so on."""

    q: Tensor
    k: Tensor
    v: Tensor
    x_MBLD: Tensor
    at: Where
    first: list[int]
    trained: int
    asking: tuple[int, ...] = ()

    def literal(self, weights: dict[str, Any], options: dict[str, Any], first: list[int] | None = None) -> LiteralCase:
        """Return the same as lists."""
        return LiteralCase(
            q=self.q[0].tolist(),
            k=self.k[0].tolist(),
            v=self.v[0].tolist(),
            x=self.x_MBLD[0, 0].tolist(),
            ids=self.at.ids_MBL[0, 0].tolist(),
            first=self.first if first is None else first,
            size=self.at.sizes_MBL[0, 0].tolist(),
            scale=self.at.scale_MBL[0, 0].tolist(),
            trained=self.trained,
            weights=weights,
            options=options,
            queries=self.asking,
        )

    def embedded(self, choice: Choice, encoding: Encoding) -> list[list[float]] | None:
        """Return what the reference adds to the input, or None."""
        base = getattr(encoding, "base", None)
        if isinstance(base, Encoding):
            return self.embedded(choice.bases[0], base)
        find = EMBEDDED.get(choice.card.name) if not choice.path else None
        if find is None:
            return None
        return find(self.literal(_weights(encoding), dict(choice.options)), self.x_MBLD.shape[-1])


def make_case(choice: Choice, encoding: Encoding, fit: Fit, layout: str, *, seed: int) -> Case:
    """Return a random row whose ids are in a row, with gaps, of two instances that share the row, fractions, 130, or large.

    An instance of s tokens has the scale ⌊s/2⌋ − 1, as one that copies has: a scale is not a number of tokens.
    """
    length = LONG if layout == "long" else LENGTH
    generator = torch.Generator().manual_seed(1000 + seed)
    q, k, v = torch.randn(3, 1, fit.num_heads, length, fit.head_width, generator=generator)
    x = torch.randn(1, 1, length, fit.width, generator=generator)
    first, sizes = [0] * length, [length] * length
    if layout == "plain":
        ids = own_ids(choice, encoding)
    elif layout == "fractions":
        ids = torch.linspace(0.25, 23.5, length)
    elif layout == "spread":
        ids = torch.tensor([0, 1, 2, 3, 4, 5, 7, 9, 12, 20, 33, 34, 100, 112, 113, 301, 599])
    elif layout == "long":
        ids = torch.arange(length)
        # queries of the last head like no key, so that far keys count too where near ones come first
        q[:, -1, :, 0], k[:, -1, :, 0] = -10, 1
    elif layout == "far":
        ids = torch.tensor([0, 3, 50_021, 99_017, 99_901, *range(99_989, 99_999), 100_003, 100_004])
        sizes = [100_005] * length
    else:
        ids = torch.tensor([*range(7), *range(10)])
        first, sizes = [0] * 7 + [7] * 10, [7] * 7 + [10] * 10
    start = torch.tensor(first)
    place = torch.arange(length)
    sees = (place[None] <= place[:, None]) & (place[None] >= start[:, None])
    whole = torch.tensor(sizes)[None, None]
    scale = whole.clamp(max=length) // 2 - 1
    at = Where(ids[None, None], scale, whole, None if layout != "packed" else sees[None, None])
    asking = ASKING if layout == "long" else ()
    return Case(q=q, k=k, v=v, x_MBLD=x, at=at, first=first, trained=fit.trained, asking=asking)


def own_ids(choice: Choice, encoding: Encoding) -> Tensor:
    """Return the ids that an encoding gives at test, after comparing them with what its definition says."""
    tokens = torch.tensor([[[5, 6, 6, 1, 5, 2, 2, 6, 5, 5, 5, 0, 3, 4, 6, 5, 1]]])
    roles = torch.tensor([[[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8]]])
    ids = encoding.ids(tokens, torch.tensor([[LENGTH]]), None, roles)[0, 0]
    source = choice.card.ids_from
    if source == "roles":
        expected = roles[0, 0].tolist()
    elif source == "digits":
        expected = _digit_runs(tokens[0, 0].tolist(), digits=(5, 6))
    elif source in ("sample", "fractions"):
        length = getattr(encoding, "length")  # noqa: B009  # what draws ids has the length of its range
        numbers = ids.tolist()
        if numbers != sorted(numbers) or not 0 <= numbers[0] <= numbers[-1] < length:
            raise AssertionError(f"{numbers} are not sorted numbers within 0 and {length}")
        if source == "sample" and len(set(numbers)) < LENGTH:
            raise AssertionError(f"{numbers} repeat")
        return ids
    else:
        expected = list(range(LENGTH))
    if ids.tolist() != expected:
        raise AssertionError(f"ids are {ids.tolist()} instead of {expected}")
    return ids


def _digit_runs(tokens: Sequence[int], digits: tuple[int, ...]) -> list[int]:
    ids: list[int] = []
    for token in tokens:
        ids.append((ids[-1] + 1 if ids else 1) if token in digits else 0)
    return ids


def literal_outputs(choice: Choice, layer: int, kind: Encoding, case: Case, first: list[int] | None = None) -> Any:
    """Return what the reference of an encoding passes on, out[h][i][c], with the weights of the layer's module."""
    name, options = choice.card.name, dict(choice.options)
    if name in BASE_OF_LAYER:
        return literal_outputs(choice.bases[BASE_OF_LAYER[name](layer, options)], layer, kind, case, first)
    if name in FIRST_SEEN:
        base = kind.base
        assert isinstance(base, Encoding)
        near = FIRST_SEEN[name](case.at.ids_MBL[0, 0].tolist(), case.first, options)
        return literal_outputs(choice.bases[0], layer, base, case, near)
    if choice.bases and "ids" in choice.card.acts_on:
        return literal_outputs(choice.bases[0], layer, kind, case, first)
    return find_reference(choice)(case.literal(_weights(kind), _options(choice), first))


def find_reference(choice: Choice) -> Callable[[LiteralCase], Any]:
    """Return the literal reference of an encoding: that of the package, or the function ``reference`` of a user's file."""
    if not choice.path:
        if any(base.path for base in choice.bases):
            raise Unmeasured(f"the reference of {choice.card.name!r} knows encodings of the package only")
        return REFERENCES[choice.card.name]
    found = load_user_reference(choice.path, choice.text)
    if found is None:
        raise Unmeasured(f"{choice.path!r} has no function reference(case) to compare with")
    reference: Callable[[LiteralCase], Any] = found
    return reference


def _options(choice: Choice) -> dict[str, Any]:
    """Return the options of an encoding, and behind ``base.`` those of the one that it is put around."""
    options: dict[str, Any] = dict(choice.options)
    if choice.bases:
        options["base"] = choice.bases[0].card.name
        options |= {f"base.{key}": value for key, value in _options(choice.bases[0]).items()}
    return options


def _weights(module: Encoding) -> dict[str, Any]:
    return {name: parameter.detach()[0].tolist() for name, parameter in module.named_parameters()}


def stir(encoding: Encoding, seeds: Sequence[int]) -> None:
    """Move all parameters of each model away from where they start, by numbers that depend on its seed alone."""
    with torch.no_grad():
        for number, (name, parameter) in enumerate(encoding.named_parameters()):
            for model, seed in enumerate(seeds):
                generator = torch.Generator().manual_seed(1 + 97 * seed + number)
                noise = torch.randn(parameter.shape[1:], generator=generator)
                if name.endswith("threshold_M"):  # so that short inputs reach it, and both signs occur
                    parameter[model] = math.copysign((4 + noise.abs().item()) / 512, noise.item())
                else:
                    parameter[model] += 0.3 * noise
