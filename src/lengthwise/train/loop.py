"""Training a stack: runs of one shape that differ in seed or learning rate, as one program."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from ..arrays import torch_arrays
from ..encodings.cards import ENCODINGS, load_encoding
from ..errors import InvalidOptionError
from ..model.shape import Shape
from ..model.transformer import Transformer
from ..seeds import DATA, EVALUATION, INITIALIZATION, Draw, open_stream
from ..tasks.lengths import LengthRange
from ..tasks.task import Batch, Task
from .batches import make_batch
from .evaluation import Score, evaluation_batch, match_instances, score_by_length
from .objectives import loss_per_model
from .optimizer import StackedAdamW
from .settings import Training

_STEPS_PER_REPORT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What one run came to: its scores at every length, its losses, and when it stopped."""

    scores: tuple[Score, ...]
    losses: tuple[tuple[int, float], ...]
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a stack is: the step, and the exact match of each model on the training lengths at the last evaluation."""

    step: int
    steps: int
    matched: tuple[float, ...]


class Stack:
    """Models that train together: one task, encoding and shape; a seed and a learning rate for each.

    Each model trains as it would alone: bit for bit with one thread where the batch is a multiple of 32 and the width
    of a head a multiple of 8, so that no vector instruction spans two models; otherwise up to rounding.
    """

    def __init__(
        self,
        *,
        task: Task,
        encoding: str,
        shape: Shape,
        training: Training,
        bins: Sequence[LengthRange],
        seeds: Sequence[int],
        rates: Sequence[float],
        device: str = "cpu",
    ) -> None:
        self.task = task
        self.training = training
        self.xp = torch_arrays(device)
        self.rates_M = torch.tensor(list(rates), dtype=torch.float32, device=device)
        self.train_lengths = task.lengths(bins[0].low, bins[0].high)
        if not self.train_lengths:
            raise InvalidOptionError(
                f"{task.name!r} has no instance of a length from {bins[0]}.", hint="train on longer inputs."
            )
        kind = load_encoding(ENCODINGS[encoding])
        width = shape.width
        positions = kind(
            num_models=len(seeds),
            num_heads=shape.heads,
            head_width=width // shape.heads,
            width=width,
            max_length=task.size(bins[-1].high),
        )
        self.model = Transformer(
            num_models=len(seeds),
            num_tokens=len(task.vocabulary),
            num_outputs=task.num_outputs,
            shape=shape,
            encoding=positions,
        )
        self.model.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
        self.model.to(device)
        self.optimizer = StackedAdamW(self.model.parameters(), weight_decay=training.weight_decay, clip=training.clip)
        self.data = open_stream(DATA, seed=list(seeds), xp=self.xp)
        evaluation = open_stream(EVALUATION, seed=list(seeds), xp=self.xp)
        self.bins = [
            evaluation_batch(task, bounds, training.examples, evaluation.at(number), self.xp)
            for number, bounds in enumerate(bins)
            if task.lengths(bounds.low, bounds.high)
        ]

    def step(self, number: int) -> torch.Tensor:
        """Take training step ``number``; return the loss of each model before it, [M]."""
        draw: Draw = self.data.at(number)
        batch = make_batch(self.task, self.train_lengths, self.training.batch, draw, self.xp)
        ids = self.model.encoding.ids(batch.tokens_MBL, batch.sizes_MB, draw.named("positions"))
        outputs = self.model(batch.tokens_MBL, ids, batch.scale_MB)
        losses_M = loss_per_model(self.task.objective, outputs, batch.targets_MBL)
        self.optimizer.zero_grad()
        losses_M.sum().backward()  # type: ignore[no-untyped-call]
        warm = min(1.0, (number + 1) / max(1, self.training.warmup))
        decay = 1 - number / self.training.steps
        self.optimizer.step(self.rates_M * (warm * decay))
        return losses_M.detach()

    def matched(self) -> torch.Tensor:
        """Return the share of training-length instances that each model matches exactly, [M]."""
        return match_instances(self.model, self.task, self.bins[0]).float().mean(1)

    def scores(self) -> list[list[Score]]:
        """Return every model's scores at all lengths."""
        merged: list[list[Score]] = [[] for _ in range(self.model.num_models)]
        for batch in self.bins:
            matches = match_instances(self.model, self.task, batch)
            for scores, found in zip(merged, score_by_length(matches, batch.scale_MB), strict=True):
                scores += found
        return merged

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the models at these places only; each trains on as if nothing had happened."""
        chosen = torch.tensor(list(places), device=self.rates_M.device)
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.grad = None
                parameter.data = parameter.data[chosen]
        self.model.num_models = self.model.encoding.num_models = len(places)
        self.optimizer.keep(chosen)
        self.rates_M = self.rates_M[chosen]
        self.data = Draw(keys=self.data.keys[chosen], xp=self.xp)
        self.bins = [
            Batch(
                tokens_MBL=batch.tokens_MBL[chosen],
                targets_MBL=batch.targets_MBL[chosen],
                sizes_MB=batch.sizes_MB[chosen],
                scale_MB=batch.scale_MB[chosen],
            )
            for batch in self.bins
        ]


def train_stack(stack: Stack, report: Callable[[Progress], None] = lambda _: None) -> list[Trained]:
    """Train until every model is right on all of its evaluation set, or the steps run out; return each one's result.

    A model that is done leaves the stack, which is smaller and faster without it.
    """
    training = stack.training
    begun = time.perf_counter()
    models = list(range(stack.model.num_models))  # which model is at each place of the stack
    losses: list[list[tuple[int, float]]] = [[] for _ in models]
    matched = [0.0 for _ in models]
    results: dict[int, Trained] = {}
    num_models = len(models)
    spent = [0.0] * num_models
    for number in range(training.steps):
        losses_M = stack.step(number)
        done = number + 1
        if done % training.evaluate_every == 0 or done == training.steps:
            shares = stack.matched().tolist()
            now = (time.perf_counter() - begun) / len(models)
            begun = time.perf_counter()
            for model, share, loss in zip(models, shares, losses_M.tolist(), strict=True):
                losses[model].append((done, loss))
                matched[model] = share
                spent[model] += now
            leaving = [place for place, share in enumerate(shares) if share == 1.0 or done == training.steps]
            if leaving:
                scores = stack.scores()
                for place in leaving:
                    model = models[place]
                    results[model] = Trained(
                        scores=tuple(scores[place]), losses=tuple(losses[model]), steps=done, seconds=spent[model]
                    )
                staying = [place for place in range(len(models)) if place not in leaving]
                models = [models[place] for place in staying]
                if staying:
                    stack.keep(staying)
        if done % training.evaluate_every == 0 or done % _STEPS_PER_REPORT == 0 or not models:
            report(Progress(step=done, steps=training.steps, matched=tuple(matched)))
        if not models:
            break
    return [results[model] for model in range(num_models)]
