"""What may be added to the loss of each model, by name.

``positional`` is the positional term of the regularizer of arXiv 2410.02140. With positions p and, for head h of layer l,
queries W_Q and keys W_K, both without bias,

    Σ_l Σ_h 1/N Σ_{j ≤ i} ((p_i W_Q) · (p_j W_K))²

It is what the paper's released code adds to the loss: the term of the theory (position 1 against all others), averaged
over where the pair starts. It is small only if attention between positions depends on few distances.

``relations`` is the sum of the absolute gains of learned relations (our reconstruction of arXiv 2510.04130): of relations
that serve as well together, it keeps few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..encodings.lbpe import dictionaries_of, relation_penalty
from ..errors import InvalidOptionError
from ..model.transformer import Block, Transformer
from .settings import PENALTY_NAMES, Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """A number for each model, [M], and what a model must have for it."""

    function: Callable[[Transformer], Tensor]
    acts_on: str
    applies: Callable[[Transformer], bool]
    hint: str


def require_what_penalties_act_on(model: Transformer, encoding: str, training: Training) -> None:
    """Raise unless a model has what each of its penalties acts on."""
    for name, weight in training.penalties:
        penalty = PENALTIES[name]
        if weight and not penalty.applies(model):
            raise InvalidOptionError(
                f"the penalty {name!r} acts on {penalty.acts_on}, and {encoding!r} has none.",
                hint=f"{penalty.hint}, or leave the penalty out.",
            )


def penalties_of(model: Transformer, training: Training) -> Tensor | None:
    """Return the weighted sum of the penalties of each model, [M]; None where there is none."""
    parts = [weight * PENALTIES[name].function(model) for name, weight in training.penalties if weight]
    return torch.stack(parts).sum(0) if parts else None


def has_positions(model: Transformer) -> bool:
    """Return whether there is a table of position vectors."""
    return isinstance(getattr(model.encoding, "table_MND", None), Tensor)


def positional_penalty(model: Transformer) -> Tensor:
    """Return the penalty of each model, [M]."""
    positions_MND = model.encoding.table_MND
    assert isinstance(positions_MND, Tensor)
    num_models, num_positions, width = positions_MND.shape
    total = positions_MND.new_zeros(num_models)
    with torch.autocast(positions_MND.device.type, enabled=False):
        for block in model.blocks:
            assert isinstance(block, Block)
            mapped = torch.bmm(positions_MND, block.qkv.weight_MIO[..., : 2 * width])
            q, k = (
                part.reshape(num_models, num_positions, block.heads, -1).transpose(1, 2)
                for part in mapped.chunk(2, dim=-1)
            )
            products_MHNN = (q @ k.transpose(-1, -2)).tril()
            total = total + products_MHNN.square().sum((1, 2, 3)) / num_positions
    return total


def _relations(model: Transformer) -> Tensor:
    penalty = relation_penalty(model.encoding)
    assert penalty is not None
    return penalty


PENALTIES: dict[str, Penalty] = {
    "positional": Penalty(
        function=positional_penalty,
        acts_on="a table of positions",
        applies=has_positions,
        hint="use the encoding 'ape'",
    ),
    "relations": Penalty(
        function=_relations,
        acts_on="learned relations",
        applies=lambda model: bool(dictionaries_of(model.encoding)),
        hint="use the encoding 'lbpe' or 'lbpe_grown'",
    ),
}
assert tuple(PENALTIES) == PENALTY_NAMES
