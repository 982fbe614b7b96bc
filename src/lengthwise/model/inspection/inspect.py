"""Everything that is looked at in one trained model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...encodings.core.base import Encoding
from ...encodings.core.id_wrapper import IdWrapper
from ...encodings.methods.ape import LearnedAPE
from ...errors import InvalidOptionError
from ...tasks.core.task import Objective, Task
from ..transformer import Block, Transformer
from .functions import Findings, study
from .products import positions_of, product_function, unwrapped
from .watching import AtLength, Cut, SeenDistances, mean_scores, measure_at

INSTANCES = 100
_MOST_LENGTHS = 9
_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One head: its product function from the weights, if positions are added to the input, and its mean scores as measured.

    Functions are squares, rows queries, columns keys; NaN where nothing is known.
    """

    layer: int
    head: int
    product_NN: Tensor | None
    product: Findings | None
    measured_NN: Tensor
    measured: Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class AtCut:
    """A layer that sees only so far back, for all queries or those of the input, and the exact match by length that is left."""

    cut: Cut
    matched: dict[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A model seen from inside: its heads, and how it does at several lengths. ``trained`` counts tokens, as positions do."""

    trained: int
    trained_length: int
    has_offsets: bool
    heads: tuple[Head, ...]
    lengths: tuple[AtLength, ...]
    cuts: tuple[AtCut, ...] = ()

    def usual_distance(self, layer: int, head: int) -> int | None:
        """Return the distance at which a head looks: there it has half of its largest weight or more, at all training lengths that
        were measured. None if there is no such distance.
        """
        seen = [
            each
            for at in self.lengths
            if at.length <= self.trained_length
            for each in at.heads
            if (each.layer, each.head) == (layer, head)
        ]
        most = max(len(each.by_distance) for each in seen)
        share, distance = max((min(each.at_distance(d) / each.largest for each in seen), -d) for d in range(most))
        return -distance if share >= _HALF else None

    @property
    def has_positions(self) -> bool:
        """Whether positions are added to the input, so that there are product functions."""
        return any(head.product is not None for head in self.heads)


def inspect_model(
    model: Transformer,
    task: Task,
    train_length: int,
    test_length: int,
    *,
    tau: int | None = None,
    period: int | None = None,
    cuts: Sequence[int] = (),
    instances: int = INSTANCES,
    seed: int = 0,
    report: Callable[[str], None] = lambda _: None,
) -> Inspection:
    """Look into one model that was trained on a task up to a length; measure it up to another.

    ``tau`` and ``period`` choose the limit transformer that heads are compared with; unless given, each head has its nearest.
    ``cuts`` are distances: for each, the model is measured again with one layer at a time that sees no further back. ``report``
    is told what is measured, as it is.
    """
    wrong_cuts = [distance for distance in cuts if distance < 0]
    if wrong_cuts:
        raise InvalidOptionError(
            f"a layer can see 0 tokens back or more; found {wrong_cuts[0]}.",
            hint="0 is the token itself, 1 the one before.",
        )
    require_measurable(model)
    possible = task.lengths(1, test_length)
    train_length = max((length for length in possible if length <= train_length), default=possible[0])
    trained = task.size(train_length)
    report("scores of all heads")
    heads = _heads(model, task, possible, trained, instances, seed, tau, period)
    chosen = spread_lengths(possible, train_length)
    seen = SeenDistances(tokens=trained, of_input=task.scored(train_length)[0])
    lengths = []
    for length in chosen:
        report(f"length {length} of {chosen[-1]}")
        lengths.append(measure_at(model, task, length, instances, seed, seen=seen))
    return Inspection(
        trained=trained,
        trained_length=train_length,
        has_offsets=_has_offsets(model.encoding),
        heads=heads,
        lengths=tuple(lengths),
        cuts=_cut(model, task, [at for at in lengths if at.length >= train_length], cuts, seed, report),
    )


def require_measurable(model: Transformer) -> None:
    """Raise unless there is one model, with weights that are numbers."""
    if model.num_models != 1:
        raise InvalidOptionError(
            f"one model can be inspected at a time; found a stack of {model.num_models}.", hint="take one out first."
        )
    wrong = [name for name, weight in model.named_parameters() if not torch.isfinite(weight).all()]
    if wrong:
        raise InvalidOptionError(
            f"{len(wrong)} of the model's tensors have weights that are not finite, {wrong[0]!r} the first: there is nothing to measure.",
            hint="it diverged in training; inspect another, or train with a smaller learning rate.",
        )


def _cut(
    model: Transformer,
    task: Task,
    uncut: Sequence[AtLength],
    distances: Sequence[int],
    seed: int,
    report: Callable[[str], None],
) -> tuple[AtCut, ...]:
    """Return what is left at the first, middle and last of some lengths when one layer sees no further back than a distance."""
    chosen = sorted({at.length: at for at in (uncut[0], uncut[len(uncut) // 2], uncut[-1])}.items())
    has_input = task.objective is not Objective.NEXT_SYMBOLS
    last = len(model.blocks) - 1  # where nothing is read off the input
    cuts = [
        Cut(layer=layer, distance=distance, of_input=of_input)
        for layer in range(last + 1)
        for distance in distances
        for of_input in ((False, True) if has_input and layer < last else (False,))
    ]
    found = []
    for number, cut in enumerate(cuts, start=1):
        report(f"cut {number} of {len(cuts)}")
        matched = {
            length: measure_at(model, task, length, at.instances, seed, cut=cut).matched for length, at in chosen
        }
        found.append(AtCut(cut=cut, matched=matched))
    return tuple(found)


def spread_lengths(possible: Sequence[int], train_length: int, most: int = _MOST_LENGTHS) -> list[int]:
    """Return some of the possible lengths, spread evenly; the longest training length and the longest of all are among them.

    Where all are longer than in training, the shortest of all takes the place of the longest training length.

    >>> spread_lengths(range(1, 61), 20)
    [7, 13, 20, 27, 33, 40, 47, 53, 60]
    >>> spread_lengths(range(61, 121), 20)
    [61, 68, 74, 81, 87, 94, 100, 107, 113, 120]
    """
    inside = [length for length in possible if length <= train_length] or [possible[0]]
    start = 0 if possible[0] <= train_length else possible[0]
    wanted = [start + (possible[-1] - start) * (number + 1) / most for number in range(most)]
    nearest = {min(possible, key=lambda length, at=at: (abs(length - at), length)) for at in wanted}  # type: ignore[misc]
    return sorted(nearest | {inside[-1], possible[-1]})


def _heads(
    model: Transformer,
    task: Task,
    possible: Sequence[int],
    trained: int,
    instances: int,
    seed: int,
    tau: int | None,
    period: int | None,
) -> tuple[Head, ...]:
    lengths = [possible[number * len(possible) // instances] for number in range(instances)]
    lengths[-1] = possible[-1]
    measured = mean_scores(model, task, lengths, seed)
    products = _products(model, task.size(possible[-1]))
    offsets = _has_offsets(model.encoding)
    found = []
    for layer, layer_HNN in enumerate(measured):
        for head, measured_NN in enumerate(layer_HNN):
            product_NN = None if products is None else products[layer][head]
            product = None
            if product_NN is not None:
                product = study(product_NN, trained, offsets=offsets, tau=tau, period=period)
            found.append(
                Head(
                    layer=layer,
                    head=head,
                    product_NN=product_NN,
                    product=product,
                    measured_NN=measured_NN,
                    measured=study(measured_NN, trained, offsets=offsets, tau=tau, period=period),
                )
            )
    return tuple(found)


@torch.no_grad()
def _products(model: Transformer, length: int) -> list[Tensor] | None:
    """Return the product functions of every layer, [H, N, N]; None where no positions are added to the input."""
    if not model.encoding.is_embedding:
        return None
    positions_MND = positions_of(model, length)
    found = []
    for block in model.blocks:
        assert isinstance(block, Block)
        found.append(product_function(positions_MND, block)[0].double())
    return found


def _has_offsets(encoding: Encoding) -> bool:
    """Return whether training saw distances at all positions, by random ids, or had nothing that tells positions apart."""
    # whatever gives other ids than the places draws them at random in training
    moves = any(isinstance(each, LearnedAPE | IdWrapper) for each in unwrapped(encoding))
    return moves or not encoding.is_embedding
