"""Training compiled models further: does gradient descent stay at the program, and does a perturbed model return?

The loss is binary cross-entropy of every output at every position, against what the program says, on random words.
Slopes and biases that make a model exact at astronomical lengths leave it without useful gradients; compile with small ones.

Shapes: B words, L positions, O outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random

import numpy as np
import torch
import torch.nn.functional as functional
from torch import Tensor

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.syntax import Program
from lengthwise.model.compiled.model import CompiledModel, where

Words = list[tuple[str, ...]]


def perturbed(model: CompiledModel, sigma: float, *, seed: int) -> CompiledModel:
    """Return a copy with normal noise of this deviation added to every parameter, those that are 0 among them."""
    transformer = deepcopy(model.transformer)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in transformer.parameters():
            parameter.add_(sigma * torch.randn(parameter.shape, generator=generator, dtype=torch.float64).to(parameter))
    return replace(model, transformer=transformer)


def train_further(
    model: CompiledModel, *, steps: int, rate: float, max_length: int, seed: int, batch: int = 64
) -> tuple[CompiledModel, list[float]]:
    """Return a copy trained by AdamW on random words up to a length, and the loss of every step."""
    transformer = deepcopy(model.transformer)
    optimizer = torch.optim.AdamW(transformer.parameters(), lr=rate, weight_decay=0.0)
    random, losses = Random(seed), []
    batched = BatchedProgram(model.program)
    for _ in range(steps):
        words = _random_words(model.program, random, random.randint(1, max_length), batch)
        wanted_BLO = _labels(batched, words)
        tokens_BL = model.tokens(words)
        logits_MBLO = transformer(tokens_BL[None], where(tokens_BL, tokens_BL.shape[1]))
        logits_BLO = logits_MBLO[0, :, 1:]
        loss = functional.binary_cross_entropy_with_logits(logits_BLO, wanted_BLO.to(logits_BLO.dtype))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(transformer.parameters(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    return replace(model, transformer=transformer), losses


def exact_match(model: CompiledModel, lengths: Sequence[int], *, count: int = 200, seed: int = 0) -> dict[int, float]:
    """Return, for each length, the share of random words that are right at every position."""
    batched = BatchedProgram(model.program)
    found = {}
    for length in lengths:
        words = _random_words(model.program, Random(seed * 1_000_003 + length), length, count)
        right_BLO = (model.logits(words)[:, 1:] > 0) == (_labels(batched, words) > 0.5)
        found[length] = float(right_BLO.all(dim=(1, 2)).double().mean())
    return found


def distance(one: CompiledModel, two: CompiledModel) -> float:
    """Return the Euclidean distance of all parameters."""
    pairs = zip(one.transformer.parameters(), two.transformer.parameters(), strict=True)
    return float(sum(float(((a - b).detach().double() ** 2).sum()) for a, b in pairs) ** 0.5)


def _random_words(program: Program, random: Random, length: int, count: int) -> Words:
    return [tuple(random.choices(program.alphabet, k=length)) for _ in range(count)]


def _labels(batched: BatchedProgram, words: Words) -> Tensor:
    xp = numpy_arrays()
    tokens_BL, _ = batched.encode(words, xp)
    values = batched.run(tokens_BL, xp)
    columns = [np.asarray(values[output.name], dtype=np.float64) for output in batched.program.outputs]
    return torch.from_numpy(np.stack(columns, axis=-1))
