"""A bias of a few numbers per query: each is added at the one key id that the query points to.

An integer equation in key, query and scale has at most one key for each query, so that a bias of R equations takes R
additions per query instead of R comparisons per pair. Where the ids of an instance count up one by one, the place of a
key is found from that of the query; where they do not, every pair is compared.

Shapes: R equations; X stands for 1 or M, Y for 1 or B; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .base import Where, once

NOWHERE = -(2**40)
"""Where a query points that points to no key; so far away that no shift of ids reaches a key."""

STRIDE = 8.0
"""A gain is so many times the number that is learned for it: a gain must become large against the logarithm of the length,
and an optimizer whose steps have one size for all numbers would take too long."""


def ids_and_scales(queries: Where) -> tuple[Tensor, Tensor]:
    """Return ids and scales of the queries, [X, Y, Q], without the axes along which they are expanded from one."""
    return once(queries.ids_MBL), once(queries.scale_MBL)


def add_at(gains_MHR: Tensor, keys_XYQR: Tensor, queries: Where, keys: Where) -> Tensor:
    """Return the sum of the gains that point to each key, [1 or B, M, H, Q, L], in 32 bits.

    Ids that do not count up one by one are found out on the CPU outside of training, where pairs are compared then. A GPU is
    not asked, as it would have to stop for the answer, and a step of training, whose ids are the encoding's own, is not
    either; there such ids give NaN, so that nothing wrong goes unnoticed.
    """
    is_counted = counts_up(keys)
    if _is_known(is_counted) and not bool(is_counted):
        return add_by_comparison(gains_MHR, keys_XYQR, keys)
    columns = _columns(gains_MHR, keys_XYQR, queries, keys)
    num_keys = keys.ids_MBL.shape[-1]
    empty = gains_MHR.new_zeros(*columns.shape[:-1], num_keys + 1, dtype=torch.float32)
    found = empty.scatter_add(-1, columns, _spread(gains_MHR, columns))[..., :num_keys]
    return found if _is_known(is_counted) else found.masked_fill(~is_counted, torch.nan)


def add_corrected(gains_MHR: Tensor, keys_XYQR: Tensor, queries: Where, keys: Where) -> Tensor:
    """Return b − log(q + 1)·(1 − tanh(relu b)), where b is the sum of the gains that point to a key.

    Where nothing points, that is −log(q + 1). With few gains and many keys the rest is computed where something points,
    and only there.
    """
    num_keys = keys.ids_MBL.shape[-1]
    logarithm = visible_logarithm(queries)
    is_counted = counts_up(keys)
    if gains_MHR.shape[-1] >= num_keys or (_is_known(is_counted) and not bool(is_counted)):
        gain = add_at(gains_MHR, keys_XYQR, queries, keys)
        return gain - logarithm * (1 - torch.tanh(torch.relu(gain)))
    columns = _columns(gains_MHR, keys_XYQR, queries, keys)
    size, gains = columns.shape[:-1], _spread(gains_MHR, columns)
    empty = gains_MHR.new_zeros(*size, num_keys + 1, dtype=torch.float32)
    sums = empty.scatter_add(-1, columns, gains).gather(-1, columns)
    of_one_head = columns[:, :, :1]
    ones = torch.ones_like(of_one_head, dtype=torch.float32)
    number = empty[:, :, :1].scatter_add(-1, of_one_head, ones).gather(-1, of_one_head)  # that point to the same key
    raised = gains + logarithm * torch.tanh(torch.relu(sums)) / number
    lowered = (-logarithm).expand(*size, num_keys + 1)
    found = lowered.scatter_add(-1, columns, raised)[..., :num_keys]
    return found if _is_known(is_counted) else found.masked_fill(~is_counted, torch.nan)


def _is_known(is_counted: Tensor) -> bool:
    """Say whether a tensor can be asked for its value without waiting for it."""
    return is_counted.device.type == "cpu" and not torch.is_grad_enabled() and not torch.compiler.is_compiling()


def counts_up(at: Where) -> Tensor:
    """Say whether each id is one more than the id before, wherever a token sees the one before it.

    At the end of a row the last id may be repeated, by tokens that nobody sees and that predict nothing.
    """
    ids_XYL = once(at.ids_MBL)
    step = ids_XYL.diff(dim=-1)
    is_end = ((step != 0).flip(-1).cumsum(-1) == 0).flip(-1)
    is_right = (step == 1) | is_end
    if at.visible is not None:
        sees_one_before = at.visible[:, 0].diagonal(offset=-1, dim1=-2, dim2=-1)
        is_right = is_right | ~sees_one_before
    return is_right.all()


def add_by_comparison(gains_MHR: Tensor, keys_XYQR: Tensor, at: Where) -> Tensor:
    """Return the same by comparing every key with where its query points: for ids of any kind, and slow."""
    ids_XYL = once(at.ids_MBL)
    is_meant = keys_XYQR[..., None, :] == ids_XYL[:, :, None, :, None]
    is_meant = is_meant.expand(gains_MHR.shape[0], *is_meant.shape[1:])
    return torch.einsum("mhr,mbqlr->bmhql", gains_MHR.float(), is_meant.float())


def _columns(gains_MHR: Tensor, keys_XYQR: Tensor, queries: Where, keys: Where) -> Tensor:
    """Return the place of the key that each query points to, [1 or B, M, H, Q, R], and L where that is no key."""
    num_keys = keys.ids_MBL.shape[-1]
    query_XYQ = once(queries.ids_MBL)
    if queries.places_BL is None:
        place_YQ = torch.arange(query_XYQ.shape[-1], device=query_XYQ.device)[None]
    else:
        place_YQ = queries.places_BL
    place_XYQR = keys_XYQR + (place_YQ - query_XYQ)[..., None]
    is_key = (place_XYQR >= 0) & (place_XYQR < num_keys)
    column_YXQR = torch.where(is_key, place_XYQR, num_keys).transpose(0, 1)
    batch, _, num_queries, num = column_YXQR.shape
    models, heads, _ = gains_MHR.shape
    return column_YXQR[:, :, None].expand(batch, models, heads, num_queries, num)


def _spread(gains_MHR: Tensor, columns: Tensor) -> Tensor:
    return gains_MHR.float()[None, :, :, None].expand(columns.shape)


def flattened(bias_BMHQL: Tensor) -> Tensor:
    """Return a bias with models and heads side by side, [1 or B, M·H, Q, L]."""
    return bias_BMHQL.flatten(1, 2)


def visible_logarithm(queries: Where) -> Tensor:
    """Return log(q + 1), [1 or B, 1 or M, 1, Q, 1]: q + 1 positions are visible where ids count from 0."""
    number = once(queries.ids_MBL).float().clamp(min=0)
    return torch.log1p(number).transpose(0, 1)[:, :, None, :, None]
