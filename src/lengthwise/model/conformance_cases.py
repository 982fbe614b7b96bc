"""The cases of the conformance suite: random rows of tokens as tensors for the module and as lists for its reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..encodings.base import Encoding, Fit, Where
from ..encodings.names import Choice
from ..encodings.references.case import Case as LiteralCase
from ..encodings.references.catalog import EMBEDDED, REFERENCES

LENGTH = 17

VARIANTS: dict[str, tuple[str, ...]] = {
    "sinusoidal": ("sinusoidal(base=100)",),
    "scaled_sinusoidal": ("scaled_sinusoidal(base=100)",),
    "shaw": ("shaw(clip=3)",),
    "transformer_xl": ("transformer_xl(base=50)",),
    "t5": ("t5(buckets=8, distance=20)", "t5(buckets=6, distance=400)"),
    "deberta": ("deberta(clip=3)",),
    "hard_alibi": ("hard_alibi(window=3)", "hard_alibi(window=1, heads=1)"),
    "sandwich": ("sandwich(width=10)",),
    "fire": ("fire(hidden=5)", "fire(threshold=2)"),
    "dynamic_bias": ("dynamic_bias(hidden=5)",),
    "relative_projection": ("relative_projection(curves=3, reach=5)",),
    "cope": ("cope(positions=3)",),
    "dape": ("dape(t5, hidden=4)", "dape(fire)"),
    "dape_v2": ("dape_v2(alibi, hidden=4, reach=2)",),
    "stick_breaking": ("stick_breaking(diagonal=true)",),
    "rope": ("rope(base=500)", "rope(base=500000)"),
    "rope_partial": ("rope_partial(share=0.9)", "rope_partial(base=50, share=0.2)"),
    "p_rope": ("p_rope(share=0.4)", "p_rope(base=50)"),
    "pi": ("pi(factor=2.5)",),
    "ntk": ("ntk(factor=2.5)",),
    "dynamic_ntk": ("dynamic_ntk(factor=2, trained=5)",),
    "yarn": ("yarn(factor=3, trained=300, fast=4)", "yarn(base=20, trained=300)"),
    "llama3": ("llama3(base=10000, trained=100)", "llama3(factor=3)"),
    "longrope": ("longrope(factor=2)",),
    "xpos": ("xpos(decay=30)",),
    "pope": ("pope(base=100)",),
    "window": ("window(window=2)", "window(fire, window=3)"),
    "interleaved": ("interleaved(fire, alibi, every=3)", "interleaved(rope, t5, every=1)"),
    "offset": ("offset(rope)", "offset(fire)"),
    "randomized": ("randomized(learned)", "randomized(shaw, length=900)"),
    "random_float": ("random_float(alibi)", "random_float(kerple_log, length=60)"),
    "coupling": ("coupling(t5)", "coupling(rope)"),
    "abacus": ("abacus(sinusoidal)",),
    "scale_hint": ("scale_hint(rope)", "scale_hint(shaw(clip=3))", "scale_hint(alibi)"),
    "ipe": ("ipe(circuit=reverse, eos=true)", "ipe(circuit=addition(2))", "ipe(corrected=false)"),
    "lbpe": ("lbpe(hint=false)", "lbpe(corrected=false)"),
    "lbpe_found": (
        "lbpe_found(relations=r(2, -1, 0, 1, 0, 1, 0, -1, 1, 0, 1, 0, 0, -3, 0, 0, 1, 2, 2, 1))",
        "lbpe_found(corrected=false)",
    ),
    "lbpe_mlp": ("lbpe_mlp(hint=false)",),
    "length_corrected": ("length_corrected(t5)", "length_corrected(scale_hint)"),
    "rpe_square": ("rpe_square(reach=2, width=3)",),
}
"""Other configurations of an encoding, which must differ from the default and from each other."""

_WRAPPERS_OF_IDS = ("offset", "randomized", "random_float", "coupling", "abacus")


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
        )

    def embedded(self, choice: Choice, encoding: Encoding) -> list[list[float]] | None:
        """Return what the reference adds to the input, or None."""
        if choice.card.name in (*_WRAPPERS_OF_IDS, "window"):
            base = encoding.base
            assert isinstance(base, Encoding)
            return self.embedded(choice.bases[0], base)
        if choice.card.name not in EMBEDDED:
            return None
        case = self.literal(_weights(encoding), dict(choice.options))
        return EMBEDDED[choice.card.name](case, self.x_MBLD.shape[-1])


def make_case(choice: Choice, encoding: Encoding, fit: Fit, layout: str, *, seed: int) -> Case:
    """Return a random row: ids in a row, with gaps, or of two instances that share the row.

    An instance of s tokens has the scale ⌊s/2⌋ − 1, as one that copies has: a scale is not a number of tokens.
    """
    generator = torch.Generator().manual_seed(1000 + seed)
    q, k, v = torch.randn(3, 1, fit.num_heads, LENGTH, fit.head_width, generator=generator)
    x = torch.randn(1, 1, LENGTH, fit.width, generator=generator)
    first, sizes = [0] * LENGTH, [LENGTH] * LENGTH
    if layout == "plain":
        ids = own_ids(choice, encoding)
    elif layout == "fractions":
        ids = torch.linspace(0.25, 23.5, LENGTH)
    elif layout == "spread":
        ids = torch.tensor([0, 1, 2, 3, 4, 5, 7, 9, 12, 20, 33, 34, 100, 112, 113, 301, 599])
    else:
        ids = torch.tensor([*range(7), *range(10)])
        first, sizes = [0] * 7 + [7] * 10, [7] * 7 + [10] * 10
    start = torch.tensor(first)
    place = torch.arange(LENGTH)
    sees = (place[None] <= place[:, None]) & (place[None] >= start[:, None])
    whole = torch.tensor(sizes)[None, None]
    at = Where(ids[None, None], whole // 2 - 1, whole, None if layout != "packed" else sees[None, None])
    return Case(q=q, k=k, v=v, x_MBLD=x, at=at, first=first, trained=fit.trained)


def own_ids(choice: Choice, encoding: Encoding) -> Tensor:
    """Return the ids that an encoding gives at test, after comparing them with what its definition says."""
    tokens = torch.tensor([[[5, 6, 6, 1, 5, 2, 2, 6, 5, 5, 5, 0, 3, 4, 6, 5, 1]]])
    roles = torch.tensor([[[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8]]])
    ids = encoding.ids(tokens, torch.tensor([[LENGTH]]), None, roles)[0, 0]
    name = choice.card.name
    if name == "coupling":
        expected = roles[0, 0].tolist()
    elif name == "abacus":
        expected = _digit_runs(tokens[0, 0].tolist(), digits=(5, 6))
    elif name in ("randomized", "random_float"):
        length = getattr(encoding, "length")  # noqa: B009  # only these two have one
        numbers = ids.tolist()
        if numbers != sorted(numbers) or not 0 <= numbers[0] <= numbers[-1] < length:
            raise AssertionError(f"{numbers} are not sorted numbers within 0 and {length}")
        if name == "randomized" and len(set(numbers)) < LENGTH:
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
    name = choice.card.name
    if name in _WRAPPERS_OF_IDS:
        return literal_outputs(choice.bases[0], layer, kind, case, first)
    options: dict[str, Any] = dict(choice.options)
    if name == "interleaved":
        return literal_outputs(choice.bases[(layer + 1) % options["every"] == 0], layer, kind, case, first)
    if name == "window":
        ids = case.at.ids_MBL[0, 0].tolist()
        near = [
            max(start, next(j for j in range(start, i + 1) if ids[i] - ids[j] < options["window"]))
            for i, start in enumerate(case.first)
        ]
        base = kind.base
        assert isinstance(base, Encoding)
        return literal_outputs(choice.bases[0], layer, base, case, near)
    return REFERENCES[name](case.literal(_weights(kind), _options(choice), first))


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
