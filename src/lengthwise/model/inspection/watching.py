"""A model at work, watched: scores and weights of every head on real instances, and the margin of its answers.

Shapes: B batch, L tokens, H heads, O outputs; there is one model, M = 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ...arrays import torch_arrays
from ...encodings.core.base import Encoding, Fit, Where
from ...encodings.core.wrapper import Wrapper
from ...seeds import EVALUATION, open_stream
from ...tasks.core.task import IGNORE, Objective, Task
from ..transformer import Transformer

_TOKENS = 4_096  # instances go in slices of about so many


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What one layer may not see: keys more than ``distance`` tokens back, for all queries or for those of the input alone.

    The input is what stands before the first scored place.
    """

    layer: int
    distance: int
    of_input: bool = False

    def hidden(self, targets_BL: Tensor) -> Tensor:
        """Return which keys are hidden from which queries, [B, 1, L, L]."""
        place_L = torch.arange(targets_BL.shape[-1])
        far_LL = place_L[:, None] - place_L > min(self.distance, len(place_L))
        if not self.of_input:
            return far_LL[None, None]
        return (_is_input(targets_BL)[:, :, None] & far_LL)[:, None]


def _is_input(targets_BL: Tensor) -> Tensor:
    """Return which places stand before the first scored one."""
    return (targets_BL != IGNORE).cumsum(1) == 0


class _Watched(Wrapper):
    """An encoding whose scores and weights in attention are kept aside; where something is hidden, it has no weight."""

    def __init__(self, fit: Fit, base: Encoding, hidden: Tensor | None = None) -> None:
        super().__init__(fit, base)
        self.hidden = hidden
        self.kept: tuple[Tensor, Tensor] | None = None

    @property
    def is_fused(self) -> bool:
        """Never: the fused kernel shows nothing."""
        return False

    def weights(self, scores: Tensor, queries: Where, keys: Where) -> Tensor:
        """Return the weights of the base."""
        num_keys = keys.ids_MBL.shape[-1]  # without the key that a sink adds
        if self.hidden is not None:
            scores = scores.clone()
            scores[..., :num_keys].masked_fill_(self.hidden, -torch.inf)
        weights = self.base.weights(scores, queries, keys)
        self.kept = scores[..., :num_keys], weights[..., :num_keys]
        return weights


class Seen(NamedTuple):
    """Instances and what the model makes of them: scores and weights of every layer, and its outputs."""

    scores_BHLL: list[Tensor]
    weights_BHLL: list[Tensor]
    outputs_BLO: Tensor
    tokens_BL: Tensor
    targets_BL: Tensor
    sizes_B: Tensor

    def tokens(self) -> Tensor:
        """Return where there is a token of an instance and no padding, [B, L]."""
        return torch.arange(self.targets_BL.shape[-1]) < self.sizes_B[:, None]


@torch.no_grad()
def watch(
    model: Transformer, task: Task, lengths: Sequence[int], seed: int = 0, cut: Cut | None = None
) -> Iterator[Seen]:
    """Yield instances of these lengths in slices, as they are tested: from position 0 on, a function of the seed."""
    xp = torch_arrays("cpu")
    draw = open_stream(EVALUATION, seed=[seed], xp=xp).named("inspect")
    batch = task.sample(draw, xp.asarray(list(lengths)), max(lengths), xp)
    roles_MBL = task.roles(batch, xp)
    step = max(1, _TOKENS // batch.tokens_MBL.shape[-1])
    for start in range(0, len(lengths), step):
        part = slice(start, start + step)
        tokens, sizes = batch.tokens_MBL[:, part], batch.sizes_MB[:, part]
        at = Where(
            ids_MBL=model.encoding.ids(tokens, sizes, None, None if roles_MBL is None else roles_MBL[:, part]),
            scale_MBL=batch.scale_MB[:, part, None].expand(tokens.shape),
            sizes_MBL=sizes[..., None].expand(tokens.shape),
        )
        x_MBLD = model.enter(tokens, at)
        kept = []
        for number, block in enumerate(model.blocks):
            hidden = cut.hidden(batch.targets_MBL[0, part]) if cut and cut.layer == number else None
            watched = _Watched(_fit_of(model), model.encoding.at_layer(number), hidden)
            x_MBLD = block(x_MBLD, watched, at)
            assert watched.kept is not None
            kept.append(watched.kept)
        yield Seen(
            scores_BHLL=[scores for scores, _ in kept],
            weights_BHLL=[weights for _, weights in kept],
            outputs_BLO=model.read(x_MBLD)[0],
            tokens_BL=tokens[0],
            targets_BL=batch.targets_MBL[0, part],
            sizes_B=sizes[0],
        )


def _fit_of(model: Transformer) -> Fit:
    shape = model.shape
    return Fit(num_heads=shape.heads, head_width=shape.width // shape.heads, width=shape.width, max_length=1, trained=1)


def mean_scores(model: Transformer, task: Task, lengths: Sequence[int], seed: int = 0) -> list[Tensor]:
    """Return for every layer the mean score of key j at query i over instances of these lengths, [H, N, N].

    These are the numbers that enter softmax. NaN stands where no instance has such a pair, and where a key is hidden.
    """
    totals: list[Tensor] = []
    counts: list[Tensor] = []
    for seen in watch(model, task, lengths, seed):
        is_token_BL = seen.tokens()
        there_BLL = is_token_BL[:, :, None] & is_token_BL[:, None, :]
        for number, scores_BHLL in enumerate(seen.scores_BHLL):
            counted = there_BLL[:, None] & torch.isfinite(scores_BHLL)
            total = torch.where(counted, scores_BHLL.double(), 0.0).sum(0)
            if number == len(totals):
                totals.append(torch.zeros_like(total))
                counts.append(torch.zeros_like(total))
            totals[number] += total
            counts[number] += counted.sum(0)
    return [torch.where(count > 0, total / count, torch.nan) for total, count in zip(totals, counts, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadAtLength:
    """How sharp one head is at one length, over the queries whose output matters: all tokens, in the last layer scored places.

    ``largest`` is the mean of the largest weight, ``entropy`` that of the entropy in nats, ``by_distance`` the mean weight of the
    key at each distance, over queries that have one. ``unseen`` is the mean weight of all keys at distances that training never
    saw, over queries that have any; ``unseen_of_input`` the same for queries of the input and distances that these never had,
    which are more, as a copy is further away than its original. None if there is no such query.
    """

    layer: int
    head: int
    largest: float
    entropy: float
    by_distance: tuple[float, ...]
    unseen: float | None = None
    unseen_of_input: float | None = None

    def at_distance(self, distance: int) -> float:
        """Return the mean weight of the key that far back, 0 where no query has one."""
        return self.by_distance[distance] if distance < len(self.by_distance) else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLength:
    """A model at one length: exact match, the margin at scored places, and its heads.

    The margin is the output of the right answer minus the best other one; where a set is asked for, the least of all outputs,
    each counted towards its right side. ``low`` is its 1 % quantile, and ``right`` the share above 0.
    """

    length: int
    instances: int
    matched: float
    right: float
    margin: float
    low: float
    heads: tuple[HeadAtLength, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDistances:
    """The distances below these were trained: for any token, and for tokens of the input."""

    tokens: int
    of_input: int


def measure_at(
    model: Transformer,
    task: Task,
    length: int,
    instances: int,
    seed: int = 0,
    *,
    seen: SeenDistances | None = None,
    cut: Cut | None = None,
) -> AtLength:
    """Return how a model does at one length; ``seen`` says which distances were trained."""
    margins: list[Tensor] = []
    matched: list[Tensor] = []
    sums: dict[tuple[int, int], Tensor] = {}
    for part in watch(model, task, [length] * instances, seed, cut):
        scored_BL = part.targets_BL != IGNORE
        margin_BL = margins_of(task.objective, part.outputs_BLO, part.targets_BL)
        margins.append(margin_BL[scored_BL])
        matched.append(((margin_BL > 0) | ~scored_BL).all(1))
        for layer, weights_BHLL in enumerate(part.weights_BHLL):
            asked_BL = scored_BL if layer == len(part.weights_BHLL) - 1 else part.tokens()
            for head in range(weights_BHLL.shape[1]):
                weights_BLL = weights_BHLL[:, head].double()
                found = torch.stack(
                    [_sums(weights_BLL, asked_BL), _sums(weights_BLL, asked_BL & _is_input(part.targets_BL))]
                )
                sums[layer, head] = sums[layer, head] + found if (layer, head) in sums else found
    heads = []
    for (layer, head), (found, of_input) in sums.items():
        largest, entropy, number = (float(each) for each in found[0, :3])
        heads.append(
            HeadAtLength(
                layer=layer,
                head=head,
                largest=largest / number,
                entropy=entropy / number,
                by_distance=tuple((found[1] / found[2].clamp(min=1)).tolist()),
                unseen=_from_distance(found, seen.tokens) if seen else None,
                unseen_of_input=_from_distance(of_input, seen.of_input) if seen else None,
            )
        )
    margin = torch.cat(margins).double()
    return AtLength(
        length=length,
        instances=instances,
        matched=float(torch.cat(matched).double().mean()),
        right=float((margin > 0).double().mean()),
        margin=float(margin.mean()),
        low=float(torch.quantile(margin[:1_000_000], 0.01)),
        heads=tuple(heads),
    )


def margins_of(objective: Objective, outputs_BLO: Tensor, targets_BL: Tensor) -> Tensor:
    """Return the margin at every place, [B, L]; what stands where nothing is scored is arbitrary."""
    if objective is Objective.NEXT_SYMBOLS:
        places = torch.arange(outputs_BLO.shape[-1])
        allowed = (targets_BL[..., None] >> places & 1).bool()
        return torch.where(allowed, outputs_BLO, -outputs_BLO).amin(-1)
    right_BL1 = targets_BL.clamp(min=0)[..., None]
    others = outputs_BLO.scatter(-1, right_BL1, -torch.inf).amax(-1)
    return outputs_BLO.gather(-1, right_BL1)[..., 0] - others


def _from_distance(sums: Tensor, distance: int) -> float | None:
    """Return the mean weight of all keys so far back or further, over queries that have any; None without such queries."""
    if distance >= sums.shape[1] or not sums[2, distance]:
        return None
    return float(sums[1, distance:].sum() / sums[2, distance])


def _sums(weights_BLL: Tensor, asked_BL: Tensor) -> Tensor:
    """Return sums over the queries that are asked for, in three rows.

    Of the largest weight, the entropy and 1; for every distance, of the weight of the key that far back; and of the number of
    queries that have such a key.
    """
    length = weights_BLL.shape[-1]
    asked_QL = weights_BLL[asked_BL]
    sums = torch.zeros(3, max(3, length), dtype=torch.float64)
    sums[0, 0] = asked_QL.amax(-1).sum()
    sums[0, 1] = -torch.special.xlogy(asked_QL, asked_QL).sum()
    sums[0, 2] = len(asked_QL)
    place = torch.arange(length)
    distance_LL = place[:, None] - place
    back = distance_LL >= 0
    asked_BLL = asked_BL[..., None] & back
    sums[1].index_add_(0, distance_LL[back], torch.where(asked_BLL, weights_BLL, 0.0).sum(0)[back])
    sums[2].index_add_(0, distance_LL[back], asked_BLL.sum(0)[back].double())
    return sums
