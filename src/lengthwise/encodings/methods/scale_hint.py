"""The scale hint: an encoding of distances that is also told how large the instance is.

Our reconstruction of arXiv 2510.04130. To copy at scale n, a query looks back by n, and n differs from instance to
instance: a function of q − i cannot say where, and a function of q − i − n can.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from ..core.base import Encoding, Fit, Where, distances, once, per_head
from ..core.card import Card
from ..core.wrapper import Wrapper

CARD = Card(
    name="scale_hint",
    title="an encoding of distances that is told the scale of the instance",
    formula="the base with i − n instead of i for the query: what depends on i − j depends on i − j − n",
    citation="our reconstruction of arXiv 2510.04130",
    family="relations",
    order=2,
    acts_on=("queries and keys", "scores"),
    bases=("rpe",),
    refuses=("itself", "no distances"),
    variants=("rope", "shaw(clip=3)", "alibi"),
    relation="relative_scaled",
    shift_invariant=True,
    needs_scale=True,
    takes_hint=True,
    note="alibi, learned_alibi, t5 and shaw have no meaning of their own for negative distances: they see |i − j − n|.",
)


class ScaleHint(Wrapper):
    """The base, whose queries are told id − n instead of id: what depends on q − i now depends on q − i − n.

    n is the scale of the query's own instance, so a bias differs from row to row. Distances take both signs. Most bases
    tell them apart, or are symmetric by their formula. Three do neither. T5 and Shaw count what is negative as 0, so
    that the place that is meant, q − i = n, would look like all places after it; and of ALiBi's straight line the hint
    only moves the height, which softmax does not see. These three are asked for |q − i − n|.
    """

    card = CARD

    def __init__(self, fit: Fit, base: Encoding) -> None:
        super().__init__(fit, base)
        self.is_unsigned = hasattr(base, "card") and base.card.unsigned

    @property
    def may_share_rows(self) -> bool:
        """Whether instances shall share rows in training: a bias is made for each row anyway."""
        return True

    def transform(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> tuple[Tensor, Tensor]:
        """Return queries, changed as at id − n, and keys, as at their ids."""
        return self.base.transform(q, k, x_MBLD, hinted(queries), keys)

    def bias(self, queries: Where, keys: Where) -> Tensor | None:
        """Return the bias of the base at q − i − n."""
        if not self.base.is_biased:
            return None
        return self._of_pairs(self._base_bias, hinted(queries), keys)

    def _base_bias(self, queries: Where, keys: Where) -> Tensor:
        bias = self.base.bias(queries, keys)
        assert bias is not None
        return bias

    def scores(self, q: Tensor, k: Tensor, x_MBLD: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return the scores of the base at q − i − n."""
        return self._of_pairs(lambda one, other: self.base.scores(q, k, x_MBLD, one, other), hinted(queries), keys)

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return the weights of the base."""
        return self.base.weights(scores, hinted(queries), keys)

    def value(self, weights: Tensor, v: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return what attention of the base passes on at q − i − n; without signs, the sum of both sides."""
        told = hinted(queries)
        if not self.is_unsigned:
            return self.base.value(weights, v, told, keys)
        is_behind = self._is_behind(told, keys)
        behind, ahead = torch.where(is_behind, weights, 0.0), torch.where(is_behind, 0.0, weights)
        passed: Tensor = self.base.value(behind, v, told, keys) + self.base.value(
            ahead, v, mirrored(told), mirrored(keys)
        )
        return passed

    def _of_pairs(self, compute: Callable[[Where, Where], Tensor], told: Where, at: Where) -> Tensor:
        """Return what the base computes for every query and key; without signs, from the distance or its opposite."""
        found = compute(told, at)
        if not self.is_unsigned:
            return found
        return torch.where(self._is_behind(told, at), found, compute(mirrored(told), mirrored(at)))

    def _is_behind(self, told: Where, at: Where) -> Tensor:
        """Return whether the distance is not negative, [1 or B, 1 or M·H, Q, L]."""
        is_behind = distances(told, at) >= 0
        models = is_behind.shape[1]
        return is_behind[:, 0] if models == 1 else per_head(is_behind.expand(-1, -1, self.num_heads, -1, -1), models)


def hinted(where: Where) -> Where:
    """Return where tokens stand by their ids less the scales of their instances."""
    # rows that are expanded from one stay so, and are not computed again
    told_MBL = once(where.ids_MBL) - once(where.scale_MBL)
    models, *shape = where.ids_MBL.shape
    return where._replace(ids_MBL=told_MBL.expand(max(models, where.scale_MBL.shape[0]), *shape))


def mirrored(where: Where) -> Where:
    """Return where tokens stand by the opposites of their ids."""
    return where._replace(ids_MBL=(-once(where.ids_MBL)).expand(where.ids_MBL.shape))
