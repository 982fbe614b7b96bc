"""How long a word may be before rounding changes an answer: measured, on words made to be close to ties.

A prefix of a word is a word, so that one run tests every length up to its own. What is found is an upper bound: a word that
was not tried may fail earlier. That nothing failed up to a length is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import torch

from ...arrays import numpy_arrays
from ...crasp.batched import BatchedProgram
from ...crasp.syntax import Program
from .model import CompiledModel
from .positions import PeriodicLocal
from .precision import Kernel

Words = Callable[[int], list[tuple[str, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The longest length at which all words tried were right, and whether longer ones were tried and failed."""

    longest: int
    failed: bool
    word: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return f"{self.longest:,}" if self.failed else f"≥ {self.longest:,}"


def tie_words(program: Program, *, seed: int = 0) -> Words:
    """Return a function from a length to words: blocks that balance each other, or nearly; turns; and random ones."""
    symbols = program.alphabet
    first, second, third = (symbols[min(place, len(symbols) - 1)] for place in range(3))

    def words(length: int) -> list[tuple[str, ...]]:
        half, part = length // 2, length // 3
        random = Random(seed * 1_000_003 + length)
        found = [
            (first,) * half + (second,) * (length - half),
            (second,) * half + (first,) * (length - half),
            (first,) * (half - 1) + (second,) * (length - half + 1) if half else (first,) * length,
            (first,) * part + (second,) * part + (third,) * (length - 2 * part),
            tuple((first, second)[place % 2] for place in range(length)),
            tuple(random.choices(symbols, k=length)),
        ]
        return list(dict.fromkeys(found))

    return words


def first_wrong(model: CompiledModel, words: Sequence[tuple[str, ...]], *, offset: int = 0) -> tuple[int, int] | None:
    """Return the smallest position at which an output differs from the program's, from 1, and the number of its word."""
    program = model.program
    batched, xp = BatchedProgram(program), numpy_arrays()
    tokens_BL, sizes_B = batched.encode(words, xp)
    if not tokens_BL.shape[1]:
        return None
    truths = batched.run(tokens_BL, xp, offset=offset)
    wrong_BL = None
    logits_BLO = model.logits(words, offset=offset)[:, 1:]
    for column, output in enumerate(program.outputs):
        differs = (logits_BLO[..., column] > 0).numpy() != truths[output.name]
        wrong_BL = differs if wrong_BL is None else wrong_BL | differs
    assert wrong_BL is not None
    found = [
        (int(row[:size].argmax()) + 1, number)
        for number, (row, size) in enumerate(zip(wrong_BL, sizes_B, strict=True))
        if row[:size].any()
    ]
    return min(found, default=None)


def measure_longest(model: CompiledModel, *, up_to: int, words: Words | None = None) -> Measurement:
    """Return the longest length at which all words tried are right: lengths double, and then the gap is halved."""
    make = tie_words(model.program) if words is None else words
    good, length = 0, min(64, up_to)
    while True:
        made = make(length)
        found = first_wrong(model, made)
        if found is not None:
            break
        if length == up_to:
            return Measurement(longest=up_to, failed=False)
        good, length = length, min(2 * length, up_to)
    bad, word = found[0], made[found[1]][: found[0]]
    while bad - good > 1:
        middle = (good + bad) // 2
        made = make(middle)
        found = first_wrong(model, made)
        if found is None:
            good = middle
        else:
            bad, word = found[0], made[found[1]][: found[0]]
            good = min(good, bad - 1)
    return Measurement(longest=bad - 1, failed=True, word=word)


def in_format(model: CompiledModel, name: str, kernel: Kernel) -> CompiledModel:
    """Return a copy of a model with its weights in a format, that computes attention in one of two ways."""
    from copy import deepcopy
    from dataclasses import replace

    transformer = deepcopy(model.transformer).to(getattr(torch, name))
    encoding = transformer.encoding
    assert isinstance(encoding, PeriodicLocal)
    encoding.stepwise = kernel is Kernel.STEPWISE
    return replace(model, transformer=transformer)
