"""What a card declares of an encoding, measured: the last check of the conformance suite."""

from __future__ import annotations

import torch
from torch import Tensor

from ..encodings.core.attend import attend
from ..encodings.core.base import Encoding, Fit, Where
from ..encodings.core.build import count_parameters, make_encoding
from ..encodings.core.choice import Choice
from ..encodings.methods.lbpe import LBPE
from ..encodings.methods.learned import Learned
from ..seeds import INITIALIZATION, open_stream
from .models import SHAPE, TRAINED, Nonconforming, fit_for, make_model, random_tokens, where

SEEN = 1e-4
"""A change that is no rounding."""


def check_declared(choice: Choice) -> None:
    """Parameters, layers, what it acts on and reads, its bias and its need of the scale are as the card says."""
    fit = fit_for(SHAPE)
    encoding = make_encoding(choice, fit)
    _check_parameters(choice, encoding, fit)
    _check_hooks(choice, encoding)
    _check_bias(choice)
    _check_inputs(choice)
    _check_parts(choice, encoding)
    model = make_model(choice)
    tokens = random_tokens(1, 2, 20)
    at = where(model, tokens)
    longer = torch.full_like(at.sizes_MBL, 40 * TRAINED)
    smaller = torch.full_like(at.scale_MBL, 5)  # within the instance, as the scale of a task is
    others = (at._replace(sizes_MBL=longer, scale_MBL=longer), at._replace(scale_MBL=smaller))
    changes = [(model(tokens, other) - model(tokens, at)).abs().max().item() for other in others]
    _require("takes_hint", choice.takes_hint, changes[1] > SEEN, f"the scale alone changes outputs by {changes[1]:.2g}")
    more = torch.cat([tokens, tokens], dim=-1)
    roles = torch.arange(40).expand(1, 2, 40)  # those of the first tokens do not depend on how many follow
    few, many = (
        model.encoding.ids(part, torch.full((1, 2), part.shape[-1]), None, roles[..., : part.shape[-1]])
        for part in (tokens, more)
    )
    change = max(*changes, (many[..., :20] - few).abs().max().item())
    _require("needs_scale", choice.needs_scale, change > SEEN, f"the scale changes outputs by {change:.2g}")
    for parameter in encoding.parameters():
        parameter.data.fill_(torch.nan)
    encoding.initialize(open_stream(INITIALIZATION, seed=[0]))
    if not all(parameter.isfinite().all() for parameter in encoding.parameters()):
        raise Nonconforming("some parameters are not set by initialize")


def _require(what: str, declared: bool, found: bool, why: str) -> None:
    if declared != found:
        raise Nonconforming(f"{what} is declared {declared}, but {why}")


def _check_inputs(choice: Choice) -> None:
    """Compare what attention reads, beside queries, keys and positions, with what is declared."""
    kind = make_model(choice).encoding.at_layer(0)
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, SHAPE.heads, 12, SHAPE.width // SHAPE.heads, generator=generator)
    streams = torch.randn(2, 1, 1, 12, SHAPE.width, generator=generator)
    ids = torch.arange(12).expand(1, 1, 12)
    sees = torch.ones(12, 12, dtype=torch.bool).tril()
    at = Where(ids, ids * 0 + 5, ids * 0 + 12, sees[None, None])

    with torch.no_grad():
        outputs = [attend(*kind.transform(q, k, x, at, at), v, x, kind, at, at) for x in streams]
        change = (outputs[1] - outputs[0]).abs().max().item()
        _require("reads_stream", choice.reads_stream, change > SEEN, f"the stream changes attention by {change:.2g}")

        # a correction may be lost in rounding beside the large biases of near tokens
        change = max(
            _change_by_hiding(kind, q, k, streams[0], at._replace(ids_MBL=ids * far)) for far in _spreads(choice)
        )
    declared = any(part.card.uses_visible_keys for part in choice.parts)
    _require("uses_visible_keys", declared, change > SEEN, f"hiding keys farther back changes scores by {change:.2g}")


_FAR = 40


def _spreads(choice: Choice) -> tuple[int, ...]:
    """Return how far apart positions are tried: next to each other and, where there is room, far apart."""
    return (1,) if choice.max_length or choice.card.counts_positions else (1, _FAR)


def _change_by_hiding(kind: Encoding, q: Tensor, k: Tensor, x_MBLD: Tensor, at: Where) -> float:
    """Return how much the scores of the last four keys change when the keys farther back are hidden."""
    assert at.visible is not None
    sees = at.visible[0, 0]
    fewer = sees & ~torch.ones_like(sees).tril(-4)
    turned = kind.transform(q, k, x_MBLD, at, at)
    scores = []
    for visible in (sees, fewer):
        here = at._replace(visible=visible[None, None])
        bias = kind.bias(here, here)
        scores.append(kind.scores(*turned, x_MBLD, here, here) + (0.0 if bias is None else bias))
    kept = fewer & (scores[0] > -torch.inf)
    return (scores[1] - scores[0])[kept].abs().max().item()


def _check_parts(choice: Choice, encoding: Encoding) -> None:
    """Compare the modules within an encoding with what is declared of tables, dictionaries and layers."""
    modules = list(encoding.modules())
    has_table, learns = (any(isinstance(module, kind) for module in modules) for kind in (Learned, LBPE))
    _require("has_table", choice.has_table, has_table, f"there is {'a' if has_table else 'no'} table of positions")
    _require("learns_relations", choice.learns_relations, learns, f"there is {'a' if learns else 'no'} dictionary")
    kinds = {type(encoding.at_layer(layer)) for layer in range(SHAPE.layers)}
    if not choice.card.bases or choice.card.chooses_layers:
        _require("chooses_layers", choice.card.chooses_layers, len(kinds) > 1, f"layers are of {len(kinds)} kinds")


def _check_parameters(choice: Choice, encoding: Encoding, fit: Fit) -> None:
    if choice.card.bases:
        return  # those of the bases are counted with the bases
    declared = count_parameters(choice, fit) * (fit.num_layers if choice.card.per_layer else 1)
    found = sum(parameter.numel() for parameter in encoding.parameters())
    if declared != found:
        raise Nonconforming(f"{declared} parameters are declared ({choice.card.parameters}), but there are {found}")


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
    kind = make_model(choice, seeds=(0, 1, 2, 3)).encoding.at_layer(0)  # a random bias has one sign now and then
    declared = choice.bounded_bias
    near, far = (_bias_of_last(kind, last) for last in (1000, 1_000_000))
    few, many = (None if bias is None else bias.abs().max().item() for bias in (near, far))
    if near is not None and not choice.card.bases:
        highest = near.max().item()
        _require("never_positive", choice.card.never_positive, highest <= 0, f"the highest bias is {highest:.2g}")
    hides = far is not None and bool((far[..., 0] == -torch.inf).all())
    if not choice.card.bases or choice.card.hides_keys:
        _require(
            "hides_keys", choice.card.hides_keys, hides, f"the farthest key is {'not ' if not hides else ''}hidden"
        )
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


def _bias_of_last(kind: Encoding, last: int) -> Tensor | None:
    """Return the bias of position ``last`` and a few hundred before it, the farthest first."""
    far = [round(last ** (step / 400)) for step in range(401)]
    distance = sorted({*range(min(200, last)), *far, last}, reverse=True)
    ids = (last - torch.tensor(distance)).expand(1, 1, -1)
    at = Where(ids, ids, ids)
    return kind.bias(at.at_places(torch.tensor([[ids.shape[-1] - 1]])), at)
