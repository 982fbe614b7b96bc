"""A learned number for each bucket of distances (arXiv 1910.10683).

Shapes: B also stands for buckets, in the table alone; the rest as in ``base``.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, per_head
from ..core.card import NEAR_OR_FAR_BY_BUCKETS, Card, Option
from ..core.initialization import normal
from .shaw import require_whole, whole_distances

CARD = Card(
    name="t5",
    title="a learned number for each bucket of distances",
    formula="score(i, j) = q_i·k_j / √d + b_h[bucket(i − j)], buckets exact at first, then logarithmic",
    citation="arXiv 1910.10683",
    family="biases",
    order=3,
    acts_on=("scores",),
    parameters="buckets·H",
    options=(
        Option(name="buckets", default=32, low=2, high=10_000, meaning="the number of buckets"),
        Option(name="distance", default=128, low=2, high=10_000_000, meaning="the distance that the logarithm runs to"),
    ),
    variants=("buckets=8, distance=20", "buckets=6, distance=400"),
    relation="t5_bucket",
    **NEAR_OR_FAR_BY_BUCKETS,
    shift_invariant=True,
    bounded_bias=True,
    float_ids=False,
    unsigned=True,
    note="all layers share the numbers; with the defaults all distances from 113 on share the last bucket.",
)


def bucket_starts(buckets: int, distance: int) -> list[int]:
    """Return the distance at which each bucket after the first begins.

    The first half of the buckets hold one distance each. Of the others, bucket E + k begins at E·(distance/E)^(k/R),
    where E are the exact ones and R the rest, rounded up.

    >>> bucket_starts(8, 16)
    [1, 2, 3, 4, 6, 8, 12]
    >>> bucket_starts(32, 128)[-1]
    113
    """
    exact = buckets // 2
    rest = buckets - exact
    if distance <= exact:
        raise InvalidOptionError(
            f"with {buckets} buckets, distances below {exact} have one of their own; "
            f"the logarithm must run further, and distance is {distance}.",
            hint=f"choose a distance of more than {exact}, or fewer buckets.",
        )
    starts = list(range(1, exact + 1))
    for k in range(1, rest):
        start = exact * (distance / exact) ** (k / rest)
        near = round(start)
        if abs(start - near) < 1e-9 * start:  # too near to a whole number for rounded logarithms: ask whole numbers
            starts.append(near if near**rest * exact**k >= distance**k * exact**rest else near + 1)
        else:
            starts.append(math.ceil(start))
    return starts


class T5(Encoding):
    """score_ij = q_i·k_j/√d + b_h[bucket(i − j)]; all layers share the numbers b.

    Short distances have a bucket each, up to half of the buckets; the others grow with the logarithm, and the last one
    holds all that is longer. What would be negative counts as 0.
    """

    card = CARD

    def __init__(self, fit: Fit, *, buckets: int = 32, distance: int = 128) -> None:
        super().__init__(fit)
        starts = torch.tensor(bucket_starts(buckets, distance))
        every = torch.arange(int(starts[-1]) + 1)
        self.register_buffer("bucket_of", torch.bucketize(every, starts, right=True), persistent=False)
        self.table_MBH = nn.Parameter(torch.empty(fit.num_models, buckets, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set the numbers of all buckets to small random ones."""
        with torch.no_grad():
            self.table_MBH.copy_(normal(draw.named("table_MBH"), tuple(self.table_MBH.shape[1:]), deviation=0.02))

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions."""
        return super().checked(require_whole(ids_MBL), most)

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the number of each distance."""
        assert isinstance(self.bucket_of, Tensor)
        longest = self.bucket_of.shape[0] - 1  # where the last bucket begins
        bucket = self.bucket_of[whole_distances(queries, keys).clamp(0, longest)]
        batch, _, _, num_queries, _ = bucket.shape
        models, _, heads = self.table_MBH.shape
        # each query looks up in a view of the table of its own, so that gradients add up query by query at first
        table = self.table_MBH.float().transpose(1, 2)[None, :, :, None].expand(batch, -1, -1, num_queries, -1)
        return per_head(table.gather(-1, bucket.expand(batch, models, heads, -1, -1)), models)
