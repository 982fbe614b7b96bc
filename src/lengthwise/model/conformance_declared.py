"""What a card declares of an encoding, measured: the last check of the conformance suite."""

from __future__ import annotations

from typing import Any

import torch

from ..encodings.base import Encoding, Fit, Where
from ..encodings.build import make_encoding
from ..encodings.guarded import read_guarded
from ..encodings.names import Choice
from ..seeds import INITIALIZATION, open_stream
from ..theory.positions.library import find_circuit
from .conformance_models import SHAPE, TRAINED, Nonconforming, fit_for, make_model, random_tokens, where


def check_declared(choice: Choice) -> None:
    """Parameters, layers, what it acts on, bounds of its bias and need of the scale are as the card says."""
    fit = fit_for(SHAPE)
    encoding = make_encoding(choice, fit)
    _check_parameters(choice, encoding, fit)
    _check_hooks(choice, encoding)
    _check_bias(choice)
    model = make_model(choice)
    tokens = random_tokens(1, 2, 20)
    at = where(model, tokens)
    longer = torch.full_like(at.sizes_MBL, 40 * TRAINED)
    smaller = torch.full_like(at.scale_MBL, 5)  # within the instance, as the scale of a task is
    others = (at._replace(sizes_MBL=longer, scale_MBL=longer), at._replace(scale_MBL=smaller))
    change = max((model(tokens, other) - model(tokens, at)).abs().max().item() for other in others)
    more = torch.cat([tokens, tokens], dim=-1)
    roles = torch.arange(40).expand(1, 2, 40)  # those of the first tokens do not depend on how many follow
    few, many = (
        model.encoding.ids(part, torch.full((1, 2), part.shape[-1]), None, roles[..., : part.shape[-1]])
        for part in (tokens, more)
    )
    change = max(change, (many[..., :20] - few).abs().max().item())
    if (change > 1e-4) != choice.needs_scale:
        raise Nonconforming(
            f"needs_scale is declared {choice.needs_scale}, but the scale changes outputs by {change:.2g}"
        )
    for parameter in encoding.parameters():
        parameter.data.fill_(torch.nan)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    if not all(parameter.isfinite().all() for parameter in encoding.parameters()):
        raise Nonconforming("some parameters are not set by initialize")


def _check_parameters(choice: Choice, encoding: Encoding, fit: Fit) -> None:
    if choice.card.bases:
        return  # those of the bases are counted with the bases
    formula = choice.card.parameters.replace("·", "*")
    names: dict[str, Any] = dict(choice.options) | {"N": fit.max_length, "T": fit.trained}
    names |= {"D": fit.width, "H": fit.num_heads, "d": fit.head_width, "slots": _num_slots(choice)}
    declared = eval(formula, {"__builtins__": {}}, names) * (fit.num_layers if choice.card.per_layer else 1)
    found = sum(parameter.numel() for parameter in encoding.parameters())
    if declared != found:
        raise Nonconforming(f"{declared} parameters are declared ({choice.card.parameters}), but there are {found}")


def _num_slots(choice: Choice) -> int:
    """Return how many operands the circuit of an encoding has, or how many relations are listed, 0 without either."""
    listed = dict(choice.options).get("relations")
    if listed is not None:
        return len(read_guarded(str(listed)))
    circuit = dict(choice.options).get("circuit")
    return 0 if circuit is None else find_circuit(str(circuit)).arity


def _check_hooks(choice: Choice, encoding: Encoding) -> None:
    """Compare what the card says it acts on with the hooks that do something."""
    whole, layer = type(encoding), type(encoding.at_layer(0))
    if choice.card.bases:
        return
    acts = {
        "ids": whole.ids is not Encoding.ids,
        "input": whole.embed is not Encoding.embed,
        "queries and keys": layer.transform is not Encoding.transform,
        "scores": layer.bias is not Encoding.bias or layer.scores is not Encoding.scores,
        "weights": layer.weights is not Encoding.weights,
        "values": layer.value is not Encoding.value,
    }
    found = tuple(name for name, does in acts.items() if does) or ("nothing",)
    if set(found) != set(choice.card.acts_on):
        raise Nonconforming(f"declared to act on {', '.join(choice.card.acts_on)}, but acts on {', '.join(found)}")


def _check_bias(choice: Choice) -> None:
    """Compare the largest bias among a few and among many positions with what is declared."""
    kind = make_model(choice).encoding.at_layer(0)
    declared = choice.bounded_bias
    few, many = (_largest_bias(kind, last) for last in (1000, 1_000_000))
    if choice.card.bases and (few is None or declared is None):
        return  # that of a base is the base's
    if (few is None) != (declared is None):
        raise Nonconforming(
            f"bounded_bias is declared {declared}, but there is {'no' if few is None else 'a'} bias by position"
        )
    if few is None or many is None:
        return
    is_bounded = many != torch.inf and many <= 1.02 * few
    if is_bounded != declared:
        raise Nonconforming(f"bounded_bias is declared {declared}; the largest is {few:.3g}, then {many:.3g}")


def _largest_bias(kind: Encoding, last: int) -> float | None:
    """Return the largest bias, either way, between position ``last`` and the ones before it."""
    far = [round(last ** (step / 400)) for step in range(401)]
    distance = sorted({*range(min(200, last)), *far, last}, reverse=True)
    ids = (last - torch.tensor(distance)).expand(1, 1, -1)
    at = Where(ids, ids, ids)
    bias = kind.bias(at.at_places(torch.tensor([[ids.shape[-1] - 1]])), at)
    return None if bias is None else bias.abs().max().item()
