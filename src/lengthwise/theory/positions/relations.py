"""Position relations: which pairs of a key and a query share a label, and so share parameters.

A position encoding is a relation with a learned table, one entry for every label. Positions start at 0; ``i`` is the key, ``q``
the query, which is the last visible position when the token at q + 1 is predicted, and ``n`` the scale of the instance.
The definitions are our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from ...errors import InvalidOptionError

T5_BUCKETS = 32
T5_MAX_DISTANCE = 128
DEFAULT_CLIP = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A function of key, query and scale; two pairs with one label share parameters.

    >>> RELATIONS["relative"](3, 5, 4), RELATIONS["relative_scaled"](3, 5, 4)
    (2, -2)
    """

    name: str
    formula: str
    needs_scale: bool
    label: Callable[[int, int, int], Hashable]

    def __call__(self, key: int, query: int, scale: int) -> Hashable:
        """Return the label of a pair at a scale."""
        return self.label(key, query, scale)


def t5_bucket(distance: int, *, num_buckets: int = T5_BUCKETS, max_distance: int = T5_MAX_DISTANCE) -> int:
    """Return T5's causal bucket of a distance: one each for the small ones, then logarithmically wider ones.

    Exact in integers: the bucket of d ≥ e is e + ⌊r·log(d/e)/log(m/e)⌋ with e the exact buckets, r the rest and m the largest
    distance, and ⌊r·log(d/e)/log(m/e)⌋ ≥ k says that (m/e)^k ≤ (d/e)^r.

    >>> [t5_bucket(distance) for distance in (0, 15, 16, 17, 18, 19, 127, 128, 1000)]
    [0, 15, 16, 16, 16, 17, 31, 31, 31]
    """
    exact = num_buckets // 2
    if distance < exact:
        return max(distance, 0)
    rest = num_buckets - exact
    wider = 0
    while wider < rest - 1 and max_distance ** (wider + 1) * exact**rest <= distance**rest * exact ** (wider + 1):
        wider += 1
    return exact + wider


def clipped(limit: int = DEFAULT_CLIP) -> Relation:
    """Return the relation of distances that are all alike from a limit on."""
    if limit < 1:
        raise InvalidOptionError(f"clip {limit} is too small: at least 1.", hint="use clipped(16), or relative.")
    return Relation(
        name="clipped" if limit == DEFAULT_CLIP else f"clipped({limit})",
        formula=f"min(q − i, {limit})",
        needs_scale=False,
        label=lambda key, query, scale: min(query - key, limit),  # noqa: ARG005
    )


RELATIONS: dict[str, Relation] = {
    relation.name: relation
    for relation in (
        Relation(name="constant", formula="1", needs_scale=False, label=lambda key, query, scale: 1),  # noqa: ARG005
        Relation(
            name="absolute",
            formula="(i, q)",
            needs_scale=False,
            label=lambda key, query, scale: (key, query),  # noqa: ARG005
        ),
        Relation(name="absolute_key", formula="i", needs_scale=False, label=lambda key, query, scale: key),  # noqa: ARG005
        Relation(
            name="relative",
            formula="q − i",
            needs_scale=False,
            label=lambda key, query, scale: query - key,  # noqa: ARG005
        ),
        Relation(
            name="relative_scaled",
            formula="q − i − n",
            needs_scale=True,
            label=lambda key, query, scale: query - key - scale,
        ),
        Relation(
            name="t5_bucket",
            formula="bucket(q − i)",
            needs_scale=False,
            label=lambda key, query, scale: t5_bucket(query - key),  # noqa: ARG005
        ),
        clipped(),
    )
}


def with_scale(relation: Relation, *, signed: bool = True) -> Relation:
    """Return the relation with the scale hint: of distances those less the scale, of others the labels beside the scale.

    Buckets and clipped distances have no room for negative ones and see their size; others do where they are not ``signed``.

    >>> with_scale(RELATIONS["relative"]).formula, with_scale(RELATIONS["constant"]).formula
    ('q − i − n', '(1, n)')
    """
    if relation.needs_scale:
        return relation
    by_distance = relation.name in ("t5_bucket", "clipped", "relative")
    if relation.name == "relative" and signed:
        return RELATIONS["relative_scaled"]
    return Relation(
        name=f"{relation.name}_scaled" if signed else f"{relation.name}_scaled_unsigned",
        formula=relation.formula.replace("q − i", "|q − i − n|") if by_distance else f"({relation.formula}, n)",
        needs_scale=True,
        label=(lambda key, query, scale: relation(0, abs(query - key - scale), scale))
        if by_distance
        else (lambda key, query, scale: (relation(key, query, scale), scale)),
    )
