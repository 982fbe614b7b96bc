"""What may be added to the loss of each model, by name: the terms of the regularizer that have a gradient, and one more.

``relations`` is the sum of the absolute gains of learned relations (our reconstruction of arXiv 2510.04130): of relations
that serve as well together, it keeps few. With an optimizer that gives all steps one size it goes on shrinking gains, however
small its weight, once the loss has little left to say (docs/log.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..encodings.methods.lbpe import dictionaries_of, relation_penalty
from ..errors import InvalidOptionError
from ..model.inspection.products import table_of
from ..model.transformer import Transformer
from .settings import PENALTY_NAMES, Training
from .terms import POSITIONS, TERMS


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """A number for each model, [M], and what a model must have for it."""

    function: Callable[[Transformer], Tensor]
    acts_on: str = ""
    applies: Callable[[Transformer], bool] = lambda _: True
    hint: str = ""


def require_what_penalties_act_on(model: Transformer, encoding: str, training: Training) -> None:
    """Raise unless a model has what each of its penalties acts on."""
    for name, weight in training.penalties:
        penalty = PENALTIES[name]
        if weight and not penalty.applies(model):
            raise InvalidOptionError(
                f"the penalty {name!r} acts on {penalty.acts_on}, and {encoding!r} has none.",
                hint=f"{penalty.hint}, or leave the penalty out.",
            )


def penalties_of(model: Transformer, names: Sequence[str], weights_PM: Tensor) -> Tensor:
    """Return the sum of the named penalties of each model, [M], each times its weight for that model."""
    parts = [weights_PM[number] * PENALTIES[name].function(model) for number, name in enumerate(names)]
    return torch.stack(parts).sum(0) if parts else next(model.parameters()).new_zeros(model.num_models)


def _relations(model: Transformer) -> Tensor:
    penalty = relation_penalty(model.encoding)
    assert penalty is not None
    return penalty


def _has_positions(model: Transformer) -> bool:
    return table_of(model) is not None


def _of_term(name: str) -> Penalty:
    term = TERMS[name]
    if term.needs != POSITIONS:
        return Penalty(function=term.function)
    return Penalty(
        function=term.function, acts_on="a table of positions", applies=_has_positions, hint="use the encoding 'ape'"
    )


PENALTIES: dict[str, Penalty] = {name: _of_term(name) for name, term in TERMS.items() if term.differentiable} | {
    "relations": Penalty(
        function=_relations,
        acts_on="learned relations",
        applies=lambda model: bool(dictionaries_of(model.encoding)),
        hint="use the encoding 'lbpe' or 'lbpe_grown'",
    ),
}
assert tuple(PENALTIES) == PENALTY_NAMES
