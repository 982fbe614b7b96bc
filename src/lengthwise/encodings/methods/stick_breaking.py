"""Stick-breaking attention: from the nearest key backwards, each takes a share of what is left (arXiv 2410.17980)."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor

from ...errors import InvalidOptionError
from ..core.base import Encoding, Fit, Where
from ..core.card import STICKS, Card, Option

CARD = Card(
    name="stick_breaking",
    title="weights by breaking a stick, the nearest token first",
    formula="α_ij = β_ij Π_{j<l<i}(1 − β_il) for j < i, β = σ(q_i·k_j / √d), instead of softmax",
    citation="arXiv 2410.17980",
    family="contents",
    order=6,
    acts_on=("weights",),
    options=(Option(name="diagonal", default=False, meaning="whether a token may attend to itself"),),
    variants=("diagonal=true",),
    precise_at_least=STICKS,
    precise_at_most=STICKS,
    shift_invariant=True,
)


class StickBreaking(Encoding):
    """α_ij = β_ij·Π_{j<l<i} (1 − β_il) for j < i, where β = σ(score); there is no softmax, and no weight on i itself.

    With ``diagonal`` the product runs over j < l ≤ i, for j ≤ i. Weights need not sum to 1: a first token has none.
    """

    card = CARD

    def __init__(self, fit: Fit, *, diagonal: bool = False) -> None:
        super().__init__(fit)
        if type(diagonal) is not bool:
            raise InvalidOptionError(f"diagonal must be true or false; found {diagonal!r}.", hint="correct the value.")
        self.diagonal = diagonal

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return the shares, computed as exp(log σ(s_ij) + Σ_l log σ(−s_il)).

        A sink, which comes as one more key, gets no weight: what is left of the stick already goes nowhere.
        """
        num_keys = keys.ids_MBL.shape[-1]
        taking = queries.sees(num_keys)
        if not self.diagonal:
            key = torch.arange(num_keys, device=scores.device)
            place = key[: scores.shape[-2]][None] if queries.places_BL is None else queries.places_BL
            taking = taking & (key != place[..., None])[:, None]
        # -inf must not enter log σ: its gradient there would be 0 · inf
        share = torch.where(taking, scores[..., :num_keys].float(), 0.0)
        passed = torch.where(taking, functional.logsigmoid(-share), 0.0)
        passed_by_later = functional.pad(passed[..., 1:].flip(-1).cumsum(-1).flip(-1), (0, 1))
        log_weights = functional.logsigmoid(share) + passed_by_later
        weights = torch.where(taking, log_weights, -torch.inf).exp()
        return functional.pad(weights, (0, scores.shape[-1] - num_keys))
