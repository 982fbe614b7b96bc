"""A limit transformer on words of any length, with NumPy in 64-bit floats.

A head whose queries are the same at all positions, and whose keys have few different scores, needs running sums only, apart
from the distances at which its positional function has a value: its time is linear in the length. Any other head is computed
pair by pair, a block of queries at a time.

Shapes: N tokens, D width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import InvalidOptionError
from .positions import LocalRelation
from .transformer import Head, Layer, LimitTransformer, Matrix

_BLOCK = 256
_LEVELS = 16  # different scores, each with sums of its own


def run_limit(transformer: LimitTransformer, tokens: Sequence[int], *, offset: int = 0, fast: bool = True) -> Matrix:
    """Return the outputs at every token; positions are offset, offset + 1, …

    With ``fast`` off, every head is computed pair by pair.
    """
    *_, stream_ND = streams(transformer, tokens, offset=offset, fast=fast)
    outputs: Matrix = stream_ND @ transformer.readout.T
    return outputs


def streams(
    transformer: LimitTransformer, tokens: Sequence[int], *, offset: int = 0, fast: bool = True
) -> Iterator[Matrix]:
    """Yield the stream before the first layer, and after every layer."""
    places = np.arange(len(tokens))
    stream_ND = transformer.embeddings[np.asarray(tokens, dtype=np.int64)] + transformer.positions.rows(places + offset)
    yield stream_ND
    for layer in transformer.layers:
        stream_ND = _hidden(layer, _attention(layer, stream_ND, offset, transformer.fraction_bits, fast=fast))
        yield stream_ND


def _attention(layer: Layer, stream_ND: Matrix, offset: int, bits: int | None, *, fast: bool) -> Matrix:
    mixed = stream_ND
    for head in layer.heads:
        queries = stream_ND @ head.queries.T
        keys = stream_ND @ head.keys.T
        values = stream_ND @ head.values.T
        simple = fast and isinstance(head.relation, LocalRelation) and bits is None and (queries == queries[:1]).all()
        scores = keys @ queries[0]
        if simple and len(levels := np.unique(scores)) <= _LEVELS:
            mixed = mixed + _by_sums(head, scores, levels, values)
        else:
            mixed = mixed + _by_pairs(head, queries, keys, values, offset, bits)
    return mixed


def _by_sums(head: Head, scores_N: Matrix, levels: Matrix, values_ND: Matrix) -> Matrix:
    """Return what the head passes on, where the score of a key is the same for all queries but for its distance.

    Keys of one score are summed up; only then are the sums weighted, by powers of N that are at most 1.
    """
    assert isinstance(head.relation, LocalRelation)
    length = len(scores_N)
    columns = np.flatnonzero(head.values.any(axis=1))
    values_NC = values_ND[:, columns]
    near = [(distance, value) for distance, value in head.relation.values if distance < length]
    counts, sums = [], []
    for level in levels:  # all keys seen of this score, but for those at distances of their own
        there_N = (scores_N == level).astype(np.float64)
        count_N, sum_NC = np.cumsum(there_N), np.cumsum(there_N[:, None] * values_NC, axis=0)
        for distance, _ in near:
            count_N[distance:] -= there_N[: length - distance]
            sum_NC[distance:] -= there_N[: length - distance, None] * values_NC[: length - distance]
        counts.append(count_N)
        sums.append(sum_NC)
    largest_N = np.full(length, -np.inf)
    for level, count_N in zip(levels, counts, strict=True):
        largest_N = np.maximum(largest_N, np.where(count_N > 0, level, -np.inf))
    for distance, value in near:
        largest_N[distance:] = np.maximum(largest_N[distance:], scores_N[: length - distance] + value)
    top_NC, bottom_N = np.zeros_like(values_NC), np.zeros(length)
    for level, count_N, sum_NC in zip(levels, counts, sums, strict=True):
        weight_N = float(length) ** np.minimum(level - largest_N, 0.0) * (count_N > 0)
        top_NC += weight_N[:, None] * sum_NC
        bottom_N += weight_N * count_N
    for distance, value in near:
        weight_N = float(length) ** (scores_N[: length - distance] + value - largest_N[distance:])
        top_NC[distance:] += weight_N[:, None] * values_NC[: length - distance]
        bottom_N[distance:] += weight_N
    passed = np.zeros_like(values_ND)
    passed[:, columns] = top_NC / bottom_N[:, None]
    return passed


def _by_pairs(head: Head, queries: Matrix, keys: Matrix, values_ND: Matrix, offset: int, bits: int | None) -> Matrix:
    length = len(values_ND)
    place = np.arange(length)
    passed = np.zeros_like(values_ND)
    for start in range(0, length, _BLOCK):
        block = place[start : start + _BLOCK]
        seen = place[: block[-1] + 1]
        is_seen = seen[None, :] <= block[:, None]
        logits = rounded(queries[block] @ keys[seen].T + head.relation.block(seen + offset, block + offset), bits)
        if bits is None:  # a common factor cancels out, and powers of at most 1 do not overflow
            logits = logits - np.where(is_seen, logits, -np.inf).max(axis=1, keepdims=True)
            logits = np.where(is_seen, logits, 0.0)
        weights = rounded(float(length) ** logits, bits) * is_seen
        require_weights(bool(weights.any(axis=1).all()))
        passed[block] = weights @ values_ND[seen] / weights.sum(axis=1, keepdims=True)
    return passed


def require_weights(there_are: bool) -> None:
    """Raise if rounding has left a query without any weight."""
    if not there_are:
        raise InvalidOptionError(
            "all weights of a query are rounded to 0, so that there is nothing to divide by.",
            hint="give more fraction_bits, or larger logits.",
        )


def rounded(values: Matrix, bits: int | None) -> Matrix:
    """Return numbers rounded to so many bits behind the point."""
    return values if bits is None else np.round(values * 2.0**bits) / 2.0**bits


def _hidden(layer: Layer, stream_ND: Matrix) -> Matrix:
    before = stream_ND @ layer.into.T + layer.shift
    after = np.where(layer.is_step, (before > 0).astype(np.float64), np.maximum(before, 0.0))
    added: Matrix = stream_ND + after @ layer.out_of.T
    return added
