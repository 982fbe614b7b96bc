"""Can a product p_iᵀAp_j of position vectors be a given relation of distances, and does it stay one at distances never seen?

The experiment of appendix G.2 of arXiv 2410.02140. There are N position vectors p and matrices W_Q and W_K; the logit of
query i and key j ≤ i is (p_i W_Q)·(p_j W_K), and it shall be 2·ln T where i − j stands in the relation, and 0 elsewhere.
Training sees random windows of T consecutive positions, so distances of T and more are never trained. The test is the mean
squared error over all windows of a length, longer ones among them.

Windows need not be cut out. A pair (i, j) lies in the windows that begin at i − T + 1 … j; with C(s) windows that begin at
or before s, it lies in C(j) − C(i − T) of them. So the loss over a batch is a weighted mean of the squared errors of all
N² logits, each computed once. Fits of one width train as one program: every parameter leads with the fit.

Shapes: M fits, N positions, D width, B windows in a batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..arrays import torch_arrays
from ..errors import InvalidOptionError, check_number
from ..seeds import DATA, INITIALIZATION, Draw, open_stream
from .optimizer import FACTORS, StackedAdamW, adam_factors
from .recording import Recorded
from .weights import Weights

_NO_CLIP = 1e30


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductFit:
    """How products are fitted to relations."""

    positions: int = 200
    train_length: int = 50
    test_lengths: tuple[int, ...] = (50, 100, 150)
    steps: int = 15_000
    batch: int = 64
    learning_rate: float = 1e-3
    penalty: float = 0.01  # the weight of the means of squares of the parameters

    def __post_init__(self) -> None:
        check_number("positions", self.positions, int, 2, 5_000)
        check_number("steps", self.steps, int, 1, 10**8)
        check_number("batch", self.batch, int, 1, 10**6)
        check_number("learning_rate", self.learning_rate, float, 1e-9, 10)
        check_number("penalty", self.penalty, float, 0, 10**6)
        for length in (self.train_length, *self.test_lengths):
            check_number("a window's length", length, int, 1, self.positions)


class ProductStack:
    """Fits that train together: one width; a relation, as its distances, and a seed for each."""

    def __init__(
        self,
        relations: Sequence[Sequence[int]],
        *,
        seeds: Sequence[int],
        width: int,
        fit: ProductFit,
        device: str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        if not relations or len(relations) != len(seeds):
            raise InvalidOptionError(
                f"every fit has a relation and a seed; found {len(relations)} relations and {len(seeds)} seeds.",
                hint="give as many of one as of the other, and at least one.",
            )
        check_number("width", width, int, 1, 100_000)
        self.fit, self.device, self.dtype = fit, device, dtype
        self.xp = torch_arrays(device)
        start = open_stream(INITIALIZATION, seed=list(seeds))
        near = 1 / math.sqrt(width)
        self.positions_MND = self._parameter(start.named("positions"), (fit.positions, width), 1.0)
        self.queries_MDD = self._parameter(start.named("queries"), (width, width), near)
        self.keys_MDD = self._parameter(start.named("keys"), (width, width), near)
        self.parameters = [self.positions_MND, self.queries_MDD, self.keys_MDD]
        named = dict(zip(("positions", "queries", "keys"), self.parameters, strict=True))
        self.optimizer = StackedAdamW(Weights(named))
        self.factors_FM = torch.zeros(len(FACTORS), len(seeds), dtype=dtype, device=device)
        place = torch.arange(fit.positions, device=device)
        self._distance_NN = place[:, None] - place[None, :]
        table = torch.zeros(len(seeds), fit.positions, dtype=dtype)
        for number, distances in enumerate(relations):
            table[number, [each for each in distances if 0 <= each < fit.positions]] = 2 * math.log(fit.train_length)
        self.targets_MNN = table.to(device)[:, self._distance_NN.clamp(min=0)]
        self.data = open_stream(DATA, seed=list(seeds), xp=self.xp).named("windows")
        self.number = torch.zeros((), dtype=torch.int64, device=device)
        self.losses_M = torch.zeros(len(seeds), dtype=dtype, device=device)
        self._advance: Callable[[], None] = self._step
        if torch.device(device).type == "cuda":
            self.weights()  # constants are copied to the GPU now, not inside the recording
            self._advance = Recorded(self._step)

    def _parameter(self, draw: Draw, shape: tuple[int, int], bound: float) -> nn.Parameter:
        bits = torch.as_tensor(draw.bits31(shape)).to(torch.float64)
        return nn.Parameter((((bits + 0.5) / 2**30 - 1) * bound).to(self.dtype).to(self.device))

    def starts(self) -> Tensor:
        """Return where the windows of the present step begin, [M, B]."""
        number = self.fit.positions - self.fit.train_length + 1
        starts_MB: Tensor = self.data.at(self.number).integers(number, (self.fit.batch,))
        return starts_MB

    def weights(self) -> Tensor:
        """Return how many windows of the present step hold each pair, as a share of all pairs in them, [M, N, N]."""
        starts_MB = self.starts()
        begun_MN = torch.zeros(starts_MB.shape[0], self.fit.positions, dtype=self.dtype, device=self.device)
        begun_MN.scatter_add_(1, starts_MB, torch.ones_like(starts_MB, dtype=self.dtype))
        return self._spread(begun_MN, self.fit.train_length)

    def _spread(self, begun_MN: Tensor, length: int) -> Tensor:
        """Return the share of the pairs (i, j), by how many windows of a length begin at each position."""
        up_to = begun_MN.cumsum(1)
        before = torch.nn.functional.pad(up_to, (length, 0))[:, : self.fit.positions]  # begun too early to reach i
        held_MNN = (up_to[:, None, :] - before[:, :, None]).clamp(min=0)  # of query i and key j
        held_MNN = held_MNN * (self._distance_NN >= 0)
        return held_MNN / (begun_MN.sum(1) * (length * (length + 1) / 2))[:, None, None]

    def logits(self) -> Tensor:
        """Return the logit of every query and key, [M, N, N]."""
        queries_MND = self.positions_MND @ self.queries_MDD
        keys_MND = self.positions_MND @ self.keys_MDD
        return queries_MND @ keys_MND.transpose(1, 2)

    def loss(self) -> Tensor:
        """Return the loss of each fit on the windows of the present step, [M]."""
        errors_M = (self.weights() * (self.logits() - self.targets_MNN).square()).sum((1, 2))
        squares_M = torch.stack([each.square().mean((1, 2)) for each in self.parameters]).sum(0)
        return errors_M + self.fit.penalty * squares_M

    def step(self, number: int) -> None:
        """Take training step ``number``, from 0."""
        self.number.fill_(number)
        factors = adam_factors(self.fit.learning_rate, number, weight_decay=0.0, clip=_NO_CLIP)
        self.factors_FM.copy_(torch.tensor(factors, dtype=self.dtype)[:, None])
        self._advance()

    def _step(self) -> None:
        self.optimizer.weights.forget_gradients()
        losses_M = self.loss()
        losses_M.sum().backward()  # type: ignore[no-untyped-call]
        self.optimizer.step(self.optimizer.weights.gradient(), self.factors_FM)
        self.losses_M.copy_(losses_M.detach())

    @torch.no_grad()
    def errors(self) -> Tensor:
        """Return the mean squared error over all windows of each test length, [M, number of lengths]."""
        squares_MNN = (self.logits() - self.targets_MNN).double().square()
        found = []
        for length in self.fit.test_lengths:
            begun = torch.arange(self.fit.positions, device=self.device) <= self.fit.positions - length
            found.append((self._spread(begun.double()[None], length) * squares_MNN).sum((1, 2)))
        return torch.stack(found, dim=1)


def fit_products(stack: ProductStack, on_step: Callable[[int], None] = lambda _: None) -> list[list[float]]:
    """Train a stack to the end; return the test errors of each fit. ``on_step`` is told how many steps are done."""
    for number in range(stack.fit.steps):
        stack.step(number)
        if (number + 1) % 500 == 0:
            on_step(number + 1)
    errors: list[list[float]] = stack.errors().tolist()
    return errors
