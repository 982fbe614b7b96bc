"""Where tokens stand, told wrongly."""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.encodings.core.base import Where


def first_row(where: Where) -> Where:
    """Return where tokens stand if all rows were like the first."""
    return where._replace(ids_MBL=where.ids_MBL[:, :1].expand_as(where.ids_MBL))


def places(where: Where) -> Where:
    """Return where tokens stand by their places in the row."""
    ids = torch.arange(where.ids_MBL.shape[-1]) if where.places_BL is None else where.places_BL[:1]
    return where._replace(ids_MBL=ids.expand_as(where.ids_MBL))


def places_of(queries: Where, keys: Tensor) -> Tensor:
    """Return the places of queries, [Q], which are the same in all rows."""
    return torch.arange(keys.shape[-2]) if queries.places_BL is None else queries.places_BL[0]
