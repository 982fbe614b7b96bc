"""A stack: models of one task, encoding and shape that differ in seed or learning rate, trained as one program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any

import torch
from torch import Tensor

from ..arrays import torch_arrays
from ..encodings.base import Encoding, Fit
from ..encodings.build import make_encoding
from ..errors import InvalidOptionError
from ..model.shape import Shape
from ..model.transformer import Transformer
from ..seeds import DATA, EVALUATION, INITIALIZATION, Draw, open_stream
from ..tasks.bare import without_bos
from ..tasks.hard.apply import hard_sets
from ..tasks.lengths import LengthRange
from ..tasks.pool import Pool
from ..tasks.task import Task
from .evaluation import Examples, Score, make_examples, match_instances, score_by_length
from .objectives import loss_per_model
from .optimizer import StackedAdamW
from .packing import Packing, Rows
from .penalties import penalties_of, require_what_penalties_act_on
from .recording import Recorded
from .settings import Training


class Precision(StrEnum):
    """How matrix products are computed in training; weights and the residual stream are always in 32 bits."""

    FP32 = "fp32"
    TF32 = "tf32"  # products of 32-bit numbers rounded to 19 bits, on a GPU
    BF16 = "bf16"


class Stack:
    """Models that train together: one task, encoding and shape; a seed and a learning rate for each.

    Each model trains as it would alone: bit for bit with one thread on the CPU, not compiled, where the batch is a
    multiple of 32 and the width of a head a multiple of 8, so that no vector instruction spans two models; otherwise up
    to rounding. On a GPU the step is recorded, and compiled unless ``compiled`` says otherwise.
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
        precision: Precision | None = None,
        compiled: bool | None = None,
        hard: bool = False,
    ) -> None:
        self.on_gpu = torch.device(device).type == "cuda"
        own = hard_sets(task) if hard else {}
        self.hard_sets = {kind: without_bos(each) if shape.no_bos else each for kind, each in own.items()}
        self.task = task = without_bos(task) if shape.no_bos else task
        self.training = training
        self.device = device
        self.precision = precision or (Precision.BF16 if self.on_gpu else Precision.FP32)
        self.is_compiled = self.on_gpu if compiled is None else compiled
        self.xp = torch_arrays(device)
        self.rates_M = torch.tensor(list(rates), dtype=torch.float32, device=device)
        self.bins = [bounds for bounds in bins if task.lengths(bounds.low, bounds.high)]
        if not self.bins or self.bins[0] != bins[0]:
            raise InvalidOptionError(
                f"{task.name!r} has no instance of a length from {bins[0]}.", hint="train on longer inputs."
            )
        self.model = make_model(task, encoding, shape, bins, num_models=len(seeds))
        require_what_penalties_act_on(self.model, encoding, training)
        self.model.initialize(open_stream(INITIALIZATION, seed=list(seeds)))
        self.model.to(device)
        self.optimizer = StackedAdamW(self.model.parameters(), weight_decay=training.weight_decay, clip=training.clip)
        self.packing = Packing(
            task,
            task.lengths(bins[0].low, bins[0].high),
            batch=training.batch,
            pairs=training.batch % 2 == 0 and self.model.encoding.may_share_rows,
            xp=self.xp,
            device=device,
        )
        trained = task.lengths(bins[0].low, bins[0].high)
        self.source: Task | Pool = Pool(task, trained, self.xp) if self.on_gpu and task.host_only else task
        self.schedule = open_stream(DATA, seed=0, xp=self.xp).named("length")  # one for all seeds
        self.data = open_stream(DATA, seed=list(seeds), xp=self.xp)
        self.evaluation = open_stream(EVALUATION, seed=list(seeds), xp=self.xp)
        self.number = torch.zeros((), dtype=torch.int64, device=device)
        self._prepare()

    def _prepare(self) -> None:
        """Make the step anew for the present number of models."""
        self.losses_M = torch.zeros(self.model.num_models, device=self.device)
        self._train_examples: Examples | None = None
        self._rows: Callable[[Tensor], Rows] = self._make_rows
        self._losses: Callable[[Rows], tuple[Tensor, Tensor]] = self._loss_per_model
        self._update: Callable[[Tensor], None] = self._take_optimizer_step
        self._advance: Callable[[], None] = self._step
        if self.is_compiled:
            torch.compiler.reset()  # a process trains one stack at a time, and forgets the programs of the last
            self._losses = _compile(self._loss_per_model)
        if self.on_gpu:
            self._make_rows(self.number)  # constants are copied to the GPU now, not inside the program
            self._advance = Recorded(self._step)
        if self.is_compiled and self.on_gpu:
            self._rows = _compile(self._make_rows)
            self._update = _compile(self._take_optimizer_step)

    def step(self, number: int) -> Tensor:
        """Take training step ``number``; return the loss of each model before it, without its penalties, [M]."""
        self.number.fill_(number)
        with _matrix_products(self.precision):
            self._advance()
        return self.losses_M.clone()

    def _step(self) -> None:
        rows = self._rows(self.number)
        self.optimizer.zero_grad()
        losses_M, penalties_M = self._losses(rows)
        (losses_M + penalties_M).sum().backward()  # type: ignore[no-untyped-call]
        self._update(self.number)
        self.losses_M.copy_(losses_M.detach())

    def _make_rows(self, number: Tensor) -> Rows:
        """Return the batch of a step."""
        draw: Draw = self.data.at(number)
        choice_R = self.packing.choose(self.schedule.at(number))
        lengths_B = self.packing.lengths(choice_R)
        batch = self.source.sample(draw.named("instance"), lengths_B, self.packing.max_length, self.xp)
        roles_MBL = self.task.roles(batch, self.xp)
        ids_MBL = self.model.encoding.ids(batch.tokens_MBL, batch.sizes_MB, draw.named("positions"), roles_MBL)
        return self.packing.pack(batch, ids_MBL, choice_R)

    def _loss_per_model(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Return the loss of each model, [M], and what its penalties add."""
        with self._autocast():
            outputs = self.model(rows.tokens_MRW, rows.at, rows.scored)
        losses_M = loss_per_model(self.task.objective, outputs.float(), rows.targets_MRS)
        return losses_M, penalties_of(self.model, self.training)

    def _take_optimizer_step(self, number: Tensor) -> None:
        taken = number.to(torch.float64)
        warm = ((taken + 1) / max(1, self.training.warmup)).clamp(max=1.0)
        decay = 1 - taken / self.training.steps
        self.optimizer.step(self.rates_M * (warm * decay).to(torch.float32), number)

    def _autocast(self) -> AbstractContextManager[Any]:
        return torch.autocast(
            torch.device(self.device).type, dtype=torch.bfloat16, enabled=self.precision is Precision.BF16
        )

    def matched(self) -> Tensor:
        """Return the share of training-length instances that each model matches exactly, [M]."""
        if self._train_examples is None:
            self._train_examples = self._examples(0)
        return self._match(self._train_examples).float().mean(1)

    def scores(self) -> list[list[Score]]:
        """Return every model's scores at all lengths."""
        merged: list[list[Score]] = [[] for _ in range(self.model.num_models)]
        for number in range(len(self.bins)):
            examples = self._examples(number)
            matches = self._match(examples)
            for scores, found in zip(merged, score_by_length(matches, examples.batch.scale_MB), strict=True):
                scores += found
        return merged

    def hard_scores(self) -> list[dict[str, tuple[Score, ...]]]:
        """Return every model's scores on the hard sets of the task, by kind, at all lengths that have hard instances."""
        merged: list[dict[str, tuple[Score, ...]]] = [{} for _ in range(self.model.num_models)]
        for kind, task in self.hard_sets.items():
            draw = self.evaluation.named("hard").named(kind)
            for number, bounds in enumerate(self.bins):
                if not task.lengths(bounds.low, bounds.high):
                    continue
                examples = make_examples(task, bounds, self.training.examples, draw.at(number), self.xp)
                matches = self._match(examples)
                for scores, found in zip(merged, score_by_length(matches, examples.batch.scale_MB), strict=True):
                    scores[kind] = (*scores.get(kind, ()), *found)
        return merged

    def _match(self, examples: Examples) -> Tensor:
        with _matrix_products(Precision.FP32):  # whatever the precision of training: a score must not hang on rounding
            return match_instances(self.model, self.task, examples)

    def _examples(self, number: int) -> Examples:
        return make_examples(self.task, self.bins[number], self.training.examples, self.evaluation.at(number), self.xp)

    def freeze(self, place: int) -> None:
        """Keep the weights of the model at this place as they are from now on."""
        self.rates_M[place] = 0.0

    def weights(self, place: int) -> dict[str, Tensor]:
        """Return the weights of the model at this place, by name, each with a leading 1."""
        named = self.model.named_parameters()
        return {name: parameter.detach()[place : place + 1].cpu().clone() for name, parameter in named}

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that training changes, by name."""
        named = dict(self.model.named_parameters())
        means = {f"mean.{name}": mean for name, mean in zip(named, self.optimizer.means, strict=True)}
        squares = {f"square.{name}": square for name, square in zip(named, self.optimizer.squares, strict=True)}
        return (
            {name: parameter.detach() for name, parameter in named.items()} | means | squares | {"rates": self.rates_M}
        )

    def fits(self, tensors: Mapping[str, Tensor], models: int) -> bool:
        """Return whether these are the tensors of a stack like this one with so many models."""
        own = {name: (models, *tensor.shape[1:]) for name, tensor in self.tensors().items()}
        return own == {name: tuple(tensor.shape) for name, tensor in tensors.items()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Set everything that training changes."""
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                tensor.copy_(tensors[name])

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the models at these places only; each trains on as if nothing had happened."""
        chosen = torch.tensor(list(places), device=self.rates_M.device)
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.grad = None
                parameter.data = parameter.data[chosen]
        self.model.num_models = len(places)
        for module in self.model.encoding.modules():
            if isinstance(module, Encoding):
                module.num_models = len(places)
        self.optimizer.keep(chosen)
        self.rates_M = self.rates_M[chosen]
        self.data = Draw(keys=self.data.keys[chosen], xp=self.xp)
        self.evaluation = Draw(keys=self.evaluation.keys[chosen], xp=self.xp)
        self._prepare()


def make_model(task: Task, encoding: str, shape: Shape, bins: Sequence[LengthRange], *, num_models: int) -> Transformer:
    """Return models for a task, trained on the first bin and tested up to the last; their weights are not set yet."""
    positions = make_encoding(
        encoding,
        Fit(
            num_models=num_models,
            num_heads=shape.heads,
            head_width=shape.width // shape.heads,
            width=shape.width,
            max_length=task.size(bins[-1].high),
            trained=task.size(bins[0].high),
            num_layers=shape.layers,
            digits=task.digits,
        ),
    )
    return Transformer(
        num_models=num_models,
        num_tokens=len(task.vocabulary),
        num_outputs=task.num_outputs,
        shape=shape,
        encoding=positions,
    )


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, dynamic=False, fullgraph=True)


class _matrix_products:  # noqa: N801  # reads as what it does
    """Products of 32-bit matrices with tensor cores where TF32 is asked for, otherwise in full."""

    def __init__(self, precision: Precision) -> None:
        self._asked = "high" if precision is Precision.TF32 else "highest"

    def __enter__(self) -> None:
        self._before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision(self._asked)

    def __exit__(self, *_: object) -> None:
        torch.set_float32_matmul_precision(self._before)
